"""Division, elementwise and with broadcasting, in all its kinds, and its remainders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
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
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.math.elementwise import (
    FLOATS,
    binary_kernel,
    fail_if_incompatible,
)
from headwater.ops.math.operators import override_binary

_ALL = f"{FLOATS}, uint8, int8, uint16, int16, int32, int64, complex64, complex128"


_NO_INFINITY = "integers have no infinity; cast to a float."


def _by_zero() -> Exception:
    return errors.InvalidArgumentError(None, None, "Integer division by zero", hint=_NO_INFINITY)


def _truncated_by_zero() -> Exception:
    # TensorFlow reports it this way in TruncateDiv and TruncateMod only.
    return errors.InternalError(
        None,
        None,
        "Unexpected error in binary operator (only integer div and mod should have errors)",
        hint=f"Integer division by zero: {_NO_INFINITY}",
    )


def _check_divisor(
    xp: ArrayModule, x: Array, y: Array, error: Callable[..., Any] = _by_zero
) -> None:
    if x.size:
        require(xp, y != 0, error)


def _is_integer(x: Array) -> bool:
    return x.dtype.kind in "iu"


def _truncated_quotient(xp: ArrayModule, x: Array, y: Array) -> Array:
    _check_divisor(xp, x, y)
    return _truncated(xp, x, y)


def _truncated(xp: ArrayModule, x: Array, y: Array) -> Array:
    quotient = xp.floor_divide(x, y)
    if x.dtype.kind == "u":
        return quotient
    inexact = xp.not_equal(quotient * y, x) & ((x < 0) != (y < 0))
    return quotient + inexact.astype(x.dtype)


@binary_kernel
def kernel_divide(xp: ArrayModule, x: Array, y: Array) -> Array:
    if _is_integer(x):
        return _truncated_quotient(xp, x, y)
    if xp is not np and x.ndim == y.ndim == 0:
        # XLA makes x / constant a product with a rounded reciprocal and fuses that into the next
        # sum: 1 - 10 / 10 would be -1e-8, whose root is NaN. Scalars are divided exactly.
        y = lax.optimization_barrier(y)
    return _quotient(xp, x, y)


def _quotient(xp: ArrayModule, x: Array, y: Array) -> Array:
    quotient = xp.true_divide(x, y)
    if x.dtype.kind == "c":
        # A complex number divided by 0 is NaN in both parts.
        return xp.where(y == 0, x.dtype.type(complex(np.nan, np.nan)), quotient)
    return quotient


@binary_kernel
def kernel_floor_divide(xp: ArrayModule, x: Array, y: Array) -> Array:
    if _is_integer(x):
        _check_divisor(xp, x, y)
        quotient = xp.floor_divide(x, y)
        return quotient if x.dtype.kind == "u" else _where_it_overflows(xp, x, y, quotient)
    quotient = xp.true_divide(x, y)
    if xp is np and x.dtype.itemsize > 2:
        # Programs flush quotients below the smallest normal number, which would be rounded to -1.
        tiny = np.finfo(x.dtype).tiny
        quotient = np.where((quotient < 0) & (quotient > -tiny), x.dtype.type(-0.0), quotient)
    return xp.floor(quotient)


def _where_it_overflows(xp: ArrayModule, x: Array, y: Array, quotient: Array) -> Array:
    """TensorFlow's quotient of numbers so large that their sum overflows.

    For different signs it computes -(|x| + |y| - 1) / |y|, small types as int32.
    """
    kind = np.dtype(np.int32) if x.dtype.itemsize < 4 else x.dtype
    a, b = xp.abs(x).astype(kind), xp.abs(y).astype(kind)
    total = a + b - kind.type(1)
    wrong = ((x < 0) != (y < 0)) & ((a < 0) | (b < 0) | (total < 0))
    if xp is np and not np.any(wrong):
        return quotient
    found = _truncated(xp, -total, xp.where(b == 0, kind.type(1), b)).astype(x.dtype)
    return xp.where(wrong, found, quotient)


@binary_kernel
def kernel_floor_mod(xp: ArrayModule, x: Array, y: Array) -> Array:
    if _is_integer(x):
        _check_divisor(xp, x, y)
        return xp.mod(x, y)
    remainder = xp.fmod(x, y)
    other_sign = (remainder != 0) & ((y < 0) != (remainder < 0))
    return xp.where(other_sign, remainder + y, remainder)


@binary_kernel
def kernel_truncate_mod(xp: ArrayModule, x: Array, y: Array) -> Array:
    if _is_integer(x):
        _check_divisor(xp, x, y)
    return xp.fmod(x, y)


def _truncating(function: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, x: Array, y: Array) -> Array:
        if _is_integer(x):
            fail_if_incompatible(x, y)
            _check_divisor(xp, x, y, _truncated_by_zero)
        return function(xp, x, y)

    return kernel


@binary_kernel
def kernel_divide_no_nan(xp: ArrayModule, x: Array, y: Array) -> Array:
    zero = y.dtype.type(0)
    return xp.where(y == zero, zero, xp.true_divide(x, y))


@binary_kernel
def kernel_xdivy(xp: ArrayModule, x: Array, y: Array) -> Array:
    zero = x.dtype.type(0)
    return xp.where(x == zero, zero, _quotient(xp, x, y))


@binary_kernel
def kernel_xlogy(xp: ArrayModule, x: Array, y: Array) -> Array:
    zero = x.dtype.type(0)
    return xp.where(x == zero, zero, xp.multiply(x, xp.log(y)))


def reference_divide(x: Array, y: Array) -> Array:
    if _is_integer(x):
        return np.trunc(x.astype(np.float64) / y).astype(x.dtype)
    return x / y


def reference_floor_divide(x: Array, y: Array) -> Array:
    return np.floor(x.astype(np.float64) / y).astype(x.dtype)


def reference_floor_mod(x: Array, y: Array) -> Array:
    return np.mod(x, y)


def reference_truncate_mod(x: Array, y: Array) -> Array:
    return (x - np.trunc(x.astype(np.float64) / y) * y).astype(x.dtype)


def reference_divide_no_nan(x: Array, y: Array) -> Array:
    x, y = np.broadcast_arrays(x, y)
    return np.divide(x, y, out=np.zeros(x.shape, x.dtype), where=y != 0)


def reference_xdivy(x: Array, y: Array) -> Array:
    x, y = np.broadcast_arrays(x, y)
    with np.errstate(all="ignore"):
        return np.divide(x, y, out=np.zeros(x.shape, x.dtype), where=x != 0)


def reference_xlogy(x: Array, y: Array) -> Array:
    x, y = np.broadcast_arrays(x, y)
    with np.errstate(all="ignore"):
        return np.multiply(x, np.log(y), out=np.zeros(x.shape, x.dtype), where=x != 0)


def _conjugated(*tensors: Tensor) -> list[Tensor]:
    if tensors[0].dtype.is_complex:
        return [build.Conj(t) for t in tensors]
    return list(tensors)


def gradient_real_divide(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    x, y = op.inputs
    reduce_x, reduce_y = broadcast_reducers(x, y, static=False)
    x, y = _conjugated(x, y)
    grad_x = reduce_x(build.RealDiv(grad, y))
    return grad_x, reduce_y(grad * build.RealDiv(build.RealDiv(-x, y), y))


def gradient_divide(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    x, y = op.inputs
    reduce_x, reduce_y = broadcast_reducers(x, y, static=False)
    x, y = _conjugated(x, y)
    grad_x = reduce_x(grad / y)
    return grad_x, reduce_y(grad * (-x / y / y))


def gradient_divide_no_nan(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    x, y = op.inputs
    reduce_x, reduce_y = broadcast_reducers(x, y, static=False)
    x, y = _conjugated(x, y)
    grad_x = reduce_x(divide_no_nan(grad, y))
    return grad_x, reduce_y(grad * divide_no_nan(divide_no_nan(-x, y), y))


def gradient_floor_mod(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    x, y = op.inputs
    reduce_x, reduce_y = broadcast_reducers(x, y, static=False)
    quotient = build.FloorDiv(x, y)
    grad_x = reduce_x(grad)
    return grad_x, reduce_y(grad * -quotient)


def gradient_none(op: Operation, grad: Tensor) -> tuple[int | None, ...]:
    return None, None


def _not_zero(x: Tensor) -> Tensor:
    """1 where x is not 0, else 0."""
    with name_scope(None, "Cast", []):
        zero = constant_node(0.0, x.dtype.base_dtype, "x")
    return build.Cast(build.NotEqual(x, zero), DstT=x.dtype.base_dtype)


def gradient_xdivy(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    x, y = op.inputs
    shape_x, shape_y = shape_tensor(x), shape_tensor(y)
    axes_x, axes_y = build.BroadcastGradientArgs(shape_x, shape_y)
    with control_dependencies([grad]):
        partial_x = build.Xdivy(_not_zero(x), y)
        partial_y = build.Xdivy(-x, y**2)
    return (
        build.Reshape(build.Sum(partial_x * grad, axes_x), shape_x),
        build.Reshape(build.Sum(partial_y * grad, axes_y), shape_y),
    )


def gradient_xlogy(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    x, y = op.inputs
    shape_x, shape_y = shape_tensor(x), shape_tensor(y)
    axes_x, axes_y = build.BroadcastGradientArgs(shape_x, shape_y)
    with control_dependencies([grad]):
        partial_x = build.Xlogy(_not_zero(x), y)
        partial_y = build.Xdivy(x, y)
    return (
        build.Reshape(build.Sum(partial_x * grad, axes_x), shape_x),
        build.Reshape(build.Sum(partial_y * grad, axes_y), shape_y),
    )


def samples_floats() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(x, np.array([2.0, -1.0, 0.5], np.float32))
    yield Sample(x, np.float32(-0.75))
    yield Sample(x.astype(np.float64), x[:, :1].astype(np.float64))


def samples_complex() -> Iterator[Sample]:
    yield from samples_floats()
    yield Sample(np.array([1 + 2j, -3j], np.complex64), np.array([2 - 1j, 4], np.complex64))


def samples_integers() -> Iterator[Sample]:
    for kind in (np.int32, np.int64):
        yield Sample(np.array([7, -7, 7, -7, 6], kind), np.array([[2], [-2]], kind))


def samples_all() -> Iterator[Sample]:
    yield from samples_complex()
    yield from samples_integers()
    yield Sample(np.array([7, 200], np.uint8), np.array([2, 100], np.uint8))


def samples_rounded() -> Iterator[Sample]:
    # Not at a jump of the function, where numeric gradients mean nothing.
    x = np.array([[1.6, -2.2, 3.1], [0.35, 5.2, -6.4]], np.float32)
    yield Sample(x, np.array([2.0, -0.9, 0.5], np.float32))
    yield Sample(x.astype(np.float64), x[:, 1:2].astype(np.float64) + 0.3)
    yield from samples_integers()


def samples_zeros() -> Iterator[Sample]:
    yield from samples_complex()
    x = np.array([[0.0, 1.5, -2.0], [3.0, 0.0, np.inf]], np.float32)
    yield Sample(x, np.array([0.0, 0.0, 2.0], np.float32), gradient=())


def samples_xlogy() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(x, np.array([2.0, 1.0, 0.5], np.float32))
    yield Sample(
        np.zeros((3,), np.float32), np.array([0.0, np.inf, np.nan], np.float32), gradient=()
    )


def _register_division(
    name: str,
    types: str,
    kernel: Callable[..., Any],
    gradient: Callable[..., Any] | None,
    reference: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="x: T, y: T",
        outputs="z: T",
        attrs=f"T: {{{types}}}",
        shape=shapes.broadcast,
        kernel=kernel,
        gradient=gradient,
        reference=reference,
        samples=samples,
    )


_register_division(
    "RealDiv",
    types=_ALL,
    kernel=kernel_divide,
    gradient=gradient_real_divide,
    reference=reference_divide,
    samples=samples_complex,
)
_register_division(
    "Div",
    types=_ALL,
    kernel=kernel_divide,
    gradient=gradient_divide,
    reference=reference_divide,
    samples=samples_all,
)
_register_division(
    "TruncateDiv",
    types=_ALL,
    kernel=_truncating(kernel_divide),
    gradient=gradient_none,
    reference=reference_divide,
    samples=samples_integers,
)
_register_division(
    "FloorDiv",
    types=_ALL,
    kernel=kernel_floor_divide,
    gradient=gradient_none,
    reference=reference_floor_divide,
    samples=samples_rounded,
)
_register_division(
    "FloorMod",
    types=f"int32, int64, {FLOATS}",
    kernel=kernel_floor_mod,
    gradient=gradient_floor_mod,
    reference=reference_floor_mod,
    samples=samples_rounded,
)
_register_division(
    "TruncateMod",
    types=f"int32, int64, {FLOATS}",
    kernel=_truncating(kernel_truncate_mod),
    gradient=None,
    reference=reference_truncate_mod,
    samples=samples_rounded,
)
_register_division(
    "Mod",
    types="int32, int64, half, half, bfloat16, float, double",
    kernel=kernel_truncate_mod,
    gradient=None,
    reference=reference_truncate_mod,
    samples=samples_rounded,
)
_register_division(
    "DivNoNan",
    types="half, float, double, complex64, complex128",
    kernel=kernel_divide_no_nan,
    gradient=gradient_divide_no_nan,
    reference=reference_divide_no_nan,
    samples=samples_zeros,
)
_register_division(
    "Xdivy",
    types="half, float, double, complex64, complex128",
    kernel=kernel_xdivy,
    gradient=gradient_xdivy,
    reference=reference_xdivy,
    samples=samples_zeros,
)
_register_division(
    "Xlogy",
    types="half, float, double, complex64, complex128",
    kernel=kernel_xlogy,
    gradient=gradient_xlogy,
    reference=reference_xlogy,
    samples=samples_xlogy,
)


@export("realdiv")
def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x / y of real or complex numbers.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.RealDiv(x, y, name=name)


@export("truncatediv")
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x / y of integers, rounded towards zero.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.TruncateDiv(x, y, name=name)


@export("truncatemod")
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns the remainder of `truncatediv`: it has the sign of x.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.TruncateMod(x, y, name=name)


@export("floor_div")
def floor_div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x / y rounded down.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.FloorDiv(x, y, name=name)


@export("mod", "floormod", "math.mod", "math.floormod")
def mod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns the remainder of `floordiv`: it has the sign of y.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.FloorMod(x, y, name=name)


@export("math.xdivy")
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x / y; 0 where x is 0.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.Xdivy(x, y, name=name)


@export("math.xlogy")
def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x * log(y); 0 where x is 0.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.Xlogy(x, y, name=name)


# The types of x and y for which x / y is computed in another type.
_QUOTIENT_TYPES = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.int64: dtypes.float64,
}


def _same_type(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, name="y")
    kinds = x.dtype.base_dtype, y.dtype.base_dtype
    if kinds[0] is not kinds[1]:
        raise TypeError(f"x and y must have the same dtype, got {kinds[0]!r} != {kinds[1]!r}")
    return x, y


@export("truediv", "math.truediv")
def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x / y; small integers are divided as float32, int32 and int64 as float64.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of floating-point or complex numbers.

    Raises:
        TypeError: if the types differ or are not numbers.
    """
    with name_scope(name, "truediv", [x, y]) as scope:
        x, y = _same_type(x, y)
        kind = x.dtype.base_dtype
        if kind in _QUOTIENT_TYPES:
            x = build.Cast(x, DstT=_QUOTIENT_TYPES[kind])
            y = build.Cast(y, DstT=_QUOTIENT_TYPES[kind])
        elif not kind.is_floating and not kind.is_complex:
            raise TypeError(f"Invalid dtype {kind!r} in __truediv__")
        return build.RealDiv(x, y, name=scope)


