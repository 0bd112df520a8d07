"""Softplus and Softsign."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    control_dependencies,
    export,
    register_op,
    shapes,
)
from headwater.ops.nn.elementwise import in_single, require_same_shape

_FLOATS = "T: {half, bfloat16, float, double}"


def kernel_softplus(xp: ArrayModule, features: Array) -> Array:
    wide = in_single(features)
    result = xp.maximum(wide, wide.dtype.type(0)) + xp.log1p(xp.exp(-xp.abs(wide)))
    return result.astype(features.dtype)


def kernel_softplus_grad(
    xp: ArrayModule, gradients: Array, features: Array, *, op_name: str
) -> Array:
    require_same_shape("SoftplusGrad", op_name, gradients, features)
    return gradients / (xp.exp(-features) + features.dtype.type(1))


def kernel_softsign(xp: ArrayModule, features: Array) -> Array:
    return features / (xp.abs(features) + features.dtype.type(1))


def kernel_softsign_grad(
    xp: ArrayModule, gradients: Array, features: Array, *, op_name: str
) -> Array:
    require_same_shape("SoftsignGrad", op_name, gradients, features)
    return gradients / xp.square(xp.abs(features) + features.dtype.type(1))


def gradient_softplus(op: Operation, grad: Tensor) -> Tensor:
    return build.Mul(grad, build.Sigmoid(op.inputs[0]), name="mul")


def gradient_softplus_grad(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    gradients, features = op.inputs
    with control_dependencies([grad]):
        first = build.SoftplusGrad(grad, features)
        product = build.Mul(grad, gradients, name="mul")
        falling = build.Exp(build.Neg(features))
        sums = build.AddV2(falling, 2.0, name="add")
        sums = build.AddV2(sums, build.Exp(features), name="add")
        return first, build.RealDiv(product, sums, name="truediv")


def gradient_softsign(op: Operation, grad: Tensor) -> Tensor:
    return build.SoftsignGrad(grad, op.inputs[0])


def reference_softplus(features: Array) -> Array:
    return np.logaddexp(features.astype(np.float64), 0).astype(features.dtype)


def reference_softplus_grad(gradients: Array, features: Array) -> Array:
    wide = features.astype(np.float64)
    return (gradients * (0.5 * (1 + np.tanh(0.5 * wide)))).astype(features.dtype)


def reference_softsign(features: Array) -> Array:
    wide = features.astype(np.float64)
    return np.where(wide < 0, wide / (1 - wide), wide / (1 + wide)).astype(features.dtype)


def reference_softsign_grad(gradients: Array, features: Array) -> Array:
    return (gradients * (1 + np.abs(features.astype(np.float64))) ** -2).astype(features.dtype)


_X = np.array([[-30.0, -2.5, -0.5], [0.75, 1.5, 40.0]], np.float32)
_G = np.array([[1.0, -2.0, 3.0], [-0.5, 0.25, 4.0]], np.float32)


def samples_features() -> Iterator[Sample]:
    yield Sample(_X)
    yield Sample(_X.astype(np.float64))
    yield Sample(_X.astype(np.float16), gradient=(), rtol=4e-3)
    yield Sample(np.float32(-1.5))
    yield Sample(np.zeros((0, 3), np.float32))


def samples_gradients() -> Iterator[Sample]:
    yield Sample(_G, _X)
    yield Sample(_G.astype(np.float64), _X.astype(np.float64))


def samples_softsign_grad() -> Iterator[Sample]:
    yield Sample(_G, _X, gradient=())
    yield Sample(_G.astype(np.float64), _X.astype(np.float64), gradient=())


register_op(
    "Softplus",
    inputs="features: T",
    outputs="activations: T",
    attrs=_FLOATS,
    shape=shapes.like_first,
    kernel=kernel_softplus,
    gradient=gradient_softplus,
    reference=reference_softplus,
    samples=samples_features,
)
register_op(
    "SoftplusGrad",
    inputs="gradients: T, features: T",
    outputs="backprops: T",
    attrs=_FLOATS,
    shape=shapes.merged,
    kernel=kernel_softplus_grad,
    gradient=gradient_softplus_grad,
    reference=reference_softplus_grad,
    samples=samples_gradients,
)
register_op(
    "Softsign",
    inputs="features: T",
    outputs="activations: T",
    attrs=_FLOATS,
    shape=shapes.like_first,
    kernel=kernel_softsign,
    gradient=gradient_softsign,
    reference=reference_softsign,
    samples=samples_features,
)
register_op(
    "SoftsignGrad",
    inputs="gradients: T, features: T",
    outputs="backprops: T",
    attrs=_FLOATS,
    shape=shapes.merged,
    kernel=kernel_softsign_grad,
    reference=reference_softsign_grad,
    samples=samples_softsign_grad,
)


@export("nn.softplus", "math.softplus")
def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """Returns log(exp(features) + 1) element by element, without overflow.

    Args:
        features: a tensor of floating-point numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Example:
        >>> print(tf.nn.softplus([0.0, 100.0]).eval().round(3))
        [  0.693 100.   ]
    """
    return build.Softplus(features, name=name)


@export("nn.softsign", "math.softsign")
def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """Returns features / (abs(features) + 1) element by element.

    Args:
        features: a tensor of floating-point numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    return build.Softsign(features, name=name)
