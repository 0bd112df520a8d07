"""Brightness, contrast, hue, saturation, gamma and JPEG noise of images, also by chance."""

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
from headwater.ops.image.arguments import check_that, checked_image
from headwater.ops.image.convert_dtype import convert_image_dtype
from headwater.ops.image.decode import decode_jpeg
from headwater.ops.math.axes import all_axes
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_std
from headwater.ops.random.uniform import random_uniform


def _floats(image: Tensor) -> Tensor:
    """Pixels as floats, of half precision if they have it."""
    if image.dtype in (dtypes.float16, dtypes.float32):
        return image
    return convert_image_dtype(image, dtypes.float32)


@export("image.adjust_brightness")
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Adds a number to pixels.

    Args:
        image: a tensor; integers are taken as [0, 1].
        delta: a scalar.

    Returns:
        A tensor of the shape and type of `image`.
    """
    with name_scope(None, "adjust_brightness", [image, delta]) as scope:
        image = convert_to_tensor(image, name="image")
        floats = _floats(image)
        adjusted = build.Add(floats, cast(delta, floats.dtype), name=scope)
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


@export("image.random_brightness")
def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """Adds a random number to pixels.

    Args:
        image: a tensor.
        max_delta: the number lies within [-max_delta, max_delta).
        seed: the op-level seed; see `tf.set_random_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `max_delta` is negative.
    """
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


@export("image.adjust_contrast")
def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Moves pixels away from the mean of their channel.

    Args:
        images: a tensor ``[..., height, width, channels]``.
        contrast_factor: what the distance is multiplied by.

    Returns:
        A tensor of the shape and type of `images`.
    """
    with name_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
        images = convert_to_tensor(images, name="images")
        adjusted = build.AdjustContrastv2(_floats(images), contrast_factor, name=scope)
        return convert_image_dtype(adjusted, images.dtype, saturate=True)


def _check_range(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


@export("image.random_contrast")
def random_contrast(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: int | None = None
) -> Tensor:
    """Changes the contrast by a random factor.

    Args:
        image: a tensor ``[..., height, width, channels]``.
        lower: the least factor.
        upper: the limit of the factor.
        seed: the op-level seed; see `tf.set_random_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if the limits do not fit.
    """
    _check_range(lower, upper)
    return adjust_contrast(image, random_uniform([], lower, upper, seed=seed))


@export("image.adjust_saturation")
def adjust_saturation(
    image: TensorLike, saturation_factor: TensorLike, name: str | None = None
) -> Tensor:
    """Multiplies the saturation of colours.

    Args:
        image: colours ``[..., height, width, 3]``.
        saturation_factor: a scalar.
        name: the name scope.

    Returns:
        A tensor of the shape and type of `image`.
    """
    with name_scope(name, "adjust_saturation", [image]):
        image = convert_to_tensor(image, name="image")
        adjusted = build.AdjustSaturation(_floats(image), saturation_factor)
        return convert_image_dtype(adjusted, image.dtype)


@export("image.random_saturation")
def random_saturation(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: int | None = None
) -> Tensor:
    """Multiplies the saturation of colours by a random factor.

    Args:
        image: colours ``[..., height, width, 3]``.
        lower: the least factor.
        upper: the limit of the factor.
        seed: the op-level seed; see `tf.set_random_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if the limits do not fit.
    """
    _check_range(lower, upper)
    return adjust_saturation(image, random_uniform([], lower, upper, seed=seed))


@export("image.adjust_hue")
def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """Turns the hue of colours.

    Args:
        image: colours ``[..., height, width, 3]``.
        delta: a part of the circle, in [-1, 1].
        name: the name scope.

    Returns:
        A tensor of the shape and type of `image`.
    """
    with name_scope(name, "adjust_hue", [image]):
        image = convert_to_tensor(image, name="image")
        return convert_image_dtype(build.AdjustHue(_floats(image), delta), image.dtype)


@export("image.random_hue")
def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """Turns the hue of colours by a random part of the circle.

    Args:
        image: colours ``[..., height, width, 3]``.
        max_delta: the part lies within [-max_delta, max_delta); at most 0.5.
        seed: the op-level seed; see `tf.set_random_seed`.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `max_delta` is out of range.
    """
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


@export("image.adjust_gamma")
def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: float = 1) -> Tensor:
    """Raises pixels to a power.

    Args:
        image: a tensor; integers are taken as [0, 1].
        gamma: the exponent, at least 0.
        gain: what the result is multiplied by.

    Returns:
        A tensor of the shape and type of `image`.

    Raises:
        ValueError: if `gamma` is negative.
    """
    with name_scope(None, "adjust_gamma", [image, gamma, gain]):
        image = convert_to_tensor(image, name="image")
        floats = _floats(image)
        checks = check_that(gamma >= 0, "Gamma should be a non-negative real number.")
        if checks:
            gamma = with_dependencies(checks, gamma)
        adjusted = gain * floats**gamma
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


@export("image.per_image_standardization")
def per_image_standardization(image: TensorLike) -> Tensor:
    """Brings each image to mean 0 and variance 1.

    The deviation counts as at least ``1 / sqrt(number of values)``, so that images of one colour
    become zeros.

    Args:
        image: a tensor ``[..., height, width, channels]``.

    Returns:
        A tensor of the same shape and type.

    Raises:
        ValueError: if the rank is below 3.
    """
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))
        floats = _floats(image)
        sizes = shape_tensor(floats)[-3:]
        count = build.Prod(sizes, all_axes(sizes))
        axes = [-1, -2, -3]
        mean = build.Mean(floats, axes, keep_dims=True)
        deviation = reduce_std(floats, axis=axes, keepdims=True)
        deviation = build.Maximum(deviation, build.Rsqrt(cast(count, floats.dtype)))
        standardized = build.RealDiv(floats - mean, deviation, name=scope)
        return convert_image_dtype(standardized, image.dtype, saturate=True)


@export("image.per_image_whitening")
def per_image_whitening(image: TensorLike) -> Tensor:
    """`tf.image.per_image_standardization` by its name before release 1.0.

    Args:
        image: a tensor ``[height, width, channels]``.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if the rank does not fit.
    """
    return per_image_standardization(image)


@export("image.adjust_jpeg_quality")
def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, name: str | None = None
) -> Tensor:
    """Gives an image the noise of a JPEG file.

    Args:
        image: a tensor ``[height, width, channels]`` with 1 or 3 channels.
        jpeg_quality: the quality, 0 to 100.
        name: the name scope.

    Returns:
        A tensor of the type of `image`.
    """
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image, name="image")
        pixels = convert_image_dtype(image, dtypes.uint8)
        if not isinstance(jpeg_quality, Tensor):
            jpeg_quality = convert_to_tensor(jpeg_quality, dtypes.int32)
        data = build.EncodeJpegVariableQuality(pixels, jpeg_quality)
        return convert_image_dtype(decode_jpeg(data), image.dtype)


@export("image.random_jpeg_quality")
def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """Gives an image the noise of a JPEG file of random quality.

    Args:
        image: a tensor ``[height, width, channels]`` with 1 or 3 channels.
        min_jpeg_quality: the least quality.
        max_jpeg_quality: the limit of the quality.
        seed: the op-level seed; see `tf.set_random_seed`.

    Returns:
        A tensor of the type of `image`.

    Raises:
        ValueError: if the limits do not fit.
    """
    limits = (min_jpeg_quality, max_jpeg_quality)
    if min(limits) < 0 or max(limits) > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = random_uniform([], *limits, seed=seed, dtype=dtypes.int32)
    return adjust_jpeg_quality(image, quality)
