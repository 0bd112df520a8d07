"""Recurrent networks as a loop over a tensor of steps: any length, one copy of the cell's nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.rnn.cell import RNNCell, check_cell, static_concat_dims
from headwater.model.rnn.steps import (
    as_int32,
    best_effort_input_batch_size,
    cache_variables,
    initial_state_of,
    length_bounds,
    step_within_lengths,
    transpose_batch_time,
    type_of_state,
    zero_outputs,
)
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.constant import constant
from headwater.ops.array.reverse import reverse
from headwater.ops.array.stack import stack
from headwater.ops.control.assertion import assert_
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.reduce_functions import reduce_all

if TYPE_CHECKING:
    from headwater.base.dtypes import DType
    from headwater.model.rnn.lstm import LSTMStateTuple
    from headwater.model.variables.variable_scope_object import ScopeLike


def _with_checked_length(lengths: TensorLike, batch_size: TensorLike) -> Tensor:
    """The lengths, after a check in each run that there is one per row."""
    shape = shape_tensor(lengths)
    expected = stack([batch_size])
    check = assert_(
        reduce_all(build.Equal(shape, expected)),
        [f"Expected shape for Tensor {lengths.name} is ", expected, " but saw shape: ", shape],
    )
    with control_dependencies([check]):
        return build.Identity(lengths, name="CheckSeqLen")


@export("nn.dynamic_rnn", "models.rnn.rnn.dynamic_rnn")
def dynamic_rnn(
    cell: RNNCell,
    inputs: NestedTensors | None,
    sequence_length: TensorLike | None = None,
    initial_state: NestedTensors | None = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: ScopeLike | None = None,
) -> tuple[Any, Any]:
    """Applies a cell to the steps of a tensor in a loop.

    Args:
        cell: an RNNCell.
        inputs: a tensor of shape [batch, time, ...], or a structure of them.
        sequence_length: an integer vector, the number of steps of each row; after them, its
            outputs are zeros and its state stays.
        initial_state: the state before the first step; zeros if None.
        dtype: the type of states and outputs, needed if there is no initial state.
        parallel_iterations: the number of steps that may run at the same time; 32 by default.
        swap_memory: accepted; memory is managed by the engine.
        time_major: whether inputs and outputs have the shape [time, batch, ...].
        scope: the variable scope; "rnn" by default.

    Returns:
        The outputs, of shape [batch, time, ...], in the structure of `cell.output_size`, and the
        last state.

    Raises:
        TypeError: if `cell` is not a cell.
        ValueError: if the depth of the inputs is unknown, or `dtype` is missing.
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn") as current:
        cache_variables(current)
        flat = nest.flatten(inputs)
        if not flat:
            raise ValueError("inputs must not be empty")
        flat = [convert_to_tensor(x) for x in flat]
        if not time_major:
            flat = [transpose_batch_time(x) for x in flat]
        parallel_iterations = parallel_iterations or 32
        lengths = None
        if sequence_length is not None:
            lengths = as_int32(sequence_length)
            if lengths.get_shape().ndims not in (None, 1):
                raise ValueError(
                    "sequence_length must be a vector of length batch_size, but saw shape: "
                    f"{lengths.get_shape()}"
                )
            lengths = build.Identity(lengths, name="sequence_length")
        batch_size = best_effort_input_batch_size(flat)
        if initial_state is not None:
            state = initial_state
        else:
            if not dtype:
                raise ValueError("If there is no initial_state, you must give a dtype.")
            state = initial_state_of(cell, batch_size, dtype)
        if lengths is not None:
            lengths = _with_checked_length(lengths, batch_size)
        outputs, final_state = loop(
            cell,
            nest.pack_sequence_as(structure=inputs, flat_sequence=flat),
            state,
            lengths,
            dtype,
            parallel_iterations,
            swap_memory,
        )
        if not time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
        return outputs, final_state


def _static_sizes(flat: list[Any]) -> tuple[int | None, int | None, list[TensorShape]]:
    """The static time and batch dimensions, and the shapes."""
    shapes = [x.get_shape().with_rank_at_least(3) for x in flat]
    steps, rows = shapes[0].as_list()[:2]
    for shape in shapes:
        if not shape[2:].is_fully_defined():
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw "
                "value None."
            )
        if steps != shape[0].value:
            raise ValueError(
                "Time steps is not the same for all the elements in the input in a batch."
            )
        if rows != shape[1].value:
            raise ValueError("Batch_size is not the same for all the elements in the input.")
    return steps, rows, shapes


def _size_as_shape(size: TensorShape | int) -> TensorShape:
    return TensorShape(None) if isinstance(size, Tensor) else TensorShape(size)


