"""raw_rnn: a loop over a cell, with a user function that connects the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    colocate_with,
    convert_to_tensor,
    export,
    shape_tensor,
)
from headwater.model.rnn.cell import RNNCell, check_cell, concat_dims
from headwater.model.rnn.steps import cache_variables, is_tensor_array
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.reduce_functions import reduce_all
from headwater.ops.math.select import where

if TYPE_CHECKING:
    from headwater.base.dtypes import DType
    from headwater.model.variables.variable_scope_object import ScopeLike


@export("nn.raw_rnn")
def raw_rnn(
    cell: RNNCell,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: ScopeLike | None = None,
) -> tuple[Any, Any, Any]:
    """Applies a cell in a loop; a function gives the inputs, emits outputs and says when to stop.

    Args:
        cell: an RNNCell.
        loop_fn: a function (time, cell_output, cell_state, loop_state) -> (finished, next_input,
            next_cell_state, emit_output, next_loop_state). Its first call has None for all but
            the time and gives the initial values; its `emit_output` then has the structure,
            types and shapes (without the batch) of what is emitted, or is None for that of
            `cell.output_size`.
        parallel_iterations: the number of steps that may run at the same time; 32 by default.
        swap_memory: accepted; memory is managed by the engine.
        scope: the variable scope; "rnn" by default.

    Returns:
        TensorArrays of what was emitted, the last state, and the last loop state.

    Raises:
        TypeError: if `cell` is not a cell or `loop_fn` not a function.
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn") as current:
        cache_variables(current)
        time = constant(0, dtype=dtypes.int32)
        finished, next_input, initial_state, emitted, first_loop_state = loop_fn(
            time, None, None, None
        )
        flat_input = nest.flatten(next_input)
        loop_state = first_loop_state
        if loop_state is None:
            loop_state = constant(0, dtype=dtypes.int32)
        rows = flat_input[0].get_shape()[0]
        for x in flat_input:
            rows.merge_with(x.get_shape()[0])
        batch_size = rows.value
        if batch_size is None:
            batch_size = shape_tensor(flat_input[0])[0]
        nest.assert_same_structure(initial_state, cell.state_size)
        state = nest.map_structure(convert_to_tensor, initial_state)
        emitted, sizes, types = _emissions(emitted, cell, nest.flatten(state)[0].dtype)
        arrays = [
            TensorArray(
                dtype=dtype,
                dynamic_size=True,
                element_shape=TensorShape([rows.value]).concatenate(_known(size)),
                size=0,
                name=f"rnn_output_{i}",
            )
            for i, (dtype, size) in enumerate(zip(types, sizes, strict=True))
        ]
        nothing = [
            zeros(concat_dims(batch_size, size), dtype)
            for dtype, size in zip(types, sizes, strict=True)
        ]
        zero_emit = nest.pack_sequence_as(structure=emitted, flat_sequence=nothing)

        def body(
            time: Tensor,
            finished: TensorLike,
            current: Tensor,
            arrays: Any,
            state: NestedTensors,
            loop_state: NestedTensors,
        ) -> tuple[NestedTensors, ...]:
            output, cell_state = cell(current, state)
            nest.assert_same_structure(state, cell_state)
            nest.assert_same_structure(cell.output_size, output)
            next_time = time + 1
            now_finished, following, next_state, emit, next_loop_state = loop_fn(
                next_time, output, cell_state, loop_state
            )
            nest.assert_same_structure(state, next_state)
            nest.assert_same_structure(current, following)
            nest.assert_same_structure(arrays, emit)
            emit = _unless(finished, zero_emit, emit)
            next_state = _unless(finished, state, next_state)
            arrays = nest.map_structure(lambda a, e: a.write(time, e), arrays, emit)
            return (
                next_time,
                build.LogicalOr(finished, now_finished),
                following,
                arrays,
                next_state,
                loop_state if next_loop_state is None else next_loop_state,
            )

        results = while_loop(
            lambda time, finished, *_: build.LogicalNot(reduce_all(finished)),
            body,
            loop_vars=[
                time,
                finished,
                next_input,
                nest.pack_sequence_as(structure=emitted, flat_sequence=arrays),
                state,
                loop_state,
            ],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        final_arrays, final_state, final_loop_state = results[-3:]
        return final_arrays, final_state, None if first_loop_state is None else final_loop_state


def _emissions(
    emitted: NestedTensors | None, cell: RNNCell, state_type: DType
) -> tuple[Any, list[Any], list[Any]]:
    """Structure, sizes without the batch, and types of what is emitted."""
    if emitted is None:
        sizes = nest.flatten(cell.output_size)
        return cell.output_size, sizes, [state_type] * len(sizes)
    flat = nest.flatten(emitted)
    sizes = [e.shape if e.shape.is_fully_defined() else shape_tensor(e) for e in flat]
    return emitted, sizes, [e.dtype for e in flat]


def _known(size: TensorShape | int) -> TensorShape:
    return TensorShape(None) if isinstance(size, Tensor) else TensorShape(size)


def _unless(finished: Tensor, old: NestedTensors, new: NestedTensors) -> NestedTensors:
    """The new values, the old ones for rows that are finished."""

    def chosen(before: TensorLike, after: TensorLike) -> Tensor:
        if is_tensor_array(before) or before.shape.ndims == 0:
            return after
        with colocate_with(after):
            return where(finished, before, after)

    return nest.map_structure(chosen, old, new)
