"""Rectifiers: Relu, Relu6, LeakyRelu and CRelu."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.nn.elementwise import require_same_shape, zeros_of_shape

_REAL = "realnumbertype"
_FLOATS = "{half, bfloat16, float, double}"


def kernel_relu(xp: ArrayModule, features: Array) -> Array:
    return xp.maximum(features, features.dtype.type(0))


def kernel_relu_grad(xp: ArrayModule, gradients: Array, features: Array, *, op_name: str) -> Array:
    require_same_shape("ReluGrad", op_name, gradients, features)
    return xp.where(features > 0, gradients, gradients.dtype.type(0))


def kernel_relu6(xp: ArrayModule, features: Array) -> Array:
    kind = features.dtype.type
    return xp.minimum(xp.maximum(features, kind(0)), kind(6))


def kernel_relu6_grad(xp: ArrayModule, gradients: Array, features: Array, *, op_name: str) -> Array:
    require_same_shape("Relu6Grad", op_name, gradients, features)
    inside = xp.logical_and(features > 0, features < 6)
    return xp.where(inside, gradients, gradients.dtype.type(0))


def kernel_leaky_relu(xp: ArrayModule, features: Array, *, alpha: float) -> Array:
    slope = features.dtype.type(np.float32(alpha))
    return xp.where(features > 0, features, features * slope)


def kernel_leaky_relu_grad(
    xp: ArrayModule, gradients: Array, features: Array, *, alpha: float, op_name: str
) -> Array:
    require_same_shape("LeakyReluGrad", op_name, gradients, features)
    slope = gradients.dtype.type(np.float32(alpha))
    return xp.where(features > 0, gradients, gradients * slope)


def gradient_relu(op: Operation, grad: Tensor) -> Tensor:
    return build.ReluGrad(grad, op.outputs[0])


def gradient_relu_grad(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    features = op.inputs[1]
    return build.ReluGrad(grad, features), zeros_of_shape(features)


def gradient_relu6(op: Operation, grad: Tensor) -> Tensor:
    return build.Relu6Grad(grad, op.outputs[0])


def gradient_relu6_grad(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    features = op.inputs[1]
    return build.Relu6Grad(grad, features), zeros_of_shape(features)


def gradient_leaky_relu(op: Operation, grad: Tensor) -> Tensor:
    return build.LeakyReluGrad(grad, op.inputs[0], alpha=op.get_attr("alpha"))


def gradient_leaky_relu_grad(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    features = op.inputs[1]
    alpha = op.get_attr("alpha")
    return build.LeakyReluGrad(grad, features, alpha=alpha), zeros_of_shape(features)


def reference_relu(features: Array) -> Array:
    return np.where(features > 0, features, features.dtype.type(0))


def reference_relu_grad(gradients: Array, features: Array) -> Array:
    result = gradients.copy()
    result[features <= 0] = 0
    return result


def reference_relu6(features: Array) -> Array:
    return np.clip(features, features.dtype.type(0), features.dtype.type(6))


def reference_relu6_grad(gradients: Array, features: Array) -> Array:
    result = gradients.copy()
    result[(features <= 0) | (features >= 6)] = 0
    return result


def reference_leaky_relu(features: Array, *, alpha: float) -> Array:
    result = features.copy()
    result[features < 0] *= features.dtype.type(np.float32(alpha))
    return result


def reference_leaky_relu_grad(gradients: Array, features: Array, *, alpha: float) -> Array:
    result = gradients.copy()
    result[features <= 0] *= gradients.dtype.type(np.float32(alpha))
    return result


_X = np.array([[-2.5, -0.5, 0.75], [1.5, 5.5, 7.25]], np.float32)
_G = np.array([[1.0, -2.0, 3.0], [-0.5, 0.25, 4.0]], np.float32)


def samples_relu() -> Iterator[Sample]:
    yield Sample(_X)
    yield Sample(_X.astype(np.float64))
    yield Sample(_X.astype(np.float16), gradient=())
    yield Sample(np.array([-3, 0, 9], np.int32))
    yield Sample(np.float32(-1.5))
    yield Sample(np.zeros((0, 3), np.float32))


def samples_relu_grad() -> Iterator[Sample]:
    yield Sample(_G, _X, gradient=(0,))
    yield Sample(_G.astype(np.float64), _X.astype(np.float64), gradient=(0,))


def samples_leaky_relu() -> Iterator[Sample]:
    yield Sample(_X)
    yield Sample(_X.astype(np.float64), alpha=0.05)
    yield Sample(_X, alpha=1.5)


def samples_leaky_relu_grad() -> Iterator[Sample]:
    yield Sample(_G, _X, gradient=(0,), alpha=0.3)


register_op(
    "Relu",
    inputs="features: T",
    outputs="activations: T",
    attrs="T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
    "uint64, qint8}",
    shape=shapes.like_first,
    kernel=kernel_relu,
    gradient=gradient_relu,
    reference=reference_relu,
    samples=samples_relu,
)
register_op(
    "ReluGrad",
    inputs="gradients: T, features: T",
    outputs="backprops: T",
    attrs=f"T: {_REAL}",
    shape=shapes.merged,
    kernel=kernel_relu_grad,
    gradient=gradient_relu_grad,
    reference=reference_relu_grad,
    samples=samples_relu_grad,
)
register_op(
    "Relu6",
    inputs="features: T",
    outputs="activations: T",
    attrs=f"T: {_REAL}",
    shape=shapes.like_first,
    kernel=kernel_relu6,
    gradient=gradient_relu6,
    reference=reference_relu6,
    samples=samples_relu,
)
register_op(
    "Relu6Grad",
    inputs="gradients: T, features: T",
    outputs="backprops: T",
    attrs=f"T: {_REAL}",
    shape=shapes.merged,
    kernel=kernel_relu6_grad,
    gradient=gradient_relu6_grad,
    reference=reference_relu6_grad,
    samples=samples_relu_grad,
)
register_op(
    "LeakyRelu",
    inputs="features: T",
    outputs="activations: T",
    attrs=f"alpha: float = 0.200000003, T: {_FLOATS} = float",
    shape=shapes.like_first,
    kernel=kernel_leaky_relu,
    gradient=gradient_leaky_relu,
    reference=reference_leaky_relu,
    samples=samples_leaky_relu,
)
register_op(
    "LeakyReluGrad",
    inputs="gradients: T, features: T",
    outputs="backprops: T",
    attrs=f"alpha: float = 0.200000003, T: {_FLOATS} = float",
    shape=shapes.merged,
    kernel=kernel_leaky_relu_grad,
    gradient=gradient_leaky_relu_grad,
    reference=reference_leaky_relu_grad,
    samples=samples_leaky_relu_grad,
)


@export("nn.relu")
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """Returns max(features, 0) element by element.

    Args:
        features: a tensor of real numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Example:
        >>> print(tf.nn.relu([-1.0, 0.0, 2.0]).eval())
        [0. 0. 2.]
    """
    return build.Relu(features, name=name)


@export("nn.relu6")
def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """Returns min(max(features, 0), 6) element by element.

    Args:
        features: a tensor of real numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Source: A. Krizhevsky, "Convolutional Deep Belief Networks on CIFAR-10", 2010.
    """
    with name_scope(name, "Relu6", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        return build.Relu6(features, name=scope)


@export("nn.leaky_relu")
def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """Returns features where they are positive, else alpha * features.

    Args:
        features: a tensor of floating-point numbers; integers are cast to float32.
        alpha: the slope below zero, a Python or NumPy number.
        name: the name of the node.

    Returns:
        A tensor of the same shape.

    Source: A. Maas, A. Hannun, A. Ng, "Rectifier Nonlinearities Improve Neural Network Acoustic
    Models", ICML 2013.
    """
    with name_scope(name, "LeakyRelu", [features, alpha]) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = build.Cast(features, DstT="float32", name="Cast")
        if isinstance(alpha, np.ndarray):
            alpha = alpha.item()
        return build.LeakyRelu(features, alpha=alpha, name=scope)


@export("nn.crelu")
def crelu(features: TensorLike, name: str | None = None, axis: int = -1) -> Tensor:
    """Returns relu of `features` and of `-features`, concatenated.

    Args:
        features: a tensor of real numbers.
        name: the name scope.
        axis: the axis of concatenation.

    Returns:
        A tensor of the same type, twice as long in `axis`.

    Source: W. Shang et al., "Understanding and Improving Convolutional Neural Networks via
    Concatenated Rectified Linear Units", ICML 2016.
    """
    with name_scope(name, "CRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        both = build.ConcatV2([features, build.Neg(features)], axis, name=scope)
        return build.Relu(both)
