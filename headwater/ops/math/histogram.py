"""Counts of values: Bincount, HistogramFixedWidth, Bucketize."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import require
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    Sample,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.math.axes import all_axes
from headwater.ops.math.segment_rows import invalid


def kernel_bincount(xp: ArrayModule, arr: Array, size: Array, weights: Array) -> Array:
    count = int(size)
    if count < 0:
        raise invalid(f"size ({count}) must be non-negative")
    require(xp, arr >= 0, lambda: invalid("Input arr must be non-negative!"))
    if 0 < weights.size < arr.size:
        raise invalid(
            "If weights are passed, they must have the same shape ("
            f"{shapes.show(weights.shape)}) as arr ({shapes.show(arr.shape)})"
        )
    values = arr.reshape(-1)
    weights = weights.reshape(-1)[: values.size]
    if xp is np:
        inside = values < count
        found = np.bincount(values[inside], weights[inside] if weights.size else None, count)
        return found.astype(weights.dtype)
    amounts = weights if weights.size else xp.ones(values.shape, weights.dtype)
    return xp.zeros(count, weights.dtype).at[values].add(amounts, mode="drop")


def shape_bincount(c: shapes.ShapeContext) -> Shape:
    c.with_rank("size", 0)
    size = c.value("size")
    if size is None:
        return (None,)
    if int(size) < 0:
        c.fail(f"size ({int(size)}) must be non-negative")
    return (int(size),)


def reference_bincount(arr: Array, size: Array, weights: Array) -> Array:
    result = np.zeros(int(size), weights.dtype)
    for position in np.ndindex(arr.shape):
        if arr[position] < size:
            result[arr[position]] += weights[position] if weights.size else 1
    return result


def samples_bincount() -> Iterator[Sample]:
    arr = np.array([[1, 0, 3], [1, 7, 1]], np.int32)
    yield Sample(arr, np.int32(5), np.zeros(0, np.int32))
    yield Sample(
        arr, np.int32(8), np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3), gradient=()
    )


register_op(
    "Bincount",
    inputs="arr: int32, size: int32, weights: T",
    outputs="bins: T",
    attrs="T: {int32, int64, float, double}",
    shape=shape_bincount,
    kernel=kernel_bincount,
    reference=reference_bincount,
    samples=samples_bincount,
    concrete=("size",),
)


def kernel_histogram(
    xp: ArrayModule, values: Array, value_range: Array, nbins: Array, *, dtype: DType
) -> Array:
    if value_range.shape != (2,):
        raise invalid(
            "value_range should be a vector of 2 elements, but got shape "
            f"{shapes.show(value_range.shape)}"
        )
    require(
        xp,
        value_range[0] < value_range[1],
        lambda: invalid(
            "value_range should satisfy value_range[0] < value_range[1], but got '["
            f"{value_range[0]:g}, {value_range[1]:g}]'"
        ),
    )
    count = int(nbins)
    if count <= 0:
        raise invalid(f"nbins should be a positive number, but got '{count}'")
    low, high = value_range[0].astype(np.float64), value_range[1].astype(np.float64)
    step = (high - low) / count
    bins = xp.floor((values.reshape(-1).astype(np.float64) - low) / step)
    bins = xp.clip(bins, 0, count - 1).astype(np.int32)
    if xp is np:
        return np.bincount(bins, minlength=count).astype(dtype.numpy_dtype)
    return xp.zeros(count, dtype.numpy_dtype).at[bins].add(1)


def reference_histogram(values: Array, value_range: Array, nbins: Array, *, dtype: DType) -> Array:
    inside = np.clip(values, value_range[0], value_range[1])
    counts, _ = np.histogram(inside, int(nbins), tuple(value_range.tolist()))
    return counts.astype(dtype.numpy_dtype)


def shape_histogram(c: shapes.ShapeContext) -> Shape:
    ends = c.with_rank("value_range", 1)[0]
    if ends not in (2, None):
        c.fail(f"Dimension must be 2 but is {ends}")
    c.with_rank("nbins", 0)
    nbins = c.value("nbins")
    if nbins is None:
        return (None,)
    if int(nbins) <= 0:
        c.fail(f"Requires nbins > 0: {int(nbins)}")
    return (int(nbins),)


def samples_histogram() -> Iterator[Sample]:
    values = np.array([[-1.0, 0.0, 1.5], [2.0, 5.0, 15.0]], np.float32)
    yield Sample(values, np.array([0.0, 5.0], np.float32), np.int32(5), gradient=())
    yield Sample(
        np.array([1, 4, 9], np.int32), np.array([0, 10], np.int32), np.int32(4), dtype=np.int64
    )


register_op(
    "HistogramFixedWidth",
    inputs="values: T, value_range: T, nbins: int32",
    outputs="out: dtype",
    attrs="T: {int32, int64, float, double}, dtype: {int32, int64} = int32",
    shape=shape_histogram,
    kernel=kernel_histogram,
    reference=reference_histogram,
    samples=samples_histogram,
    concrete=("nbins",),
)


def kernel_bucketize(xp: ArrayModule, x: Array, *, boundaries: list[float]) -> Array:
    edges = np.asarray(boundaries, np.float32)
    if np.any(edges[1:] < edges[:-1]):
        raise invalid("Expected sorted boundaries")
    return xp.searchsorted(edges.astype(np.float64), x.astype(np.float64), side="right").astype(
        np.int32
    )


def reference_bucketize(x: Array, *, boundaries: list[float]) -> Array:
    return np.digitize(x, np.asarray(boundaries, np.float32)).astype(np.int32)


register_op(
    "Bucketize",
    inputs="input: T",
    outputs="output: int32",
    attrs="T: {int32, int64, float, double}, boundaries: list(float)",
    shape=shapes.like_first,
    kernel=kernel_bucketize,
    reference=reference_bucketize,
    samples=lambda: [
        Sample(np.array([[-5.0, 10.0], [150.0, 0.0]], np.float32), boundaries=[0.0, 10.0, 100.0]),
        Sample(np.array([3, 10], np.int32), boundaries=[0.0, 10.0]),
    ],
)


def kernel_bucketize_by_input(xp: ArrayModule, x: Array, boundaries: Array) -> Array:
    result = xp.searchsorted(boundaries.astype(np.float64), x.astype(np.float64), side="right")
    return result.astype(np.int32)


register_op(
    "BucketizeWithInputBoundaries",
    inputs="input: T, boundaries: float",
    outputs="output: int32",
    attrs="T: {int32, int64, float, double}",
    shape=shapes.like_first,
    kernel=kernel_bucketize_by_input,
    reference=lambda x, boundaries: np.digitize(x, boundaries).astype(np.int32),
    samples=lambda: [
        Sample(
            np.array([[-5.0, 10.0], [150.0, 0.0]], np.float32),
            np.array([0.0, 10.0, 100.0], np.float32),
        ),
        Sample(np.array([3, 10], np.int64), np.array([0.0, 10.0], np.float32)),
    ],
)


@export("bincount", "math.bincount")
def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
) -> Tensor:
    """Counts how often each number occurs.

    Args:
        arr: int32 tensor of numbers that are not negative.
        weights: what each element counts; None counts 1.
        minlength: the least length of the result.
        maxlength: the largest length of the result; larger numbers are left out.
        dtype: the type of the result if there are no weights.

    Returns:
        A vector of length max(arr) + 1.
    """
    with name_scope(None, "bincount"):
        arr = convert_to_tensor(arr, name="arr", dtype=dtypes.int32)
        shape = shape_tensor(arr)
        elements = build.Prod(shape, constant_node([0], dtypes.int32))
        nonempty = build.Cast(elements > 0, DstT=dtypes.int32)
        size = nonempty * (build.Max(arr, all_axes(arr)) + 1)
        if minlength is not None:
            minlength = convert_to_tensor(minlength, name="minlength", dtype=dtypes.int32)
            size = build.Maximum(minlength, size)
        if maxlength is not None:
            maxlength = convert_to_tensor(maxlength, name="maxlength", dtype=dtypes.int32)
            size = build.Minimum(maxlength, size)
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
            return build.UnsortedSegmentSum(weights, arr, size)
        return build.Bincount(arr, size, constant_node([], as_dtype(dtype)))


@export("histogram_fixed_width")
def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Counts values in bins of equal width; values out of range go to the first or last bin.

    Args:
        values: a tensor of real numbers.
        value_range: two numbers of the same type, the lower and the upper end.
        nbins: the number of bins.
        dtype: int32 or int64, the type of the counts.
        name: the name of the node.

    Returns:
        A vector of length `nbins`.
    """
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        return build.HistogramFixedWidth(
            values, value_range, nbins, dtype=as_dtype(dtype), name=scope
        )


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Returns for each value its bin among bins of equal width.

    Args:
        values: a tensor of real numbers.
        value_range: two numbers of the same type, the lower and the upper end.
        nbins: the number of bins.
        dtype: has no effect, as in TensorFlow: the numbers are int32.
        name: the name scope.

    Returns:
        An int32 tensor of the shape of `values`.
    """
    with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        shape = shape_tensor(values)
        flat = build.Reshape(values, [-1])
        value_range = convert_to_tensor(value_range, name="value_range")
        nbins = convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
        count = nbins
        if values.dtype.base_dtype is not dtypes.int32:
            count = build.Cast(nbins, DstT=values.dtype.base_dtype)
        shifted = flat - value_range[0]
        width = value_range[1] - value_range[0]
        scaled = build.RealDiv(shifted, width, name="scaled_values")
        bins = build.Floor(count * scaled, name="indices")
        last = count - 1
        with name_scope(None, "clip_by_value") as scope:
            bins = build.Maximum(build.Minimum(bins, last), 0, name=scope)
        if bins.dtype.base_dtype is not dtypes.int32:
            bins = build.Cast(bins, DstT=dtypes.int32)
        return build.Reshape(bins, shape)
