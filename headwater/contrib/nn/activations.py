"""Alpha dropout and scaled softplus."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, constant_value, convert_to_tensor, export, name_scope
from headwater.model.custom_gradient import custom_gradient
from headwater.model.nn.convolution import conv1d_transpose
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.random.uniform import random_uniform

# The limit of selu at minus infinity.
_FLOOR = -1.7580993408473766


@export("contrib.nn.alpha_dropout")
def alpha_dropout(
    x: TensorLike,
    keep_prob: TensorLike,
    noise_shape: TensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Dropout after selu, which keeps mean 0 and variance 1.

    Args:
        x: a tensor of mean 0 and variance 1.
        keep_prob: the probability that an element is kept.
        noise_shape: the shape of what is drawn; that of `x` if None.
        seed: the op-level seed.
        name: the name scope.

    Returns:
        A tensor like `x`.

    Raises:
        ValueError: if `keep_prob` is out of range.

    Source: G. Klambauer et al., "Self-Normalizing Neural Networks", 2017.
    """
    with name_scope(name, "alpha_dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if isinstance(keep_prob, numbers.Real) and not 0 < float(keep_prob) <= 1.0:
            raise ValueError(
                "keep_prob must be a scalar tensor or a float in the range (0, 1], got "
                f"{keep_prob:g}"
            )
        keep: Tensor = convert_to_tensor(keep_prob, dtype=x.dtype, name="keep_prob")
        keep.get_shape().assert_is_compatible_with(())
        if constant_value(keep) == 1:
            return x
        noise_shape = shape(x) if noise_shape is None else noise_shape
        drawn = random_uniform(noise_shape, seed=seed, dtype=x.dtype)
        kept = cast(build.GreaterEqual(drawn, 1 - keep), x.dtype)
        mixed = x * kept + _FLOOR * (1 - kept)
        # The factor and the offset restore variance and mean.
        scale = (keep + keep * (1 - keep) * math.pow(_FLOOR, 2.0)) ** -0.5
        offset = -scale * _FLOOR * (1 - keep)
        return scale * mixed + offset


@export("contrib.nn.scaled_softplus")
def scaled_softplus(
    x: TensorLike, alpha: TensorLike, clip: float | None = None, name: str | None = None
) -> Tensor:
    """alpha log(1 + exp(x / alpha)), at most `clip`: a smooth form of relu.

    Args:
        x: a floating-point tensor.
        alpha: how smooth it is, positive.
        clip: the largest value; None for no limit.
        name: the name scope.

    Returns:
        A tensor like `x`.
    """

    @custom_gradient
    def smooth(x: Tensor, alpha: Tensor) -> tuple[Tensor | Callable[..., Any], ...]:
        y = alpha * build.Softplus(x / alpha)
        if clip is not None:
            y = build.Minimum(y, convert_to_tensor(clip, name="clip"))

        def gradient(grad: Tensor) -> tuple[Tensor, ...]:
            if clip is not None:
                grad = grad * cast(build.Less(y, clip), grad.dtype)
            # p = sigmoid(x / alpha); the derivative by alpha is the entropy of p.
            z = y / alpha
            q = build.Exp(-z)
            p = 1.0 - q
            by_alpha = z * q - p * build.Log(p + 1e-8)
            return _like(grad * p, x), _like(grad * by_alpha, alpha)

        return y, gradient

    with name_scope(name, "scaled_softplus", [x, alpha]):
        x = convert_to_tensor(x, name="x")
        alpha = convert_to_tensor(alpha, name="alpha", dtype=x.dtype)
        return smooth(x, alpha)


def _like(grad: TensorLike, x: TensorLike) -> Tensor:
    """A gradient summed over the dimensions along which `x` was broadcast."""
    axes, _ = build.BroadcastGradientArgs(shape(x), shape(grad))
    return build.Reshape(build.Sum(grad, axes), shape(x))


export("contrib.nn.conv1d_transpose")(conv1d_transpose)
