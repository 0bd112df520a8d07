"""Other forms of colours: grey, YIQ and YUV."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    shape_tensor,
    with_dependencies,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import expand_dims
from headwater.ops.control.value_checks import assert_equal, assert_greater_equal
from headwater.ops.image.convert_dtype import convert_image_dtype
from headwater.ops.math.tensordot import tensordot

_GREY = [0.2989, 0.5870, 0.1140]
_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_FROM_YIQ = [
    [1.0, 1.0, 1.0],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_FROM_YUV = [
    [1.0, 1.0, 1.0],
    [0.0, -0.394642334, 2.03206185],
    [1.13988303, -0.58062185, 0.0],
]


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Converts colours to grey.

    Args:
        images: a tensor whose last dimension is red, green and blue.
        name: the name of the result.

    Returns:
        A tensor of the same type whose last dimension is 1.
    """
    with name_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        floats = convert_image_dtype(images, dtypes.float32)
        grey = expand_dims(tensordot(floats, _GREY, [-1, -1]), -1)
        return convert_image_dtype(grey, images.dtype, name=scope)


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Repeats grey as red, green and blue.

    Args:
        images: a tensor whose last dimension is 1.
        name: the name of the node.

    Returns:
        A tensor whose last dimension is 3.

    Raises:
        ValueError: if the last dimension is not 1.
    """
    with name_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        images = with_dependencies(_grey_checks(images), images)
        last = expand_dims(rank_tensor(images) - 1, 0)
        multiples = concat([ones(last, dtypes.int32), expand_dims(3, 0)], 0)
        result = build.Tile(images, multiples, name=scope)
        if images._shape is not None:
            result.set_shape([*images._shape[:-1], 3])
        return result


def _grey_checks(images: Tensor) -> list[Any]:
    shape = images._shape
    wrong_last = "Last dimension of a grayscale image should be size 1."
    wrong_rank = "A grayscale image must be at least two-dimensional."
    if shape is not None and shape[-1:] not in ((1,), (None,)):
        raise ValueError(wrong_last)
    if shape is not None and len(shape) < 2:
        raise ValueError(wrong_rank)
    checks = []
    if shape is None or shape[-1] is None:
        last = shape_tensor(images)[-1]
        checks.append(assert_equal(last, 1, message=wrong_last))
    if shape is None:
        checks.append(assert_greater_equal(rank_tensor(images), 3, message=wrong_rank))
    return checks


def _transformed(images: TensorLike, matrix: list[list[float]]) -> Tensor:
    images = convert_to_tensor(images, name="images")
    kernel = convert_to_tensor(matrix, dtype=images.dtype, name="kernel")
    rank = len(images.get_shape().as_list())
    return tensordot(images, kernel, [[rank - 1], [0]])


@export("image.rgb_to_yiq")
def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Converts colours to YIQ.

    Args:
        images: floats whose last dimension is red, green and blue.

    Returns:
        A tensor of the same shape.
    """
    return _transformed(images, _TO_YIQ)


@export("image.yiq_to_rgb")
def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Converts YIQ to colours.

    Args:
        images: floats whose last dimension is Y, I and Q.

    Returns:
        A tensor of the same shape.
    """
    return _transformed(images, _FROM_YIQ)


@export("image.rgb_to_yuv")
def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Converts colours to YUV.

    Args:
        images: floats whose last dimension is red, green and blue.

    Returns:
        A tensor of the same shape.
    """
    return _transformed(images, _TO_YUV)


@export("image.yuv_to_rgb")
def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Converts YUV to colours.

    Args:
        images: floats whose last dimension is Y, U and V.

    Returns:
        A tensor of the same shape.
    """
    return _transformed(images, _FROM_YUV)
