"""Reductions of consecutive rows: SegmentSum, SegmentMean, SegmentProd, SegmentMax, SegmentMin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    export,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
)
from headwater.ops.math.segment_rows import (
    divide_rows,
    invalid,
    reduce_rows,
    row_counts,
    sorted_count,
)


def _check(data: Array, ids: Array) -> int:
    if ids.ndim != 1:
        raise invalid("segment_ids should be a vector.")
    if data.ndim == 0 or data.shape[0] != ids.size:
        raise invalid("segment_ids should be the same size as dimension 0 of input.")
    return sorted_count(ids)


def _kernel(combine: np.ufunc, empty: int) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, data: Array, segment_ids: Array) -> Array:
        count = _check(data, segment_ids)
        result = reduce_rows(combine, data, segment_ids, count, empty)
        if combine in _EXTREMA and data.dtype.kind not in "iub" and np.any(np.isnan(result)):
            # NaN is left out of segments of several rows.
            worst = data.dtype.type(_EXTREMA[combine])
            known = np.where(np.isnan(data), worst, data)
            several = (row_counts(segment_ids, count) > 1).reshape(-1, *(1,) * (data.ndim - 1))
            result = np.where(
                several, reduce_rows(combine, known, segment_ids, count, empty), result
            )
        return result

    return kernel


_EXTREMA = {np.maximum: -np.inf, np.minimum: np.inf}


def kernel_mean(xp: ArrayModule, data: Array, segment_ids: Array) -> Array:
    count = _check(data, segment_ids)
    total = reduce_rows(np.add, data, segment_ids, count, 0)
    return divide_rows(total, row_counts(segment_ids, count))


def _reference(function: Callable[..., Any], empty: int) -> Callable[..., Any]:
    def reference(data: Array, segment_ids: Array) -> Array:
        result = np.full((int(segment_ids[-1]) + 1, *data.shape[1:]), empty, data.dtype)
        for i in set(segment_ids.tolist()):
            value = function(data[segment_ids == i], axis=0)
            result[i] = np.trunc(value) if data.dtype.kind in "iu" else value
        return result

    return reference


def shape_segment(c: shapes.ShapeContext) -> Shape:
    data = c.with_rank_at_least("data", 1)
    c.with_rank("segment_ids", 1)
    return None if data is None else (None, *data[1:])


def gradient_sum(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    return build.GatherV2(grad, op.inputs[1], 0), None


def gradient_mean(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    data, ids = op.inputs
    rank = rank_tensor(data)
    length = shape_tensor(ids)
    ones = build.Fill(build.ExpandDims(rank - 1, 0), 1)
    column = build.Fill(
        build.ConcatV2([length, ones], 0, name="concat"), constant_node(1, grad.dtype.base_dtype)
    )
    return build.GatherV2(grad / build.SegmentSum(column, ids), ids, 0), None


def gradient_extremum(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    """The gradient is shared by all elements that are equal to the extremum of their segment."""
    data, ids = op.inputs
    zeros = zeros_like(data)
    chosen = build.Equal(data, build.GatherV2(op.outputs[0], ids, 0))
    count = build.SegmentSum(build.Cast(chosen, DstT=grad.dtype), ids)
    return build.Select(chosen, build.GatherV2(grad / count, ids, 0), zeros), None


def samples_segment() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0], [0.25, 5.0], [3.0, -0.5], [2.0, 0.75]], np.float32)
    yield Sample(x, np.array([0, 0, 1, 1], np.int32))
    yield Sample(x[:, 0].astype(np.float64), np.array([0, 2, 2, 3], np.int64))
    yield Sample(np.array([3, 1, 7], np.int32), np.array([0, 0, 2], np.int32))


def _register_segment(
    name: str,
    types: str,
    kernel_function: Callable[..., Any],
    gradient: Callable[..., Any] | None,
    reference_kernel: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="data: T, segment_ids: Tindices",
        outputs="output: T",
        attrs=f"T: {types}, Tindices: {{int32, int64}}",
        shape=shape_segment,
        kernel=kernel_function,
        gradient=gradient,
        reference=reference_kernel,
        samples=samples_segment,
        dynamic_shape=True,
    )


_register_segment(
    "SegmentSum",
    types="numbertype",
    kernel_function=_kernel(np.add, 0),
    gradient=gradient_sum,
    reference_kernel=_reference(np.sum, 0),
)
_register_segment(
    "SegmentMean",
    types="numbertype",
    kernel_function=kernel_mean,
    gradient=gradient_mean,
    reference_kernel=_reference(np.mean, 0),
)
_register_segment(
    "SegmentProd",
    types="numbertype",
    kernel_function=_kernel(np.multiply, 1),
    gradient=None,
    reference_kernel=_reference(np.prod, 1),
)
_register_segment(
    "SegmentMax",
    types="realnumbertype",
    kernel_function=_kernel(np.maximum, 0),
    gradient=gradient_extremum,
    reference_kernel=_reference(np.amax, 0),
)
_register_segment(
    "SegmentMin",
    types="realnumbertype",
    kernel_function=_kernel(np.minimum, 0),
    gradient=gradient_extremum,
    reference_kernel=_reference(np.amin, 0),
)


@export("segment_sum", "math.segment_sum")
def segment_sum(
    data: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the sums of the rows of each segment.

    Args:
        data: a tensor of shape [n, ...].
        segment_ids: integer vector of length n, increasing from 0.
        name: the name of the node.

    Returns:
        A tensor of shape [largest id + 1, ...].
    """
    return build.SegmentSum(data, segment_ids, name=name)


@export("segment_mean", "math.segment_mean")
def segment_mean(
    data: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the means of the rows of each segment.

    Args:
        data: a tensor of shape [n, ...].
        segment_ids: integer vector of length n, increasing from 0.
        name: the name of the node.

    Returns:
        A tensor of shape [largest id + 1, ...].
    """
    return build.SegmentMean(data, segment_ids, name=name)


@export("segment_prod", "math.segment_prod")
def segment_prod(
    data: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the products of the rows of each segment.

    Args:
        data: a tensor of shape [n, ...].
        segment_ids: integer vector of length n, increasing from 0.
        name: the name of the node.

    Returns:
        A tensor of shape [largest id + 1, ...].
    """
    return build.SegmentProd(data, segment_ids, name=name)


@export("segment_max", "math.segment_max")
def segment_max(
    data: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the maxima of the rows of each segment.

    Args:
        data: a tensor of shape [n, ...].
        segment_ids: integer vector of length n, increasing from 0.
        name: the name of the node.

    Returns:
        A tensor of shape [largest id + 1, ...].
    """
    return build.SegmentMax(data, segment_ids, name=name)


@export("segment_min", "math.segment_min")
def segment_min(
    data: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns the minima of the rows of each segment.

    Args:
        data: a tensor of shape [n, ...].
        segment_ids: integer vector of length n, increasing from 0.
        name: the name of the node.

    Returns:
        A tensor of shape [largest id + 1, ...].
    """
    return build.SegmentMin(data, segment_ids, name=name)
