"""Exponential functions and logarithms, the logistic function and the hyperbolic tangent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.lazy import jax
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.math.complex_arithmetic import divided, flushed, multiplied
from headwater.ops.math.elementwise import FLOATS_AND_COMPLEX, also_of_sparse, unary_samples


def _conj(x: Tensor) -> Tensor:
    return build.Conj(x) if x.dtype.is_complex else x


def kernel_exp(xp: ArrayModule, x: Array) -> Array:
    return xp.exp(x)


def kernel_expm1(xp: ArrayModule, x: Array) -> Array:
    if x.dtype.kind != "c":
        return xp.expm1(x)
    # As in TensorFlow, whose logarithm leaves the branch if the imaginary part is beyond pi.
    power = xp.exp(x)
    less = power - x.dtype.type(1)
    result = divided(xp, multiplied(xp, less, x), xp.log(power))
    result = xp.where((xp.real(power) == np.inf) & (xp.imag(power) == 0), power, result)
    result = xp.where(less == x.dtype.type(-1), x.dtype.type(-1), result)
    return xp.where(power == x.dtype.type(1), x, result)


def kernel_log(xp: ArrayModule, x: Array) -> Array:
    return xp.log(x)


def kernel_log1p(xp: ArrayModule, x: Array) -> Array:
    if x.dtype.kind != "c":
        return xp.log1p(x)
    one = x.dtype.type(1)
    more = one + x
    ratio = flushed(xp, divided(xp, xp.log(more), more - one))
    known = (more == one) | (xp.real(x) == np.inf) & (xp.imag(x) == 0)
    return xp.where(known, x, multiplied(xp, x, ratio))


def kernel_tanh(xp: ArrayModule, x: Array) -> Array:
    return xp.tanh(x)


def kernel_sigmoid(xp: ArrayModule, x: Array) -> Array:
    one = x.dtype.type(1)
    if x.dtype.kind == "c":
        return divided(xp, xp.full_like(x, one), one + xp.exp(-x))
    if xp is np:
        return one / (one + np.exp(-x))
    return jax.nn.sigmoid(x)


def kernel_tanh_grad(xp: ArrayModule, y: Array, dy: Array) -> Array:
    return dy * (y.dtype.type(1) - y * y)


def kernel_sigmoid_grad(xp: ArrayModule, y: Array, dy: Array) -> Array:
    return dy * y * (y.dtype.type(1) - y)


def reference_sigmoid(x: Array) -> Array:
    return ((np.tanh(x.astype(np.result_type(x, np.float64)) / 2) + 1) / 2).astype(x.dtype)


def reference_tanh_grad(y: Array, dy: Array) -> Array:
    return (dy * (1 - y**2)).astype(y.dtype)


def reference_sigmoid_grad(y: Array, dy: Array) -> Array:
    return (dy * (y - y**2)).astype(y.dtype)


def gradient_exp(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad * _conj(op.outputs[0])


def gradient_expm1(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad * build.Exp(_conj(op.inputs[0]))


def gradient_log(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad * build.Reciprocal(_conj(op.inputs[0]))


def gradient_log1p(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad * build.Reciprocal(1 + _conj(op.inputs[0]))


def gradient_tanh(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return build.TanhGrad(_conj(op.outputs[0]), grad)


def gradient_tanh_grad(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    with control_dependencies([grad]):
        y, dy = _conj(op.inputs[0]), _conj(op.inputs[1])
        return grad * -2.0 * dy * y, build.TanhGrad(y, grad)


def gradient_sigmoid(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return build.SigmoidGrad(_conj(op.outputs[0]), grad)


def gradient_sigmoid_grad(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    with control_dependencies([grad]):
        y, dy = _conj(op.inputs[0]), _conj(op.inputs[1])
        product = grad * dy
        return product - 2.0 * product * y, build.SigmoidGrad(y, grad)


def samples_pair() -> Iterator[Sample]:
    kind: Array
    for kind in (np.float32, np.float64):
        y = np.array([[0.5, -0.9, 0.25], [0.1, 0.99, -0.75]], kind)
        yield Sample(y, y[::-1] - kind(1))
    yield Sample(np.array([0.1 + 2j, 0.5j], np.complex64), np.array([2 - 1j, 1], np.complex64))


_KINDS = (np.float32, np.float64, np.complex64)


def _register_exponential(
    name: str,
    kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    reference: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="x: T",
        outputs="y: T",
        attrs=f"T: {{{FLOATS_AND_COMPLEX}}}",
        shape=shapes.like_first,
        kernel=kernel,
        gradient=gradient,
        reference=reference,
        samples=samples,
    )


_register_exponential(
    "Exp",
    kernel=kernel_exp,
    gradient=gradient_exp,
    reference=np.exp,
    samples=unary_samples(-3, 2.5, _KINDS),
)
_register_exponential(
    "Expm1",
    kernel=kernel_expm1,
    gradient=gradient_expm1,
    reference=np.expm1,
    samples=unary_samples(-3, 2.5, _KINDS),
)
_register_exponential(
    "Log",
    kernel=kernel_log,
    gradient=gradient_log,
    reference=np.log,
    samples=unary_samples(0.2, 5, _KINDS),
)
_register_exponential(
    "Log1p",
    kernel=kernel_log1p,
    gradient=gradient_log1p,
    reference=np.log1p,
    samples=unary_samples(-0.7, 5, _KINDS),
)
_register_exponential(
    "Tanh",
    kernel=kernel_tanh,
    gradient=gradient_tanh,
    reference=np.tanh,
    samples=unary_samples(-3, 2.5, _KINDS),
)
_register_exponential(
    "Sigmoid",
    kernel=kernel_sigmoid,
    gradient=gradient_sigmoid,
    reference=reference_sigmoid,
    samples=unary_samples(-3, 2.5, _KINDS),
)


def _register_gradient_op(
    name: str,
    pair_kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    pair_reference: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="y: T, dy: T",
        outputs="z: T",
        attrs=f"T: {{{FLOATS_AND_COMPLEX}}}",
        shape=shapes.like_first,
        kernel=pair_kernel,
        gradient=gradient,
        reference=pair_reference,
        samples=samples_pair,
    )


_register_gradient_op("TanhGrad", kernel_tanh_grad, gradient_tanh_grad, reference_tanh_grad)
_register_gradient_op(
    "SigmoidGrad", kernel_sigmoid_grad, gradient_sigmoid_grad, reference_sigmoid_grad
)


@export("exp", "math.exp")
def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns e to the power x.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.

    Example:
        >>> print(tf.exp([0.0, -float("inf")]).eval())
        [1. 0.]
    """
    return build.Exp(x, name=name)


