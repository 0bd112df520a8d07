"""How a variable is cut into parts along one axis."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.tensor_shape import TensorShape

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


class PartitionInfo:
    """The position of a part in the whole variable, for initializers.

    Args:
        full_shape: the shape of the whole.
        var_offset: where the part begins, per axis.

    Raises:
        TypeError: if an argument is not a sequence.
        ValueError: if an offset is out of range.
    """

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        for what, value in (("full_shape", full_shape), ("var_offset", var_offset)):
            if not isinstance(value, Sequence) or isinstance(value, str):
                raise TypeError(
                    f"`{what}` must be a sequence (like tuple or list) instead of "
                    f"{type(value).__name__}"
                )
        if len(var_offset) != len(full_shape):
            raise ValueError(
                f"Expected equal length, but `var_offset` is of length {len(var_offset)} while "
                f"full_shape is of length {len(full_shape)}."
            )
        for offset, size in zip(var_offset, full_shape):
            if not 0 <= offset < size:
                raise ValueError(
                    f"Expected 0 <= offset < shape but found offset={offset}, shape={size} for "
                    f"var_offset={var_offset}, full_shape={full_shape}"
                )
        self._full_shape = full_shape
        self._var_offset = var_offset

    @property
    def full_shape(self) -> Sequence[int]:
        """The shape of the whole."""
        return self._full_shape

    @property
    def var_offset(self) -> Sequence[int]:
        """Where the part begins, per axis."""
        return self._var_offset

    def single_offset(self, shape: Sequence[int]) -> int:
        """Where a part of this shape begins along the one axis that is cut.

        Raises:
            ValueError: if it is cut along more than one axis.
        """
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self._var_offset[axis]

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """The axis along which a part of this shape is cut, or None if it is the whole.

        Raises:
            TypeError: if `shape` is not a sequence.
            ValueError: if the part does not fit or is cut along more than one axis.
        """
        if not isinstance(shape, Sequence) or isinstance(shape, str):
            raise TypeError(
                f"`shape` must be a sequence (like tuple or list) instead of {type(shape).__name__}"
            )
        if len(shape) != len(self._full_shape):
            raise ValueError(
                f"Expected equal length, but received shape={shape} of length {len(shape)} while "
                f"self.full_shape={self._full_shape} is of length {len(self._full_shape)}."
            )
        for i, size in enumerate(shape):
            if self._var_offset[i] + size > self._full_shape[i]:
                raise ValueError(
                    f"With self.var_offset={self._var_offset}, a partition of shape={shape} would "
                    f"exceed self.full_shape={self._full_shape} in dimension {i}."
                )
        cut = [i for i, size in enumerate(shape) if size != self._full_shape[i]]
        if len(cut) > 1:
            raise ValueError(
                f"Cannot use single_slice_dim() with shape={shape} and "
                f"self.full_shape={self._full_shape} since slice dim could be either dimension "
                f"{cut[1]} or {cut[0]}."
            )
        return cut[0] if cut else None


def checked_partitions(
    partitioner: Callable[..., Any] | None, shape: TensorShape, dtype: DType
) -> Sequence[int]:
    """The checked result of a partitioner: the number of parts per axis."""
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    assert partitioner is not None
    counts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(counts, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {counts}")
    if len(counts) != len(shape):
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{counts} vs. {shape}"
        )
    if any(count < 1 for count in counts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {counts}")
    return counts


def slice_axis(shape: TensorShape, counts: Sequence[int]) -> int:
    """The one axis that is cut.

    Raises:
        ValueError: if more than one is.
    """
    cut = [i for i, count in enumerate(counts) if count > 1]
    if len(cut) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {counts}"
        )
    return cut[0] if cut else 0


def slices(shape: list[int], axis: int, count: int) -> Iterator[tuple[list[int], list[int]]]:
    """The offsets and shapes of the parts; on uneven division the first ones are larger."""
    size, larger = divmod(shape[axis], count)
    lengths = itertools.chain([size + 1] * larger, [size] * (count - larger))
    position = 0
    for length in lengths:
        offset, part = [0] * len(shape), list(shape)
        offset[axis], part[axis] = position, length
        position += length
        yield offset, part
