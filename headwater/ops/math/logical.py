"""Logical and, or, not, exclusive or."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.math.elementwise import binary_function, binary_kernel, unary_function
from headwater.ops.math.operators import override_binary


@binary_kernel
def kernel_and(xp: Any, x: Any, y: Any) -> Any:
    return xp.logical_and(x, y)


@binary_kernel
def kernel_or(xp: Any, x: Any, y: Any) -> Any:
    return xp.logical_or(x, y)


def kernel_not(xp: Any, x: Any) -> Any:
    return xp.logical_not(x)


def samples_pair() -> Any:
    yield Sample(np.array([True, True, False, False]), np.array([True, False, True, False]))
    yield Sample(np.array([True, False]), np.array([[True], [False]]))


for _name, _kernel, _reference in (
    ("LogicalAnd", kernel_and, np.logical_and),
    ("LogicalOr", kernel_or, np.logical_or),
):
    register_op(
        _name,
        inputs="x: bool, y: bool",
        outputs="z: bool",
        shape=shapes.broadcast,
        kernel=_kernel,
        gradient=NOT_DIFFERENTIABLE,
        reference=_reference,
        samples=samples_pair,
        commutative=True,
    )
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

logical_and = binary_function(
    "LogicalAnd", "logical_and", "math.logical_and", doc="Returns x and y, of booleans."
)
logical_or = binary_function(
    "LogicalOr", "logical_or", "math.logical_or", doc="Returns x or y, of booleans."
)
logical_not = unary_function(
    "LogicalNot", "logical_not", "math.logical_not", doc="Returns not x, of booleans."
)


@export("logical_xor", "math.logical_xor")
def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
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
