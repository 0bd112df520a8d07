"""Recurrent computation over the steps of sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.export import export
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import Tensor
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.reverse import reverse
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.stack import stack, unstack
from headwater.ops.array.tile import tile
from headwater.ops.array.transpose import transpose
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.cast import cast
from headwater.ops.math.select import where

StepFunction = Callable[[Any, Any], tuple[Any, Any]]


def _steps_first(x: TensorLike) -> Tensor:
    return transpose(x, [1, 0, *range(2, len(x.shape))])


def _spread_mask(mask: TensorLike, value: TensorLike, fixed: int = 1) -> Tensor:
    """Repeats a mask over the further axes of a value."""
    if nest.is_sequence(mask):
        raise ValueError(f"mask_t is expected to be tensor, but got {mask}")
    if nest.is_sequence(value):
        raise ValueError(f"input_t is expected to be tensor, but got {value}")
    for _ in range(len(value.shape) - len(mask.shape)):
        mask = expand_dims(mask, -1)
    sizes = value.shape.as_list()
    if None in sizes[fixed:]:
        whole = shape_of(value)
        return tile(mask, concat([[1] * fixed, whole[fixed:]], axis=0))
    return tile(mask, [1] * fixed + sizes[fixed:])


def _selected(mask: TensorLike, new: TensorLike, old: TensorLike) -> Tensor:
    return where(_spread_mask(mask, new), new, old)


@export("keras.backend.rnn")
def rnn(
    step_function: StepFunction,
    inputs: NestedTensors,
    initial_states: Sequence[Any],
    go_backwards: bool = False,
    mask: TensorLike | None = None,
    constants: Sequence[TensorLike] | None = None,
    unroll: bool = False,
    input_length: TensorLike | None = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
) -> tuple[Any, Any, Any]:
    """Applies a function to the steps of sequences, one after the other.

    Args:
        step_function: a function of a step's input and the list of states (followed by the
            constants), which returns the output and the list of new states.
        inputs: a structure of tensors (batch, steps, ...).
        initial_states: the states before the first step.
        go_backwards: whether the last step comes first.
        mask: booleans (batch, steps); where they are false the step repeats the output and states
            of the step before.
        constants: tensors that each step gets besides.
        unroll: whether the nodes of each step are made, rather than a loop.
        input_length: the largest number of steps, for a loop.
        time_major: whether tensors are (steps, batch, ...).
        zero_output_for_mask: whether masked outputs are zeros.

    Returns:
        The last output, all outputs (batch, steps, ...), and the last states.

    Raises:
        ValueError: if a number of steps is needed and unknown, or states are missing.
    """
    if not time_major:
        inputs = nest.map_structure(_steps_first, inputs)
    flat_inputs = nest.flatten(inputs)
    time_steps = flat_inputs[0].shape[0].value
    batch = flat_inputs[0].shape[1].value
    length = shape_of(flat_inputs[0])[0]
    for part in flat_inputs:
        part.shape.with_rank_at_least(3)
    if mask is not None:
        if mask.dtype != dtypes.bool_:
            mask = cast(mask, dtypes.bool_)
        if len(mask.shape) == 2:
            mask = expand_dims(mask, -1)
        if not time_major:
            mask = _steps_first(mask)
    steps = _Steps(step_function, inputs, flat_inputs, tuple(constants or ()), mask)
    if unroll:
        if not time_steps:
            raise ValueError("Unrolling requires a fixed number of timesteps.")
        last, outputs, states = steps.unrolled(
            tuple(initial_states), time_steps, go_backwards, zero_output_for_mask
        )
    else:
        last, outputs, states = steps.looped(
            tuple(initial_states), length, go_backwards, input_length, zero_output_for_mask
        )

    def with_static_shape(output: Tensor) -> Tensor:
        sizes = output.shape.as_list()
        sizes[0] = time_steps
        sizes[1] = batch
        output.set_shape(sizes)
        return output

    outputs = nest.map_structure(with_static_shape, outputs)
    if not time_major:
        outputs = nest.map_structure(_steps_first, outputs)
    return last, outputs, states


class _Steps:
    """The steps of one call: their function, inputs (steps first), constants and mask."""

    def __init__(
        self,
        function: StepFunction,
        inputs: Any,
        flat_inputs: list[Tensor],
        constants: tuple[Any, ...],
        mask: Any,
    ) -> None:
        self._function = function
        self._inputs = inputs
        self._flat_inputs = flat_inputs
        self._constants = constants
        self._mask = mask

    def _step(self, flat_input: Sequence[Any], states: tuple[Any, ...]) -> tuple[Any, Any]:
        inputs = nest.pack_sequence_as(self._inputs, list(flat_input))
        return self._function(inputs, (*states, *self._constants))

    def unrolled(
        self, states: tuple[Any, ...], time_steps: int, go_backwards: bool, zero_masked: bool
    ) -> tuple[Any, Any, Any]:
        """Makes the nodes of each step."""
        columns = [unstack(part) for part in self._flat_inputs]
        if go_backwards:
            for column in columns:
                column.reverse()
        if self._mask is None:
            outputs = []
            for i in range(time_steps):
                output, new_states = self._step([column[i] for column in columns], states)
                states = tuple(new_states)
                outputs.append(output)
            return outputs[-1], stack(outputs), states
        masks = unstack(self._mask)
        if go_backwards:
            masks.reverse()
        outputs = []
        for i in range(time_steps):
            output, new_states = self._step([column[i] for column in columns], states)
            before = outputs[-1] if outputs else zeros_like(output)
            outputs.append(_selected(masks[i], output, before))
            flat_new, flat_old = nest.flatten(new_states), nest.flatten(states)
            kept = [
                _selected(masks[i], new, old) for new, old in zip(flat_new, flat_old, strict=True)
            ]
            states = tuple(nest.pack_sequence_as(list(states), kept))
        last, all_outputs = outputs[-1], stack(outputs)
        if zero_masked:
            last = _selected(masks[-1], last, zeros_like(last))
            spread = _spread_mask(self._mask, all_outputs, fixed=2)
            all_outputs = where(spread, all_outputs, zeros_like(all_outputs))
        return last, all_outputs, list(states)

    def looped(
        self,
        states: tuple[Any, ...],
        length: Tensor,
        go_backwards: bool,
        input_length: TensorLike | None,
        zero_masked: bool,
    ) -> tuple[Any, Any, Any]:
        """Makes a loop over the steps."""
        arrays = [
            TensorArray(dtype=part.dtype, size=length, tensor_array_name=f"input_ta_{i}")
            for i, part in enumerate(self._flat_inputs)
        ]
        arrays = [
            array.unstack(reverse(part, [0]) if go_backwards else part)
            for array, part in zip(arrays, self._flat_inputs, strict=True)
        ]
        # Nodes of a step outside of the loop, for the types and shapes of the outputs.
        example, _ = self._step([part[0] for part in self._flat_inputs], states)
        flat_example = nest.flatten(example)
        output_arrays = tuple(
            TensorArray(dtype=output.dtype, size=length, tensor_array_name=f"output_ta_{i}")
            for i, output in enumerate(flat_example)
        )
        options: dict[str, Any] = {
            "cond": lambda time, *_: time < length,
            "maximum_iterations": input_length,
            "parallel_iterations": 32,
            "swap_memory": True,
        }
        if self._mask is None:
            time = constant(0, dtype=dtypes.int32, name="time")

            def step(time: Tensor, written: Any, *states: Any) -> Any:
                output, new_states = self._step([array.read(time) for array in arrays], states)
                new_states = _shaped_like(states, new_states)
                written = tuple(
                    array.write(time, value)
                    for array, value in zip(written, nest.flatten(output), strict=True)
                )
                return (time + 1, written, *new_states)

            final = while_loop(body=step, loop_vars=(time, output_arrays, *states), **options)
            new_states = final[2:]
        else:
            if not states:
                raise ValueError(
                    "No initial states provided! When using masking in an RNN, you should "
                    "provide initial states (and your step function should return as its first "
                    "state at time `t` the output at time `t-1`)."
                )
            mask = reverse(self._mask, [0]) if go_backwards else self._mask
            masks = TensorArray(dtype=dtypes.bool_, size=length, tensor_array_name="mask_ta")
            masks = masks.unstack(mask)
            zero_outputs = tuple(zeros_like(output) for output in flat_example)
            time = constant(0, dtype=dtypes.int32, name="time")

            def masked_step(time: Tensor, written: Any, before: Any, *states: Any) -> Any:
                mask_now = masks.read(time)
                output, new_states = self._step([array.read(time) for array in arrays], states)
                replaced = zero_outputs if zero_masked else before
                flat_output = tuple(
                    _selected(mask_now, new, old)
                    for new, old in zip(nest.flatten(output), replaced, strict=True)
                )
                flat_states = nest.flatten(states)
                flat_new = nest.flatten(_shaped_like(states, new_states))
                kept = [
                    _selected(mask_now, new, old)
                    for new, old in zip(flat_new, flat_states, strict=True)
                ]
                new_states = nest.pack_sequence_as(list(states), kept)
                written = tuple(
                    array.write(time, value)
                    for array, value in zip(written, flat_output, strict=True)
                )
                return (time + 1, written, flat_output, *new_states)

            final = while_loop(
                body=masked_step,
                loop_vars=(time, output_arrays, zero_outputs, *states),
                **options,
            )
            new_states = final[3:]
        outputs = tuple(array.stack() for array in final[1])
        last = tuple(output[-1] for output in outputs)
        return (
            nest.pack_sequence_as(example, list(last)),
            nest.pack_sequence_as(example, list(outputs)),
            new_states,
        )


def _shaped_like(states: Any, new_states: Any) -> list[Any]:
    """The new states with the static shapes of the old ones."""
    flat_old, flat_new = nest.flatten(states), nest.flatten(new_states)
    for old, new in zip(flat_old, flat_new, strict=True):
        if hasattr(new, "set_shape"):
            new.set_shape(old.shape)
    packed: list[Any] = nest.pack_sequence_as(list(states), flat_new)
    return packed
