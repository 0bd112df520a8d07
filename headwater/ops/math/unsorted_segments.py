"""Reductions of rows in any order: UnsortedSegmentSum, ...Prod, ...Max, ...Min."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, native
from headwater.base.checks import require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    ones_like,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
)
from headwater.ops.math.segment_rows import (
    gather_or_zeros,
    highest,
    invalid,
    lowest,
    reduce_rows,
)


def _one(dtype: np.dtype) -> int:
    return 1


def _zero(dtype: np.dtype) -> int:
    return 0


def _kernel(combine: np.ufunc, update: str, empty: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, data: Array, segment_ids: Array, num_segments: Array) -> Array:
        if num_segments.ndim:
            raise invalid(
                f"num_segments should be a scalar, not shape {shapes.show(num_segments.shape)}"
            )
        count = int(num_segments)
        if count < 0:
            raise invalid("Input num_segments == " + str(count) + " must not be negative.")
        rank = segment_ids.ndim
        if tuple(data.shape[:rank]) != tuple(segment_ids.shape):
            raise invalid(
                f"data.shape = {shapes.show(data.shape)} does not start with segment_ids.shape = "
                f"{shapes.show(segment_ids.shape)}"
            )
        if xp is not np:
            require(xp, segment_ids < count, lambda: _out_of_range(segment_ids, count))
        ids = segment_ids if rank == 1 else segment_ids.reshape(-1)
        rows = data if rank == 1 else data.reshape((ids.size, *data.shape[rank:]))
        if xp is np:
            total = native.host().sum(rows, ids, count) if combine is np.add else None
            if total is not None:
                return total
            if ids.size and np.maximum.reduce(ids) >= count:
                raise _out_of_range(segment_ids, count)
            return reduce_rows(combine, rows, ids, count, empty(data.dtype))
        result = xp.full((count, *rows.shape[1:]), empty(data.dtype), data.dtype)
        inside = xp.where(ids < 0, ids.dtype.type(count), ids)
        return getattr(result.at[inside], update)(rows, mode="drop")

    return kernel


def _out_of_range(ids: Array, count: int) -> Exception:
    where = np.argwhere(ids >= count)[0]
    position = ",".join(str(i) for i in where)
    return invalid(
        f"segment_ids[{position}] = {int(ids[tuple(where)])} is out of range [0, {count})"
    )


def _reference(combine: np.ufunc, empty: Callable[..., Any]) -> Callable[..., Any]:
    def reference(data: Array, segment_ids: Array, num_segments: Array) -> Array:
        suffix = data.shape[segment_ids.ndim :]
        result = np.full((int(num_segments), *suffix), empty(data.dtype), data.dtype)
        for position in np.ndindex(segment_ids.shape):
            i = segment_ids[position]
            if i >= 0:
                result[i] = combine(result[i], data[position])
        return result

    return reference


def shape_unsorted(c: shapes.ShapeContext) -> Shape:
    data, ids = c.shape("data"), c.shape("segment_ids")
    if data is None or ids is None:
        return None
    if len(data) < len(ids):
        c.fail(f"Shape must be at least rank {len(ids)} but is rank {len(data)}")
    for x, y in zip(data, ids):
        c.merge_dims(x, y)
    count = c.value("num_segments")
    if count is not None and int(count) < 0:
        c.fail(f"Dimension size, given by scalar input 2, must be non-negative but is {int(count)}")
    return (None if count is None else int(count), *data[len(ids) :])


def gradient_sum(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    return gather_or_zeros(grad, op.inputs[1])[0], None, None


def gradient_extremum(op: Operation, grad: Tensor) -> tuple[Tensor, Any, Any]:
    """The gradient is shared by all elements that are equal to the extremum of their segment."""
    data, ids, count = op.inputs
    extrema, known, inside = gather_or_zeros(op.outputs[0], ids)
    chosen = build.LogicalAnd(build.Equal(data, extrema), inside)
    shares = build.UnsortedSegmentSum(build.Cast(chosen, DstT=grad.dtype), ids, count)
    gathered, _, _ = gather_or_zeros(grad / shares, ids, known, inside)
    return build.Select(chosen, gathered, zeros_like(gathered)), None, None


def gradient_prod(op: Operation, grad: Tensor) -> tuple[Tensor, Any, Any]:
    """Each factor gets the product of the others: the whole one divided by it.

    In a segment with one zero, only that zero gets a gradient; with more of them, nothing does.
    """
    data, ids, count = op.inputs
    is_zero = build.Equal(data, 0)
    zeros = build.UnsortedSegmentSum(build.Cast(is_zero, DstT=dtypes.int32), ids, count)
    grad = build.Select(build.Greater(zeros, 1), zeros_like(grad), grad)
    without_zeros = build.Select(is_zero, ones_like(data), data)
    others = build.UnsortedSegmentProd(without_zeros, ids, count)
    known = build.Maximum(ids, zeros_like(ids))
    whole = build.GatherV2(op.outputs[0], known, 0)
    others = build.GatherV2(others, known, 0)
    partial = build.Select(is_zero, others, whole / data)
    return gather_or_zeros(grad, ids, known)[0] * partial, None, None


def samples_unsorted() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0], [0.25, 5.0], [3.0, -0.5], [2.0, 0.75]], np.float32)
    yield Sample(x, np.array([2, 0, 2, 3], np.int32), np.int32(5))
    yield Sample(x.astype(np.float64), np.array([1, -1, 0, 1], np.int64), np.int64(2))
    yield Sample(x, np.array([[0, 1], [1, 0], [2, 2], [0, 2]], np.int32), np.int32(3))
    yield Sample(np.array([3, 1, 7], np.int32), np.array([1, 0, 1], np.int32), np.int32(3))


def samples_extrema() -> Iterator[Sample]:
    for sample in samples_unsorted():
        if int(sample.inputs[2]) == 5:
            # An empty segment gives the smallest number, where finite differences are meaningless.
            sample.gradient = ()
        yield sample


def _register_unsorted_segment(
    name: str,
    types: str,
    combine: Any,
    update: str,
    empty: Callable[..., Any],
    gradient: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="data: T, segment_ids: Tindices, num_segments: Tnumsegments",
        outputs="output: T",
        attrs=f"T: {types}, Tindices: {{int32, int64}}, Tnumsegments: {{int32, int64}} = int32",
        shape=shape_unsorted,
        kernel=_kernel(combine, update, empty),
        gradient=gradient,
        reference=_reference(combine, empty),
        samples=samples_extrema if empty in (lowest, highest) else samples_unsorted,
        concrete=("num_segments",),
    )


_register_unsorted_segment(
    "UnsortedSegmentSum",
    types="numbertype",
    combine=np.add,
    update="add",
    empty=_zero,
    gradient=gradient_sum,
)
_register_unsorted_segment(
    "UnsortedSegmentProd",
    types="numbertype",
    combine=np.multiply,
    update="multiply",
    empty=_one,
    gradient=gradient_prod,
)
_register_unsorted_segment(
    "UnsortedSegmentMax",
    types="realnumbertype",
    combine=np.maximum,
    update="max",
    empty=lowest,
    gradient=gradient_extremum,
)
_register_unsorted_segment(
    "UnsortedSegmentMin",
    types="realnumbertype",
    combine=np.minimum,
    update="min",
    empty=highest,
    gradient=gradient_extremum,
)


@export("unsorted_segment_sum", "math.unsorted_segment_sum")
def unsorted_segment_sum(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the sums of the rows of each segment.

    Args:
        data: a tensor whose shape begins with that of `segment_ids`.
        segment_ids: integer tensor; rows of negative segments are left out.
        num_segments: the number of segments.
        name: the name of the node.

    Returns:
        A tensor of shape [num_segments, ...].
    """
    return build.UnsortedSegmentSum(data, segment_ids, num_segments, name=name)


