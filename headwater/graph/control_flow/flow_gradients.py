"""Gradients of the nodes of branches and loops."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph.builders import build
from headwater.graph.control_flow.backprop_nodes import (
    add_accumulator,
    add_slices_accumulator,
    inside,
    outside,
)
from headwater.graph.control_flow.loop_building import add_back_edge
from headwater.graph.control_flow.nodes import enter, exit_, merge, switch, switch_ref_or_tensor
from headwater.graph.control_flow.util import output_context
from headwater.graph.default_graph import get_default_graph
from headwater.graph.indexed_slices import IndexedSlices
from headwater.graph.operation import Operation, Tensor


def _current_context() -> Any:
    return get_default_graph()._get_control_flow_context()


def gradient_switch(op: Operation, *grads: Any) -> Any:
    """Merges the gradients of the two branches."""
    context = op._control_flow_context
    if context is not None and context.IsWhileContext():
        return _gradient_loop_switch(op, *grads)
    if context is not None and context.IsCondContext():
        other = grads[1 - context.branch]
        if other is not None:
            return merge(grads, name="cond_grad")[0], None
        # No zeros are made for what is not trainable.
        if op._inputs[0]._dtype is dtypes.resource:
            taken = grads[context.branch]
            return merge([taken, taken], name="cond_resource_grad")[0], None
        return None, None
    pred = op._inputs[1]
    if_false = switch(grads[0], pred)[0]
    if_true = switch(grads[1], pred)[1]
    return merge([if_false, if_true])[0], None


def _gradient_loop_switch(op: Operation, at_exit: Any, in_body: TensorLike) -> Any:
    """The Merge of the gradient of a loop variable, in two visits.

    The first one comes from the Exit, which begins the loop of the gradient; the second one, with
    what one iteration gives, closes it.
    """
    merges = _current_context().grad_state.switch_map
    if op in merges:
        if in_body is not None:
            add_back_edge(merges[op], in_body, enforce_shape_invariant=False)
        return None, None
    if at_exit is None:
        return None, None
    # Until the second visit both inputs are the same.
    merges[op] = merge([at_exit, at_exit], name="b_switch")[0]
    return merges[op], None


def gradient_merge(op: Operation, grad: TensorLike, index_grad: Any) -> Any:
    """Sends the gradient to the branch that the value came from."""
    context: Any = output_context(op._inputs[0]._op)
    current = _current_context()
    if context is not None and context.IsWhileContext():
        return switch_ref_or_tensor(grad, current.pivot)
    if context is not None and context.IsCondContext():
        pred = context.pred
        if current is not None and current.grad_state is not None:
            pred = _kept_predicate(current.grad_state, pred)
        return switch_ref_or_tensor(grad, pred, name="cond_grad")
    taken = [build.Equal(op._outputs[1], i) for i in range(len(op._inputs))]
    return [switch_ref_or_tensor(grad, pred)[1] for pred in taken]


def _kept_predicate(state: Any, pred: Tensor) -> Tensor:
    """The predicate of a branch in a loop, kept for each iteration."""
    if pred.name not in state.history_map:
        with outside(state.grad_context):
            kept = state.AddForwardAccumulator(pred)
        state.history_map[pred.name] = state.AddBackpropAccumulatedValue(kept, pred)
    tensor: Tensor = state.history_map[pred.name]
    return tensor


def gradient_exit(op: Operation, grad: TensorLike) -> Any:
    """The gradient enters the loop of the gradient."""
    context = _current_context()
    if not context.back_prop:
        return None
    if op._control_flow_context.grad_state is not None:
        raise TypeError("Second-order gradient for while loops not supported.")
    if isinstance(grad, Tensor):
        parts = [grad]
    elif isinstance(grad, IndexedSlices):
        parts = [grad.values, grad.indices]
        parts += [] if grad.dense_shape is None else [grad.dense_shape]
    else:
        raise TypeError(f"Type {type(grad)} not supported")
    for part in parts:
        context.AddName(part.name)
    with inside(context):
        result = enter(
            grad,
            context.name,
            parallel_iterations=context.parallel_iterations,
            name="b_exit",
        )
        context.loop_enters.append(result)
    return result


def gradient_next_iteration(op: Operation, grad: Any) -> Any:
    """The gradient itself: the Merge takes it to the iteration before."""
    return grad


def gradient_enter(op: Operation, grad: TensorLike) -> Any:
    """The gradient leaves the loop of the gradient; for constants of the loop the sum of all."""
    context = _current_context()
    if context is None or not context.back_prop or context.grad_state is None:
        return grad
    if not op._attrs["is_constant"]:
        result = exit_(grad)
        context.loop_exits.append(result)
        context.ExitResult([result])
        return result
    if isinstance(grad, Tensor):
        return add_accumulator(context, op, grad)
    if isinstance(grad, IndexedSlices):
        return add_slices_accumulator(context, op, grad)
    raise TypeError(f"Type {type(grad)} not supported")


def gradient_loop_cond(op: Operation, grad: Any) -> None:
    """None."""
    return None
