"""Helpers of decoders: the interface, and those that are defined by functions."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.ops.array.shape import size as size_of
from headwater.ops.array.tile import tile

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


@export("contrib.seq2seq.Helper")
class Helper(metaclass=abc.ABCMeta):
    """The interface for BasicDecoder: first inputs, samples of outputs, and next inputs."""

    @property
    @abc.abstractmethod
    def batch_size(self) -> Tensor:
        """The number of sequences, a scalar int32 tensor."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    @abc.abstractmethod
    def sample_ids_shape(self) -> TensorShape:
        """The TensorShape of a sample, without the batch."""
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    @abc.abstractmethod
    def sample_ids_dtype(self) -> DType:
        """The type of a sample."""
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    @abc.abstractmethod
    def initialize(self, name: str | None = None) -> tuple[Tensor | float, ...]:
        """Returns the first inputs.

        Args:
            name: a name scope.

        Returns:
            Which sequences are finished, and the first inputs.
        """

    @abc.abstractmethod
    def sample(
        self,
        time: TensorLike,
        outputs: NestedTensors,
        state: TensorLike | None,
        name: str | None = None,
    ) -> Tensor:
        """Draws from the outputs of a step.

        Args:
            time: the step, a scalar int32 tensor.
            outputs: the outputs of the cell.
            state: its new state.
            name: a name scope.

        Returns:
            A sample per sequence.
        """

    @abc.abstractmethod
    def next_inputs(
        self,
        time: TensorLike,
        outputs: TensorLike | None,
        state: NestedTensors,
        sample_ids: TensorLike,
        name: str | None = None,
    ) -> tuple[NestedTensors, ...]:
        """Returns the next inputs.

        Args:
            time: the step, a scalar int32 tensor.
            outputs: the outputs of the cell.
            state: its new state.
            sample_ids: what `sample` returned.
            name: a name scope.

        Returns:
            Which sequences are finished, the next inputs and the next state.
        """


@export("contrib.seq2seq.CustomHelper")
class CustomHelper(Helper):
    """A helper of three functions.

    Args:
        initialize_fn: a function () -> (finished, first inputs).
        sample_fn: a function (time, outputs, state) -> sample_ids.
        next_inputs_fn: a function (time, outputs, state, sample_ids) -> (finished, next inputs,
            next state).
        sample_ids_shape: the TensorShape of a sample without the batch; a scalar by default.
        sample_ids_dtype: the type of a sample; int32 by default.
    """

    def __init__(
        self,
        initialize_fn: Callable[[], Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: ShapeLike | None = None,
        sample_ids_dtype: DTypeLike | None = None,
    ) -> None:
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: TensorLike = None
        self._sample_ids_shape = TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or dtypes.int32

    @property
    def batch_size(self) -> Tensor:
        """The number of sequences.

        Raises:
            ValueError: before `initialize` is called.
        """
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The TensorShape of a sample, without the batch."""
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> DType:
        """The type of a sample."""
        return self._sample_ids_dtype

    def initialize(self, name: str | None = None) -> tuple[Tensor | float, ...]:
        """Returns the first inputs; see Helper."""
        with name_scope(name, type(self).__name__ + "Initialize"):
            finished, next_inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = size_of(finished)
        return finished, next_inputs

    def sample(
        self,
        time: TensorLike,
        outputs: NestedTensors,
        state: TensorLike | None,
        name: str | None = None,
    ) -> Tensor:
        """Draws from the outputs of a step; see Helper."""
        values = tensors(time, outputs, state)
        with name_scope(name, type(self).__name__ + "Sample", values):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self,
        time: TensorLike,
        outputs: TensorLike | None,
        state: NestedTensors,
        sample_ids: TensorLike,
        name: str | None = None,
    ) -> tuple[Tensor, ...]:
        """Returns the next inputs; see Helper."""
        values = tensors(time, outputs, state, sample_ids)
        with name_scope(name, type(self).__name__ + "NextInputs", values):
            return self._next_inputs_fn(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )


@export("contrib.seq2seq.InferenceHelper")
class InferenceHelper(Helper):
    """A helper that feeds samples of the outputs back as inputs.

    Args:
        sample_fn: a function from outputs to samples.
        sample_shape: the shape of a sample, without the batch.
        sample_dtype: its type.
        start_inputs: the first inputs.
        end_fn: a function from samples to booleans, True where a sequence is finished.
        next_inputs_fn: a function from samples to the next inputs; the samples themselves if None.
    """

    def __init__(
        self,
        sample_fn: Callable[..., Any],
        sample_shape: ShapeLike,
        sample_dtype: DTypeLike,
        start_inputs: TensorLike,
        end_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any] | None = None,
    ) -> None:
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._sample_shape = TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = shape_tensor(convert_to_tensor(start_inputs))[0]
        self._start_inputs = convert_to_tensor(start_inputs, name="start_inputs")

    @property
    def batch_size(self) -> Tensor:
        """The number of sequences."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The TensorShape of a sample, without the batch."""
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> DType:
        """The type of a sample."""
        return self._sample_dtype

    def initialize(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the first inputs; see Helper."""
        return none_finished(self._batch_size), self._start_inputs

    def sample(
        self,
        time: TensorLike,
        outputs: NestedTensors,
        state: TensorLike | None,
        name: str | None = None,
    ) -> Tensor:
        """Draws from the outputs of a step; see Helper."""
        return self._sample_fn(outputs)

    def next_inputs(
        self,
        time: TensorLike,
        outputs: TensorLike | None,
        state: NestedTensors,
        sample_ids: TensorLike,
        name: str | None = None,
    ) -> tuple[Tensor, ...]:
        """Returns the next inputs; see Helper."""
        fed = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), fed, state


def none_finished(batch_size: Tensor) -> Tensor:
    """A False for each sequence."""
    return tile([False], [batch_size])


def tensors(*values: Any) -> list[Any]:
    """The tensors among values and structures of values."""
    return [value for value in nest.flatten(values) if isinstance(value, Tensor)]
