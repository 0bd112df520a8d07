"""Questions and switches about eager mode and TensorFlow 2: here programs build graphs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base.export import export
from headwater.graph import stacks
from headwater.graph.default_graph import get_default_graph, global_default_graph
from headwater.graph.graph import Graph
from headwater.protos.lazy import config_pb2


@export("executing_eagerly", "contrib.eager.executing_eagerly", "contrib.eager.in_eager_mode")
def executing_eagerly() -> bool:
    """Tells whether ops run at once.

    Returns:
      False: they become nodes of the default graph.
    """
    return False


def _config_descriptor() -> Any:
    return config_pb2.ConfigProto.DESCRIPTOR


@export("enable_eager_execution", "contrib.eager.enable_eager_execution")
def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Would make ops run at once.

    Args:
      config: a ConfigProto.
      device_policy: where inputs of ops are moved.
      execution_mode: whether ops run in the background.

    Raises:
      TypeError: if `config` is not a ConfigProto.
      ValueError: if one of the others has an unknown value.
      RuntimeError: otherwise, always.
    """
    if config is not None and getattr(config, "DESCRIPTOR", None) is not _config_descriptor():
        raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
    if device_policy not in (None, 0, 1, 2, 3):
        raise ValueError(
            "device_policy must be one of None, tf.contrib.eager.DEVICE_PLACEMENT_EXPLICIT, "
            "tf.contrib.eager.DEVICE_PLACEMENT_WARN, tf.contrib.eager.DEVICE_PLACEMENT_SILENT, "
            "tf.contrib.eager.DEVICE_PLACEMENT_SILENT_FOR_INT32"
        )
    if execution_mode not in (None, 0, 1):
        raise ValueError(
            "execution_mode must be one of None, tf.contrib.eager.SYNC, tf.contrib.eager.ASYNC"
        )
    raise RuntimeError(
        "tf.enable_eager_execution is not supported: Headwater builds graphs and runs them in "
        "sessions. Without this call, use `with tf.Session() as sess: sess.run(...)`."
    )


@export("enable_v2_behavior")
def enable_v2_behavior() -> None:
    """Would switch to the behaviour of TensorFlow 2.

    Raises:
      RuntimeError: always.
    """
    raise RuntimeError(
        "tf.enable_v2_behavior is not supported: Headwater has the behaviour of TensorFlow 1."
    )


@export("disable_eager_execution")
def disable_eager_execution() -> None:
    """Makes ops become nodes of the default graph, as they do anyway."""


@export("disable_v2_behavior")
def disable_v2_behavior() -> None:
    """Keeps the behaviour of TensorFlow 1, which is the only one here."""


@export("disable_v2_tensorshape")
def disable_v2_tensorshape() -> None:
    """Keeps `tf.Dimension` as what indexing a TensorShape gives, which is the only way here."""


@export("enable_v2_tensorshape")
def enable_v2_tensorshape() -> None:
    """Would make indexing a TensorShape give integers.

    Raises:
      RuntimeError: always.
    """
    raise RuntimeError(
        "tf.enable_v2_tensorshape is not supported: indexing a TensorShape gives a tf.Dimension."
    )


@export("disable_tensor_equality")
def disable_tensor_equality() -> None:
    """Keeps `==` of tensors a comparison of objects, which is the only way here."""


@export("enable_tensor_equality")
def enable_tensor_equality() -> None:
    """Changes nothing: in graphs, `==` of tensors compares objects in either case."""


@export("enable_control_flow_v2")
def enable_control_flow_v2() -> None:
    """Changes nothing: loops and branches have the same values in both forms."""


@export("disable_control_flow_v2")
def disable_control_flow_v2() -> None:
    """Keeps Switch, Merge and the nodes of loops in graphs, which is the only way here."""


@export("control_flow_v2_enabled")
def control_flow_v2_enabled() -> bool:
    """Tells whether conditionals and loops become single nodes.

    Returns:
      False: they become Switch, Merge and the nodes of loops.
    """
    return False


def _outside_functions() -> Graph:
    """The innermost default graph that is not the body of a function or inside one."""
    graph: Graph
    for graph in reversed(stacks.graphs.items):
        if not graph._building_function:
            return graph
    return global_default_graph()


@export("init_scope")
@contextmanager
def init_scope() -> Iterator[None]:
    """A with block that keeps the name scope but leaves all control dependencies.

    Initializers of variables are made in it, wherever the variables are made: in the body of a
    function it leaves the functions, for the graph around them.

    Yields:
      None.
    """
    scope = get_default_graph().get_name_scope()
    graph = _outside_functions()
    with (
        graph.as_default(),
        graph.name_scope(scope + "/" if scope else None),
        graph.control_dependencies(None),
    ):
        yield
