"""`tf.compat.v2.image.resize`: pixels are areas whose centres lie at halves."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, constant_value_as_shape, convert_to_tensor, name_scope
from headwater.ops.array.reshape import squeeze
from headwater.ops.image.arguments import size_tensor_of, sizes_of
from headwater.ops.image.resize_images import as_batch, keeping_ratio, resized_with_pad
from headwater.ops.math.cast import cast


class ResizeMethodV2:
    """Names of the ways to resize images."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


# The kernels of ScaleAndTranslate; the first two are for antialiasing only.
_KERNELS = {
    "bilinear": "triangle",
    "bicubic": "keyscubic",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
    "gaussian": "gaussian",
    "mitchellcubic": "mitchellcubic",
}


def _resized(images: Tensor, size: Tensor, method: str, antialias: bool) -> Tensor:
    if method == "nearest":
        return build.ResizeNearestNeighbor(images, size, half_pixel_centers=True)
    if method == "area":
        return build.ResizeArea(images, size)
    if method == "bilinear" and not antialias:
        return build.ResizeBilinear(images, size, half_pixel_centers=True)
    if method == "bicubic" and not antialias:
        return build.ResizeBicubic(images, size, half_pixel_centers=True)
    if method not in _KERNELS:
        raise ValueError("Resize method is not implemented.")
    _, height, width, _ = sizes_of(images, 4)
    before = cast(convert_to_tensor([height, width]), dtypes.float32)
    return build.ScaleAndTranslate(
        images,
        size,
        cast(size, dtypes.float32) / before,
        [0.0, 0.0],
        kernel_type=_KERNELS[method],
        antialias=antialias,
    )


def resize_images_v2(
    images: TensorLike,
    size: TensorLike,
    method: str = ResizeMethodV2.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes an image or a batch; the result is float32 unless the nearest pixel is taken.

    Args:
        images: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        size: the new height and width.
        method: a `ResizeMethod`.
        preserve_aspect_ratio: whether the proportions are kept; the result lies within `size`.
        antialias: whether all pixels count when an image gets smaller.
        name: the name scope.

    Returns:
        A tensor of the rank of `images`.

    Raises:
        ValueError: if a shape or the method does not fit.
    """
    with name_scope(name, "resize", [images, size]):
        images, is_batch = as_batch(images)
        size = size_tensor_of(size)
        if preserve_aspect_ratio:
            size = keeping_ratio(images, size)
        resized = _resized(images, size, method, antialias)
        resized.set_shape([None, *(constant_value_as_shape(size) or (None, None)), None])
        return resized if is_batch else squeeze(resized, axis=[0])


def resize_image_with_pad_v2(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: str = ResizeMethodV2.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Resizes images within a size, keeping their proportions, and puts zeros around them.

    Args:
        image: a tensor ``[height, width, channels]`` or ``[batch, height, width, channels]``.
        target_height: the new height.
        target_width: the new width.
        method: a `ResizeMethod`.
        antialias: whether all pixels count when an image gets smaller.

    Returns:
        A tensor of the rank of `image`.
    """

    def resized(images: Tensor, size: Any) -> Tensor:
        return resize_images_v2(images, size, method, antialias=antialias)

    return resized_with_pad(image, target_height, target_width, resized)
