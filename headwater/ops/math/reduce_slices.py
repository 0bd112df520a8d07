"""Reductions of slices: ReduceSliceSum, ReduceSliceProd, ReduceSliceMax, ReduceSliceMin."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import RunsOn, Sample, ShapeContext, Tensor, build, register_op


def _lowest(dtype: np.dtype) -> Any:
    return -np.inf if np.issubdtype(dtype, np.inexact) else np.iinfo(dtype).min


def _highest(dtype: np.dtype) -> Any:
    return np.inf if np.issubdtype(dtype, np.inexact) else np.iinfo(dtype).max


def _bounds(indices: Array, length: int) -> tuple[Array, Array]:
    """The first and the last index of each slice, cut to those that exist."""
    if indices.ndim == 1:
        starts, ends = indices[:-1], indices[1:]
    elif indices.ndim == 2 and indices.shape[1] == 2:
        starts, ends = indices[:, 0], indices[:, 1]
    else:
        fail("indices should be a vector or a matrix with 2 columns.")
    return np.clip(starts, 0, length), np.clip(ends, 0, length)


def _kernel(combine: np.ufunc, empty: Callable[[np.dtype], Any]) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, data: Array, indices: Array, axis: Array) -> Array:
        at = int(axis)
        if not 0 <= at < data.ndim:
            fail(f"axis should be in [0, {data.ndim}), got {at}")
        starts, ends = _bounds(indices, data.shape[at])
        rows = np.moveaxis(data, at, 0)
        result = np.full((len(starts), *rows.shape[1:]), empty(data.dtype), data.dtype)
        for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist())):
            if start < end:
                result[row] = combine.reduce(rows[start:end], axis=0, dtype=data.dtype)
        return np.ascontiguousarray(np.moveaxis(result, 0, at))

    return kernel


def shape_reduce_slice(c: ShapeContext) -> Shape:
    data = c.with_rank_at_least("data", 1)
    indices = c.with_rank_at_least("indices", 1)
    if indices is not None and len(indices) > 2:
        c.fail(f"Shape must be at most rank 2 but is rank {len(indices)}")
    if indices is not None and len(indices) == 2 and indices[1] not in (2, None):
        c.fail(f"Dimensions must be equal, but are {indices[1]} and 2")
    c.with_rank("axis", 0)
    axis = c.value("axis")
    if data is None or axis is None:
        return None if data is None else (None,) * len(data)
    at = int(axis)
    if not 0 <= at < len(data):
        c.fail(f"Out of range dim_index {at} for shape with {len(data)} dimensions")
    count = None if indices is None else indices[0]
    if indices is not None and len(indices) == 1 and count is not None:
        count = max(count - 1, 0)
    return (*data[:at], count, *data[at + 1 :])


def _reference(combine: np.ufunc, empty: Callable[[np.dtype], Any]) -> Callable[..., Any]:
    def reference(data: Array, indices: Array, axis: Array) -> Array:
        pairs = list(itertools.pairwise(indices)) if indices.ndim == 1 else indices
        slices = [np.take(data, np.arange(i, min(j, data.shape[axis])), axis) for i, j in pairs]
        shape = list(data.shape)
        del shape[int(axis)]
        parts = [
            combine.reduce(s, axis=int(axis)) if s.shape[axis] else np.full(shape, empty(s.dtype))
            for s in slices
        ]
        return np.stack(parts, axis=int(axis)).astype(data.dtype)

    return reference


def samples_reduce_slice() -> Iterator[Sample]:
    data = np.array([[1, 2, 3], [40, 50, 60], [7, 8, 9]], np.float32)
    yield Sample(data, np.array([[0, 1], [1, 1], [0, 2], [1, 9]], np.int32), np.int64(0))
    yield Sample(data.astype(np.int32), np.array([0, 2, 3], np.int64), np.int64(1))


def _register(name: str, combine: np.ufunc, empty: Callable[[np.dtype], Any]) -> None:
    register_op(
        name,
        inputs="data: T, indices: Tindices, axis: int64",
        outputs="output: T",
        attrs="T: numbertype, Tindices: {int32, int64}",
        shape=shape_reduce_slice,
        kernel=_kernel(combine, empty),
        reference=_reference(combine, empty),
        samples=samples_reduce_slice,
        concrete=("axis",),
        runs_on=RunsOn.HOST,
    )


_register("ReduceSliceSum", np.add, lambda dtype: 0)
_register("ReduceSliceProd", np.multiply, lambda dtype: 1)
_register("ReduceSliceMax", np.maximum, _lowest)
_register("ReduceSliceMin", np.minimum, _highest)


def reduce_slice_sum(
    data: TensorLike, indices: TensorLike, axis: TensorLike, name: str | None = None
) -> Tensor:
    """Adds the elements of slices along an axis.

    Args:
        data: a tensor of numbers.
        indices: where the slices begin and end: int32 or int64 pairs [n, 2], or [n + 1] for slices
            that follow each other. Indices out of range are cut.
        axis: the axis.
        name: the name of the node.

    Returns:
        A tensor with n elements along the axis; 0 for an empty slice.
    """
    return build.ReduceSliceSum(data, indices, axis, name=name)


def reduce_slice_prod(
    data: TensorLike, indices: TensorLike, axis: TensorLike, name: str | None = None
) -> Tensor:
    """Multiplies the elements of slices; 1 for an empty slice. See `reduce_slice_sum`."""
    return build.ReduceSliceProd(data, indices, axis, name=name)


def reduce_slice_max(
    data: TensorLike, indices: TensorLike, axis: TensorLike, name: str | None = None
) -> Tensor:
    """The largest elements of slices; the lowest number for an empty one."""
    return build.ReduceSliceMax(data, indices, axis, name=name)


def reduce_slice_min(
    data: TensorLike, indices: TensorLike, axis: TensorLike, name: str | None = None
) -> Tensor:
    """The smallest elements of slices; the highest number for an empty one."""
    return build.ReduceSliceMin(data, indices, axis, name=name)
