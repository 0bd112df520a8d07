"""Functions and classes of many modules under the paths that internal modules give them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headwater.compat.internals import internal
from headwater.contrib.slim.nets.classifier import trunc_normal
from headwater.estimator.export.saved_models import timestamped_export_dir
from headwater.graph import Tensor, get_default_graph
from headwater.graph.control_flow.control_flow_state import ControlFlowState, zeros_outside_loops
from headwater.graph.control_flow.grad_loop_state import GradLoopState
from headwater.graph.graph_keys import GraphKeys
from headwater.model import tape_functions
from headwater.model.critical_section import CriticalSection
from headwater.model.layers.node import Node
from headwater.model.linalg.identity import BaseLinearOperatorIdentity
from headwater.model.parallel_for import gradients, loops
from headwater.model.template import Template, make_template
from headwater.model.trackable.auto import AutoTrackable
from headwater.model.trackable.base import Trackable, TrackableReference
from headwater.model.trackable.restoration import VARIABLE_VALUE_KEY
from headwater.ops.parsing.example_functions import parse_single_example
from headwater.ops.summary.merge import merge_all
from headwater.ops.summary.tensor import text
from headwater.session.session import BaseSession

_CONTRIB = "tensorflow.contrib"

_NAMES: dict[str, Any] = {
    "client.session.SessionInterface": BaseSession,
    "eager.backprop.gradients_function": tape_functions.gradients_function,
    "eager.backprop.implicit_grad": tape_functions.implicit_gradients,
    "eager.backprop.implicit_val_and_grad": tape_functions.implicit_value_and_gradients,
    "eager.backprop.val_and_grad_function": tape_functions.value_and_gradients_function,
    "estimator.util.get_timestamped_dir": timestamped_export_dir,
    "layers.base.Node": Node,
    "ops.control_flow_ops.ControlFlowState": ControlFlowState,
    "ops.control_flow_ops.GradLoopState": GradLoopState,
    "ops.control_flow_ops.ZerosLikeOutsideLoop": zeros_outside_loops,
    "ops.linalg.linear_operator_identity.BaseLinearOperatorIdentity": BaseLinearOperatorIdentity,
    "ops.parsing_ops.parse_single_example_v2": parse_single_example,
    "ops.template.EagerTemplate": Template,
    "ops.template.make_template_internal": make_template,
    "training.checkpointable.Checkpointable": AutoTrackable,
    "training.checkpointable.CheckpointableBase": Trackable,
    "training.checkpointable.CheckpointableReference": TrackableReference,
    "training.checkpointable.VARIABLE_VALUE_KEY": VARIABLE_VALUE_KEY,
    f"{_CONTRIB}.framework.python.ops.critical_section_ops.CriticalSection": CriticalSection,
    f"{_CONTRIB}.slim.python.slim.nets.inception_v1.trunc_normal": trunc_normal,
    f"{_CONTRIB}.slim.python.slim.nets.inception_v2.trunc_normal": trunc_normal,
    f"{_CONTRIB}.slim.python.slim.nets.inception_v3.trunc_normal": trunc_normal,
}

for _path, _value in _NAMES.items():
    internal(_path)(_value)
for _package in ("ops.parallel_for", "ops.parallel_for.control_flow_ops"):
    internal(f"{_package}.pfor")(loops.pfor)
    internal(f"{_package}.for_loop")(loops.for_loop)
    internal(f"{_package}.vectorized_map")(loops.vectorized_map)
for _package in ("ops.parallel_for", "ops.parallel_for.gradients"):
    internal(f"{_package}.jacobian")(gradients.jacobian)
    internal(f"{_package}.batch_jacobian")(gradients.batch_jacobian)


@internal("ops.logging_ops.get_summary_op")
def get_summary_op() -> Tensor | None:
    """Returns the op of the collection SUMMARY_OP; if there is none, one that merges summaries.

    Returns:
        A string scalar, or None without summaries.
    """
    ops = get_default_graph().get_collection_ref(GraphKeys.SUMMARY_OP)
    if ops and ops[0] is not None:
        return ops[0]
    merged = merge_all()
    if merged is not None:
        ops[:] = [merged]
    return merged


@internal("training.optimizer.get_filtered_grad_fn")
def with_gradients_only(grad_fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that leaves out the variables for which another one has no gradient.

    Args:
        grad_fn: a function that returns pairs (gradient or None, variable).
    """

    def filtered(*args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        return [(grad, var) for grad, var in grad_fn(*args, **kwargs) if grad is not None]

    return filtered


@internal("ops.image_ops_impl.fix_image_flip_shape")
def with_shape_of_image(image: Tensor, result: Tensor) -> Tensor:
    """Gives a result the shape of an image, or rank 3 if that is unknown.

    Args:
        image: the image.
        result: what has been made of it.

    Returns:
        The result.
    """
    shape = image.get_shape()
    result.set_shape([None] * 3 if shape.ndims is None else shape)
    return result


@internal("ops.sparse_ops.KeywordRequired")
class KeywordRequired:
    """The default of arguments that must not be given by position."""

    def __repr__(self) -> str:
        return "KeywordRequired()"


@internal("platform.self_check.preload_check")
def preload_check() -> None:
    """Looks for libraries that have to be there before the package is imported: there are none."""


@internal("util.all_util.reveal_undocumented")
def reveal_undocumented(symbol_name: str, target_module: Any = None) -> None:
    """Would make a hidden name visible; no name is hidden here.

    Args:
        symbol_name: the full name.
        target_module: the module.

    Raises:
        LookupError: always.
    """
    raise LookupError(f"{symbol_name} is not a hidden symbol")


@internal(f"{_CONTRIB}.layers.python.layers.rev_block_lib.enable_with_args")
def enable_with_args(dec: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a decorator that may be used with arguments and without.

    Args:
        dec: the decorator, a function of a function and of keyword arguments.
    """

    def decorator(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and inspect.isfunction(args[0]):
            return dec(args[0])
        return lambda fn: dec(fn, *args, **kwargs)

    return decorator


@internal("summary.text_summary.text_summary")
def text_summary(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """Returns `tf.summary.text` of a tensor.

    Args:
        name: the tag.
        tensor: the strings.
        collections: the collections that the summary is added to.
    """
    return text(name, tensor, collections=collections)