@export("expm1", "math.expm1")
def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns exp(x) - 1, accurate near 0.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Expm1(x, name=name)


@export("log", "math.log")
def log(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the natural logarithm.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.

    Example:
        >>> print(tf.log([1.0, 0.0]).eval())
        [  0. -inf]
    """
    return build.Log(x, name=name)


@export("log1p", "math.log1p")
def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns log(1 + x), accurate near 0.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Log1p(x, name=name)


@export("tanh", "math.tanh", "nn.tanh")
@also_of_sparse
def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the hyperbolic tangent.

    Args:
        x: a tensor or SparseTensor.
        name: the name of the node.

    Returns:
        What `x` is, of the same shape.

    Example:
        >>> print(tf.tanh([0.0, 100.0]).eval())
        [0. 1.]
    """
    return build.Tanh(x, name=name)


@export("sigmoid", "math.sigmoid", "nn.sigmoid")
def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the logistic function 1 / (1 + exp(-x)).

    Args:
        x: a tensor of floating-point or complex numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Example:
        >>> print(tf.sigmoid([0.0, 100.0]).eval())
        [0.5 1. ]
    """
    with name_scope(name, "Sigmoid", [x]) as scope:
        return build.Sigmoid(convert_to_tensor(x, name="x"), name=scope)


@export("log_sigmoid", "math.log_sigmoid")
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns log(1 / (1 + exp(-x))), computed as -softplus(-x).

    Args:
        x: a tensor of floating-point numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return build.Neg(build.Softplus(-x), name=scope)
