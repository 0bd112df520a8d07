"""Operations on the bits of integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import NOT_DIFFERENTIABLE, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.math.elementwise import binary_kernel

_INTEGERS = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}"


@binary_kernel
def kernel_and(xp: ArrayModule, x: Array, y: Array) -> Array:
    return xp.bitwise_and(x, y)


@binary_kernel
def kernel_or(xp: ArrayModule, x: Array, y: Array) -> Array:
    return xp.bitwise_or(x, y)


@binary_kernel
def kernel_xor(xp: ArrayModule, x: Array, y: Array) -> Array:
    return xp.bitwise_xor(x, y)


def _places(xp: ArrayModule, x: Array, y: Array) -> Array:
    """The number of places, from 0 to one less than the number of bits."""
    bits = 8 * x.dtype.itemsize
    if y.dtype.kind == "i":
        y = xp.maximum(y, y.dtype.type(0))
    return xp.minimum(y, y.dtype.type(bits - 1))


@binary_kernel
def kernel_left_shift(xp: ArrayModule, x: Array, y: Array) -> Array:
    return xp.left_shift(x, _places(xp, x, y))


@binary_kernel
def kernel_right_shift(xp: ArrayModule, x: Array, y: Array) -> Array:
    return xp.right_shift(x, _places(xp, x, y))


def kernel_invert(xp: ArrayModule, x: Array) -> Array:
    return xp.invert(x)


def kernel_population_count(xp: ArrayModule, x: Array) -> Array:
    # Bits are added up in pairs, then in groups of 4 and 8, then over the bytes.
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    kind = unsigned.type
    value = x.astype(unsigned)

    def mask(byte: int) -> Array:
        return kind(int.from_bytes(bytes([byte]) * unsigned.itemsize, "little"))

    value = value - ((value >> kind(1)) & mask(0x55))
    value = (value & mask(0x33)) + ((value >> kind(2)) & mask(0x33))
    value = (value + (value >> kind(4))) & mask(0x0F)
    total = value & kind(0xFF)
    for byte in range(1, unsigned.itemsize):
        total = total + ((value >> kind(8 * byte)) & kind(0xFF))
    return total.astype(np.uint8)


def _shift(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: Array, y: Array) -> Array:
        return function(x, np.clip(y, 0, 8 * x.dtype.itemsize - 1).astype(x.dtype))

    return reference


def reference_population_count(x: Array) -> Array:
    bits = np.unpackbits(np.ascontiguousarray(x).view(np.uint8))
    return bits.reshape(*x.shape, -1).sum(axis=-1, dtype=np.uint8)


def samples_pair() -> Iterator[Sample]:
    yield Sample(np.array([5, -3, 12], np.int32), np.array([[3], [9]], np.int32))
    yield Sample(np.array([5, 255], np.uint8), np.array([3, 7], np.uint8))


def samples_shift() -> Iterator[Sample]:
    yield from samples_pair()
    yield Sample(np.array([1, -1, 100], np.int64), np.array([63, 80, -2], np.int64))


def samples_one() -> Iterator[Sample]:
    yield Sample(np.array([5, -3, 0], np.int32))
    yield Sample(np.array([[7], [255]], np.uint8))
    yield Sample(np.array([-1, 2**40 + 1], np.int64))


def _register_bitwise(
    name: str,
    kernel: Callable[..., Any],
    reference: Callable[..., Any],
    samples: Callable[..., Any],
    commutes: bool,
) -> None:
    register_op(
        name,
        inputs="x: T, y: T",
        outputs="z: T",
        attrs=_INTEGERS,
        shape=shapes.broadcast,
        kernel=kernel,
        gradient=NOT_DIFFERENTIABLE,
        reference=reference,
        samples=samples,
        commutative=commutes,
    )


_register_bitwise(
    "BitwiseAnd", kernel=kernel_and, reference=np.bitwise_and, samples=samples_pair, commutes=True
)
_register_bitwise(
    "BitwiseOr", kernel=kernel_or, reference=np.bitwise_or, samples=samples_pair, commutes=True
)
_register_bitwise(
    "BitwiseXor", kernel=kernel_xor, reference=np.bitwise_xor, samples=samples_pair, commutes=True
)
_register_bitwise(
    "LeftShift",
    kernel=kernel_left_shift,
    reference=_shift(np.left_shift),
    samples=samples_shift,
    commutes=False,
)
_register_bitwise(
    "RightShift",
    kernel=kernel_right_shift,
    reference=_shift(np.right_shift),
    samples=samples_shift,
    commutes=False,
)
register_op(
    "Invert",
    inputs="x: T",
    outputs="y: T",
    attrs=_INTEGERS,
    shape=shapes.like_first,
    kernel=kernel_invert,
    gradient=NOT_DIFFERENTIABLE,
    reference=np.invert,
    samples=samples_one,
)
register_op(
    "PopulationCount",
    inputs="x: T",
    outputs="y: uint8",
    attrs=_INTEGERS,
    shape=shapes.like_first,
    kernel=kernel_population_count,
    gradient=NOT_DIFFERENTIABLE,
    reference=reference_population_count,
    samples=samples_one,
)


@export("bitwise.bitwise_and")
def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns the bits that both x and y have.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.BitwiseAnd(x, y, name=name)


@export("bitwise.bitwise_or")
def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns the bits that x or y has.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.BitwiseOr(x, y, name=name)


@export("bitwise.bitwise_xor")
def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns the bits that one of x and y has.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.BitwiseXor(x, y, name=name)


@export("bitwise.left_shift")
def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Moves the bits of x up by y places.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.LeftShift(x, y, name=name)


@export("bitwise.right_shift")
def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Moves the bits of x down by y places; the sign stays.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.RightShift(x, y, name=name)


@export("bitwise.invert")
def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns x with all bits flipped.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Invert(x, name=name)
