"""Powers and roots: Square, Sqrt, Rsqrt, Reciprocal, Pow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    broadcast_reducers,
    build,
    constant_node,
    control_dependencies,
    export,
    name_scope,
    ones_like,
    register_op,
    shapes,
    zeros_like,
)
from headwater.ops.math.complex_arithmetic import divided
from headwater.ops.math.elementwise import (
    FLOATS,
    FLOATS_AND_COMPLEX,
    also_of_sparse,
    binary_kernel,
    unary_samples,
)
from headwater.ops.math.operators import override_binary

_SIGNED = f"{FLOATS}, int32, int64, complex64, complex128"


def _conj(x: Tensor) -> Tensor:
    return build.Conj(x) if x.dtype.is_complex else x


def kernel_square(xp: ArrayModule, x: Array) -> Array:
    return xp.multiply(x, x)


def kernel_sqrt(xp: ArrayModule, x: Array) -> Array:
    return xp.sqrt(x)


def kernel_sqrt_grad(xp: ArrayModule, y: Array, dy: Array) -> Array:
    return dy * y.dtype.type(0.5) / xp.conj(y)


def kernel_rsqrt(xp: ArrayModule, x: Array) -> Array:
    if x.dtype.kind == "c":
        return divided(xp, xp.ones_like(x), xp.sqrt(x))
    if xp is not np:
        return lax.rsqrt(x)
    if x.dtype == np.float32:
        # Compiled programs flush subnormal numbers to 0.
        x = np.where(np.abs(x) < np.finfo(np.float32).tiny, np.float32(0) * x, x)
    return np.reciprocal(np.sqrt(x))


def kernel_rsqrt_grad(xp: ArrayModule, y: Array, dy: Array) -> Array:
    y = xp.conj(y)
    return y.dtype.type(-0.5) * dy * (y * y * y)


def kernel_reciprocal(xp: ArrayModule, x: Array) -> Array:
    one = x.dtype.type(1)
    if x.dtype.kind != "i":
        return xp.true_divide(one, x)
    require(
        xp,
        x != 0,
        lambda: errors.InvalidArgumentError(None, None, "Integer division by zero"),
    )
    # 1 / x of integers is 0 but for 1 and -1.
    return xp.where(xp.abs(x) == one, x, x.dtype.type(0))


def kernel_reciprocal_grad(xp: ArrayModule, y: Array, dy: Array) -> Array:
    y = xp.conj(y)
    return xp.negative(dy) * (y * y)


@binary_kernel
def kernel_pow(xp: ArrayModule, x: Array, y: Array) -> Array:
    if x.dtype.kind != "i":
        return xp.power(x, y)
    require(
        xp,
        y >= 0,
        lambda: errors.InvalidArgumentError(
            None,
            None,
            "Integers to negative integer powers are not allowed",
            hint="cast the base to a floating-point type.",
        ),
    )
    return xp.power(x, y if xp is np else xp.maximum(y, y.dtype.type(0)))


def reference_rsqrt(x: Array) -> Array:
    return (1 / np.sqrt(x.astype(np.result_type(x, np.float64)))).astype(x.dtype)


def reference_reciprocal(x: Array) -> Array:
    if x.dtype.kind == "i":
        return np.trunc(1 / x).astype(x.dtype)
    return (1 / x).astype(x.dtype)


def reference_sqrt_grad(y: Array, dy: Array) -> Array:
    return (dy / (2 * np.conj(y))).astype(y.dtype)


def reference_rsqrt_grad(y: Array, dy: Array) -> Array:
    return (-dy * np.conj(y) ** 3 / 2).astype(y.dtype)


def reference_reciprocal_grad(y: Array, dy: Array) -> Array:
    return (-dy * np.conj(y) ** 2).astype(y.dtype)


def reference_pow(x: Array, y: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.power(x, y)


def gradient_square(op: Operation, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    with control_dependencies([grad]):
        x = _conj(x)
        two = constant_node(2.0, x.dtype.base_dtype)
        return build.Mul(grad, build.Mul(x, two))


def gradient_sqrt(op: Operation, grad: Tensor) -> Tensor:
    return build.SqrtGrad(op.outputs[0], grad)


def gradient_sqrt_grad(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    with control_dependencies([grad]):
        ratio = grad / op.inputs[0]
        return -_conj(ratio) * op.outputs[0], 0.5 * ratio


def gradient_rsqrt(op: Operation, grad: Tensor) -> Tensor:
    return build.RsqrtGrad(op.outputs[0], grad)


def gradient_rsqrt_grad(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    y, dy = op.inputs
    with control_dependencies([grad]):
        y = _conj(y)
        grad_y = -1.5 * _conj(grad) * dy * build.Square(y)
        return grad_y, build.RsqrtGrad(y, grad)


def gradient_reciprocal(op: Operation, grad: Tensor) -> Tensor:
    return build.ReciprocalGrad(op.outputs[0], grad)


def _gradient_reciprocal_grad(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    y, dy = op.inputs
    with control_dependencies([grad]):
        y = _conj(y)
        return _conj(grad) * -2.0 * dy * y, getattr(build, op.type)(y, grad)


def gradient_pow(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    x, y = op.inputs
    power = op.outputs[0]
    reduce_x, reduce_y = broadcast_reducers(x, y)
    x, y = _conj(x), _conj(y)
    one = 1
    grad_x = reduce_x(grad * y * build.Pow(x, y - one))
    power = _conj(power)
    # x ** y has no real derivative by y where x is negative; log(0) is left out as well.
    if x.dtype.is_complex:
        defined = build.NotEqual(x, 0)
    else:
        defined = x > 0
    safe = build.Select(defined, x, ones_like(x))
    logarithm = build.Select(defined, build.Log(safe), zeros_like(x))
    return grad_x, reduce_y(grad * power * logarithm)


def samples_square() -> Iterator[Sample]:
    for kind in (np.float32, np.float64, np.int32, np.complex64):
        yield Sample(np.array([[1.5, -2.0], [0.0, 7.0]]).astype(kind))
    yield Sample(np.array([1 + 2j, -3j], np.complex128))


def samples_pair() -> Iterator[Sample]:
    kind: Any
    for kind in (np.float32, np.float64):
        y = np.array([[0.5, 1.5, 2.5], [0.25, 3.0, 0.75]], kind)
        yield Sample(y, y[::-1] - kind(1))
    yield Sample(np.array([1 + 2j, 0.5j], np.complex64), np.array([2 - 1j, 1], np.complex64))


def samples_reciprocal() -> Iterator[Sample]:
    yield from unary_samples(0.3, 4.0, (np.float32, np.float64, np.complex64))()
    yield Sample(np.array([1, -1, 5, -7], np.int32))


def samples_pow() -> Iterator[Sample]:
    base = np.array([[0.5, 1.5, 2.5], [0.25, 3.0, 0.75]], np.float32)
    yield Sample(base, np.float32(2.5))
    yield Sample(base, np.array([[2.0], [-1.5]], np.float32))
    yield Sample(np.array([-2.0, 3.0, -0.5]), np.array([3.0, 2.0, 2.0]), gradient=(0,))
    yield Sample(np.array([2, -3, 5], np.int32), np.array([[0], [3]], np.int32))
    yield Sample(np.array([1 + 2j, 0.5j], np.complex64), np.array([2, 1.5 + 1j], np.complex64))
    yield Sample(
        np.array([0.0, 0.0, np.inf], np.float32), np.array([0, -1, -1], np.float32), gradient=()
    )


def _register_power(
    name: str,
    types: str,
    kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    reference: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="x: T",
        outputs="y: T",
        attrs=f"T: {{{types}}}",
        shape=shapes.like_first,
        kernel=kernel,
        gradient=gradient,
        reference=reference,
        samples=samples,
    )


_register_power(
    "Square",
    types=_SIGNED,
    kernel=kernel_square,
    gradient=gradient_square,
    reference=np.square,
    samples=samples_square,
)
_register_power(
    "Sqrt",
    types=FLOATS_AND_COMPLEX,
    kernel=kernel_sqrt,
    gradient=gradient_sqrt,
    reference=np.sqrt,
    samples=unary_samples(0.3, 9.0, (np.float32, np.float64, np.complex64)),
)
_register_power(
    "Rsqrt",
    types=FLOATS_AND_COMPLEX,
    kernel=kernel_rsqrt,
    gradient=gradient_rsqrt,
    reference=reference_rsqrt,
    samples=unary_samples(0.3, 9.0, (np.float32, np.float64, np.complex64)),
)
_register_power(
    "Reciprocal",
    types=_SIGNED,
    kernel=kernel_reciprocal,
    gradient=gradient_reciprocal,
    reference=reference_reciprocal,
    samples=samples_reciprocal,
)
_register_power(
    "Inv",
    types=_SIGNED,
    kernel=kernel_reciprocal,
    gradient=gradient_reciprocal,
    reference=reference_reciprocal,
    samples=samples_reciprocal,
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


_register_gradient_op("SqrtGrad", kernel_sqrt_grad, gradient_sqrt_grad, reference_sqrt_grad)
_register_gradient_op("RsqrtGrad", kernel_rsqrt_grad, gradient_rsqrt_grad, reference_rsqrt_grad)
_register_gradient_op(
    "ReciprocalGrad", kernel_reciprocal_grad, _gradient_reciprocal_grad, reference_reciprocal_grad
)
_register_gradient_op(
    "InvGrad", kernel_reciprocal_grad, _gradient_reciprocal_grad, reference_reciprocal_grad
)
register_op(
    "Pow",
    inputs="x: T, y: T",
    outputs="z: T",
    attrs="T: {bfloat16, float, half, double, int32, int64, complex64, complex128}",
    shape=shapes.broadcast,
    kernel=kernel_pow,
    gradient=gradient_pow,
    reference=reference_pow,
    samples=samples_pow,
)


@export("square", "math.square")
@also_of_sparse
def square(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns x * x.

    Args:
        x: a tensor or SparseTensor.
        name: the name of the node.

    Returns:
        What `x` is, of the same shape.

    Example:
        >>> print(tf.square([-3, 2]).eval())
        [9 4]
    """
    return build.Square(x, name=name)


@export("sqrt", "math.sqrt")
@also_of_sparse
def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the square root.

    Args:
        x: a tensor or SparseTensor.
        name: the name of the node.

    Returns:
        What `x` is, of the same shape.

    Example:
        >>> print(tf.sqrt([4.0, 9.0]).eval())
        [2. 3.]
    """
    return build.Sqrt(x, name=name)


@export("rsqrt", "math.rsqrt")
def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns 1 / sqrt(x).

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Rsqrt(x, name=name)


@export("reciprocal", "math.reciprocal")
def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns 1 / x.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Reciprocal(x, name=name)


@export("inv")
def inv(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns 1 / x; the older name of `tf.reciprocal`.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Inv(x, name=name)


@export("pow", "math.pow")
def power(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x to the power y element by element, with broadcasting.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.pow([2, 3], [3, 2]).eval())
        [8 9]
    """
    with name_scope(name, "Pow", [x]) as scope:
        return build.Pow(x, y, name=scope)


override_binary("pow", power)