@export("unsorted_segment_prod", "math.unsorted_segment_prod")
def unsorted_segment_prod(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the products of the rows of each segment.

    Args:
        data: a tensor whose shape begins with that of `segment_ids`.
        segment_ids: integer tensor; rows of negative segments are left out.
        num_segments: the number of segments.
        name: the name of the node.

    Returns:
        A tensor of shape [num_segments, ...].
    """
    return build.UnsortedSegmentProd(data, segment_ids, num_segments, name=name)


@export("unsorted_segment_max", "math.unsorted_segment_max")
def unsorted_segment_max(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the maxima of the rows of each segment.

    Args:
        data: a tensor whose shape begins with that of `segment_ids`.
        segment_ids: integer tensor; rows of negative segments are left out.
        num_segments: the number of segments.
        name: the name of the node.

    Returns:
        A tensor of shape [num_segments, ...].
    """
    return build.UnsortedSegmentMax(data, segment_ids, num_segments, name=name)


@export("unsorted_segment_min", "math.unsorted_segment_min")
def unsorted_segment_min(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the minima of the rows of each segment.

    Args:
        data: a tensor whose shape begins with that of `segment_ids`.
        segment_ids: integer tensor; rows of negative segments are left out.
        num_segments: the number of segments.
        name: the name of the node.

    Returns:
        A tensor of shape [num_segments, ...].
    """
    return build.UnsortedSegmentMin(data, segment_ids, num_segments, name=name)


def _counts(data: Tensor, ids: Tensor, num_segments: TensorLike) -> Tensor:
    """How many rows each segment has (at least 1), in the rank of the result."""
    shape = shape_tensor(ids)
    with name_scope(None, "ones", [shape]) as scope:
        ones = build.Fill(shape, constant_node(1, data.dtype.base_dtype), name=scope)
    counts = build.UnsortedSegmentSum(ones, ids, num_segments)
    rank, rank_ids = data._rank(), ids._rank()
    if rank is None or rank_ids is None:
        raise ValueError("data and segment_ids must have known ranks.")
    if isinstance(num_segments, Tensor) and num_segments.dtype.base_dtype is not dtypes.int32:
        num_segments = build.Cast(num_segments, DstT=dtypes.int32)
    counts = build.Reshape(counts, [num_segments] + [1] * (rank - rank_ids))
    return build.Maximum(counts, 1)


def _sums_and_counts(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike
) -> tuple[Tensor, Tensor]:
    """The sums of the rows of each segment, and how many rows it has (at least 1)."""
    data = convert_to_tensor(data)
    segment_ids = convert_to_tensor(segment_ids)
    counts = _counts(data, segment_ids, num_segments)
    return build.UnsortedSegmentSum(data, segment_ids, num_segments), counts


@export("unsorted_segment_mean", "math.unsorted_segment_mean")
def unsorted_segment_mean(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the means of the rows of each segment.

    Args:
        data: a tensor whose shape begins with that of `segment_ids`.
        segment_ids: integer tensor; rows of negative segments are left out.
        num_segments: the number of segments.
        name: the name of the node.

    Returns:
        A tensor of shape [num_segments, ...].
    """
    with name_scope(name, "UnsortedSegmentMean"):
        total, counts = _sums_and_counts(data, segment_ids, num_segments)
        return total / counts


@export("unsorted_segment_sqrt_n", "math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the sums, divided by the square roots of their numbers, of the rows of each segment.

    Args:
        data: a tensor whose shape begins with that of `segment_ids`.
        segment_ids: integer tensor; rows of negative segments are left out.
        num_segments: the number of segments.
        name: the name of the node.

    Returns:
        A tensor of shape [num_segments, ...].
    """
    with name_scope(name, "UnsortedSegmentSqrtN"):
        total, counts = _sums_and_counts(data, segment_ids, num_segments)
        return total / build.Sqrt(counts)
