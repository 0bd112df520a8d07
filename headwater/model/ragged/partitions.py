"""The ways to say where rows begin and end: splits, lengths, the row of each value."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    control_dependencies,
    convert_to_tensor,
    name_scope,
)
from headwater.ops.array.getitem import repeat
from headwater.ops.control.value_checks import assert_equal, assert_non_negative


def integers(x: TensorLike, name: str) -> Tensor:
    """An integer vector as a tensor; Python integers become int64.

    Args:
        x: the integers.
        name: the name of the node.

    Returns:
        A tensor of type int32 or int64.

    Raises:
        ValueError: if the type is another.
    """
    given = getattr(x, "dtype", None)
    x = convert_to_tensor(x, dtype=dtypes.int64 if given is None else None, name=name)
    if x.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"{name} must have dtype int32 or int64")
    x.shape.assert_has_rank(1)
    return x


def after_zero(x: Tensor) -> Tensor:
    """The vector with a 0 in front.

    Args:
        x: an integer vector.

    Returns:
        A vector that is longer by one.
    """
    return build.ConcatV2([convert_to_tensor([0], x.dtype), x], 0)


def counted(first: int, last: Tensor, kind: DTypeLike) -> Tensor:
    """The numbers from `first` to `last`.

    Args:
        first: a number.
        last: an integer scalar, which is included.
        kind: the type of the numbers.

    Returns:
        An integer vector.
    """
    one = convert_to_tensor(1, kind)
    return build.Range(convert_to_tensor(first, kind), build.AddV2(last, one), one)


def splits_of_lengths(lengths: Tensor) -> Tensor:
    """Where rows of these lengths begin and end.

    Args:
        lengths: an integer vector.

    Returns:
        The splits.
    """
    return after_zero(build.Cumsum(lengths, 0))


def splits_of_rows(rows: Tensor, count: TensorLike | None, validate: bool) -> Tensor:
    """Where rows begin and end, given the row of each value.

    Args:
        rows: an integer vector that does not decrease.
        count: the number of rows, or None.
        validate: whether the rows are checked.

    Returns:
        The splits.

    Raises:
        ValueError: if `count` is known and negative.
    """
    if count is None:
        last = build.ConcatV2([convert_to_tensor([-1], rows.dtype), rows], 0)[-1]
        count = last + convert_to_tensor(1, rows.dtype)
    else:
        count = convert_to_tensor(count, rows.dtype, name="nrows")
        known = constant_value(count)
        if known is not None and known < 0:
            raise ValueError(f"Expected nrows >= 0; got {known}")
    if validate:
        with control_dependencies([assert_non_negative(rows[1:] - rows[:-1], message=_INVALID)]):
            rows = build.Identity(rows)
    ones = build.OnesLike(rows)
    return splits_of_lengths(build.UnsortedSegmentSum(ones, rows, count))


def rows_of_splits(splits: Tensor) -> Tensor:
    """The row of each value.

    Args:
        splits: where rows begin and end.

    Returns:
        An integer vector.
    """
    lengths = splits[1:] - splits[:-1]
    count = build.Size(lengths, out_type=splits.dtype)
    zero, one = convert_to_tensor(0, splits.dtype), convert_to_tensor(1, splits.dtype)
    return repeat(build.Range(zero, count, one), lengths, axis=0)


_INVALID = "Arguments to from_row_splits do not form a valid RaggedTensor"


def checked_splits(splits: Tensor, count: Tensor) -> Tensor:
    """The splits, checked when they are used.

    Args:
        splits: where rows begin and end.
        count: the number of values.

    Returns:
        A tensor with the same value.
    """
    checks = [
        assert_equal(splits[0], convert_to_tensor(0, splits.dtype), message=_INVALID),
        assert_non_negative(splits[1:] - splits[:-1], message=_INVALID),
        assert_equal(splits[-1], count, message=_INVALID),
    ]
    with control_dependencies([check for check in checks if check is not None]):
        return build.Identity(splits, name="control_dependency")


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(
    splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None
) -> Tensor:
    """The row of each value, given where rows begin and end.

    Args:
        splits: an integer vector.
        name: the name scope.
        out_type: the type of the result, that of the splits by default.

    Returns:
        An integer vector.
    """
    with name_scope(name, "RaggedSplitsToSegmentIds", [splits]):
        rows = rows_of_splits(integers(splits, "splits"))
        return rows if out_type is None else build.Cast(rows, DstT=as_dtype(out_type))


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Where rows begin and end, given the row of each value.

    Args:
        segment_ids: an integer vector that does not decrease.
        num_segments: the number of rows; the last row that has a value if it is None.
        out_type: the type of the result, that of `segment_ids` by default.
        name: the name scope.

    Returns:
        An integer vector.
    """
    with name_scope(name, "SegmentIdsToRaggedSplits", [segment_ids]):
        splits = splits_of_rows(integers(segment_ids, "segment_ids"), num_segments, False)
        return splits if out_type is None else build.Cast(splits, DstT=as_dtype(out_type))
