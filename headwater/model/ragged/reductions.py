"""Sums, means and other reductions of ragged tensors, and the same by segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import Tensor, build, constant_value, convert_to_tensor, name_scope
from headwater.model.ragged import partitions
from headwater.model.ragged.conversion import (
    after,
    convert,
    matched_row_splits,
    positive_axis,
)
from headwater.model.ragged.tensor import RaggedTensor
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.math import reduce_functions
from headwater.ops.strings.join import reduce_join as dense_reduce_join

Reduction = Callable[..., Any]


def _segments(
    make: Callable[..., Tensor], data: TensorLike | RaggedTensor, ids: TensorLike, count: TensorLike
) -> Tensor | RaggedTensor:
    """Reduces the rows of each segment; `make` does it with tensors."""
    if not isinstance(data, RaggedTensor) and not isinstance(ids, RaggedTensor):
        return make(data, ids, count)
    if isinstance(ids, RaggedTensor):
        if not isinstance(data, RaggedTensor):
            raise ValueError(
                "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and "
                "data is not."
            )
        check = assert_equal(
            ids.row_splits,
            data.row_splits,
            message="segment_ids.shape must be a prefix of data.shape",
        )
        return _segments(make, data.values, after([check], ids.values), count)
    kind = data.row_splits.dtype.base_dtype
    lengths = data.row_lengths()
    longest = build.UnsortedSegmentMax(lengths, ids, count)
    splits = partitions.splits_of_lengths(build.Maximum(longest, convert_to_tensor(0, kind)))
    starts = build.GatherV2(splits, ids, 0)
    places = build.RaggedRange(
        starts, starts + lengths, convert_to_tensor(1, kind), Tsplits=kind
    ).rt_dense_values
    values = _segments(make, data.values, places, splits[-1])
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def _over(make: Callable[..., Any]) -> Callable[..., Any]:
    """The form of `tf.unsorted_segment_sum` and its relatives that takes ragged tensors."""

    def by_segment(
        data: RaggedTensor | TensorLike,
        segment_ids: RaggedTensor | TensorLike,
        num_segments: TensorLike,
        name: str | None = None,
    ) -> Tensor | RaggedTensor:
        with name_scope(name, "RaggedSegment", [data, segment_ids, num_segments]):
            data = convert(data, name="data")
            ids = convert(segment_ids, name="segment_ids")
            data, ids = matched_row_splits(data, ids)
            if ids.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
                raise ValueError("segment_ids must have dtype int32 or int64.")
            return _segments(make, data, ids, num_segments)

    return by_segment


unsorted_segment_sum = _over(build.UnsortedSegmentSum)
unsorted_segment_prod = _over(build.UnsortedSegmentProd)
unsorted_segment_max = _over(build.UnsortedSegmentMax)
unsorted_segment_min = _over(build.UnsortedSegmentMin)


def _flat(x: Tensor | RaggedTensor) -> Tensor:
    return x.flat_values if isinstance(x, RaggedTensor) else x


def _with_flat(x: Tensor | RaggedTensor, values: Tensor) -> Tensor | RaggedTensor:
    return x.with_flat_values(values) if isinstance(x, RaggedTensor) else values


def _ones(x: TensorLike) -> Any:
    values = _flat(x)
    return _with_flat(x, build.OnesLike(values))


def _by_count(divisor: Callable[[Tensor], Tensor], scope: str) -> Callable[..., Any]:
    """The sum of each segment by a function of the number of its values."""

    def by_segment(
        data: RaggedTensor,
        segment_ids: RaggedTensor | TensorLike,
        num_segments: int,
        name: str | None = None,
    ) -> Tensor | RaggedTensor:
        with name_scope(name, scope, [data, segment_ids, num_segments]):
            data = convert(data, name="data")
            total = unsorted_segment_sum(data, segment_ids, num_segments)
            count = unsorted_segment_sum(_ones(data), segment_ids, num_segments)
            kind = _flat(total).dtype
            if kind.is_integer:
                total, count = (_with_flat(x, build.Cast(_flat(x), DstT=dtypes.float64))
                                for x in (total, count))  # fmt: skip
            mean = build.RealDiv(_flat(total), divisor(_flat(count)))
            if kind.is_integer:
                mean = build.Cast(mean, DstT=kind) if scope.endswith("SqrtN") else mean
            return _with_flat(total, mean)

    return by_segment


unsorted_segment_mean = _by_count(lambda count: count, "RaggedSegmentMean")
unsorted_segment_sqrt_n = _by_count(lambda count: build.Sqrt(count), "RaggedSegmentSqrtN")


def _axes(axis: AxisLike | None) -> Any:
    """The constant value of an axis or axes given as a tensor."""
    if not isinstance(axis, Tensor):
        return axis
    known = constant_value(axis)
    if known is None:
        raise ValueError("axis must be known at graph construction time.")
    return known.tolist()


def _reduced(
    reduction: Reduction, segments: Reduction, x: Tensor | RaggedTensor, axis: AxisLike | None
) -> Tensor | RaggedTensor:
    """Reduces a ragged tensor along an axis, some axes, or (None) all."""
    if axis is None:
        return reduction(_flat(x), None)
    if isinstance(axis, (list, tuple)):
        if not axis:
            return x
        if len(axis) > 1:
            axes = sorted({positive_axis(a, x.shape.ndims) for a in axis})
            # The last axis first, so that the numbers of the other axes stay valid.
            inner = _reduced(reduction, segments, x, axes[-1])
            return _reduced(reduction, segments, inner, axes[:-1])
        (axis,) = axis
    if not isinstance(x, RaggedTensor):
        return reduction(x, axis)
    axis = positive_axis(axis, x.shape.ndims)
    if axis == 0:
        lengths = x.row_lengths()
        kind = lengths.dtype.base_dtype
        longest = build.Maximum(build.Max(lengths, 0), convert_to_tensor(0, kind))
        zero, one = convert_to_tensor(0, kind), convert_to_tensor(1, kind)
        places = build.RaggedRange(zero * lengths, lengths, one, Tsplits=kind).rt_dense_values
        return segments(x.values, places, longest)
    if axis == 1:
        return segments(x.values, x.value_rowids(), x.nrows())
    return x.with_values(_reduced(reduction, segments, x.values, axis - 1))


def _no_kept_axes(*flags: Any) -> None:
    if any(flags):
        raise ValueError("keepdims=True is not supported for RaggedTensors.")


def _reducing(reduction: Reduction, segments: Reduction, scope: str) -> Callable[..., Any]:
    """The form of `tf.reduce_sum` and its relatives that takes ragged tensors."""

    def reduced(
        input_tensor: RaggedTensor,
        axis: AxisLike | None = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: int | None = None,
        keep_dims: bool | None = None,
    ) -> Tensor | RaggedTensor:
        _no_kept_axes(keepdims, keep_dims)
        with name_scope(name, scope, [input_tensor, axis]):
            axis = _axes(reduction_indices if axis is None else axis)
            return _reduced(reduction, segments, convert(input_tensor), axis)

    return reduced


reduce_sum = _reducing(reduce_functions.reduce_sum, unsorted_segment_sum, "RaggedReduceSum")
reduce_prod = _reducing(reduce_functions.reduce_prod, unsorted_segment_prod, "RaggedReduceProd")
reduce_max = _reducing(reduce_functions.reduce_max, unsorted_segment_max, "RaggedReduceMax")
reduce_min = _reducing(reduce_functions.reduce_min, unsorted_segment_min, "RaggedReduceMin")


def reduce_mean(
    input_tensor: RaggedTensor,
    axis: int | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """`tf.reduce_mean` of a ragged tensor.

    Args:
        input_tensor: a ragged tensor of numbers.
        axis: an axis or several; all by default.
        keepdims: must be false.
        name: the name scope.
        reduction_indices: old name of `axis`.
        keep_dims: old name of `keepdims`.

    Returns:
        A RaggedTensor, or a tensor where no ragged axis is left; of type float64 for integers.

    Raises:
        ValueError: if an axis is out of bounds, or axes are to be kept.
    """
    _no_kept_axes(keepdims, keep_dims)
    with name_scope(name, "RaggedReduceMean", [input_tensor, axis]):
        axis = _axes(reduction_indices if axis is None else axis)
        x = convert(input_tensor)
        total, count = reduce_sum(x, axis), reduce_sum(_ones(x), axis)
        values, counts = _flat(total), _flat(count)
        if values.dtype.is_integer:
            values, counts = (build.Cast(v, DstT=dtypes.float64) for v in (values, counts))
        return _with_flat(total, build.RealDiv(values, counts, name="truediv"))


def _of_truths(of_integers: Callable[..., Any], scope: str) -> Callable[..., Any]:
    """The form of `tf.reduce_all` or `tf.reduce_any` that takes ragged tensors."""

    def reduced(
        input_tensor: RaggedTensor,
        axis: int | None = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: AxisLike | None = None,
        keep_dims: bool | None = None,
    ) -> Any:
        _no_kept_axes(keepdims, keep_dims)
        with name_scope(name, scope, [input_tensor, axis]):
            x = convert(input_tensor, dtypes.bool_)
            numbers = _with_flat(x, build.Cast(_flat(x), DstT=dtypes.int32))
            result = of_integers(numbers, reduction_indices if axis is None else axis)
            return _with_flat(result, build.Cast(_flat(result), DstT=dtypes.bool_))

    return reduced


reduce_all = _of_truths(reduce_prod, "RaggedReduceAll")
reduce_any = _of_truths(reduce_sum, "RaggedReduceAny")


def reduce_join(
    inputs: RaggedTensor,
    axis: AxisLike | None = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keepdims: bool | None = None,
) -> Tensor | RaggedTensor:
    """`tf.strings.reduce_join` of a ragged tensor.

    Args:
        inputs: a ragged tensor of texts.
        axis: an axis or several; all by default.
        keep_dims: must be false.
        separator: what stands between texts.
        name: the name scope.
        reduction_indices: old name of `axis`.
        keepdims: must be false.

    Returns:
        A RaggedTensor, or a tensor where no ragged axis is left.

    Raises:
        ValueError: if an axis is out of bounds, or axes are to be kept.
    """
    _no_kept_axes(keepdims, keep_dims)
    with name_scope(name, "RaggedReduceJoin", [inputs, axis]):

        def joined(x: Tensor, axis: AxisLike | None) -> Tensor:
            return dense_reduce_join(x, axis, separator=separator)

        def joined_segments(data: Tensor, ids: TensorLike, count: TensorLike) -> Any:
            return _segments(
                lambda *parts: build.UnsortedSegmentJoin(*parts, separator=separator),
                data,
                ids,
                count,
            )

        axis = _axes(reduction_indices if axis is None else axis)
        return _reduced(joined, joined_segments, convert(inputs), axis)
