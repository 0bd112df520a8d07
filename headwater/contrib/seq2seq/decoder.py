"""Decoders, and the loop that runs one: dynamic_decode."""

from __future__ import annotations

import abc
import contextlib
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    shape_tensor,
    zeros_like,
)
from headwater.model.rnn.cell import zero_state_tensors
from headwater.model.rnn.steps import cache_variables, is_tensor_array, transpose_batch_time
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.constant import constant
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.reduce_functions import reduce_all
from headwater.ops.math.select import where

if TYPE_CHECKING:
    from headwater.base.dtypes import DType
    from headwater.model.variables.variable_scope_object import ScopeLike


@export("contrib.seq2seq.Decoder")
class Decoder(metaclass=abc.ABCMeta):
    """The interface for dynamic_decode: the first inputs and state, and the step."""

    @property
    def batch_size(self) -> Tensor:
        """The number of sequences."""
        raise NotImplementedError

    @property
    def output_size(self) -> NestedTensors:
        """The sizes of the outputs of a step, without the batch, in their structure."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> NestedTensors:
        """The types of the outputs of a step, in their structure."""
        raise NotImplementedError

    @abc.abstractmethod
    def initialize(self, name: str | None = None) -> tuple[NestedTensors | None, ...]:
        """Returns the first inputs and state.

        Args:
            name: a name scope.

        Returns:
            Which sequences are finished, the first inputs and the first state.
        """
        raise NotImplementedError

    @abc.abstractmethod
    def step(
        self, time: TensorLike, inputs: TensorLike, state: NestedTensors, name: str | None = None
    ) -> tuple[NestedTensors, ...]:
        """Decodes one step.

        Args:
            time: the step, a scalar int32 tensor.
            inputs: the inputs.
            state: the state.
            name: a name scope.

        Returns:
            The outputs, the next state, the next inputs, and which sequences are finished.
        """
        raise NotImplementedError

    def finalize(
        self, outputs: NestedTensors, final_state: NestedTensors, sequence_lengths: TensorLike
    ) -> tuple[NestedTensors, ...]:
        """Postprocesses the decoded outputs; optional.

        Args:
            outputs: the outputs of all steps, time-major.
            final_state: the last state.
            sequence_lengths: the number of steps of each sequence.

        Returns:
            The final outputs and the final state.
        """
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` reports at each step which sequences are finished.

        A decoder whose sequences change places, as in beam search, does; else a sequence that is
        finished once stays so.
        """
        return False


@export("contrib.seq2seq.dynamic_decode")
def dynamic_decode(
    decoder: Decoder,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: TensorLike | None = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: ScopeLike | None = None,
    **kwargs: Any,
) -> tuple[Any, Any, Any]:
    """Runs a decoder until all sequences are finished.

    Args:
        decoder: a Decoder.
        output_time_major: whether the outputs are [time, batch, ...] instead of
            [batch, time, ...].
        impute_finished: whether finished sequences keep their state and give zeros.
        maximum_iterations: the number of steps at most, a scalar int32.
        parallel_iterations: the number of steps that may run at the same time.
        swap_memory: accepted; memory is managed by the engine.
        scope: the variable scope; "decoder" by default.
        **kwargs: what a decoder of layers takes; not used by a Decoder.

    Returns:
        The final outputs, the final state, and the lengths of the sequences.

    Raises:
        TypeError: if `decoder` is not a Decoder.
        ValueError: if `maximum_iterations` is not a scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder") as current:
        cache_variables(current)
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(
                maximum_iterations, dtype=dtypes.int32, name="maximum_iterations"
            )
            if maximum_iterations.get_shape().ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        initial_finished, initial_inputs, initial_state = decoder.initialize()
        zero_outputs = create_zero_outputs(
            decoder.output_size, decoder.output_dtype, decoder.batch_size
        )
        if maximum_iterations is not None:
            initial_finished = build.LogicalOr(initial_finished, maximum_iterations <= 0)
        initial_lengths = zeros_like(initial_finished, dtype=dtypes.int32)
        initial_time = constant(0, dtype=dtypes.int32)

        def array(size: TensorShape | int, dtype: DType) -> TensorArray:
            return TensorArray(
                dtype=dtype,
                size=0,
                dynamic_size=True,
                element_shape=_element_shape(decoder.batch_size, size),
            )

        arrays = nest.map_structure(array, decoder.output_size, decoder.output_dtype)

        def body(
            time: Tensor,
            arrays: NestedTensors,
            state: NestedTensors,
            inputs: Tensor,
            finished: TensorLike,
            lengths: TensorLike,
        ) -> tuple[NestedTensors, ...]:
            outputs, new_state, next_inputs, now_finished = decoder.step(time, inputs, state)
            if decoder.tracks_own_finished:
                next_finished = now_finished
            else:
                next_finished = build.LogicalOr(now_finished, finished)
            running = build.LogicalNot(finished)
            steps = build.Fill(shape_tensor(lengths), time + 1)
            next_lengths = where(running, steps, lengths)
            nest.assert_same_structure(state, new_state)
            nest.assert_same_structure(arrays, outputs)
            nest.assert_same_structure(inputs, next_inputs)
            if impute_finished:
                outputs = nest.map_structure(
                    lambda out, zero: where(finished, zero, out), outputs, zero_outputs
                )
                new_state = nest.map_structure(
                    lambda new, old: _kept_if(finished, new, old), new_state, state
                )
            arrays = nest.map_structure(lambda a, out: a.write(time, out), arrays, outputs)
            return time + 1, arrays, new_state, next_inputs, next_finished, next_lengths

        results = while_loop(
            lambda time, arrays, state, inputs, finished, lengths: build.LogicalNot(
                reduce_all(finished)
            ),
            body,
            loop_vars=(
                initial_time,
                arrays,
                initial_state,
                initial_inputs,
                initial_finished,
                initial_lengths,
            ),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        _, final_arrays, final_state, _, _, final_lengths = results
        outputs = nest.map_structure(lambda a: a.stack(), final_arrays)
        with contextlib.suppress(NotImplementedError):
            outputs, final_state = decoder.finalize(outputs, final_state, final_lengths)
        if not output_time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
    return outputs, final_state, final_lengths


def create_zero_outputs(size: NestedTensors, dtype: DTypeLike, batch_size: Tensor) -> NestedTensors:
    """Zeros in the structure of a decoder's outputs.

    Args:
        size: the sizes of the outputs, without the batch.
        dtype: their types, in the same structure.
        batch_size: the number of sequences.

    Returns:
        Tensors in the structure of `size`.
    """
    return nest.map_structure(lambda s, d: zero_state_tensors(s, batch_size, d), size, dtype)


def _element_shape(batch_size: TensorLike, size: TensorShape | int) -> TensorShape:
    if not isinstance(size, TensorShape) or size.ndims == 0:
        return TensorShape(None)
    rows = constant_value(convert_to_tensor(batch_size, name="batch_size"))
    return TensorShape([None if rows is None else int(rows)]).concatenate(size)


def _kept_if(finished: Tensor, new: TensorLike, old: TensorLike) -> Tensor | TensorArray:
    """The new state, or the old one for finished sequences."""
    if is_tensor_array(old):
        return new
    if isinstance(new, Tensor):
        new.set_shape(old.shape)
    return new if new.shape.ndims == 0 else where(finished, old, new)
