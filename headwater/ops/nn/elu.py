"""Exponential linear units: Elu and Selu."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
    zeros_like,
)
from headwater.ops.nn.elementwise import in_single, require_same_shape

_FLOATS = "T: {half, bfloat16, float, double}"

# The fixed point of mean 0 and variance 1: "Self-Normalizing Neural Networks", equation 14.
_SCALE = 1.0507009873554804934193349852946
_SCALE_ALPHA = 1.7580993408473768599402175208123


def kernel_elu(xp: ArrayModule, features: Array) -> Array:
    # expm1 of large arguments would overflow; they are clipped at 0, where it is unused.
    wide = in_single(features)
    below = xp.expm1(xp.minimum(wide, wide.dtype.type(0)))
    return xp.where(features < 0, below, wide).astype(features.dtype)


def kernel_elu_grad(xp: ArrayModule, gradients: Array, outputs: Array, *, op_name: str) -> Array:
    require_same_shape("EluGrad", op_name, gradients, outputs)
    wide, grad = in_single(outputs), in_single(gradients)
    result = xp.where(wide < 0, (wide + wide.dtype.type(1)) * grad, grad)
    return result.astype(outputs.dtype)


def kernel_selu(xp: ArrayModule, features: Array) -> Array:
    wide = in_single(features)
    kind = wide.dtype.type
    below = kind(_SCALE_ALPHA) * xp.expm1(xp.minimum(wide, kind(0)))
    return xp.where(wide < 0, below, kind(_SCALE) * wide).astype(features.dtype)


def kernel_selu_grad(xp: ArrayModule, gradients: Array, outputs: Array, *, op_name: str) -> Array:
    require_same_shape("SeluGrad", op_name, gradients, outputs)
    wide = in_single(outputs)
    kind = wide.dtype.type
    factor = xp.where(wide < 0, wide + kind(_SCALE_ALPHA), kind(_SCALE))
    return (in_single(gradients) * factor).astype(outputs.dtype)


def gradient_elu(op: Operation, grad: Tensor) -> Tensor:
    return build.EluGrad(grad, op.outputs[0])


def gradient_elu_grad(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return build.EluGrad(grad, op.inputs[1]), _second(op, grad)


def gradient_selu(op: Operation, grad: Tensor) -> Tensor:
    return build.SeluGrad(grad, op.outputs[0])


def gradient_selu_grad(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return build.SeluGrad(grad, op.inputs[1]), _second(op, grad)


def _second(op: Operation, grad: Tensor) -> Tensor:
    below = build.Less(op.inputs[1], 0)
    product = build.Mul(grad, op.inputs[0], name="mul")
    return build.Select(below, product, zeros_like(op.inputs[1]))


def reference_elu(features: Array) -> Array:
    wide = features.astype(np.float64)
    return np.where(wide < 0, np.exp(np.minimum(wide, 0)) - 1, wide).astype(features.dtype)


def reference_elu_grad(gradients: Array, outputs: Array) -> Array:
    return (gradients * (1 + np.minimum(outputs.astype(np.float64), 0))).astype(outputs.dtype)


def reference_selu(features: Array) -> Array:
    wide = features.astype(np.float64)
    below = _SCALE_ALPHA * (np.exp(np.minimum(wide, 0)) - 1)
    return np.where(wide < 0, below, _SCALE * wide).astype(features.dtype)


def reference_selu_grad(gradients: Array, outputs: Array) -> Array:
    result = gradients.astype(np.float64)
    below = outputs < 0
    result[below] *= outputs[below] + _SCALE_ALPHA
    result[~below] *= _SCALE
    return result.astype(outputs.dtype)


_X = np.array([[-12.5, -0.5, 0.75], [1.5, -1e-3, 7.25]], np.float32)
_G = np.array([[1.0, -2.0, 3.0], [-0.5, 0.25, 4.0]], np.float32)


def samples_features() -> Iterator[Sample]:
    yield Sample(_X)
    yield Sample(_X.astype(np.float64))
    yield Sample(_X.astype(np.float16), gradient=(), rtol=2e-3)
    yield Sample(np.float32(-1.5))
    yield Sample(np.zeros((0, 3), np.float32))


def samples_gradients() -> Iterator[Sample]:
    outputs = np.array([[-0.9, -0.25, 0.5], [1.5, -0.01, 3.0]], np.float32)
    yield Sample(_G, outputs)
    yield Sample(_G.astype(np.float64), outputs.astype(np.float64))


_kernel: Callable[..., Any]
_gradient: Callable[..., Any]
_reference: Callable[..., Any]


def _register_elu(
    name: str,
    kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    reference: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="features: T",
        outputs="activations: T",
        attrs=_FLOATS,
        shape=shapes.like_first,
        kernel=kernel,
        gradient=gradient,
        reference=reference,
        samples=samples_features,
    )


_register_elu("Elu", kernel_elu, gradient_elu, reference_elu)
_register_elu("Selu", kernel_selu, gradient_selu, reference_selu)


def _register_elu_gradient(
    name: str,
    kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    reference: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="gradients: T, outputs: T",
        outputs="backprops: T",
        attrs=_FLOATS,
        shape=shapes.merged,
        kernel=kernel,
        gradient=gradient,
        reference=reference,
        samples=samples_gradients,
    )


_register_elu_gradient("EluGrad", kernel_elu_grad, gradient_elu_grad, reference_elu_grad)
_register_elu_gradient("SeluGrad", kernel_selu_grad, gradient_selu_grad, reference_selu_grad)


@export("nn.elu")
def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """Returns features where they are positive, else exp(features) - 1.

    Args:
        features: a tensor of floating-point numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Source: D. Clevert, T. Unterthiner, S. Hochreiter, "Fast and Accurate Deep Network Learning by
    Exponential Linear Units", 2015.
    """
    return build.Elu(features, name=name)


@export("nn.selu")
def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """Returns scaled exponential linear units, which keep mean 0 and variance 1.

    Args:
        features: a tensor of floating-point numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Source: G. Klambauer et al., "Self-Normalizing Neural Networks", 2017.
    """
    return build.Selu(features, name=name)
