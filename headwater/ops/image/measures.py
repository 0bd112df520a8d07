"""Measures of images: total variation, gradients, Sobel edges, PSNR."""

from __future__ import annotations

import math

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
    size_tensor,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import reshape
from headwater.ops.array.stack import stack, unstack
from headwater.ops.control.assertion import assert_
from headwater.ops.image.convert_dtype import convert_image_dtype
from headwater.ops.math.axes import all_axes
from headwater.ops.math.cast import cast


@export("image.total_variation")
def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """Sums the absolute differences of neighbouring pixels.

    Args:
        images: ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        name: the name scope.

    Returns:
        A scalar, or a vector with an element for each image.

    Raises:
        ValueError: if the rank does not fit.
    """
    with name_scope(name, "total_variation"):
        images = convert_to_tensor(images)
        rank = None if images._shape is None else len(images._shape)
        if rank == 3:
            down = images[1:, :, :] - images[:-1, :, :]
            across = images[:, 1:, :] - images[:, :-1, :]
        elif rank == 4:
            down = images[:, 1:, :, :] - images[:, :-1, :, :]
            across = images[:, :, 1:, :] - images[:, :, :-1, :]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")

        def total(differences: Tensor) -> Tensor:
            sizes = build.Abs(differences)
            return build.Sum(sizes, all_axes(sizes) if rank == 3 else [1, 2, 3])

        return total(down) + total(across)


@export("image.image_gradients")
def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """Differences of neighbouring pixels; the last row or column is zero.

    Args:
        image: ``[batch, height, width, channels]``.

    Returns:
        The differences down and across, each of the shape of `image`.

    Raises:
        ValueError: if the rank is not 4.
    """
    image = convert_to_tensor(image)
    if image.get_shape().ndims != 4:
        raise ValueError(
            "image_gradients expects a 4D tensor [batch_size, h, w, d], not %s.",
            image.get_shape(),
        )
    shape = shape_tensor(image)
    batch, height, width, depth = unstack(shape, 4)
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    across = image[:, :, 1:, :] - image[:, :, :-1, :]
    down = concat([down, zeros(stack([batch, 1, width, depth]), image.dtype)], 1)
    down = reshape(down, shape)
    across = concat([across, zeros(stack([batch, height, 1, depth]), image.dtype)], 2)
    return down, reshape(across, shape)


def depthwise(images: Tensor, kernels: Tensor) -> Tensor:
    """Filters each channel of images, where the filter lies inside."""
    with name_scope(None, "depthwise", [images, kernels]) as scope:
        # As in TensorFlow, the nodes of a general dilation are made and not used.
        shape_tensor(kernels)
        constant_node([1, 1], dtypes.int32, "dilation_rate")
        return build.DepthwiseConv2dNative(
            images, kernels, strides=[1, 1, 1, 1], padding="VALID", name=scope
        )


@export("image.sobel_edges")
def sobel_edges(image: TensorLike) -> Tensor:
    """The Sobel filters of images, down and across.

    Args:
        image: ``[batch, height, width, channels]``.

    Returns:
        A tensor ``[batch, height, width, channels, 2]``.
    """
    image = convert_to_tensor(image)
    static = image.get_shape()
    sizes = shape_tensor(image)
    down = [[-1, -2, -1], [0, 0, 0], [1, 2, 1]]
    filters = np.stack([np.array(down), np.array(down).T]).transpose(1, 2, 0)[:, :, None, :]
    kernels = constant(filters, dtype=dtypes.float32)
    kernels = build.Tile(kernels, [1, 1, sizes[-1], 1], name="sobel_filters")
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = depthwise(padded, kernels)
    edges = reshape(edges, concat([sizes, [2]], 0))
    edges.set_shape(static.concatenate([2]))
    return edges


def comparable(first: Tensor, second: Tensor) -> tuple[list[Tensor], list[Operation]]:
    """The shapes of images as tensors, and the ops that check that the images have one size.

    Raises:
        ValueError: if it is known that they have not.
    """
    one, other = first.get_shape(), second.get_shape()
    one.with_rank_at_least(3)[-3:].assert_is_compatible_with(other.with_rank_at_least(3)[-3:])
    if one.ndims is not None and other.ndims is not None:
        for x, y in zip(reversed(one[:-3].dims or []), reversed(other[:-3].dims or [])):
            if not (x == 1 or y == 1 or x.is_compatible_with(y)):
                raise ValueError(f"Two images are not compatible: {one} and {other}")
    shape, other_shape = build.ShapeN([first, second])
    enough = build.GreaterEqual(size_tensor(shape), 3)
    checks = [assert_(enough, [shape, other_shape], summarize=10)]
    same = build.Equal(shape[-3:], other_shape[-3:])
    same = build.All(same, all_axes(same))
    checks.append(assert_(same, [shape, other_shape], summarize=10))
    return [shape, other_shape], checks


@export("image.psnr")
def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of images, in decibels.

    Args:
        a: ``[..., height, width, channels]``.
        b: a tensor of the same shape.
        max_val: the difference of the largest and the smallest possible value.
        name: the name scope.

    Returns:
        A float32 tensor with an element for each image.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(name, "PSNR", [a, b]):
        largest = cast(max_val, dtypes.as_dtype(a.dtype).base_dtype)
        largest = convert_image_dtype(largest, dtypes.float32)
        a = convert_image_dtype(a, dtypes.float32)
        b = convert_image_dtype(b, dtypes.float32)
        error = build.Mean(build.SquaredDifference(a, b), [-3, -2, -1])
        decibel = np.float32(10 / math.log(10))
        ratio = build.Sub(
            20 * build.Log(largest) / build.Log(10.0),
            decibel * build.Log(error),
            name="psnr",
        )
        with control_dependencies(comparable(a, b)[1]):
            return build.Identity(ratio)
