"""Elementwise sums, differences and products with broadcasting: Add, Sub, Mul, ..."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    IndexedSlices,
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
    shapes,
    shapes_equal,
)
from headwater.ops.math.elementwise import (
    FLOATS,
    also_of_sparse,
    binary_kernel,
)
from headwater.ops.math.operators import override_binary

_ALL = f"{FLOATS}, uint8, int8, int16, int32, int64, complex64, complex128"
_ALL_AND_UINT16 = f"{FLOATS}, uint8, int8, uint16, int16, int32, int64, complex64, complex128"
_SIGNED = f"{FLOATS}, int32, int64, complex64, complex128"


@binary_kernel
def kernel_add(xp: ArrayModule, x: Any, y: Array) -> Any:
    if x.dtype == object:
        # Strings: NumPy gives a bare bytes object for two scalars.
        return np.asarray(np.add(x, y), object)
    return xp.add(x, y)


@binary_kernel
def kernel_subtract(xp: ArrayModule, x: Array, y: Array) -> Any:
    return xp.subtract(x, y)


@binary_kernel
def kernel_multiply(xp: ArrayModule, x: Array, y: Any) -> Any:
    return xp.multiply(x, y)


@binary_kernel
def kernel_squared_difference(xp: ArrayModule, x: Array, y: Array) -> Array:
    difference = xp.subtract(x, y)
    if difference.dtype.kind == "c":
        return difference * xp.conj(difference)
    return difference * difference


@binary_kernel
def kernel_multiply_no_nan(xp: ArrayModule, x: Array, y: Array) -> Array:
    zero = y.dtype.type(0)
    return xp.where(y == zero, zero, xp.multiply(x, y))


def kernel_negative(xp: ArrayModule, x: Array) -> Array:
    return xp.negative(x)


def reference_squared_difference(x: Array, y: Array) -> Array:
    return (np.abs(x - y) ** 2).astype(x.dtype)


def reference_multiply_no_nan(x: Array, y: Array) -> Array:
    x, y = np.broadcast_arrays(x, y)
    result = np.zeros(x.shape, x.dtype)
    np.multiply(x, y, out=result, where=y != 0)
    return result


def gradient_add(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    x, y = op.inputs
    if shapes_equal(x, y, grad):
        return grad, grad
    reduce_x, reduce_y = broadcast_reducers(x, y, static=isinstance(grad, Tensor))
    return reduce_x(grad), reduce_y(grad)


def gradient_subtract(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    x, y = op.inputs
    if shapes_equal(x, y, grad):
        return grad, -grad
    reduce_x, reduce_y = broadcast_reducers(x, y, static=isinstance(grad, Tensor))
    return reduce_x(grad), reduce_y(-grad)


def gradient_multiply(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    x, y = op.inputs
    if shapes_equal(x, y, grad) and grad.dtype.name in ("int32", "float32"):
        return build.Mul(grad, y), build.Mul(grad, x)
    reduce_x, reduce_y = broadcast_reducers(x, y, static=isinstance(grad, Tensor))
    if x.dtype.is_complex:
        x, y = build.Conj(x), build.Conj(y)
    return reduce_x(build.Mul(grad, y)), reduce_y(build.Mul(x, grad))


def gradient_multiply_no_nan(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    x, y = op.inputs
    if shapes_equal(x, y, grad):
        return build.MulNoNan(grad, y), build.MulNoNan(x, grad)
    reduce_x, reduce_y = broadcast_reducers(x, y, static=False)
    return reduce_x(build.MulNoNan(grad, y)), reduce_y(build.MulNoNan(x, grad))


def gradient_squared_difference(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    x, y = op.inputs
    with control_dependencies([grad]):
        two = constant_node(2, grad.dtype.base_dtype, "scalar")
        slope = build.Mul(two, grad) * (x - y)
    if shapes_equal(x, y, grad):
        return slope, -slope
    reduce_x, reduce_y = broadcast_reducers(x, y)
    return reduce_x(slope), -reduce_y(slope)


def gradient_negative(op: Operation, grad: Tensor) -> Tensor:
    return -grad


def samples_broadcast() -> Iterator[Sample]:
    matrix = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(matrix, np.array([2.0, -1.0, 0.5], np.float32))
    yield Sample(matrix, np.float32(3.0))
    yield Sample(matrix, matrix[:, :1])
    yield Sample(np.array([1, -7], np.int32), np.array([[3], [4]], np.int32))
    yield Sample(matrix.astype(np.float64), matrix.astype(np.float64))
    yield Sample(np.array([1 + 2j, -3j], np.complex64), np.array([2 - 1j, 4], np.complex64))
    yield Sample(np.zeros((0, 3), np.float32), np.ones((1, 3), np.float32))


def samples_multiply_no_nan() -> Iterator[Sample]:
    x = np.array([[1.5, np.inf, np.nan], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(x, np.array([2.0, 0.0, 0.0], np.float32), gradient=())
    yield Sample(x[1], np.array([[2.0], [3.0]], np.float32))


def samples_negative() -> Iterator[Sample]:
    yield Sample(np.array([[1.5, -2.0], [0.0, 7.25]], np.float32))
    yield Sample(np.array([3, -4, 0], np.int32))
    yield Sample(np.array([1 + 2j, -3j], np.complex64))


register_op(
    "Add",
    inputs="x: T, y: T",
    outputs="z: T",
    attrs=f"T: {{{_ALL}, string}}",
    shape=shapes.broadcast,
    kernel=kernel_add,
    gradient=gradient_add,
    reference=np.add,
    samples=samples_broadcast,
)
register_op(
    "AddV2",
    inputs="x: T, y: T",
    outputs="z: T",
    attrs=f"T: {{{_ALL}}}",
    shape=shapes.broadcast,
    kernel=kernel_add,
    gradient=gradient_add,
    reference=np.add,
    samples=samples_broadcast,
    aggregate=True,
    commutative=True,
)
register_op(
    "Sub",
    inputs="x: T, y: T",
    outputs="z: T",
    attrs=f"T: {{{_ALL_AND_UINT16}}}",
    shape=shapes.broadcast,
    kernel=kernel_subtract,
    gradient=gradient_subtract,
    reference=np.subtract,
    samples=samples_broadcast,
)
register_op(
    "Mul",
    inputs="x: T, y: T",
    outputs="z: T",
    attrs=f"T: {{{_ALL_AND_UINT16}}}",
    shape=shapes.broadcast,
    kernel=kernel_multiply,
    gradient=gradient_multiply,
    reference=np.multiply,
    samples=samples_broadcast,
    commutative=True,
)
register_op(
    "MulNoNan",
    inputs="x: T, y: T",
    outputs="z: T",
    attrs="T: {half, float, double, complex64, complex128}",
    shape=shapes.broadcast,
    kernel=kernel_multiply_no_nan,
    gradient=gradient_multiply_no_nan,
    reference=reference_multiply_no_nan,
    samples=samples_multiply_no_nan,
)
register_op(
    "SquaredDifference",
    inputs="x: T, y: T",
    outputs="z: T",
    attrs=f"T: {{{_SIGNED}}}",
    shape=shapes.broadcast,
    kernel=kernel_squared_difference,
    gradient=gradient_squared_difference,
    reference=reference_squared_difference,
    samples=samples_broadcast,
    commutative=True,
)
register_op(
    "Neg",
    inputs="x: T",
    outputs="y: T",
    attrs=f"T: {{{_SIGNED}}}",
    shape=shapes.like_first,
    kernel=kernel_negative,
    gradient=gradient_negative,
    reference=np.negative,
    samples=samples_negative,
)


@export("add", "math.add")
def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x + y element by element; strings are joined.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.add([1, 2], 10).eval())
        [11 12]
    """
    return build.Add(x, y, name=name)


