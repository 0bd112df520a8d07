"""`tf.image.resize_images`: all ways to resize one image or a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.signatures import signature
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value_as_shape,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.image.arguments import (
    check_that,
    checked_image,
    size_tensor_of,
    sizes_of,
    three_or_four,
)
from headwater.ops.image.pad_and_crop import pad_to_bounding_box
from headwater.ops.image.resize import (
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_nearest_neighbor,
)
from headwater.ops.math.cast import cast


@export("image.ResizeMethod")
class ResizeMethod:
    """Names of the ways to resize images."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _resizer(method: int) -> Callable[..., Tensor]:
    if method in (ResizeMethod.BILINEAR, "bilinear"):
        return resize_bilinear
    if method in (ResizeMethod.NEAREST_NEIGHBOR, "nearest"):
        return resize_nearest_neighbor
    if method in (ResizeMethod.BICUBIC, "bicubic"):
        return resize_bicubic
    if method in (ResizeMethod.AREA, "area"):
        return resize_area
    raise ValueError("Resize method is not implemented.")


def as_batch(images: TensorLike) -> tuple[Tensor, bool]:
    """Images as a batch, and whether they were one.

    Args:
        images: an image or a batch.

    Raises:
        ValueError: if they are neither.
    """
    images = convert_to_tensor(images, name="images")
    rank = None if images._shape is None else len(images._shape)
    if rank is None:
        raise ValueError("'images' contains no shape.")
    if rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    return (images, True) if rank == 4 else (expand_dims(images, 0), False)


def keeping_ratio(images: Tensor, size: Tensor) -> Tensor:
    """The largest size within `size` that has the proportions of the images.

    Args:
        images: a batch.
        size: the new height and width.
    """
    _, height, width, _ = sizes_of(images, 4)
    known = constant_value_as_shape(size) or (None, None)

    def scale(axis: int, current: TensorLike) -> Tensor:
        wanted = size[axis] if known[axis] is None else known[axis]
        return cast(wanted, dtypes.float32) / cast(current, dtypes.float32)

    factor = build.Minimum(scale(0, height), scale(1, width))

    def scaled(current: TensorLike) -> Tensor:
        return cast(build.Round(factor * cast(current, dtypes.float32)), dtypes.int32)

    return convert_to_tensor([scaled(height), scaled(width)], dtypes.int32, name="size")


def _is_scalar(value: int | Sequence[int]) -> bool:
    if isinstance(value, Tensor):
        return value._shape == ()
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_size(value: int) -> bool:
    return _is_scalar(value) and (isinstance(value, Tensor) or value > 0)


def _also_two_numbers(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function, which takes the new height and width as two arguments too."""

    @functools.wraps(function)
    def either(images: TensorLike, *args: Any, **kwargs: Any) -> Tensor:
        if len(args) > 1 and _is_scalar(args[0]) and _is_size(args[1]):
            args = ([args[0], args[1]], *args[2:])
        return function(images, *args, **kwargs)

    return either


@export("image.resize_images", "image.resize", "image.resize_image")
@signature(
    "images, size, method=ResizeMethod.BILINEAR, align_corners=False, "
    "preserve_aspect_ratio=False, name=None"
)
@_also_two_numbers
def resize_images(
    images: TensorLike,
    size: TensorLike | None = None,
    method: int = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
    new_height: TensorLike | None = None,
    new_width: TensorLike | None = None,
) -> Tensor:
    """Resizes an image or a batch; the result is float32 unless the nearest pixel is taken.

    The order of arguments before release 0.12, ``(images, new_height, new_width, method,
    align_corners)``, is accepted too.

    Args:
        images: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        size: the new height and width.
        method: a `tf.image.ResizeMethod` or its name.
        align_corners: whether the centres of the corner pixels are kept.
        preserve_aspect_ratio: whether the proportions are kept; the result lies within `size`.
        name: the name scope.
        new_height: the older form of the height.
        new_width: the older form of the width.

    Returns:
        A tensor of the rank of `images`; `images` itself if nothing changes.

    Raises:
        ValueError: if a shape or the method does not fit.
    """
    if new_height is not None or new_width is not None:
        size = [new_height, new_width]
    with name_scope(name, "resize", [images, size]):
        images, is_batch = as_batch(images)
        _, height, width, _ = images._shape
        size = size_tensor_of(size)
        if preserve_aspect_ratio:
            size = keeping_ratio(images, size)
        new = constant_value_as_shape(size) or (None, None)
        if None not in (height, width) and new == (height, width):
            return images if is_batch else squeeze(images, axis=[0])
        images = _resizer(method)(images, size, align_corners=align_corners)
        images.set_shape([None, *new, None])
        return images if is_batch else squeeze(images, axis=[0])


@export("image.resize_image_with_pad")
def resize_image_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: int | str = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """Resizes images within a size, keeping their proportions, and puts zeros around them.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        target_height: the new height.
        target_width: the new width.
        method: a `tf.image.ResizeMethod`.
        align_corners: whether the centres of the corner pixels are kept.

    Returns:
        A tensor of the rank of `image`.

    Raises:
        ValueError: if a shape does not fit.
    """

    def resized(images: Tensor, size: Any) -> Tensor:
        return resize_images(images, size, method, align_corners)

    return resized_with_pad(image, target_height, target_width, resized)


def resized_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    resize: Callable[[Tensor, Any], Tensor],
) -> Tensor:
    """Resizes images within a size by a function, and puts zeros around them.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        target_height: the new height.
        target_width: the new width.
        resize: a function of a batch and a size.

    Returns:
        A tensor of the rank of `image`.
    """
    with name_scope(None, "resize_image_with_pad", [image]):
        image = convert_to_tensor(image, name="image")
        known_rank = three_or_four(image)
        is_batch = known_rank == 4
        if known_rank is None:
            image = expand_dims(image, 0)
            image.set_shape([None] * 4)
        elif not is_batch:
            image = expand_dims(image, 0)
        checked = checked_image(image)
        check_that(_positive(target_width), "target_width must be > 0.")
        check_that(_positive(target_height), "target_height must be > 0.")
        _, height, width, _ = sizes_of(checked, 4)
        wide_height = cast(height, dtypes.float64)
        wide_width = cast(width, dtypes.float64)
        wide_target_height = cast(target_height, dtypes.float64)
        wide_target_width = cast(target_width, dtypes.float64)
        ratio = build.Maximum(wide_width / wide_target_width, wide_height / wide_target_height)
        new_height, new_width = wide_height / ratio, wide_width / ratio
        whole_height = cast(build.Floor(new_height), dtypes.int32)
        whole_width = cast(build.Floor(new_width), dtypes.int32)
        half_height = (wide_target_height - new_height) / 2
        half_width = (wide_target_width - new_width) / 2
        above, left = build.Floor(half_height), build.Floor(half_width)
        above = build.Maximum(0, cast(above, dtypes.int32))
        left = build.Maximum(0, cast(left, dtypes.int32))
        resized = resize(checked, [whole_height, whole_width])
        padded = pad_to_bounding_box(resized, above, left, target_height, target_width)
        if padded._shape is None:
            raise ValueError("padded contains no shape.")
        return padded if is_batch else squeeze(padded, axis=[0])


def _positive(value: TensorLike) -> Any:
    return True if isinstance(value, Tensor) else value > 0
