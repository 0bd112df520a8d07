"""Rounding to whole numbers: Floor, Ceil, Round, Rint; neighbours of floating-point numbers."""

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
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
    zeros_of,
)
from headwater.ops.math.elementwise import (
    FLOATS,
    binary_kernel,
    unary_samples,
)


def kernel_floor(xp: ArrayModule, x: Array) -> Array:
    if xp is np and x.dtype == np.float32:
        # Compiled programs flush subnormal numbers to 0.
        x = np.where((x < 0) & (x > -np.finfo(np.float32).tiny), np.float32(-0.0), x)
    return xp.floor(x)


def kernel_ceil(xp: ArrayModule, x: Array) -> Array:
    return xp.ceil(x)


def kernel_round(xp: ArrayModule, x: Array) -> Array:
    if x.dtype.kind in "iu":
        return x
    return xp.round(x) if x.dtype.kind == "c" else xp.rint(x)


@binary_kernel
def kernel_next_after(xp: ArrayModule, x1: Array, x2: Array) -> Array:
    return xp.nextafter(x1, x2)


def reference_round(x: Array) -> Array:
    return np.round(x)


def gradient_none(op: Operation, grad: Tensor) -> Tensor | None:
    return None


def gradient_next_after(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    x1, x2 = op.inputs
    shape_1, shape_2 = shape_tensor(x1), shape_tensor(x2)
    axes_1, axes_2 = build.BroadcastGradientArgs(shape_1, shape_2)
    with control_dependencies([grad]):
        with name_scope(None, "ones", [shape_1]) as scope:
            one = constant_node(1, x1.dtype.base_dtype)
            slope_1 = build.Fill(shape_1, one, name=scope)
        slope_2 = zeros_of(shape_2, x2.dtype)
        part_1 = build.Sum(slope_1 * grad, axes_1)
        grad_1 = build.Reshape(part_1, shape_1)
        part_2 = build.Sum(slope_2 * grad, axes_2)
        return grad_1, build.Reshape(part_2, shape_2)


_rounded = unary_samples(-2.45, 2.6)


def samples_round() -> Iterator[Sample]:
    yield from _rounded()
    yield Sample(np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32), gradient=())


def samples_round_integers() -> Iterator[Sample]:
    yield from samples_round()
    yield Sample(np.array([3, -4], np.int32))


def samples_next_after() -> Iterator[Sample]:
    x = np.array([1.0, -2.0, 0.0], np.float32)
    yield Sample(x, np.array([[2.0], [-3.0]], np.float32), gradient=())
    yield Sample(x.astype(np.float64), np.float64(5), gradient=())


def _register_rounding(
    name: str,
    types: str,
    kernel: Callable[..., Any],
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
        gradient=gradient_none,
        reference=reference,
        samples=samples,
    )


_register_rounding("Floor", types=FLOATS, kernel=kernel_floor, reference=np.floor, samples=_rounded)
_register_rounding("Ceil", types=FLOATS, kernel=kernel_ceil, reference=np.ceil, samples=_rounded)
_register_rounding(
    "Rint", types=FLOATS, kernel=kernel_round, reference=np.rint, samples=samples_round
)
_register_rounding(
    "Round",
    types=f"{FLOATS}, int32, int64, complex64, complex128",
    kernel=kernel_round,
    reference=reference_round,
    samples=samples_round_integers,
)
register_op(
    "NextAfter",
    inputs="x1: T, x2: T",
    outputs="output: T",
    attrs="T: {double, float} = float",
    shape=shapes.broadcast,
    kernel=kernel_next_after,
    gradient=gradient_next_after,
    reference=np.nextafter,
    samples=samples_next_after,
)


@export("floor", "math.floor")
def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the largest whole number not above x.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Floor(x, name=name)


@export("ceil", "math.ceil")
def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the smallest whole number not below x.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Ceil(x, name=name)


@export("rint", "math.rint")
def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """Rounds to whole numbers, halves to even ones.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Rint(x, name=name)


@export("round", "math.round")
def round_(x: TensorLike, name: str | None = None) -> Tensor:
    """Rounds to whole numbers, halves to even ones.

    Args:
        x: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type; `x` itself if it holds integers.
    """
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else build.Round(x, name=name)


@export("math.nextafter")
def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """Returns the next number that can be represented, from x1 towards x2.

    Args:
        x1: a tensor of type float32 or float64.
        x2: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.NextAfter(x1, x2, name=name)