@export("subtract", "math.subtract", "sub")
def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x - y element by element.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.Sub(x, y, name=name)


@export("multiply", "math.multiply", "mul")
def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x * y element by element.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.multiply([1, 2], [3, 4]).eval())
        [3 8]
    """
    return build.Mul(x, y, name=name)


@export("squared_difference", "math.squared_difference")
def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns (x - y)(x - y) element by element.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.SquaredDifference(x, y, name=name)


@export("negative", "math.negative", "neg")
@also_of_sparse
def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns -x.

    Args:
        x: a tensor or SparseTensor.
        name: the name of the node.

    Returns:
        What `x` is, of the same shape.
    """
    return build.Neg(x, name=name)


@export("math.multiply_no_nan")
def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x * y element by element; 0 where y is 0, even if x is infinite or not a number.

    Args:
        x: a tensor of floating-point numbers.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        TypeError: if the types differ.
    """
    with name_scope(name, "multiply_no_nan", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        if x.dtype.base_dtype is not y.dtype.base_dtype:
            raise TypeError(f"x and y must have the same dtype, got {x.dtype!r} != {y.dtype!r}")
        return build.MulNoNan(x, y, name=scope)


@export("scalar_mul", "math.scalar_mul")
def scalar_mul(
    scalar: TensorLike, x: TensorLike, name: str | None = None
) -> Tensor | IndexedSlices:
    """Multiplies a tensor or IndexedSlices by a scalar.

    Args:
        scalar: a scalar of known shape.
        x: a Tensor or IndexedSlices.
        name: the name of the node.

    Returns:
        What `x` is.

    Raises:
        ValueError: if `scalar` is not a scalar.
    """
    scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
    if scalar._shape != ():
        raise ValueError(f"Only scalar multiply works, got shape {scalar.get_shape()}")
    if isinstance(x, IndexedSlices):
        return x._map_values(lambda values: build.Mul(scalar, values, name=name))
    return build.Mul(scalar, x, name=name)


def _plus(x: Tensor, y: Tensor, name: str) -> Tensor:
    if x.dtype.base_dtype is dtypes.string:
        return build.Add(x, y, name=name)
    return build.AddV2(x, y, name=name)


override_binary("add", _plus)
override_binary("sub", subtract)
override_binary("mul", multiply)
Tensor._override_operator("__neg__", negative)
