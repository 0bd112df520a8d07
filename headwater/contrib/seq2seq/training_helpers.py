"""Helpers for training: given inputs, some of them replaced by the decoder's outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, TensorLike
from headwater.contrib.seq2seq.embedding_helpers import embedding_function
from headwater.contrib.seq2seq.helper import Helper, tensors
from headwater.contrib.seq2seq.sampling import bernoulli_sample, categorical_sample
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
    zeros_like,
)
from headwater.model.rnn.steps import transpose_batch_time
from headwater.ops.array.concat import concat
from headwater.ops.array.gather_nd import gather_nd
from headwater.ops.array.shape import size as size_of
from headwater.ops.control.cond import cond
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_all, reduce_any
from headwater.ops.math.select import where

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


@export("contrib.seq2seq.TrainingHelper")
class TrainingHelper(Helper):
    """A helper that feeds given inputs.

    Args:
        inputs: a tensor of shape [batch, time, ...], or [time, batch, ...] if `time_major`.
        sequence_length: an int32 vector.
        time_major: whether the first axis of `inputs` is time.
        name: a name scope.

    Raises:
        ValueError: if `sequence_length` is not a vector.
    """

    def __init__(
        self,
        inputs: TensorLike,
        sequence_length: TensorLike,
        time_major: bool = False,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "TrainingHelper", tensors(inputs, sequence_length)):
            inputs = convert_to_tensor(inputs, name="inputs")
            self._inputs = inputs
            if not time_major:
                inputs = nest.map_structure(transpose_batch_time, inputs)
            self._input_tas = nest.map_structure(unstacked, inputs)
            self._sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.get_shape().ndims != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self._sequence_length.get_shape()}"
                )
            self._zero_inputs = nest.map_structure(lambda x: zeros_like(x[0, :]), inputs)
            self._batch_size = size_of(sequence_length)

    @property
    def inputs(self) -> NestedTensors:
        """The inputs, as they were given."""
        return self._inputs

    @property
    def sequence_length(self) -> Tensor:
        """The lengths of the sequences."""
        return self._sequence_length

    @property
    def batch_size(self) -> Tensor:
        """The number of sequences."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The TensorShape of a sample: a scalar."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> DType:
        """The type of a sample: int32."""
        return dtypes.int32

    def initialize(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the first inputs; see Helper."""
        with name_scope(name, "TrainingHelperInitialize"):
            finished = build.Equal(0, self._sequence_length)
            return finished, self._inputs_at(0, finished)

    def _inputs_at(self, time: TensorLike, finished: TensorLike) -> Tensor:
        return cond(
            reduce_all(finished),
            lambda: self._zero_inputs,
            lambda: nest.map_structure(lambda array: array.read(time), self._input_tas),
        )

    def sample(  # type: ignore[override]
        self,
        time: TensorLike,
        outputs: NestedTensors,
        name: str | None = None,
        **unused_kwargs: Any,
    ) -> Tensor:
        """The largest output of each sequence, which is not fed; see Helper."""
        with name_scope(name, "TrainingHelperSample", tensors(time, outputs)):
            return cast(argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(  # type: ignore[override]
        self,
        time: TensorLike,
        outputs: TensorLike | None,
        state: NestedTensors,
        name: str | None = None,
        **unused_kwargs: Any,
    ) -> tuple[NestedTensors, ...]:
        """Returns the next inputs; see Helper."""
        with name_scope(name, "TrainingHelperNextInputs", tensors(time, outputs, state)):
            next_time = time + 1
            finished = next_time >= self._sequence_length
            return finished, self._inputs_at(next_time, finished), state


@export("contrib.seq2seq.ScheduledEmbeddingTrainingHelper")
class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """A helper that sometimes feeds the embedding of a sample instead of the given inputs.

    Args:
        inputs: a tensor of shape [batch, time, ...], or [time, batch, ...] if `time_major`.
        sequence_length: an int32 vector.
        embedding: a function from a vector of ids to embeddings, or a table for embedding_lookup.
        sampling_probability: how often a sample is fed: a scalar or a vector.
        time_major: whether the first axis of `inputs` is time.
        seed: the seed of the samples.
        scheduling_seed: the seed of the choice between inputs and samples.
        name: a name scope.

    Raises:
        ValueError: if `sampling_probability` is neither a scalar nor a vector.

    Source: S. Bengio et al., "Scheduled Sampling for Sequence Prediction with Recurrent Neural
    Networks", 2015.
    """

    def __init__(
        self,
        inputs: TensorLike,
        sequence_length: TensorLike,
        embedding: Callable[..., Any] | TensorLike,
        sampling_probability: TensorLike,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: str | None = None,
    ) -> None:
        with name_scope(
            name, "ScheduledEmbeddingSamplingWrapper", tensors(embedding, sampling_probability)
        ):
            self._embedding_fn = embedding_function(embedding)
            self._sampling_probability = _probability(sampling_probability)
            self._seed = seed
            self._scheduling_seed = scheduling_seed
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(  # type: ignore[override]
        self,
        time: TensorLike,
        outputs: TensorLike,
        state: TensorLike | None,
        name: str | None = None,
    ) -> Tensor:
        """A draw for the sequences that are to be fed with it, -1 for others; see Helper."""
        with name_scope(
            name, "ScheduledEmbeddingTrainingHelperSample", tensors(time, outputs, state)
        ):
            chosen = bernoulli_sample(
                probs=self._sampling_probability,
                dtype=dtypes.bool_,
                sample_shape=self.batch_size,
                seed=self._scheduling_seed,
            )
            drawn = categorical_sample(logits=outputs, seed=self._seed)
            return where(chosen, drawn, build.Fill([self.batch_size], -1))

    def next_inputs(  # type: ignore[override]
        self,
        time: TensorLike,
        outputs: TensorLike | None,
        state: NestedTensors,
        sample_ids: TensorLike,
        name: str | None = None,
    ) -> tuple[NestedTensors, ...]:
        """Returns the next inputs; see Helper."""
        values = tensors(time, outputs, state, sample_ids)
        with name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", values):
            finished, given, state = super().next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )

            def mixed() -> Tensor:
                sampled = cast(where(sample_ids > -1), dtypes.int32)
                others = cast(where(sample_ids <= -1), dtypes.int32)
                ids = gather_nd(sample_ids, sampled)
                kept = gather_nd(given, others)
                return _joined(given, sampled, self._embedding_fn(ids), others, kept)

            fed = cond(reduce_all(finished), lambda: given, mixed)
            return finished, fed, state


@export("contrib.seq2seq.ScheduledOutputTrainingHelper")
class ScheduledOutputTrainingHelper(TrainingHelper):
    """A helper that sometimes feeds the outputs back instead of the given inputs.

    Args:
        inputs: a tensor of shape [batch, time, ...], or [time, batch, ...] if `time_major`.
        sequence_length: an int32 vector.
        sampling_probability: how often the outputs are fed: a scalar or a vector.
        time_major: whether the first axis of `inputs` is time.
        seed: the seed of the choice between inputs and outputs.
        next_inputs_fn: a function from outputs to inputs; the outputs themselves if None.
        auxiliary_inputs: a tensor like `inputs` that is joined to either along the last axis.
        name: a name scope.
        next_input_layer: `next_inputs_fn` under its older name.

    Raises:
        ValueError: if `sampling_probability` is neither a scalar nor a vector.

    Source: S. Bengio et al., "Scheduled Sampling for Sequence Prediction with Recurrent Neural
    Networks", 2015.
    """

    def __init__(
        self,
        inputs: TensorLike,
        sequence_length: TensorLike,
        sampling_probability: TensorLike,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Callable[[Any], Any] | None = None,
        auxiliary_inputs: TensorLike | None = None,
        name: str | None = None,
        next_input_layer: Callable[[Any], Any] | None = None,
    ) -> None:
        values = tensors(inputs, auxiliary_inputs, sampling_probability)
        with name_scope(name, "ScheduledOutputTrainingHelper", values):
            self._sampling_probability = _probability(sampling_probability)
            self._auxiliary_input_tas: NestedTensors = None
            if auxiliary_inputs is not None:
                inputs = convert_to_tensor(inputs, name="inputs")
                auxiliary = convert_to_tensor(auxiliary_inputs, name="auxiliary_inputs")
                inputs = nest.map_structure(lambda x, y: concat((x, y), -1), inputs, auxiliary)
                if not time_major:
                    auxiliary = nest.map_structure(transpose_batch_time, auxiliary)
                self._auxiliary_input_tas = nest.map_structure(unstacked, auxiliary)
            self._seed = seed
            self._next_inputs_fn = next_inputs_fn or next_input_layer
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def initialize(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the first inputs; see Helper."""
        return super().initialize(name)

    def sample(  # type: ignore[override]
        self,
        time: TensorLike,
        outputs: NestedTensors,
        state: TensorLike | None,
        name: str | None = None,
    ) -> Tensor:
        """Ones for the sequences that are to be fed with their outputs; see Helper."""
        values = tensors(time, outputs, state)
        with name_scope(name, "ScheduledOutputTrainingHelperSample", values):
            return bernoulli_sample(
                probs=self._sampling_probability, sample_shape=self.batch_size, seed=self._seed
            )

    def next_inputs(  # type: ignore[override]
        self,
        time: TensorLike,
        outputs: TensorLike | None,
        state: NestedTensors,
        sample_ids: TensorLike,
        name: str | None = None,
    ) -> tuple[NestedTensors, ...]:
        """Returns the next inputs; see Helper."""
        values = tensors(time, outputs, state, sample_ids)
        with name_scope(name, "ScheduledOutputTrainingHelperNextInputs", values):
            finished, given, state = super().next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )
            chosen = cast(sample_ids, dtypes.bool_)

            def mixed() -> Tensor:
                if self._next_inputs_fn is None:
                    return where(chosen, self._with_auxiliary(time, outputs), given)
                sampled = cast(where(chosen), dtypes.int32)
                others = cast(where(build.LogicalNot(chosen)), dtypes.int32)
                fed_back = gather_nd(outputs, sampled)
                kept = gather_nd(given, others)
                fed_back = self._with_auxiliary(time, self._next_inputs_fn(fed_back), sampled)
                return _joined(given, sampled, fed_back, others, kept)

            all_finished = reduce_all(finished)
            none_chosen = build.LogicalNot(reduce_any(chosen))
            fed = cond(build.LogicalOr(all_finished, none_chosen), lambda: given, mixed)
            return finished, fed, state

    def _with_auxiliary(
        self, time: Tensor, outputs: TensorLike, indices: TensorLike | None = None
    ) -> Tensor:
        if self._auxiliary_input_tas is None:
            return outputs
        next_time = time + 1
        auxiliary = nest.map_structure(lambda a: a.read(next_time), self._auxiliary_input_tas)
        if indices is not None:
            auxiliary = gather_nd(auxiliary, indices)
        return nest.map_structure(lambda x, y: concat((x, y), -1), outputs, auxiliary)


def unstacked(x: TensorLike) -> TensorArray:
    """A TensorArray of the elements of a tensor along its first axis."""
    array = TensorArray(
        dtype=x.dtype,
        size=shape_tensor(x)[0],
        element_shape=x.get_shape()[1:],
    )
    return array.unstack(x)


def _probability(value: TensorLike) -> Tensor:
    probability = convert_to_tensor(value, name="sampling_probability")
    if probability.get_shape().ndims not in (0, 1):
        raise ValueError(
            "sampling_probability must be either a scalar or a vector. saw shape: "
            f"{probability.get_shape()}"
        )
    return probability


def _joined(
    given: TensorLike,
    sampled: TensorLike,
    fed_back: TensorLike,
    others: TensorLike,
    kept: TensorLike,
) -> Tensor:
    """Rows of two kinds, scattered to their positions in a tensor like `given`."""
    shape = shape_tensor(given)
    return build.ScatterNd(sampled, fed_back, shape) + build.ScatterNd(others, kept, shape)