def loop(
    cell: RNNCell,
    inputs: NestedTensors,
    initial_state: NestedTensors,
    lengths: TensorLike,
    dtype: DType | None,
    parallel_iterations: int,
    swap_memory: bool,
) -> tuple[Any, Any]:
    """The loop over time-major inputs.

    Args:
        cell: an RNNCell.
        inputs: a tensor of shape [time, batch, ...], or a structure of them.
        initial_state: the state before the first step.
        lengths: an int32 vector, or None.
        dtype: the type of the outputs; that of the state if None.
        parallel_iterations: the number of steps that may run at the same time.
        swap_memory: accepted; memory is managed by the engine.

    Returns:
        The outputs, of shape [time, batch, ...], and the last state.
    """
    flat = nest.flatten(inputs)
    output_sizes = nest.flatten(cell.output_size)
    time_steps = shape_tensor(flat[0])[0]
    batch_size = best_effort_input_batch_size(flat)
    steps, rows, shapes = _static_sizes(flat)
    output_type = type_of_state(dtype, initial_state)
    zero_output = nest.pack_sequence_as(
        structure=cell.output_size,
        flat_sequence=zero_outputs(output_sizes, batch_size, None, output_type),
    )
    bounds = length_bounds(lengths) if lengths is not None else (None, time_steps)
    time = constant(0, dtype=dtypes.int32, name="time")
    with name_scope("dynamic_rnn") as base_name:
        pass
    output_arrays = tuple(
        TensorArray(
            dtype=output_type,
            size=time_steps,
            element_shape=TensorShape([rows]).concatenate(_size_as_shape(size)),
            tensor_array_name=f"{base_name}output_{i}",
        )
        for i, size in enumerate(output_sizes)
    )
    input_arrays = tuple(
        TensorArray(
            dtype=x.dtype,
            size=time_steps,
            element_shape=shape[1:],
            tensor_array_name=f"{base_name}input_{i}",
        )
        for i, (x, shape) in enumerate(zip(flat, shapes, strict=True))
    )
    input_arrays = tuple(a.unstack(x) for a, x in zip(input_arrays, flat, strict=True))

    def step(
        time: Tensor, arrays: Sequence[TensorArray], state: NestedTensors
    ) -> tuple[NestedTensors, ...]:
        read = [a.read(time) for a in input_arrays]
        for x, shape in zip(read, shapes, strict=True):
            x.set_shape(shape[1:])
        step_inputs = nest.pack_sequence_as(structure=inputs, flat_sequence=read)
        if lengths is None:
            output, new_state = cell(step_inputs, state)
        else:
            output, new_state = step_within_lengths(
                time,
                lengths,
                bounds,
                zero_output,
                state,
                lambda: cell(step_inputs, state),
                skip_conditionals=True,
            )
        written = tuple(a.write(time, x) for a, x in zip(arrays, nest.flatten(output), strict=True))
        return time + 1, written, new_state

    bound = build.Minimum(time_steps, build.Maximum(1, bounds[1]))
    _, output_arrays, final_state = while_loop(
        cond=lambda time, *_: time < bound,
        body=step,
        loop_vars=(time, output_arrays, initial_state),
        parallel_iterations=parallel_iterations,
        maximum_iterations=time_steps,
        swap_memory=swap_memory,
    )
    outputs = [a.stack() for a in output_arrays]
    for output, size in zip(outputs, output_sizes, strict=True):
        output.set_shape(static_concat_dims(TensorShape([steps, rows]), size))
    return (
        nest.pack_sequence_as(structure=cell.output_size, flat_sequence=outputs),
        final_state,
    )


@export("nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state_fw: NestedTensors | None = None,
    initial_state_bw: NestedTensors = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: ScopeLike | None = None,
) -> tuple[Any, Any]:
    """Applies one cell to the steps in order, and another in reverse order.

    Args:
        cell_fw: the cell of the forward direction.
        cell_bw: the cell of the backward direction.
        inputs: a tensor of shape [batch, time, ...], or a structure of them.
        sequence_length: an integer vector: the lengths of the rows.
        initial_state_fw: the state before the first step; zeros if None.
        initial_state_bw: the state before the last step; zeros if None.
        dtype: the type of states and outputs, needed if there are no initial states.
        parallel_iterations: the number of steps that may run at the same time; 32 by default.
        swap_memory: accepted; memory is managed by the engine.
        time_major: whether inputs and outputs have the shape [time, batch, ...].
        scope: the variable scope; "bidirectional_rnn" by default.

    Returns:
        The outputs of both directions, and the last states of both, each a pair.

    Raises:
        TypeError: if a cell is not an RNNCell.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def backwards(x: TensorLike) -> Tensor:
        if sequence_length is not None:
            return build.ReverseSequence(
                x, sequence_length, seq_dim=time_axis, batch_dim=batch_axis
            )
        return reverse(x, axis=[time_axis])

    def run(
        cell: RNNCell, x: Tensor, state: NestedTensors, scope: ScopeLike
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        return dynamic_rnn(
            cell=cell,
            inputs=x,
            sequence_length=sequence_length,
            initial_state=state,
            dtype=dtype,
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            time_major=time_major,
            scope=scope,
        )

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as scope_fw:
            output_fw, state_fw = run(cell_fw, inputs, initial_state_fw, scope_fw)
        with variable_scope("bw") as scope_bw:
            reverse_inputs = nest.map_structure(backwards, inputs)
            output_bw, state_bw = run(cell_bw, reverse_inputs, initial_state_bw, scope_bw)
    output_bw = nest.map_structure(backwards, output_bw)
    return (output_fw, output_bw), (state_fw, state_bw)
