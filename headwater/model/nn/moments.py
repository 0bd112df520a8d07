"""Mean and variance over axes."""

from __future__ import annotations

import math
from typing import Any

from headwater.base import dtypes
from headwater.base.axes import counted_from_start
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
    zeros_like,
)
from headwater.ops.array.reshape import squeeze
from headwater.ops.nn.axes import one_of


@export("nn.moments")
def moments(
    x: TensorLike,
    axes: TensorLike,
    shift: TensorLike | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the mean and the variance of `x` over axes.

    The variance is the mean of the squared distances from the mean; half-precision inputs are
    averaged in float32.

    Args:
        x: a tensor of numbers.
        axes: the axes to average over, a list of integers.
        shift: ignored.
        name: the name scope.
        keep_dims: whether the averaged axes stay, with length 1.
        keepdims: newer name of `keep_dims`.

    Returns:
        Mean and variance, of the type of `x`.

    Raises:
        ValueError: if both `keep_dims` and `keepdims` are given.

    Example:
        >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])
        >>> print(mean.eval(), variance.eval())
        2.0 1.0
    """
    keep = one_of("keepdims", keepdims, "keep_dims", keep_dims, False)
    with name_scope(name, "moments", [x, axes]):
        half = x.dtype == dtypes.float16
        y: TensorLike = build.Cast(x, DstT=dtypes.float32) if half else x
        mean = build.Mean(y, axes, keep_dims=True, name="mean")
        squares = build.SquaredDifference(y, build.StopGradient(mean))
        variance = build.Mean(squares, axes, keep_dims=True, name="variance")
        if not keep:
            mean = squeeze(mean, axes)
            variance = squeeze(variance, axes)
        if half:
            return build.Cast(mean, DstT=x.dtype), build.Cast(variance, DstT=x.dtype)
        return mean, variance


@export("nn.sufficient_statistics")
def sufficient_statistics(
    x: TensorLike,
    axes: list[int],
    shift: TensorLike | None = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor, Tensor, Any]:
    """Returns sufficient statistics for mean and variance, which can be summed over parts.

    Args:
        x: a tensor of numbers.
        axes: the axes to sum over.
        shift: what is subtracted from `x` before it is summed, near the mean for precision.
        keep_dims: whether the summed axes stay, with length 1.
        name: the name scope.
        keepdims: newer name of `keep_dims`.

    Returns:
        The number of elements, the sum, the sum of squares, and the shift or None.

    Raises:
        ValueError: if both `keep_dims` and `keepdims` are given.
    """
    axes = sorted(set(axes))
    keep = one_of("keepdims", keepdims, "keep_dims", keep_dims, False)
    with name_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        static = None if x.shape.ndims is None else x.shape.as_list()
        if static is not None and all(
            static[counted_from_start(axis, len(static))] is not None for axis in axes
        ):
            count = constant_node(float(math.prod(static[a] for a in axes)), x.dtype)
        else:
            lengths = build.GatherV2(build.Cast(shape_tensor(x), DstT=x.dtype), axes, 0)
            count = build.Prod(lengths, constant_node([0]), name="count")
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            values, squares = build.Sub(x, shift), build.SquaredDifference(x, shift)
        else:
            values, squares = x, build.Square(x)
        mean_sum = build.Sum(values, axes, keep_dims=keep, name="mean_ss")
        variance_sum = build.Sum(squares, axes, keep_dims=keep, name="var_ss")
    return count, mean_sum, variance_sum, shift


@export("nn.normalize_moments")
def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns mean and variance of sufficient statistics.

    Args:
        counts: the number of elements.
        mean_ss: the sum of the (shifted) elements.
        variance_ss: the sum of their squares.
        shift: what was subtracted from the elements, or None.
        name: the name scope.

    Returns:
        Mean and variance.
    """
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = build.Reciprocal(counts, name="divisor")
        if shift is not None:
            shifted_mean = build.Mul(mean_ss, divisor, name="shifted_mean")
            mean = build.Add(shifted_mean, shift, name="mean")
        else:
            shifted_mean = mean = build.Mul(mean_ss, divisor, name="mean")
        variance = build.Sub(
            build.Mul(variance_ss, divisor), build.Square(shifted_mean), name="variance"
        )
    return mean, variance


@export("nn.weighted_moments")
def weighted_moments(
    x: TensorLike,
    axes: TensorLike,
    frequency_weights: TensorLike,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the weighted mean and variance of `x` over axes.

    Args:
        x: a tensor of numbers.
        axes: the axes to average over.
        frequency_weights: how often each element counts; broadcast to the shape of `x`.
        name: the name scope.
        keep_dims: whether the averaged axes stay, with length 1.
        keepdims: newer name of `keep_dims`.

    Returns:
        Mean and variance.

    Raises:
        ValueError: if both `keep_dims` and `keepdims` are given.
    """
    keep = one_of("keepdims", keepdims, "keep_dims", keep_dims, False)
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        weights: Tensor = convert_to_tensor(frequency_weights, name="frequency_weights")
        given = x.dtype
        half = given == dtypes.float16
        if half:
            x = build.Cast(x, DstT=dtypes.float32)
        if weights.dtype != x.dtype:
            weights = build.Cast(weights, DstT=x.dtype)
        weighted_sum = build.Sum(weights * x, axes, keep_dims=True, name="weighted_input_sum")
        all_weights = weights + zeros_like(x)
        total = build.Sum(all_weights, axes, keep_dims=True, name="sum_of_weights")
        inverse = build.Reciprocal(total, name="inv_weight_sum")
        mean = build.Mul(weighted_sum, inverse)
        distances = weights * build.SquaredDifference(x, mean)
        distance_sum = build.Sum(distances, axes, keep_dims=True, name="weighted_distsq")
        variance = build.Mul(distance_sum, inverse)
        if not keep:
            mean = squeeze(mean, axes)
            variance = squeeze(variance, axes)
        if half:
            mean, variance = build.Cast(mean, DstT=given), build.Cast(variance, DstT=given)
    return mean, variance
