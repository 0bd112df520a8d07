"""Blocks of an image moved to its channels and back: SpaceToDepth, DepthToSpace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, export, register_op, shapes


def _positions(data_format: str) -> tuple[int, int, int]:
    """The axes of height, width and channels."""
    return (1, 2, 3) if data_format == "NHWC" else (2, 3, 1)


def _changed(c: shapes.ShapeContext, to_depth: bool) -> Shape:
    data_format, block = c.attr("data_format"), c.attr("block_size")
    if data_format == "NCHW_VECT_C":
        shape = list(c.with_rank("input", 5))
    else:
        shape = list(c.with_rank("input", 4))
    height, width, depth = _positions(data_format)
    for position in (height, width) if to_depth else (depth,):
        divisor = block if to_depth else block * block
        size = shape[position]
        if size is not None and size % divisor:
            c.fail(f"Dimension size must be evenly divisible by {divisor} but is {size}")
    for position, factor in ((height, block), (width, block), (depth, block * block)):
        size = shape[position]
        if size is not None:
            grows = (position == depth) == to_depth
            shape[position] = size * factor if grows else size // factor
    return tuple(shape)


def _images(xp: ArrayModule, x: Array, data_format: str) -> Array:
    """The images with channels last."""
    if data_format == "NHWC":
        return x
    if data_format == "NCHW_VECT_C":
        n, c, h, w, v = x.shape
        return xp.transpose(x, (0, 2, 3, 1, 4)).reshape(n, h, w, c * v)
    return xp.transpose(x, (0, 2, 3, 1))


def _back(xp: ArrayModule, x: Array, data_format: str) -> Array:
    if data_format == "NHWC":
        return x
    if data_format == "NCHW_VECT_C":
        n, h, w, c = x.shape
        return xp.transpose(x.reshape(n, h, w, c // 4, 4), (0, 3, 1, 2, 4))
    return xp.transpose(x, (0, 3, 1, 2))


def kernel_space_to_depth(xp: ArrayModule, x: Array, *, block_size: int, data_format: str) -> Array:
    x = _images(xp, x, data_format)
    n, h, w, c = x.shape
    b = block_size
    if h % b or w % b:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Image width {w} and height {h} should be divisible by block_size: {b}",
        )
    x = x.reshape(n, h // b, b, w // b, b, c)
    x = xp.transpose(x, (0, 1, 3, 2, 4, 5)).reshape(n, h // b, w // b, b * b * c)
    return _back(xp, x, data_format)


def kernel_depth_to_space(xp: ArrayModule, x: Array, *, block_size: int, data_format: str) -> Array:
    x = _images(xp, x, data_format)
    n, h, w, c = x.shape
    b = block_size
    if c % (b * b):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Input depth dimension {c} should be divisible by: {b * b}",
        )
    x = x.reshape(n, h, w, b, b, c // (b * b))
    x = xp.transpose(x, (0, 1, 3, 2, 4, 5)).reshape(n, h * b, w * b, c // (b * b))
    return _back(xp, x, data_format)


def gradient_space_to_depth(op: Operation, grad: Tensor) -> Tensor:
    attrs = op._attrs
    if attrs["data_format"] == "NCHW_VECT_C":
        raise ValueError(
            "Cannot compute SpaceToDepth gradient with NCHW_VECT_C. "
            "NCHW_VECT_C requires qint8 data type."
        )
    return build.DepthToSpace(
        grad, block_size=attrs["block_size"], data_format=attrs["data_format"]
    )


def gradient_depth_to_space(op: Operation, grad: Tensor) -> Tensor:
    attrs = op._attrs
    if attrs["data_format"] == "NCHW_VECT_C":
        raise ValueError(
            "Cannot compute DepthToSpace gradient with NCHW_VECT_C. "
            "NCHW_VECT_C requires qint8 data type."
        )
    return build.SpaceToDepth(
        grad, block_size=attrs["block_size"], data_format=attrs["data_format"]
    )


def samples_space_to_depth() -> Iterator[Sample]:
    x = np.arange(96, dtype=np.float32).reshape(1, 4, 6, 4)
    yield Sample(x, block_size=2)
    yield Sample(x.reshape(1, 4, 4, 6), block_size=2, data_format="NCHW")
    yield Sample(x.reshape(4, 6, 2, 2).astype(np.int32), block_size=2)


def samples_depth_to_space() -> Iterator[Sample]:
    x = np.arange(96, dtype=np.float32)
    yield Sample(x.reshape(1, 2, 3, 16), block_size=2)
    yield Sample(x.reshape(2, 8, 3, 2), block_size=2, data_format="NCHW")


def reference_space_to_depth(x: np.ndarray, *, block_size: int, data_format: str) -> np.ndarray:
    axis = _positions(data_format)
    parts = []
    for i in range(block_size):
        for j in range(block_size):
            part: list[Any] = [slice(None)] * 4
            part[axis[0]], part[axis[1]] = slice(i, None, block_size), slice(j, None, block_size)
            parts.append(x[tuple(part)])
    return np.concatenate(parts, axis[2])


def reference_depth_to_space(x: np.ndarray, *, block_size: int, data_format: str) -> np.ndarray:
    axis = _positions(data_format)
    parts = iter(np.split(x, block_size * block_size, axis[2]))
    shape = list(x.shape)
    shape[axis[0]], shape[axis[1]] = shape[axis[0]] * block_size, shape[axis[1]] * block_size
    shape[axis[2]] //= block_size * block_size
    result = np.empty(shape, x.dtype)
    for i in range(block_size):
        for j in range(block_size):
            place: list[Any] = [slice(None)] * 4
            place[axis[0]], place[axis[1]] = slice(i, None, block_size), slice(j, None, block_size)
            result[tuple(place)] = next(parts)
    return result


_ATTRS = "T: type, block_size: int >= 2, data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
register_op(
    "SpaceToDepth",
    inputs="input: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=lambda c: _changed(c, True),
    kernel=kernel_space_to_depth,
    gradient=gradient_space_to_depth,
    reference=reference_space_to_depth,
    samples=samples_space_to_depth,
)
register_op(
    "DepthToSpace",
    inputs="input: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=lambda c: _changed(c, False),
    kernel=kernel_depth_to_space,
    gradient=gradient_depth_to_space,
    reference=reference_depth_to_space,
    samples=samples_depth_to_space,
)


@export("space_to_depth", "nn.space_to_depth")
def space_to_depth(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Moves the places within blocks of an image to its channels.

    Args:
        input: a tensor of shape [batch, height, width, depth].
        block_size: the size of the blocks.
        name: the name of the node.
        data_format: ``"NHWC"`` or ``"NCHW"``.

    Returns:
        A tensor with smaller images and more channels.

    Raises:
        ValueError: if the blocks do not fit.
    """
    return build.SpaceToDepth(input, block_size=block_size, data_format=data_format, name=name)


@export("depth_to_space", "nn.depth_to_space")
def depth_to_space(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Undoes `tf.space_to_depth`.

    Args:
        input: a tensor of shape [batch, height, width, depth].
        block_size: the size of the blocks.
        name: the name of the node.
        data_format: ``"NHWC"`` or ``"NCHW"``.

    Returns:
        A tensor with larger images and fewer channels.

    Raises:
        ValueError: if the channels do not fit.
    """
    return build.DepthToSpace(input, block_size=block_size, data_format=data_format, name=name)
