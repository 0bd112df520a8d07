"""Elementwise sums and products with broadcasting: Add, Sub, Mul, ... and their operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    broadcast_reducers,
    build,
    export,
    register_op,
    shapes,
    shapes_equal,
)

_ALL = "bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128"


def kernel_add(xp: Any, x: Any, y: Any) -> Any:
    return xp.add(x, y)


def kernel_subtract(xp: Any, x: Any, y: Any) -> Any:
    return xp.subtract(x, y)


def kernel_multiply(xp: Any, x: Any, y: Any) -> Any:
    return xp.multiply(x, y)


def gradient_add(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    if shapes_equal(x, y, grad):
        return grad, grad
    reduce_x, reduce_y = broadcast_reducers(x, y)
    return reduce_x(grad), reduce_y(grad)


def gradient_subtract(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    if shapes_equal(x, y, grad):
        return grad, build.Neg(grad)
    reduce_x, reduce_y = broadcast_reducers(x, y)
    return reduce_x(grad), reduce_y(build.Neg(grad))


def gradient_multiply(op: Operation, grad: Tensor) -> Any:
    x, y = op.inputs
    if shapes_equal(x, y, grad) and grad.dtype.name in ("int32", "float32"):
        return build.Mul(grad, y), build.Mul(grad, x)
    reduce_x, reduce_y = broadcast_reducers(x, y)
    if x.dtype.is_complex:
        x, y = build.Conj(x), build.Conj(y)
    return reduce_x(build.Mul(grad, y)), reduce_y(build.Mul(x, grad))


def samples_broadcast() -> Any:
    matrix = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(matrix, np.array([2.0, -1.0, 0.5], np.float32))
    yield Sample(matrix, np.float32(3.0))
    yield Sample(matrix, matrix[:, :1])
    yield Sample(np.array([1, -7], np.int32), np.array([[3], [4]], np.int32))
    yield Sample(matrix.astype(np.float64), matrix.astype(np.float64))
    yield Sample(np.array([1 + 2j, -3j], np.complex64), np.array([2 - 1j, 4], np.complex64))
    yield Sample(np.zeros((0, 3), np.float32), np.ones((1, 3), np.float32))


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
    attrs=f"T: {{{_ALL}, uint16}}",
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
    attrs=f"T: {{{_ALL}, uint16}}",
    shape=shapes.broadcast,
    kernel=kernel_multiply,
    gradient=gradient_multiply,
    reference=np.multiply,
    samples=samples_broadcast,
    commutative=True,
)


@export("add", "math.add")
def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x + y element by element, with broadcasting.

    Args:
        x: a tensor of numbers or strings.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the same type.
    """
    return build.Add(x, y, name=name)


@export("subtract", "math.subtract")
def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x - y element by element, with broadcasting.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the same type.
    """
    return build.Sub(x, y, name=name)


@export("multiply", "math.multiply")
def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x * y element by element, with broadcasting.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the same type.
    """
    return build.Mul(x, y, name=name)
