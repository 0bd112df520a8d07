"""Padding and cropping images to a size."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
    with_dependencies,
)
from headwater.ops.array.reshape import expand_dims, reshape, squeeze
from headwater.ops.array.stack import stack
from headwater.ops.image.arguments import (
    RANKS,
    check_that,
    checked_image,
    equal,
    image_checks,
    known_dim,
    known_size,
    larger,
    sizes_of,
    smaller,
)
from headwater.ops.math.cast import cast


def _as_batch(image: TensorLike) -> tuple[Tensor, bool]:
    """An image as a batch, and whether it was one."""
    image = convert_to_tensor(image, name="image")
    if image._shape is None:
        image = expand_dims(image, 0)
        image.set_shape([None] * 4)
        return image, False
    if len(image._shape) == 3:
        return expand_dims(image, 0), False
    if len(image._shape) != 4:
        raise ValueError(RANKS)
    return image, True


@export("image.pad_to_bounding_box")
def pad_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """Puts zeros around images.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        offset_height: how many rows of zeros stand above.
        offset_width: how many columns of zeros stand on the left.
        target_height: the new height.
        target_width: the new width.

    Returns:
        A tensor of the rank of `image`.

    Raises:
        ValueError: if the images do not fit there.
    """
    with name_scope(None, "pad_to_bounding_box", [image]):
        image, is_batch = _as_batch(image)
        checks = image_checks(image)
        batch, height, width, depth = sizes_of(image, 4)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        checks += check_that(offset_height >= 0, "offset_height must be >= 0")
        checks += check_that(offset_width >= 0, "offset_width must be >= 0")
        checks += check_that(right >= 0, "width must be <= target - offset")
        checks += check_that(below >= 0, "height must be <= target - offset")
        image = with_dependencies(checks, image)
        widths = stack([0, 0, offset_height, below, offset_width, right, 0, 0])
        padded = build.Pad(image, reshape(widths, [4, 2]), name="Pad")
        sizes = (batch, target_height, target_width, depth)
        padded.set_shape([known_size(size) for size in sizes])
        return padded if is_batch else squeeze(padded, axis=[0])


@export("image.crop_to_bounding_box")
def crop_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """Cuts a window out of images.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        offset_height: the first row of the window.
        offset_width: its first column.
        target_height: its height.
        target_width: its width.

    Returns:
        A tensor of the rank of `image`.

    Raises:
        ValueError: if the window does not lie in the images.
    """
    with name_scope(None, "crop_to_bounding_box", [image]):
        image, is_batch = _as_batch(image)
        checks = image_checks(image)
        batch, height, width, depth = sizes_of(image, 4)
        checks += check_that(offset_width >= 0, "offset_width must be >= 0.")
        checks += check_that(offset_height >= 0, "offset_height must be >= 0.")
        checks += check_that(target_width > 0, "target_width must be > 0.")
        checks += check_that(target_height > 0, "target_height must be > 0.")
        checks += check_that(
            width >= target_width + offset_width, "width must be >= target + offset."
        )
        checks += check_that(
            height >= target_height + offset_height, "height must be >= target + offset."
        )
        image = with_dependencies(checks, image)
        begin = stack([0, offset_height, offset_width, 0])
        cropped = build.Slice(image, begin, stack([-1, target_height, target_width, -1]))
        sizes = (batch, target_height, target_width, depth)
        cropped.set_shape([known_size(size) for size in sizes])
        return cropped if is_batch else squeeze(cropped, axis=[0])


@export("image.resize_image_with_crop_or_pad", "image.resize_with_crop_or_pad")
def resize_image_with_crop_or_pad(
    image: TensorLike, target_height: TensorLike, target_width: TensorLike
) -> Tensor:
    """Brings images to a size by cropping or padding around the middle.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        target_height: the new height.
        target_width: the new width.

    Returns:
        A tensor of the rank of `image`.

    Raises:
        ValueError: if a shape does not fit.
    """
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, is_batch = _as_batch(image)
        checks = image_checks(image)
        checks += check_that(target_width > 0, "target_width must be > 0.")
        checks += check_that(target_height > 0, "target_height must be > 0.")
        image = with_dependencies(checks, image)
        # Tensors as sizes are checked before they are used.
        if isinstance(target_height, Tensor):
            target_height = with_dependencies(checks, target_height)
        if isinstance(target_width, Tensor):
            target_width = with_dependencies(checks, target_width)
        _, height, width, _ = sizes_of(image, 4)
        missing = target_width - width
        offset_crop_width = larger(-missing // 2, 0)
        offset_pad_width = larger(missing // 2, 0)
        missing = target_height - height
        offset_crop_height = larger(-missing // 2, 0)
        offset_pad_height = larger(missing // 2, 0)
        cropped = crop_to_bounding_box(
            image,
            offset_crop_height,
            offset_crop_width,
            smaller(target_height, height),
            smaller(target_width, width),
        )
        resized = pad_to_bounding_box(
            cropped, offset_pad_height, offset_pad_width, target_height, target_width
        )
        if resized._shape is None:
            raise ValueError("resized contains no shape.")
        _, new_height, new_width, _ = sizes_of(resized, 4)
        checks = check_that(equal(new_height, target_height), "resized height is not correct.")
        checks += check_that(equal(new_width, target_width), "resized width is not correct.")
        resized = with_dependencies(checks, resized)
        return resized if is_batch else squeeze(resized, axis=[0])


@export("image.central_crop")
def central_crop(image: TensorLike, central_fraction: float) -> Tensor:
    """Cuts the middle out of images.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        central_fraction: the part of height and width that is kept, in (0, 1].

    Returns:
        A tensor of the rank of `image`.

    Raises:
        ValueError: if the fraction or the rank does not fit.
    """
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        if central_fraction <= 0.0 or central_fraction > 1.0:
            raise ValueError("central_fraction must be within (0, 1]")
        if central_fraction == 1.0:
            return image
        rank = None if image._shape is None else len(image._shape)
        if rank is not None and rank < 3:
            raise ValueError("'image' must be at least three-dimensional.")
        if rank not in (3, 4):
            raise ValueError(
                f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {rank}."
            )
        checked_image(image)
        sizes = [_size_of(image, axis) for axis in range(rank - 3, rank - 1)]
        starts = [_margin(size, central_fraction) for size in sizes]
        lengths = [size - start * 2 for size, start in zip(sizes, starts)]
        around = rank - 3
        begin = stack([0] * around + starts + [0])
        cropped = build.Slice(image, begin, stack([-1] * around + lengths + [-1]))
        depth = known_dim(image, -1)
        known = [known_dim(image, 0)] * around + [known_size(n) for n in lengths] + [depth]
        cropped.set_shape(known)
        return cropped


def _size_of(image: Tensor, axis: int) -> Tensor | float:
    known = known_dim(image, axis)
    return shape_tensor(image)[axis] if known is None else known


def _margin(size: TensorLike, fraction: float) -> Tensor | float:
    """How much is left out before the middle."""
    if isinstance(size, Tensor):
        wide = cast(size, dtypes.float64)
        return cast((wide - wide * fraction) / 2, dtypes.int32)
    return int((size - size * fraction) / 2)