@export("div")
def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x / y by the rule of Python 2: quotients of integers are rounded down.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the same type.
    """
    with name_scope(name, "div", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        if x.dtype.is_floating or x.dtype.is_complex:
            return build.RealDiv(x, y, name=scope)
        return build.FloorDiv(x, y, name=scope)


@export("floordiv", "math.floordiv")
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x / y rounded down.

    Args:
        x: a tensor of real numbers.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the same type.
    """
    with name_scope(name, "floordiv", [x, y]) as scope:
        return build.FloorDiv(x, y, name=scope)


@export("divide", "math.divide")
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x / y by the rules of Python 3, as the operator does.

    Args:
        x: a tensor or a number.
        y: a tensor or a number.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    if name is not None:
        return truediv(x, y, name)
    return x / y


@export("div_no_nan", "math.divide_no_nan")
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x / y, and 0 where y is 0.

    Args:
        x: a tensor of floating-point or complex numbers.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    with name_scope(name, "div_no_nan", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        return build.DivNoNan(x, y, name=scope)


@export("math.reciprocal_no_nan")
def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns 1 / x, and 0 where x is 0.

    Args:
        x: a tensor of floating-point or complex numbers.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    with name_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        one = constant_node(1, x.dtype.base_dtype, "one")
        return build.DivNoNan(one, x, name=scope)


override_binary("div", div)
override_binary("truediv", truediv)
override_binary("floordiv", floordiv)
override_binary("mod", mod)
