"""Normalization by given means and variances, and to unit length."""

from __future__ import annotations

from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.ops.math.reduce_functions import axes_tensor
from headwater.ops.nn.axes import one_of


@export("nn.batch_normalization")
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Returns scale * (x - mean) / sqrt(variance + variance_epsilon) + offset.

    Args:
        x: a tensor of floating-point numbers.
        mean: the mean; this and the following are broadcast to the shape of `x`.
        variance: the variance.
        offset: what is added, or None.
        scale: the factor, or None.
        variance_epsilon: keeps the divisor from being zero.
        name: the name scope.

    Returns:
        A tensor like `x`.

    Source: S. Ioffe, C. Szegedy, "Batch Normalization", 2015, algorithm 1.
    """
    with name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        factor: Tensor = build.Rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        dtype = as_dtype(x.dtype)
        product = x * _cast(factor, dtype)
        rest = -mean * factor if offset is None else offset - mean * factor
        return product + _cast(rest, dtype)


def _cast(x: TensorLike, dtype: DType) -> Tensor:
    base = dtype.base_dtype
    return x if x.dtype.base_dtype is base else build.Cast(x, DstT=base)


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    t: TensorLike | None = None,
    m: TensorLike | None = None,
    v: TensorLike | None = None,
    beta: TensorLike | None = None,
    gamma: TensorLike | None = None,
    variance_epsilon: TensorLike | None = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
) -> Tensor:
    """Normalizes images by given means and variances per channel.

    Args:
        t: images of rank 4.
        m: the mean per channel.
        v: the variance per channel.
        beta: what is added per channel.
        gamma: the factor per channel.
        variance_epsilon: keeps the divisor from being zero.
        scale_after_normalization: whether to multiply by `gamma`.
        name: the name scope.
        input: newer name of `t`.
        mean: newer name of `m`.
        variance: newer name of `v`.

    Returns:
        A tensor like `t`.

    Raises:
        ValueError: if an argument is given under both names.
    """
    t = one_of("input", input, "t", t)
    m = one_of("mean", mean, "m", m)
    v = one_of("variance", variance, "v", v)
    scale = gamma if scale_after_normalization else None
    return batch_normalization(t, m, v, beta, scale, variance_epsilon, name)


@export("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
def l2_normalize(
    x: TensorLike,
    axis: AxisLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: AxisLike | None = None,
) -> Tensor:
    """Returns x / sqrt(max(sum(x ** 2), epsilon)): vectors of length 1 along axes.

    Args:
        x: a tensor of real numbers.
        axis: the axis or axes of the vectors; None means that the whole of `x` is one vector.
        epsilon: the smallest sum of squares that is divided by.
        name: the name of the last node.
        dim: older name of `axis`.

    Returns:
        A tensor like `x`.

    Raises:
        ValueError: if both `axis` and `dim` are given.

    Example:
        >>> print(tf.nn.l2_normalize([3.0, 4.0], 0).eval().round(3))
        [0.6 0.8]
    """
    axis = one_of("axis", axis, "dim", dim)
    with name_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        squares = build.Square(x)
        total = build.Sum(squares, axes_tensor(squares, axis), keep_dims=True)
        inverse = build.Rsqrt(build.Maximum(total, epsilon))
        return build.Mul(x, inverse, name=scope)
