"""The global step: the variable that counts training steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes, logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Graph, Tensor, control_dependencies, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_creation import VariableAggregation
from headwater.model.variables.variable_scope import get_variable

if TYPE_CHECKING:
    from headwater.session.session import BaseSession

# The collection of the tensor that reads the global step.
GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"


@export("train.global_step")
def global_step(sess: BaseSession, global_step_tensor: TensorLike) -> int:
    """The value of the global step in a session.

    Args:
        sess: the session.
        global_step_tensor: the variable or tensor, or its name.

    Returns:
        An int.
    """
    # Some programs count in a vector of one element.
    return int(np.asarray(sess.run(global_step_tensor)).item())


@export(
    "train.get_global_step", "contrib.framework.get_global_step", "contrib.slim.get_global_step"
)
def get_global_step(graph: Graph | None = None) -> Any:
    """The global step of a graph.

    It is the only element of the collection GLOBAL_STEP or else the tensor ``"global_step:0"``.

    Args:
        graph: the graph; the default graph if None.

    Returns:
        A Variable or Tensor, or None if there is none.

    Raises:
        TypeError: if it is not an integer scalar.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        logging.error("Multiple tensors in global_step collection.")
        return None
    if found:
        step = found[0]
    else:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(step)
    return step


@export(
    "train.create_global_step",
    "contrib.framework.create_global_step",
    "contrib.slim.create_global_step",
)
def create_global_step(graph: Graph | None = None) -> Variable:
    """Makes the global step of a graph.

    Args:
        graph: the graph; the default graph if None.

    Returns:
        A Variable of type int64.

    Raises:
        ValueError: if there is one already.
    """
    return new_global_step(graph or get_default_graph())


def new_global_step(graph: Graph, use_resource: bool | None = None) -> Variable:
    """Makes the global step of a graph, as a resource variable if that is asked for.

    Raises:
        ValueError: if there is one already.
    """
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            use_resource=use_resource,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
        )


@export(
    "train.get_or_create_global_step",
    "contrib.framework.get_or_create_global_step",
    "contrib.slim.get_or_create_global_step",
)
def get_or_create_global_step(graph: Graph | None = None) -> Variable:
    """The global step of a graph, which is made if there is none.

    Args:
        graph: the graph; the default graph if None.

    Returns:
        A Variable or Tensor.

    Example:
        >>> step = tf.train.get_or_create_global_step()
        >>> print(step.name, tf.train.get_or_create_global_step() is step)
        global_step:0 True
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


@export(
    "train.assert_global_step",
    "contrib.framework.assert_global_step",
    "contrib.slim.assert_global_step",
)
def assert_global_step(global_step_tensor: TensorLike) -> None:
    """Checks that a global step is an integer scalar.

    Args:
        global_step_tensor: a Variable or Tensor.

    Raises:
        TypeError: if it is not.
    """
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}'
        )
    shape = global_step_tensor.get_shape()
    if shape.ndims != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


@export("contrib.framework.assert_or_get_global_step", "contrib.slim.assert_or_get_global_step")
def assert_or_get_global_step(
    graph: Graph | None = None, global_step_tensor: TensorLike | None = None
) -> Tensor | Variable:
    """A given global step, checked, or that of a graph.

    Args:
        graph: the graph; the default graph if None.
        global_step_tensor: a Variable or Tensor, or None.

    Returns:
        `global_step_tensor`, or what `get_global_step` returns.

    Raises:
        TypeError: if it is not an integer scalar.
    """
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


def global_step_read(graph: Graph | None = None) -> Tensor | None:
    """The tensor that `read_global_step` has made.

    Args:
        graph: the graph; the default graph if None.

    Returns:
        A Tensor, or None if there is none yet.

    Raises:
        RuntimeError: if there are several.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GLOBAL_STEP_READ_KEY)
    if len(found) > 1:
        raise RuntimeError(
            f"There are multiple items in collection {GLOBAL_STEP_READ_KEY}. There should be only "
            "one."
        )
    return found[0] if found else None


def read_global_step(graph: Graph | None = None) -> Tensor | None:
    """A tensor that reads the global step, made if there is none.

    Args:
        graph: the graph; the default graph if None.

    Returns:
        A Tensor, always the same of a graph; None without a global step.

    Raises:
        RuntimeError: if there are several.
    """
    graph = graph or get_default_graph()
    read = global_step_read(graph)
    if read is not None:
        return read
    step = get_global_step(graph)
    if step is None:
        return None
    # The variable is read before anything with a control dependency on this tensor runs.
    with graph.as_default(), graph.name_scope(None), graph.name_scope(f"{step.op.name}/"):
        initial = step.initialized_value() if hasattr(step, "initialized_value") else step
        read = initial + 0
    graph.add_to_collection(GLOBAL_STEP_READ_KEY, read)
    return read


def increment_global_step(increment: TensorLike, graph: Graph | None = None) -> Tensor:
    """Adds to the global step, after it has been read.

    Args:
        increment: an integer scalar.
        graph: the graph; the default graph if None.

    Returns:
        A Tensor of the new value.

    Raises:
        ValueError: if there is no global step.
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before "
            "calling increment."
        )
    read = read_global_step(graph)
    with (
        graph.as_default(),
        graph.name_scope(None),
        graph.name_scope(f"{step.op.name}/"),
        control_dependencies([read]),
    ):
        return step.assign_add(increment)
