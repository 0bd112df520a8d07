"""Resizing images by linear sampling on the host: by native kernels, or with NumPy."""

from __future__ import annotations

import numpy as np

from headwater.ops.image import native_resize
from headwater.ops.image.sampling import linear_taps


def resize_on_host(
    images: np.ndarray, height: int, width: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Resizes images; the results are those of the kernel that is compiled, bit for bit.

    A row of the source is stretched once, however many rows of the target it is part of, and what
    is computed stays small enough for the caches: one image at a time, in place.

    Args:
        images: ``[batch, height, width, channels]``, of any type.
        height: the new height.
        width: the new width.
        align_corners: whether the corner pixels keep their values.
        half_pixel_centers: whether pixels are taken to be at their centres.

    Returns:
        ``[batch, height, width, channels]``, float32.
    """
    batch, rows, columns, channels = images.shape
    top, bottom, down = linear_taps(rows, height, align_corners, half_pixel_centers)
    left, right, across = linear_taps(columns, width, align_corners, half_pixel_centers)
    # Flips are views; NumPy would copy them pixel by pixel.
    if images.strides[1] < 0:
        images, top, bottom = images[:, ::-1], rows - 1 - top, rows - 1 - bottom
    if images.strides[2] < 0:
        images, left, right = images[:, :, ::-1], columns - 1 - left, columns - 1 - right
    resized = native_resize.resize(
        images,
        native_resize.Taps(top, bottom, down),
        native_resize.Taps(left, right, across),
    )
    if resized is not None:
        return resized
    if rows > 2 * height:
        used, places = np.unique(np.concatenate([top, bottom]), return_inverse=True)
        images = images.take(used, axis=1)
        top, bottom = places[:height], places[height:]
    # Rows of single values: NumPy takes those faster than pixels of several.
    lines = images.reshape(batch, images.shape[1], columns * channels)
    left, right = _values_of(left, channels), _values_of(right, channels)
    across, down = np.repeat(across, channels), down[:, None]
    result = np.empty((batch, height, width * channels), np.float32)
    for source, target in zip(lines, result):
        first = source.take(left, axis=1).astype(np.float32)
        stretched = source.take(right, axis=1).astype(np.float32)
        _interpolate(first, stretched, across)
        stretched.take(bottom, axis=0, out=target, mode="clip")
        _interpolate(stretched.take(top, axis=0), target, down)
    return result.reshape(batch, height, width, channels)


def _values_of(pixels: np.ndarray, channels: int) -> np.ndarray:
    """The indices of the values of pixels."""
    return (pixels[:, None] * channels + np.arange(channels)).ravel()


def _interpolate(first: np.ndarray, second: np.ndarray, distance: np.ndarray) -> None:
    """Puts ``first + (second - first) * distance`` into `second`."""
    second -= first
    second *= distance
    second += first
