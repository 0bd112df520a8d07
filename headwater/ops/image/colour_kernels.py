"""Colours as ops: RGBToHSV, HSVToRGB, AdjustHue, AdjustSaturation, AdjustContrast."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    VJP,
    Sample,
    ShapeContext,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.image.sampling import invalid

if TYPE_CHECKING:
    from headwater.graph.registry import GradientRule


def shape_colours(c: ShapeContext) -> Shape:
    shape = c.with_rank_at_least("images", 1)
    if shape is None:
        return None
    if shape[-1] not in (3, None):
        c.fail(f"Dimension must be 3 but is {shape[-1]}")
    return (*shape[:-1], 3)


def _checked(images: Array) -> Array:
    if images.ndim < 1:
        raise invalid("input must be at least 1D[]")
    if images.shape[-1] != 3:
        text = f"input must have 3 channels but input only has {images.shape[-1]} channels."
        raise errors.FailedPreconditionError(None, None, text)
    return images


def _channels(xp: ArrayModule, images: Array) -> list[Array]:
    """The three channels, each in memory of its own on the host: NumPy is slow at every third."""
    channels = [images[..., i] for i in range(3)]
    return [channel.copy() for channel in channels] if xp is np else channels


def _hsv(xp: ArrayModule, rgb: Array) -> tuple[Array, Array, Array]:
    """Hue, saturation and value of colours."""
    kind = rgb.dtype.type
    red, green, blue = _channels(xp, rgb)
    if xp is np:
        value = np.maximum(np.maximum(red, green), blue)
        spread = value - np.minimum(np.minimum(red, green), blue)
    else:
        value = xp.max(rgb, axis=-1)
        spread = value - xp.min(rgb, axis=-1)
    saturation = xp.where(value > kind(0), spread / xp.where(value > 0, value, kind(1)), kind(0))
    norm = kind(1) / kind(6) / xp.where(spread > 0, spread, kind(1))
    hue = xp.where(
        red == value,
        norm * (green - blue),
        xp.where(
            green == value,
            norm * (blue - red) + kind(2) / kind(6),
            norm * (red - green) + kind(4) / kind(6),
        ),
    )
    hue = xp.where(spread > 0, hue, kind(0))
    return xp.where(hue < 0, hue + kind(1), hue), saturation, value


def _rgb(xp: ArrayModule, hue: Array, saturation: Array, value: Array) -> Array:
    """Colours of hue, saturation and value."""
    kind = hue.dtype.type
    hue = hue * kind(6)
    one, zero = kind(1), kind(0)
    parts = [
        xp.clip(xp.abs(hue - kind(3)) - one, zero, one),
        xp.clip(kind(2) - xp.abs(hue - kind(2)), zero, one),
        xp.clip(kind(2) - xp.abs(hue - kind(4)), zero, one),
    ]
    shades = [((part - one) * saturation + one) * value for part in parts]
    return xp.stack(shades, axis=-1)


def kernel_rgb_to_hsv(xp: ArrayModule, images: Array) -> Array:
    return xp.stack(_hsv(xp, _checked(images)), axis=-1)


def kernel_hsv_to_rgb(xp: ArrayModule, images: Array) -> Array:
    return _rgb(xp, *_channels(xp, _checked(images)))


def _check_adjusted(images: Array, name: str, amount: Array) -> None:
    if images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{shapes.show(images.shape)}")
    if amount.ndim:
        raise invalid(f"{name} must be scalar: {shapes.show(amount.shape)}")
    if images.shape[-1] != 3:
        raise invalid(f"input must have 3 channels but instead has {images.shape[-1]} channels.")


def kernel_adjust_hue(xp: ArrayModule, images: Array, delta: Array) -> Array:
    _check_adjusted(images, "delta", delta)
    return _adjusted_hue(xp, images, delta)


def rows_of_adjust_hue(xp: ArrayModule, rows: Array, images: Array, delta: Array) -> Array:
    _check_adjusted(images[0], "delta", delta[0])
    return _adjusted_hue(xp, images, _per_row(delta, images.ndim - 1))


def _per_row(amount: Array, rank: int) -> Array:
    """One number for each row, in a shape that broadcasts to rows of a rank."""
    return amount.reshape(-1, *[1] * (rank - 1))


def _adjusted_hue(xp: ArrayModule, images: Array, delta: Array) -> Array:
    hue, saturation, value = _hsv(xp, images.astype(np.float32))
    hue = hue + delta
    return _rgb(xp, hue - xp.floor(hue), saturation, value).astype(images.dtype)


def kernel_adjust_saturation(xp: ArrayModule, images: Array, scale: Array) -> Array:
    _check_adjusted(images, "scale", scale)
    return _adjusted_saturation(xp, images, scale)


def rows_of_adjust_saturation(xp: ArrayModule, rows: Array, images: Array, scale: Array) -> Array:
    _check_adjusted(images[0], "scale", scale[0])
    return _adjusted_saturation(xp, images, _per_row(scale, images.ndim - 1))


def _adjusted_saturation(xp: ArrayModule, images: Array, scale: Array) -> Array:
    hue, saturation, value = _hsv(xp, images.astype(np.float32))
    saturation = xp.clip(saturation * scale, np.float32(0), np.float32(1))
    return _rgb(xp, hue, saturation, value).astype(images.dtype)


def _check_contrast(images: Array, factor: Array) -> None:
    if images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{shapes.show(images.shape)}")
    if factor.ndim:
        raise invalid(f"contrast_factor must be scalar: {shapes.show(factor.shape)}")


def _contrast(xp: ArrayModule, images: Array, factor: Array) -> Array:
    """Moves pixels away from the mean of their channel."""
    wide = images.astype(np.float32)
    # Sums of whole rows first: NumPy adds long rows faster than pixels.
    count = np.float32(wide.shape[-3] * wide.shape[-2])
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = xp.sum(xp.sum(wide, axis=-3, keepdims=True), axis=-2, keepdims=True) / count
    return (wide - mean) * factor + mean


def kernel_adjust_contrast(
    xp: ArrayModule, images: Array, contrast_factor: Array, min_value: Array, max_value: Array
) -> Array:
    _check_contrast(images, contrast_factor)
    return xp.clip(_contrast(xp, images, contrast_factor), min_value, max_value)


def kernel_adjust_contrast_v2(xp: ArrayModule, images: Array, contrast_factor: Array) -> Array:
    _check_contrast(images, contrast_factor)
    return _contrast(xp, images, contrast_factor).astype(images.dtype)


def rows_of_adjust_contrast_v2(
    xp: ArrayModule, rows: Array, images: Array, contrast_factor: Array
) -> Array:
    _check_contrast(images[0], contrast_factor[0])
    return _contrast(xp, images, _per_row(contrast_factor, images.ndim)).astype(images.dtype)


def shape_adjusted(c: ShapeContext) -> Shape:
    return c.with_rank_at_least("images", 3)


def samples_colours() -> Iterator[Sample]:
    colours = np.array(
        [[0.1, 0.5, 0.9], [0.7, 0.2, 0.3], [0.4, 0.8, 0.1], [0.3, 0.1, 0.6]], np.float32
    )
    yield Sample(colours, rtol=1e-2, atol=1e-2)
    yield Sample(colours.reshape(2, 2, 3).astype(np.float64))


def samples_adjusted() -> Iterator[Sample]:
    pixels = (np.arange(24, dtype=np.float32) * np.float32(7) % np.float32(23)) / np.float32(23)
    yield Sample(pixels.reshape(2, 4, 3), np.float32(0.3))
    yield Sample(pixels.reshape(2, 2, 2, 3), np.float32(1.5))


_FLOATS = "half, bfloat16, float, double"


def _register_conversion(name: str, kernel: Callable[..., Any], gradient: GradientRule) -> None:
    register_op(
        name,
        inputs="images: T",
        outputs="output: T",
        attrs=f"T: {{{_FLOATS}}} = float",
        shape=shape_colours,
        kernel=kernel,
        gradient=gradient,
        samples=samples_colours,
    )


_register_conversion("RGBToHSV", kernel_rgb_to_hsv, VJP)
_register_conversion("HSVToRGB", kernel_hsv_to_rgb, NOT_DIFFERENTIABLE)


def _register_adjustment(
    name: str, amount: str, adjust: Callable[..., Any], adjust_rows: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs=f"images: T, {amount}: float",
        outputs="output: T",
        attrs="T: {half, float} = float",
        shape=shape_adjusted,
        kernel=adjust,
        row_kernel=adjust_rows,
        samples=samples_adjusted,
    )


_register_adjustment("AdjustHue", "delta", kernel_adjust_hue, rows_of_adjust_hue)
_register_adjustment(
    "AdjustSaturation", "scale", kernel_adjust_saturation, rows_of_adjust_saturation
)
_register_adjustment(
    "AdjustContrastv2",
    "contrast_factor",
    kernel_adjust_contrast_v2,
    rows_of_adjust_contrast_v2,
)
register_op(
    "AdjustContrast",
    inputs="images: T, contrast_factor: float, min_value: float, max_value: float",
    outputs="output: float",
    attrs="T: {uint8, int8, int16, int32, int64, float, double}",
    shape=shape_adjusted,
    kernel=kernel_adjust_contrast,
)


@export("image.rgb_to_hsv")
def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Converts colours to hue, saturation and value, all in [0, 1].

    Args:
        images: floats whose last dimension is red, green and blue in [0, 1].
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.RGBToHSV(images, name=name)


@export("image.hsv_to_rgb")
def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Converts hue, saturation and value to colours.

    Args:
        images: floats whose last dimension is hue, saturation and value in [0, 1].
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.HSVToRGB(images, name=name)
