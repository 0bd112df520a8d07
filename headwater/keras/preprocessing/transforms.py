"""Affine and colour transforms of images that are arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.keras.preprocessing.images import array_to_img, img_to_array


@export("keras.preprocessing.image.random_rotation")
def random_rotation(
    x: Array,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Array:
    """Rotates an image by a random angle.

    Args:
        x: the image.
        rg: the largest angle, in degrees.
        row_axis: the axis of rows.
        col_axis: the axis of columns.
        channel_axis: the axis of channels.
        fill_mode: "constant", "nearest", "reflect" or "wrap": what is outside of the image.
        cval: the value outside, for "constant".
        interpolation_order: the order of the spline.

    Returns:
        An array of the same shape.
    """
    theta = np.random.uniform(-rg, rg)
    axes = (row_axis, col_axis, channel_axis)
    return apply_affine_transform(
        x, theta, 0, 0, 0, 1, 1, *axes, fill_mode, cval, interpolation_order
    )


@export("keras.preprocessing.image.random_shift")
def random_shift(
    x: Array,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Array:
    """Shifts an image by random distances.

    Args:
        x: the image.
        wrg: the largest part of the width.
        hrg: the largest part of the height.
        row_axis: the axis of rows.
        col_axis: the axis of columns.
        channel_axis: the axis of channels.
        fill_mode: see `random_rotation`.
        cval: see `random_rotation`.
        interpolation_order: the order of the spline.

    Returns:
        An array of the same shape.
    """
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    axes = (row_axis, col_axis, channel_axis)
    return apply_affine_transform(
        x, 0, tx, ty, 0, 1, 1, *axes, fill_mode, cval, interpolation_order
    )


@export("keras.preprocessing.image.random_shear")
def random_shear(
    x: Array,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Array:
    """Shears an image by a random angle.

    Args:
        x: the image.
        intensity: the largest angle, in degrees.
        row_axis: the axis of rows.
        col_axis: the axis of columns.
        channel_axis: the axis of channels.
        fill_mode: see `random_rotation`.
        cval: see `random_rotation`.
        interpolation_order: the order of the spline.

    Returns:
        An array of the same shape.
    """
    shear = np.random.uniform(-intensity, intensity)
    axes = (row_axis, col_axis, channel_axis)
    return apply_affine_transform(
        x, 0, 0, 0, shear, 1, 1, *axes, fill_mode, cval, interpolation_order
    )


@export("keras.preprocessing.image.random_zoom")
def random_zoom(
    x: Array,
    zoom_range: Sequence[float],
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Array:
    """Zooms rows and columns of an image by random factors.

    Args:
        x: the image.
        zoom_range: the least and the largest factor.
        row_axis: the axis of rows.
        col_axis: the axis of columns.
        channel_axis: the axis of channels.
        fill_mode: see `random_rotation`.
        cval: see `random_rotation`.
        interpolation_order: the order of the spline.

    Returns:
        An array of the same shape.

    Raises:
        ValueError: if `zoom_range` is not a pair.
    """
    if len(zoom_range) != 2:
        raise ValueError(
            f"`zoom_range` should be a tuple or list of two floats. Received: {zoom_range}"
        )
    zx: float = 1
    zy: float = 1
    if tuple(zoom_range) != (1, 1):
        zx, zy = np.random.uniform(zoom_range[0], zoom_range[1], 2)
    axes = (row_axis, col_axis, channel_axis)
    return apply_affine_transform(
        x, 0, 0, 0, 0, zx, zy, *axes, fill_mode, cval, interpolation_order
    )


@export("keras.preprocessing.image.apply_channel_shift")
def apply_channel_shift(x: Array, intensity: float, channel_axis: int = 0) -> Array:
    """Adds a number to all values, within the range of the image.

    Args:
        x: the image.
        intensity: the number.
        channel_axis: the axis of channels.

    Returns:
        An array of the same shape.
    """
    return np.clip(x + intensity, np.min(x), np.max(x))


@export("keras.preprocessing.image.random_channel_shift")
def random_channel_shift(x: Array, intensity_range: float, channel_axis: int = 0) -> Array:
    """Adds a random number to all values, within the range of the image.

    Args:
        x: the image.
        intensity_range: the largest number.
        channel_axis: the axis of channels.

    Returns:
        An array of the same shape.
    """
    intensity = np.random.uniform(-intensity_range, intensity_range)
    return apply_channel_shift(x, intensity, channel_axis)


@export("keras.preprocessing.image.apply_brightness_shift")
def apply_brightness_shift(x: Array, brightness: float) -> Array:
    """Multiplies the brightness of an image.

    Args:
        x: the image.
        brightness: the factor.

    Returns:
        An array of the same shape, from 0 to 255.
    """
    # Pillow loads slowly.
    from PIL import ImageEnhance

    return img_to_array(ImageEnhance.Brightness(array_to_img(x)).enhance(brightness))


@export("keras.preprocessing.image.random_brightness")
def random_brightness(x: Array, brightness_range: Sequence[float]) -> Array:
    """Multiplies the brightness of an image by a random factor.

    Args:
        x: the image.
        brightness_range: the least and the largest factor.

    Returns:
        An array of the same shape, from 0 to 255.

    Raises:
        ValueError: if `brightness_range` is not a pair.
    """
    if len(brightness_range) != 2:
        raise ValueError(
            f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}"
        )
    return apply_brightness_shift(x, np.random.uniform(brightness_range[0], brightness_range[1]))


def _affine_matrix(
    theta: float, tx: float, ty: float, shear: float, zx: float, zy: float
) -> Array | None:
    """Rotation, then shift, shear and zoom; None if there is nothing to do."""
    parts: list[Any] = []
    if theta != 0:
        angle = np.deg2rad(theta)
        parts.append([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0]])
    if tx != 0 or ty != 0:
        parts.append([[1, 0, tx], [0, 1, ty]])
    if shear != 0:
        angle = np.deg2rad(shear)
        parts.append([[1, -np.sin(angle), 0], [0, np.cos(angle), 0]])
    if zx != 1 or zy != 1:
        parts.append([[zx, 0, 0], [0, zy, 0]])
    if not parts:
        return None
    matrix = np.eye(3)
    for part in parts:
        matrix = matrix @ np.array([*part, [0, 0, 1]], np.float64)
    return matrix


@export("keras.preprocessing.image.apply_affine_transform")
def apply_affine_transform(
    x: Array,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 0,
    col_axis: int = 1,
    channel_axis: int = 2,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> Array:
    """Rotates, shifts, shears and zooms an image about its centre.

    Args:
        x: the image.
        theta: the angle of rotation, in degrees.
        tx: the shift of rows.
        ty: the shift of columns.
        shear: the angle of shear, in degrees.
        zx: the zoom of rows.
        zy: the zoom of columns.
        row_axis: the axis of rows.
        col_axis: the axis of columns.
        channel_axis: the axis of channels.
        fill_mode: "constant", "nearest", "reflect" or "wrap": what is outside of the image.
        cval: the value outside, for "constant".
        order: the order of the spline.

    Returns:
        An array of the same shape.
    """
    matrix = _affine_matrix(theta, tx, ty, shear, zx, zy)
    if matrix is None:
        return x
    # scipy.ndimage loads slowly.
    from scipy import ndimage

    centre = np.eye(3)
    centre[:2, 2] = x.shape[row_axis] / 2.0 + 0.5, x.shape[col_axis] / 2.0 + 0.5
    back = np.eye(3)
    back[:2, 2] = -centre[:2, 2]
    matrix = centre @ matrix @ back
    channels = [
        ndimage.affine_transform(
            channel, matrix[:2, :2], matrix[:2, 2], order=order, mode=fill_mode, cval=cval
        )
        for channel in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(channels), 0, channel_axis)


def flip_axis(x: Array, axis: int) -> Array:
    """An image mirrored along an axis."""
    return np.flip(x, axis)
