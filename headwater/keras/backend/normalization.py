"""Batch normalization and biases."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor
from headwater.keras.backend.settings import checked_format
from headwater.keras.backend.tensors import constant, int_shape, ndim
from headwater.model.nn.batch_normalization import batch_normalization as make_batch_normalization
from headwater.model.nn.moments import moments
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.stack import stack
from headwater.ops.nn.bias import bias_add as make_bias_add
from headwater.ops.nn.fused_batch_norm import fused_batch_norm


def plainly_normalized(
    x: TensorLike,
    gamma: TensorLike | None,
    beta: TensorLike | None,
    reduction_axes: Sequence[int],
    epsilon: float = 1e-3,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes a batch with its own mean and variance, by ops that are not fused."""
    mean, variance = moments(x, reduction_axes, None, None, False)
    if sorted(reduction_axes) == list(range(ndim(x) or 0))[:-1]:
        return make_batch_normalization(x, mean, variance, beta, gamma, epsilon), mean, variance
    target = stack(
        [1 if axis in reduction_axes else shape_of(x)[axis] for axis in range(ndim(x) or 0)]
    )
    wide_mean, wide_variance = reshape(mean, target), reshape(variance, target)
    wide_beta = None if beta is None else reshape(beta, target)
    wide_gamma = None if gamma is None else reshape(gamma, target)
    normed = make_batch_normalization(x, wide_mean, wide_variance, wide_beta, wide_gamma, epsilon)
    return normed, mean, variance


@export("keras.backend.normalize_batch_in_training")
def normalize_batch_in_training(
    x: TensorLike,
    gamma: TensorLike | None,
    beta: TensorLike | None,
    reduction_axes: Sequence[int],
    epsilon: float = 1e-3,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes a batch with its own mean and variance.

    Args:
        x: a tensor.
        gamma: the scale, or None.
        beta: the offset, or None.
        reduction_axes: the axes over which mean and variance are taken.
        epsilon: what is added to the variance.

    Returns:
        The normalized batch, its mean and its variance.
    """
    if ndim(x) == 4 and list(reduction_axes) in ([0, 1, 2], [0, 2, 3]):
        last = list(reduction_axes) == [0, 1, 2]
        if not last:
            return plainly_normalized(x, gamma, beta, reduction_axes, epsilon)
        channels = x.shape[3]
        kind = x.dtype.base_dtype
        beta = constant(0.0, dtype=kind, shape=[channels]) if beta is None else beta
        gamma = constant(1.0, dtype=kind, shape=[channels]) if gamma is None else gamma
        normed, mean, variance = fused_batch_norm(
            x, gamma, beta, epsilon=epsilon, data_format="NHWC"
        )
        return normed, mean, variance
    return plainly_normalized(x, gamma, beta, reduction_axes, epsilon)


@export("keras.backend.batch_normalization")
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    var: TensorLike,
    beta: TensorLike | None,
    gamma: TensorLike | None,
    axis: int = -1,
    epsilon: float = 1e-3,
) -> Tensor:
    """Normalizes a batch with a given mean and variance.

    Args:
        x: a tensor.
        mean: the mean.
        var: the variance.
        beta: the offset, or None.
        gamma: the scale, or None.
        axis: the axis of the channels.
        epsilon: what is added to the variance.

    Returns:
        A tensor of the shape of x.
    """
    if ndim(x) == 4 and axis in (3, -1):
        kind = x.dtype.base_dtype
        beta = constant(0.0, dtype=kind, shape=mean.shape) if beta is None else beta
        gamma = constant(1.0, dtype=kind, shape=mean.shape) if gamma is None else gamma
        scale, offset, mean, var = (
            value if ndim(value) == 1 else reshape(value, [-1])
            for value in (gamma, beta, mean, var)
        )
        normed, _, _ = fused_batch_norm(
            x, scale, offset, mean, var, epsilon, data_format="NHWC", is_training=False
        )
        return normed
    return make_batch_normalization(x, mean, var, beta, gamma, epsilon)


@export("keras.backend.bias_add")
def bias_add(x: TensorLike, bias: TensorLike, data_format: str | None = None) -> Tensor:
    """Adds a bias to the channels, or one that differs from place to place.

    Args:
        x: a tensor.
        bias: a vector, or a tensor with one axis less than x.
        data_format: "channels_last" or "channels_first".

    Returns:
        A tensor of the shape of x.

    Raises:
        ValueError: if the format is unknown or the bias has another rank.
    """
    data_format = checked_format(data_format)
    sizes = int_shape(bias) or ()
    rank = ndim(x) or 0
    if len(sizes) not in (1, rank - 1):
        raise ValueError(
            f"Unexpected bias dimensions {len(sizes)}, expect to be 1 or {rank} dimensions"
        )
    if rank in (3, 4, 5):
        if data_format == "channels_first":
            inner = [1] * (rank - 2) if len(sizes) == 1 else list(sizes[:-1])
            return x + reshape(bias, [1, sizes[-1], *inner])
        if rank == 3 or len(sizes) != 1:
            shape = [*([1] * (rank - len(sizes))), *sizes]
            return x + reshape(bias, shape)
    return make_bias_add(x, bias)
