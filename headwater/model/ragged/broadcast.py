"""Broadcasting of ragged tensors and tensors of different shapes to the same rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, shape_tensor
from headwater.model.ragged import partitions
from headwater.model.ragged.conversion import after, matched_row_splits
from headwater.model.ragged.tensor import RaggedTensor
from headwater.ops.array.gather import gather
from headwater.ops.control.value_checks import assert_equal

if TYPE_CHECKING:
    from headwater.base.dtypes import DType

_MISMATCH = "Unable to broadcast: dimension size mismatch in dimension"


@dataclass
class _Axis:
    """One axis: its size where all rows have the same, else where they begin and end."""

    size: TensorLike = None
    splits: Tensor | None = None

    @property
    def is_one(self) -> bool:
        return isinstance(self.size, int) and self.size == 1


class _Operand:
    """A ragged tensor or tensor whose first axes are followed one by one.

    Attributes:
        axes: the axes up to the last ragged one of the result.
        rows: which row of the operand each row of the result has; None for the same.
    """

    def __init__(self, x: TensorLike, rank: int, levels: int, kind: DType) -> None:
        missing = rank - x.shape.ndims
        self._x, self._kind = x, kind
        self.rows: Tensor | None = None
        self.axes = [_Axis(1) for _ in range(missing)]
        dense, first = x, 0
        if isinstance(x, RaggedTensor):
            count = x.shape[0].value
            self.axes.append(_Axis(x.nrows() if count is None else count))
            self.axes += [_Axis(splits=splits) for splits in x.nested_row_splits]
            dense, first = x.flat_values, 1
        self._own = len(self.axes)
        sizes = dense.shape.as_list()
        last = first + levels + 1 - len(self.axes)
        if first < last:
            shape = None if None not in sizes[first:last] else shape_tensor(dense, out_type=kind)
            for i in range(first, last):
                self.axes.append(_Axis(shape[i] if sizes[i] is None else sizes[i]))  # type: ignore[index]
        self._inner = last

    def values(self) -> Tensor:
        """The values of the rows of the result."""
        flat = self._x.flat_values if isinstance(self._x, RaggedTensor) else self._x
        if self._inner != 1:
            shape = shape_tensor(flat, out_type=self._kind)
            rest = [convert_to_tensor([-1], self._kind), shape[self._inner :]]
            flat = build.Reshape(flat, build.ConcatV2(rest, 0))
        return flat if self.rows is None else gather(flat, self.rows)

    def enter(self, axis: int, splits: Tensor, count: Tensor) -> None:
        """Goes from the rows of one axis to those of the next.

        Args:
            axis: the next axis.
            splits: where the rows of the result begin and end.
            count: the number of rows of the result so far.
        """
        own = self.axes[axis]
        if own.splits is None and own.is_one:
            owners = partitions.rows_of_splits(splits)
            self.rows = owners if self.rows is None else gather(self.rows, owners)
            return
        if own.splits is not None:
            if self.rows is not None:
                starts, limits = (
                    gather(part, self.rows) for part in (own.splits[:-1], own.splits[1:])
                )
                self.rows = _counted_rows(starts, limits, self._kind)[1]
            return
        size = convert_to_tensor(own.size, self._kind)
        rows = partitions.counted(0, count - 1, self._kind) if self.rows is None else self.rows
        if isinstance(own.size, int):
            found = splits[1:] - splits[:-1]
            rows = after([assert_equal(found, size, message=_MISMATCH)], rows) * size
            self.rows = _counted_rows(rows, rows + size, self._kind)[1]
            return
        # Whether the axis has one element, which is broadcast, is known only at run time.
        is_one = build.Equal(size, convert_to_tensor(1, self._kind))
        found = splits[1:] - splits[:-1]
        sizes = build.SelectV2(is_one, found, size)
        sizes = after([assert_equal(found, sizes, message=_MISMATCH)], sizes)
        within, places = _counted_rows(build.ZerosLike(sizes), sizes, self._kind)
        step = build.Cast(build.LogicalNot(is_one), DstT=self._kind)
        self.rows = gather(rows, partitions.rows_of_splits(within)) * size + places * step


def _counted_rows(starts: Tensor, limits: Tensor, kind: DTypeLike) -> tuple[Tensor, Tensor]:
    """The numbers from each start to each limit: splits and numbers."""
    return build.RaggedRange(starts, limits, convert_to_tensor(1, kind), Tsplits=kind)


def _splits(axis: int, operands: list[_Operand], count: Tensor, kind: DTypeLike) -> Tensor:
    """Where the rows of the result begin and end: as in the first operand that is ragged here."""
    for operand in operands:
        splits = operand.axes[axis].splits
        if splits is None:
            continue
        if operand.rows is None:
            return splits
        lengths = gather(splits[1:] - splits[:-1], operand.rows)
        return partitions.splits_of_lengths(lengths)
    size = _larger([operand.axes[axis].size for operand in operands], kind)
    return partitions.counted(0, count, kind) * size


def _larger(sizes: list[Any], kind: DTypeLike) -> Tensor:
    """The size of a result, given two sizes that are equal or of which one is 1."""
    if all(isinstance(size, int) for size in sizes):
        return convert_to_tensor(max(sizes), kind)
    return build.Maximum(*(convert_to_tensor(size, kind) for size in sizes))


def broadcast_values(
    x: TensorLike | RaggedTensor, y: TensorLike | RaggedTensor
) -> tuple[Tensor, Tensor, Callable[[Tensor], RaggedTensor]]:
    """The values of two operands at the same places.

    Args:
        x: a ragged tensor or tensor.
        y: another one; at least one of both is ragged.

    Returns:
        The values of both, and a function that gives values the rows of the result.

    Raises:
        ValueError: if a rank is unknown.
    """
    x, y = matched_row_splits(x, y)
    ragged = [v for v in (x, y) if isinstance(v, RaggedTensor)]
    for one, other in ((x, y), (y, x)):
        if not isinstance(other, RaggedTensor):
            inner = one.flat_values.shape.ndims
            if other.shape.ndims == 0 or _less(other.shape.ndims, inner):
                flat = (one.flat_values, other) if one is x else (other, one.flat_values)
                return *flat, one.with_flat_values
    if len(ragged) == 2 and same_rows(x, y):
        return x.flat_values, y.flat_values, x.with_flat_values
    if x.shape.ndims is None or y.shape.ndims is None:
        raise ValueError("Unable to broadcast: unknown rank")
    kind = ragged[0].row_splits.dtype.base_dtype
    rank = max(x.shape.ndims, y.shape.ndims)
    levels = max(rank - v.shape.ndims + v.ragged_rank for v in ragged)
    operands = [_Operand(v, rank, levels, kind) for v in (x, y)]
    sizes = [operand.axes[0].size for operand in operands]
    count = _larger(sizes, kind)
    for operand, size, other in zip(operands, sizes, reversed(sizes)):
        if (isinstance(size, int) and size != 1) or size is other or size == other:
            continue
        rows = partitions.counted(0, count - 1, kind)
        more = convert_to_tensor(size, kind) > convert_to_tensor(1, kind)
        operand.rows = rows * build.Cast(more, DstT=kind)
    nested = []
    for axis in range(1, levels + 1):
        splits = _splits(axis, operands, count, kind)
        nested.append(splits)
        for operand in operands:
            operand.enter(axis, splits, count)
        count = splits[-1]

    def with_rows(values: Tensor) -> RaggedTensor:
        return RaggedTensor.from_nested_row_splits(values, nested, validate=False)

    return operands[0].values(), operands[1].values(), with_rows


def same_rows(*operands: RaggedTensor) -> bool:
    """Whether ragged tensors have the very same splits.

    Args:
        *operands: ragged tensors.

    Returns:
        A bool; what is only known when the graph runs counts as different.
    """
    first, *others = (operand.nested_row_splits for operand in operands)
    return all(
        len(first) == len(splits) and all(a is b for a, b in zip(first, splits))
        for splits in others
    )


def _less(rank: int | None, other: int | None) -> bool:
    return rank is not None and other is not None and rank < other
