"""The nodes that the loop of a gradient has besides the gradients of the forward nodes.

The forward loop counts its iterations, the loop of the gradient counts them down again; and what
the forward loop takes from outside gets the sum of its gradients of all iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Shape
from headwater.graph.basic_nodes import filled, shape_tensor, zeros_like, zeros_of
from headwater.graph.builders import build
from headwater.graph.control_flow.nodes import enter, exit_, merge, next_iteration, switch
from headwater.graph.convert import constant_node
from headwater.graph.default_graph import name_scope
from headwater.graph.indexed_slices import IndexedSlices
from headwater.graph.operation import Operation, Tensor
from headwater.graph.shapes import is_static


@contextmanager
def inside(context: Any) -> Iterator[None]:
    """A with block whose ops stand in a context; None for that in force."""
    if context is None:
        yield
        return
    context.Enter()
    try:
        yield
    finally:
        context.Exit()


@contextmanager
def outside(context: Any) -> Iterator[None]:
    """A with block that leaves an entered context and enters it again at its end."""
    context.Exit()
    try:
        yield
    finally:
        context.Enter()


def shape_at_run_time(value: Tensor) -> Tensor:
    """The shape of a tensor as a tensor; for the handle of a variable that of the variable."""
    if value._dtype is dtypes.resource:
        tensor: Tensor = build.VariableShape(value)
        return tensor
    return shape_tensor(value, optimize=False)


def zeros(shape: Shape, dtype: DType) -> Tensor:
    """Zeros of a known shape."""
    assert is_static(shape)
    with name_scope(None, "zeros") as scope:
        return filled(shape, dtype.base_dtype, 0, scope)


def zeros_constant(shape: Shape, dtype: DType, name: str = "Const") -> Tensor:
    """A constant of zeros of a known shape."""
    return constant_node(0, dtype.base_dtype, name, shape=shape)


def add_forward_counter(context: Any, outer_state: Any) -> tuple[Tensor, Tensor]:
    """Adds a counter of its iterations to a loop.

    Args:
        context: the loop.
        outer_state: the GradLoopState of the loop around it, or None.

    Returns:
        The number of iterations, outside of the loop, and the counter for the next iteration.
    """
    start = constant_node(0, name="f_count")
    if outer_state is not None:
        # What this loop pushes comes before what it pushes in the next iteration of the outer loop.
        start.op._add_control_input(outer_state.forward_index.op.inputs[0].op)
    with inside(context):
        (merged,) = _loop_variables(context, [start], "f_count", merge_name=None)
        ends, goes_on = switch(merged, context._pivot)
        following = next_iteration(build.Add(goes_on, 1))
        merged.op._update_input(1, following)
        (total,) = _loop_results(context, [ends], "f_count")
    return total, following


def add_backprop_counter(context: Any, count: Tensor, outer_state: Any) -> Tensor:
    """Begins the loop of a gradient with its counter, which counts down.

    Args:
        context: the loop of the gradient.
        count: the number of iterations.
        outer_state: the GradLoopState of the loop around it, or None.

    Returns:
        The counter for the next iteration.
    """
    one = constant_node(1, name="b_count")
    with inside(context):
        (merged,) = _loop_variables(context, [count], "b_count", merge_name=None)
        context._pivot_for_pred = merged
        context._pivot = build.LoopCond(build.GreaterEqual(merged, one), name="b_count")
        ends, goes_on = switch(merged, context._pivot)
        index = build.Sub(goes_on, one)
        context._pivot_for_body = index
        following: Tensor = next_iteration(index)
        merged.op._update_input(1, following)
        final = exit_(ends, name="b_count")
        context.loop_exits.append(final)
        if outer_state is not None:
            # What this loop pops comes before what it pops in the next iteration of the outer loop.
            outer_state.grad_sync._add_control_input(final.op)
        context.ExitResult([final])
    return following


def _loop_variables(
    context: Any,
    starts: Sequence[Tensor],
    name: str,
    merge_name: str | None,
    use_input_shape: bool = True,
) -> list[Tensor]:
    """New loop variables; the second input of each Merge has to be set later."""
    for tensor in starts:
        context.AddName(tensor.name)
    enters = [
        enter(
            tensor,
            context.name,
            parallel_iterations=context.parallel_iterations,
            use_input_shape=use_input_shape,
            name=name,
        )
        for tensor in starts
    ]
    if not use_input_shape:
        # They grow along their first dimension.
        for tensor, start in list(zip(enters, starts))[:2]:
            if start._shape is not None:
                tensor.set_shape([None, *start._shape[1:]])
    context.loop_enters.extend(enters)
    return [merge([tensor, tensor], name=merge_name)[0] for tensor in enters]


def _loop_results(context: Any, ends: Sequence[Tensor], name: str) -> list[Tensor]:
    exits = [exit_(tensor, name=name) for tensor in ends]
    context.loop_exits.extend(exits)
    context.ExitResult(exits)
    return exits


def add_accumulator(context: Any, op: Operation, grad: Tensor) -> Tensor:
    """Sums the gradients of all iterations for a value that a loop takes from outside.

    Args:
        context: the loop of the gradient, which is entered; afterwards it is left.
        op: the Enter by which the value comes in.
        grad: the gradient of one iteration.

    Returns:
        The sum, outside of the loop.
    """
    context.Exit()
    start = _accumulator_start(context, op, grad)
    # Entered until the gradients of the Enter are done.
    context.Enter()
    (merged,) = _loop_variables(context, [start], "b_acc", merge_name="b_acc")
    ends, goes_on = switch(merged, context._pivot)
    merged.op._update_input(1, next_iteration(build.Add(goes_on, grad)))
    (result,) = _loop_results(context, [ends], "b_acc")
    return result


def _accumulator_start(context: Any, op: Operation, grad: Tensor) -> Tensor:
    """Zeros of the shape of the value; if there is no iteration they are the result."""
    outer = context.outer_context
    if is_static(grad._shape):
        with inside(outer):
            return zeros_constant(grad._shape, grad._dtype, "b_acc")
    value = op._inputs[0]
    if outer is None or not outer.IsWhileContext() or outer.grad_state is None:
        with inside(outer):
            return zeros_of(shape_at_run_time(value), grad._dtype)
    # The shape is a value of the outer forward loop.
    outer_state = context.grad_state.outer_grad_state
    with inside(context.grad_state.forward_context.outer_context):
        shape = shape_at_run_time(value)
    kept = outer_state.AddForwardAccumulator(shape)
    with inside(outer):
        return zeros_of(outer_state.AddBackpropAccumulatedValue(kept, shape), grad._dtype)


def add_slices_accumulator(context: Any, op: Operation, grad: IndexedSlices) -> IndexedSlices:
    """`add_accumulator` for IndexedSlices: the slices of all iterations, concatenated."""
    context.Exit()
    with inside(context.outer_context):
        starts = _slices_start(op, grad)
    context.Enter()
    merged = _loop_variables(context, starts, "b_acc", merge_name="b_acc", use_input_shape=False)
    pairs = [switch(tensor, context._pivot) for tensor in merged]
    sums = [
        build.ConcatV2([pairs[0][1], grad.indices], 0, name="concat"),
        build.ConcatV2([pairs[1][1], grad.values], 0, name="concat"),
    ]
    if grad.dense_shape is not None:
        sums.append(build.Maximum(grad.dense_shape, pairs[2][1]))
    following = [next_iteration(tensor) for tensor in sums]
    for tensor, new in zip(merged, following):
        tensor.op._update_input(1, new)
    indices, values, *shape = _loop_results(context, [pair[0] for pair in pairs], "b_acc")
    return IndexedSlices(values, indices, shape[0] if shape else None)


def _slices_start(op: Operation, grad: IndexedSlices) -> list[Tensor]:
    """One slice of zeros: indices, values, and the shape of the whole if there is one."""
    values = grad.values
    if is_static(values._shape):
        start = zeros_constant((1, *values._shape[1:]), values._dtype, "b_acc")
    else:
        rest = _shape_of(op._inputs[0])[1:]
        start = zeros_of(build.ConcatV2([[1], rest], 0, name="concat"), values._dtype)
    starts = [constant_node([0], grad.indices._dtype.base_dtype), start]
    shape = grad.dense_shape
    if shape is None:
        return starts
    if is_static(shape._shape):
        return [*starts, zeros_constant(shape._shape, shape._dtype)]
    whole = shape_tensor(op._inputs[0], out_type=shape._dtype, optimize=False)
    return [*starts, zeros_like(whole, optimize=False)]


def _shape_of(value: Tensor) -> Any:
    """The shape of a tensor, or of the resource variable that it is the handle of."""
    if value._dtype is not dtypes.resource:
        return shape_tensor(value, optimize=False)
    while value._op._inputs:
        value = value._op._inputs[0]
    return value._op.get_attr("shape")
