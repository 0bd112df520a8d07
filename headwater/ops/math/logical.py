"""Logical and, or, not, exclusive or."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.math.elementwise import binary_kernel
from headwater.ops.math.operators import override_binary


@binary_kernel
def kernel_and(xp: ArrayModule, x: Array, y: Array) -> Array:
    return xp.logical_and(x, y)


@binary_kernel
def kernel_or(xp: ArrayModule, x: Array, y: Array) -> Array:
    return xp.logical_or(x, y)


def kernel_not(xp: ArrayModule, x: Array) -> Array:
    return xp.logical_not(x)


def samples_pair() -> Iterator[Sample]:
    yield Sample(np.array([True, True, False, False]), np.array([True, False, True, False]))
    yield Sample(np.array([True, False]), np.array([[True], [False]]))


def _register_logical(name: str, kernel: Callable[..., Any], reference: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="x: bool, y: bool",
        outputs="z: bool",
        shape=shapes.broadcast,
        kernel=kernel,
        gradient=NOT_DIFFERENTIABLE,
        reference=reference,
        samples=samples_pair,
        commutative=True,
    )


_register_logical("LogicalAnd", kernel_and, np.logical_and)
_register_logical("LogicalOr", kernel_or, np.logical_or)
register_op(
    "LogicalNot",
    inputs="x: bool",
    outputs="y: bool",
    shape=shapes.like_first,
    kernel=kernel_not,
    gradient=NOT_DIFFERENTIABLE,
    reference=np.logical_not,
    samples=lambda: [Sample(np.array([True, False]))],
)


@export("logical_and", "math.logical_and")
def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x and y, of booleans.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.logical_and([True, True], [True, False]).eval())
        [ True False]
    """
    return build.LogicalAnd(x, y, name=name)


@export("logical_or", "math.logical_or")
def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns x or y, of booleans.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.LogicalOr(x, y, name=name)


@export("logical_not", "math.logical_not")
def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns not x, of booleans.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.LogicalNot(x, name=name)


@export("logical_xor", "math.logical_xor")
def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """Returns where exactly one of x and y is true.

    Args:
        x: a tensor of booleans.
        y: a tensor of booleans.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    both = build.LogicalOr(x, y), build.LogicalNot(build.LogicalAnd(x, y))
    return build.LogicalAnd(*both, name=name)


override_binary("and", logical_and)
override_binary("or", logical_or)
override_binary("xor", logical_xor)
Tensor._override_operator("__invert__", logical_not)
