"""Trigonometric and hyperbolic functions and their inverses."""

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
    constant_node,
    control_dependencies,
    export,
    register_op,
    shapes,
)
from headwater.ops.math.elementwise import (
    FLOATS,
    FLOATS_AND_COMPLEX,
    binary_kernel,
    unary_samples,
)

_WITH_INTEGERS = f"{FLOATS}, int32, int64, complex64, complex128"


def _conj(x: Tensor) -> Tensor:
    return build.Conj(x) if x.dtype.is_complex else x


def _kernel(function: str) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, x: Array) -> Array:
        result = getattr(xp, function)(x)
        # Of integers NumPy makes floating-point numbers.
        return result if result.dtype == x.dtype else result.astype(x.dtype)

    return kernel


@binary_kernel
def kernel_arctan2(xp: ArrayModule, y: Array, x: Array) -> Array:
    return xp.arctan2(y, x)


def reference_arctan2(y: Array, x: Array) -> Array:
    return np.angle(x + 1j * y.astype(np.float64)).astype(x.dtype)


def gradient_sin(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad * build.Cos(_conj(op.inputs[0]))


def gradient_cos(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        x = _conj(op.inputs[0])
        return -grad * build.Sin(x)


def gradient_tan(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        secant = build.Reciprocal(build.Cos(_conj(op.inputs[0])))
        return build.Square(secant) * grad


def _square_and_one(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    square = build.Square(_conj(op.inputs[0]))
    return square, constant_node(1, grad.dtype.base_dtype)


def _inverse_root(op: Operation, grad: Tensor) -> Tensor:
    square, one = _square_and_one(op, grad)
    return build.Reciprocal(build.Sqrt(build.Sub(one, square)))


def gradient_asin(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad * _inverse_root(op, grad)


def gradient_acos(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        root = _inverse_root(op, grad)
        return -grad * root


def gradient_atan(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        square, one = _square_and_one(op, grad)
        return grad * build.Reciprocal(build.Add(one, square))


def gradient_atan2(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    y, x = op.inputs
    with control_dependencies([grad]):
        scaled = grad / (build.Square(x) + build.Square(y))
        grad_y = x * scaled
        return grad_y, -y * scaled


def gradient_sinh(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad * build.Cosh(_conj(op.inputs[0]))


def gradient_cosh(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad * build.Sinh(_conj(op.inputs[0]))


def gradient_asinh(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad / build.Cosh(_conj(op.outputs[0]))


def gradient_acosh(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad / build.Sinh(_conj(op.outputs[0]))


def gradient_atanh(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        square, one = _square_and_one(op, grad)
        return grad * build.Reciprocal(build.Sub(one, square))


def samples_arctan2() -> Iterator[Sample]:
    y = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(y, y[::-1, ::-1].copy())
    yield Sample(y, np.array([2.0, -1.0, 0.5], np.float32), gradient=())
    yield Sample(np.array([0.0, 1.0, -1.0]), np.array([-1.0, 0.0, 0.0]), gradient=())


_KINDS = (np.float32, np.float64, np.complex64)


def _register_trigonometric(
    name: str, function: str, types: str, gradient: Callable[..., Any], low: float, high: float
) -> None:
    register_op(
        name,
        inputs="x: T",
        outputs="y: T",
        attrs=f"T: {{{types}}}",
        shape=shapes.like_first,
        kernel=_kernel(function),
        gradient=gradient,
        reference=getattr(np, function),
        samples=unary_samples(low, high, _KINDS),
    )


_register_trigonometric(
    "Sin", function="sin", types=FLOATS_AND_COMPLEX, gradient=gradient_sin, low=-3, high=2.5
)
_register_trigonometric(
    "Cos", function="cos", types=FLOATS_AND_COMPLEX, gradient=gradient_cos, low=-3, high=2.5
)
_register_trigonometric(
    "Tan", function="tan", types=_WITH_INTEGERS, gradient=gradient_tan, low=-1.3, high=1.2
)
_register_trigonometric(
    "Asin", function="arcsin", types=_WITH_INTEGERS, gradient=gradient_asin, low=-0.8, high=0.9
)
_register_trigonometric(
    "Acos", function="arccos", types=_WITH_INTEGERS, gradient=gradient_acos, low=-0.8, high=0.9
)
_register_trigonometric(
    "Atan", function="arctan", types=_WITH_INTEGERS, gradient=gradient_atan, low=-3, high=2.5
)
_register_trigonometric(
    "Sinh", function="sinh", types=FLOATS_AND_COMPLEX, gradient=gradient_sinh, low=-3, high=2.5
)
_register_trigonometric(
    "Cosh", function="cosh", types=FLOATS_AND_COMPLEX, gradient=gradient_cosh, low=-3, high=2.5
)
_register_trigonometric(
    "Asinh", function="arcsinh", types=FLOATS_AND_COMPLEX, gradient=gradient_asinh, low=-3, high=2.5
)
_register_trigonometric(
    "Acosh", function="arccosh", types=FLOATS_AND_COMPLEX, gradient=gradient_acosh, low=1.2, high=3
)
_register_trigonometric(
    "Atanh",
    function="arctanh",
    types=FLOATS_AND_COMPLEX,
    gradient=gradient_atanh,
    low=-0.8,
    high=0.9,
)
register_op(
    "Atan2",
    inputs="y: T, x: T",
    outputs="z: T",
    attrs=f"T: {{{FLOATS}}}",
    shape=shapes.broadcast,
    kernel=kernel_arctan2,
    gradient=gradient_atan2,
    reference=reference_arctan2,
    samples=samples_arctan2,
)


@export("sin", "math.sin")
def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the sine of angles in radians.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Sin(x, name=name)


@export("cos", "math.cos")
def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the cosine of angles in radians.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Cos(x, name=name)


@export("tan", "math.tan")
def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the tangent of angles in radians.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Tan(x, name=name)


@export("asin", "math.asin")
def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse sine in radians.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Asin(x, name=name)


@export("acos", "math.acos")
def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse cosine in radians.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Acos(x, name=name)


@export("atan", "math.atan")
def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse tangent in radians.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Atan(x, name=name)


@export("sinh", "math.sinh")
def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the hyperbolic sine.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Sinh(x, name=name)


@export("cosh", "math.cosh")
def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the hyperbolic cosine.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Cosh(x, name=name)


@export("asinh", "math.asinh")
def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse hyperbolic sine.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Asinh(x, name=name)


@export("acosh", "math.acosh")
def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse hyperbolic cosine.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Acosh(x, name=name)


@export("atanh", "math.atanh")
def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse hyperbolic tangent.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Atanh(x, name=name)


@export("atan2", "math.atan2")
def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the angles of the points (x, y) in radians.

    Args:
        y: a tensor of real numbers.
        x: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.Atan2(y, x, name=name)
