"""Reductions of chosen rows: SparseSegmentSum, SparseSegmentMean, SparseSegmentSqrtN."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import native
from headwater.base.checks import in_range, is_range, require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.math.segment_rows import invalid, reduce_rows, row_counts, sorted_count


def _bad_index(indices: Array, count: int) -> Exception:
    i = int(np.flatnonzero((indices < 0) | (indices >= count))[0])
    return invalid(f"Bad: indices[{i}] == {int(indices[i])} out of range [0, {count})")


def _check(xp: ArrayModule, data: Array, indices: Array, segment_ids: Array) -> None:
    if indices.ndim != 1:
        raise invalid("indices should be a vector.")
    if segment_ids.ndim != 1:
        raise invalid("segment_ids should be a vector.")
    if indices.shape != segment_ids.shape:
        raise invalid("segment_ids and indices should have same size.")
    inside = in_range(indices, data.shape[0])
    require(xp, inside, lambda: _bad_index(indices, data.shape[0]))


def _weights(counts: Array, mean: bool, root: bool, dtype: np.dtype) -> Array:
    if not mean and not root:
        return None
    counts = np.maximum(counts, 1)
    return (1 / (np.sqrt(counts) if root else counts)).astype(dtype)


def _divisor(mean: bool, root: bool) -> int:
    """By what sums are divided, as the native functions are told."""
    return 2 if root else int(mean)


def _kernel(mean: bool = False, root: bool = False) -> Callable[..., Any]:
    divisor = _divisor(mean, root)

    def kernel(xp: ArrayModule, data: Array, indices: Array, segment_ids: Array) -> Array:
        found = native.host().sum_picked(data, indices, segment_ids, -1, divisor)
        if found is not None:
            return found
        return _host(data, indices, segment_ids, sorted_count(segment_ids), mean, root)

    return kernel


def _host(data: Array, indices: Array, ids: Array, count: int, mean: bool, root: bool) -> Array:
    _check(np, data, indices, ids)
    rows = data.take(indices, 0)
    if is_range(ids, count):
        # One row per segment, which is its sum and its mean.
        return rows
    total = reduce_rows(np.add, rows, ids, count, 0)
    weights = _weights(row_counts(ids, count), mean, root, data.dtype)
    if weights is None:
        return total
    return total * weights.reshape(-1, *(1,) * (data.ndim - 1))


def _counted_kernel(mean: bool = False, root: bool = False) -> Callable[..., Any]:
    divisor = _divisor(mean, root)

    def kernel(
        xp: ArrayModule, data: Array, indices: Array, segment_ids: Array, num_segments: Array
    ) -> Array:
        count = int(num_segments)
        if xp is np:
            found = native.host().sum_picked(data, indices, segment_ids, max(count, 0), divisor)
            if found is not None:
                return found
            if sorted_count(segment_ids, count) > count:
                raise invalid("segment ids must be < num_segments")
            return _host(data, indices, segment_ids, count, mean, root)
        _check(xp, data, indices, segment_ids)
        # The text of a failed check comes from the kernel on the host.
        require(xp, segment_ids[1:] >= segment_ids[:-1], lambda: invalid(""))
        require(xp, (segment_ids >= 0) & (segment_ids < count), lambda: invalid(""))
        # A known array cannot be indexed by a traced one.
        rows = xp.asarray(data)[indices]
        total = xp.zeros((count, *data.shape[1:]), data.dtype).at[segment_ids].add(rows)
        if not mean and not root:
            return total
        ones = xp.ones(segment_ids.shape, data.dtype)
        counts = xp.zeros(count, data.dtype).at[segment_ids].add(ones)
        counts = xp.maximum(counts, data.dtype.type(1))
        divisors = xp.sqrt(counts) if root else counts
        return total / divisors.reshape(-1, *(1,) * (data.ndim - 1))

    return kernel


def _gradient_kernel(root: bool) -> Callable[..., Any]:
    divisor = _divisor(True, root)

    def kernel(
        xp: ArrayModule, grad: Array, indices: Array, segment_ids: Array, output_dim0: Array
    ) -> Array:
        rows = int(output_dim0)
        if xp is np:
            found = native.host().spread(grad, indices, segment_ids, rows, divisor)
            if found is not None:
                return found
        if segment_ids.size:
            last = segment_ids[-1]
            require(xp, last < len(grad), lambda: invalid("Invalid number of segments"))
        inside = in_range(segment_ids, grad.shape[0])
        require(xp, inside, lambda: _bad_segment(segment_ids, grad.shape[0]))
        require(xp, in_range(indices, rows), lambda: _bad_target(indices, rows))
        if xp is np and is_range(segment_ids, len(grad)):
            return reduce_rows(np.add, grad, indices, rows, 0)
        if xp is np:
            counts = np.bincount(segment_ids, minlength=grad.shape[0])
            weights = _weights(counts, True, root, grad.dtype)
            parts = grad.take(segment_ids, 0)
            column = weights.take(segment_ids).reshape(-1, *(1,) * (grad.ndim - 1))
            return reduce_rows(np.add, parts * column, indices, rows, 0)
        ones = xp.ones(segment_ids.shape, grad.dtype)
        counts = xp.zeros(grad.shape[0], grad.dtype).at[segment_ids].add(ones)[segment_ids]
        divisors = xp.sqrt(counts) if root else counts
        parts = xp.asarray(grad)[segment_ids] / divisors.reshape(-1, *(1,) * (grad.ndim - 1))
        return xp.zeros((rows, *grad.shape[1:]), grad.dtype).at[indices].add(parts)

    return kernel


def _bad_segment(ids: TensorLike, count: int) -> Exception:
    i = int(np.flatnonzero((ids < 0) | (ids >= count))[0])
    return invalid(f"Segment id {int(ids[i])} out of range [0, {count}).")


def _bad_target(indices: TensorLike, count: int) -> Exception:
    i = int(np.flatnonzero((indices < 0) | (indices >= count))[0])
    return invalid(f"Index {int(indices[i])} out of range [0, {count}).")


def _reference(mean: bool = False, root: bool = False) -> Callable[..., Any]:
    def reference(
        data: Array, indices: Array, segment_ids: Array, num_segments: Array = None
    ) -> Array:
        count = int(segment_ids[-1]) + 1 if num_segments is None else int(num_segments)
        result = np.zeros((count, *data.shape[1:]), np.float64)
        for i in range(count):
            rows = data[indices[segment_ids == i]].astype(np.float64)
            if len(rows):
                scale = np.sqrt(len(rows)) if root else len(rows) if mean else 1
                result[i] = rows.sum(axis=0) / scale
        return result.astype(data.dtype)

    return reference


def _gradient_reference(root: bool) -> Callable[..., Any]:
    def reference(grad: Array, indices: Array, segment_ids: Array, output_dim0: Array) -> Array:
        result = np.zeros((int(output_dim0), *grad.shape[1:]), np.float64)
        for index, segment in zip(indices, segment_ids):
            count = np.sum(segment_ids == segment)
            result[index] += grad[segment] / (np.sqrt(count) if root else count)
        return result.astype(grad.dtype)

    return reference


def shape_sparse(c: shapes.ShapeContext) -> Shape:
    data = c.with_rank_at_least("data", 1)
    c.merge(c.with_rank("indices", 1), c.with_rank("segment_ids", 1))
    return None if data is None else (None, *data[1:])


def shape_counted(c: shapes.ShapeContext) -> Shape:
    shape = shape_sparse(c)
    c.with_rank("num_segments", 0)
    count = c.value("num_segments")
    if count is not None and int(count) < 0:
        c.fail("Cannot specify a negative value for num_segments")
    return None if shape is None else (None if count is None else int(count), *shape[1:])


def shape_gradient(c: shapes.ShapeContext) -> Shape:
    grad = c.with_rank_at_least("grad", 1)
    c.merge(c.with_rank("indices", 1), c.with_rank("segment_ids", 1))
    rows = c.value("output_dim0")
    return None if grad is None else (None if rows is None else int(rows), *grad[1:])


def gradient_sum(op: Operation, grad: Tensor) -> Sequence[Tensor | None]:
    rows = shape_tensor(op.inputs[0])[0]
    parts = build.GatherV2(grad, op.inputs[2], 0)
    result = build.UnsortedSegmentSum(parts, op.inputs[1], rows)
    return [result] + [None] * (len(op.inputs) - 1)


def _gradient(op_type: str) -> Callable[..., Any]:
    def gradient(op: Operation, grad: Tensor) -> list[Tensor | None]:
        rows = shape_tensor(op.inputs[0])[0]
        result = getattr(build, op_type)(grad, op.inputs[1], op.inputs[2], rows)
        return [result] + [None] * (len(op.inputs) - 1)

    return gradient


_DATA = np.array([[1.5, -2.0], [0.25, 5.0], [3.0, -0.5], [2.0, 0.75]], np.float32)


def samples_sparse() -> Iterator[Sample]:
    yield Sample(_DATA, np.array([3, 0, 3], np.int32), np.array([0, 0, 2], np.int32))
    yield Sample(
        _DATA.astype(np.float64), np.array([1, 2, 2, 0], np.int64), np.array([0, 1, 1, 2], np.int32)
    )


def samples_counted() -> Iterator[Sample]:
    for sample in samples_sparse():
        yield Sample(*sample.inputs, np.int32(4))


def samples_gradient() -> Iterator[Sample]:
    for sample in samples_sparse():
        yield Sample(*sample.inputs, np.int32(5), gradient=())


_SUM_TYPES = "T: realnumbertype, Tidx: {int32, int64} = int32"
_MEAN_TYPES = "T: {float, double}, Tidx: {int32, int64} = int32"


def _register_sparse_segment(
    name: str, counted_name: str, types: str, mean: bool, root: bool, function: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="data: T, indices: Tidx, segment_ids: int32",
        outputs="output: T",
        attrs=types,
        shape=shape_sparse,
        kernel=_kernel(mean, root),
        gradient=function,
        reference=_reference(mean, root),
        samples=samples_sparse,
        dynamic_shape=True,
    )
    register_op(
        counted_name,
        inputs="data: T, indices: Tidx, segment_ids: int32, num_segments: Tnumsegments",
        outputs="output: T",
        attrs=f"{types}, Tnumsegments: {{int32, int64}} = int32",
        shape=shape_counted,
        kernel=_counted_kernel(mean, root),
        gradient=function,
        reference=_reference(mean, root),
        samples=samples_counted,
        concrete=("num_segments",),
    )


_register_sparse_segment(
    "SparseSegmentSum",
    "SparseSegmentSumWithNumSegments",
    types=_SUM_TYPES,
    mean=False,
    root=False,
    function=gradient_sum,
)
_register_sparse_segment(
    "SparseSegmentMean",
    "SparseSegmentMeanWithNumSegments",
    types=_MEAN_TYPES,
    mean=True,
    root=False,
    function=_gradient("SparseSegmentMeanGrad"),
)
_register_sparse_segment(
    "SparseSegmentSqrtN",
    "SparseSegmentSqrtNWithNumSegments",
    types=_MEAN_TYPES,
    mean=False,
    root=True,
    function=_gradient("SparseSegmentSqrtNGrad"),
)


def _register_sparse_segment_gradient(name: str, root: bool) -> None:
    register_op(
        name,
        inputs="grad: T, indices: Tidx, segment_ids: int32, output_dim0: int32",
        outputs="output: T",
        attrs=_MEAN_TYPES,
        shape=shape_gradient,
        kernel=_gradient_kernel(root),
        reference=_gradient_reference(root),
        samples=samples_gradient,
        concrete=("output_dim0",),
    )


_register_sparse_segment_gradient("SparseSegmentMeanGrad", root=False)
_register_sparse_segment_gradient("SparseSegmentSqrtNGrad", root=True)


@export("sparse_segment_sum", "sparse.segment_sum")
def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """Returns the sums of chosen rows for each segment.

    Args:
        data: a tensor of shape [n, ...].
        indices: integer vector of the rows that are chosen.
        segment_ids: integer vector of the same length, increasing from 0.
        name: the name of the node.
        num_segments: the number of segments; None takes the largest id + 1.

    Returns:
        A tensor of shape [num_segments, ...].
    """
    if num_segments is None:
        return build.SparseSegmentSum(data, indices, segment_ids, name=name)
    return build.SparseSegmentSumWithNumSegments(
        data, indices, segment_ids, num_segments, name=name
    )


@export("sparse_segment_mean", "sparse.segment_mean")
def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """Returns the means of chosen rows for each segment.

    Args:
        data: a tensor of shape [n, ...].
        indices: integer vector of the rows that are chosen.
        segment_ids: integer vector of the same length, increasing from 0.
        name: the name of the node.
        num_segments: the number of segments; None takes the largest id + 1.

    Returns:
        A tensor of shape [num_segments, ...].
    """
    if num_segments is None:
        return build.SparseSegmentMean(data, indices, segment_ids, name=name)
    return build.SparseSegmentMeanWithNumSegments(
        data, indices, segment_ids, num_segments, name=name
    )


@export("sparse_segment_sqrt_n", "sparse.segment_sqrt_n")
def sparse_segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
) -> Tensor:
    """Returns the sums of chosen rows for each segment, divided by the roots of their numbers.

    Args:
        data: a tensor of shape [n, ...].
        indices: integer vector of the rows that are chosen.
        segment_ids: integer vector of the same length, increasing from 0.
        name: the name of the node.
        num_segments: the number of segments; None takes the largest id + 1.

    Returns:
        A tensor of shape [num_segments, ...].
    """
    if num_segments is None:
        return build.SparseSegmentSqrtN(data, indices, segment_ids, name=name)
    return build.SparseSegmentSqrtNWithNumSegments(
        data, indices, segment_ids, num_segments, name=name
    )


@export("sparse_segment_sqrt_n_grad")
def sparse_segment_sqrt_n_grad(
    grad: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    output_dim0: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The gradient of `sparse_segment_sqrt_n` in its data.

    Args:
        grad: the gradient in the result, of shape [num_segments, ...].
        indices: integer vector of the rows that were chosen.
        segment_ids: int32 vector of the same length.
        output_dim0: int32 scalar: the number of rows of the data.
        name: the name of the node.

    Returns:
        A tensor of shape [output_dim0, ...].
    """
    return build.SparseSegmentSqrtNGrad(grad, indices, segment_ids, output_dim0, name=name)
