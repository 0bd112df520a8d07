"""Where the pixels of a resized image come from."""

from __future__ import annotations

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import ShapeContext, shapes

_TABLE_SIZE = 1024


def invalid(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)


def shape_resize(c: ShapeContext) -> Shape:
    """The static shape of resized images: the inputs are images and their new size."""
    batch, _, _, depth = c.with_rank(c.record.schema.inputs[0].name, 4)
    return (batch, *size_of(c, "size"), depth)


def size_of(c: ShapeContext, name: str) -> tuple[int | None, int | None]:
    """Height and width that an input of two integers holds."""
    (count,) = c.with_rank(name, 1)
    if count not in (2, None):
        c.fail(f"Dimension must be 2 but is {count}")
    known = c.value_as_shape(name)
    return (None, None) if known is None else (known[0], known[1])


def checked_sizes(
    images: Array, size: np.ndarray, align_corners: bool = False, half_pixel_centers: bool = False
) -> tuple[int, int]:
    """The new height and width.

    Raises:
        InvalidArgumentError: if they do not fit or the images are empty.
    """
    if align_corners and half_pixel_centers:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")
    if images.ndim != 4:
        raise invalid(f"input must be 4-dimensional{shapes.show(images.shape)}")
    if size.ndim != 1:
        raise invalid(f"shape_t must be 1-dimensional{shapes.show(size.shape)}")
    if size.shape != (2,):
        raise invalid(f"shape_t must have two elements{shapes.show(size.shape)}")
    height, width = (int(n) for n in size)
    if height <= 0 or width <= 0:
        raise invalid("output dimensions must be positive")
    if images.shape[3] == 0:
        raise invalid("image must have at least one channel")
    if 0 in images.shape[1:3]:
        raise invalid("input image must be of non-zero size")
    return height, width


def scale_of(source: int, target: int, align_corners: bool) -> np.float32:
    """How many pixels of the source one pixel of the target is wide."""
    if align_corners and target > 1:
        return np.float32(source - 1) / np.float32(target - 1)
    return np.float32(source) / np.float32(target)


def positions(source: int, target: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """The place in the source of each pixel of the target, in float32."""
    scale = scale_of(source, target, align_corners)
    places = np.arange(target, dtype=np.float32)
    if half_pixel_centers:
        return (places + np.float32(0.5)) * scale - np.float32(0.5)
    return places * scale


def linear_taps(
    source: int, target: int, align_corners: bool, half_pixel_centers: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The two pixels around each place, and how far it is from the first to the second."""
    places = positions(source, target, align_corners, half_pixel_centers)
    floor = np.floor(places)
    lower = np.maximum(floor.astype(np.int64), 0)
    upper = np.minimum(np.ceil(places).astype(np.int64), source - 1)
    return np.minimum(lower, source - 1), np.maximum(upper, 0), places - floor


def nearest_taps(
    source: int, target: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """The pixel that is nearest to each place."""
    scale = scale_of(source, target, align_corners)
    places = np.arange(target, dtype=np.float32)
    if half_pixel_centers:
        places = places + np.float32(0.5)
    places = places * scale
    # Halves are rounded away from zero.
    nearest = np.floor(places + np.float32(0.5)) if align_corners else np.floor(places)
    return np.clip(nearest.astype(np.int64), 0, source - 1)


def _cubic_table(a: float) -> tuple[np.ndarray, np.ndarray]:
    """The cubic kernel at distances 0 to 1, and at 1 to 2."""
    x = np.arange(_TABLE_SIZE + 1) / _TABLE_SIZE
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    x = x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return near.astype(np.float32), far.astype(np.float32)


def cubic_taps(
    source: int, target: int, align_corners: bool, half_pixel_centers: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The four pixels around each place and their weights, ``[4, target]`` both."""
    near, far = _cubic_table(-0.5 if half_pixel_centers else -0.75)
    places = positions(source, target, align_corners, half_pixel_centers)
    floor = np.floor(places)
    offset = np.rint((places - floor) * np.float32(_TABLE_SIZE)).astype(np.int64)
    wanted = floor.astype(np.int64) + np.arange(-1, 3)[:, None]
    taps = np.clip(wanted, 0, source - 1)
    opposite = _TABLE_SIZE - offset
    weights = np.stack([far[offset], near[offset], near[opposite], far[opposite]])
    if half_pixel_centers:
        weights = np.where(taps == wanted, weights, np.float32(0))
        total = weights.sum(0)
        enough = np.abs(total) >= 1000 * np.finfo(np.float32).tiny
        weights = np.where(enough, weights / np.where(enough, total, np.float32(1)), weights)
    return taps, weights


def matrix_of(taps: np.ndarray, weights: np.ndarray, source: int) -> np.ndarray:
    """Taps and weights ``[n, target]`` as one matrix ``[target, source]``."""
    matrix = np.zeros((taps.shape[1], source), np.float32)
    for tap, weight in zip(taps, weights):
        np.add.at(matrix, (np.arange(taps.shape[1]), tap), weight)
    return matrix


def linear_matrix(source: int, target: int, align_corners: bool, half_pixel: bool) -> np.ndarray:
    """Linear interpolation along one dimension as a matrix ``[target, source]``."""
    lower, upper, distance = linear_taps(source, target, align_corners, half_pixel)
    return matrix_of(
        np.stack([lower, upper]), np.stack([np.float32(1) - distance, distance]), source
    )


def apply_taps(
    images: np.ndarray,
    rows: tuple[np.ndarray, np.ndarray],
    columns: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Resizes images by weighted sums of rows, then of columns, on the host, in float32.

    Args:
        images: ``[batch, height, width, channels]``.
        rows: the source rows of each target row and their weights, ``[n, target]`` both.
        columns: the same of columns.
    """
    batch, height, width, channels = images.shape
    partly = _weighted_sum(images.reshape(batch, height, width * channels), *rows, axis=1)
    # Rows of single values: NumPy takes those faster than pixels of several.
    values = np.arange(channels)
    taps = (columns[0][..., None] * channels + values).reshape(len(columns[0]), -1)
    weights = np.repeat(columns[1], channels, axis=1)
    result = _weighted_sum(partly, taps, weights, axis=2)
    return result.reshape(batch, rows[0].shape[1], columns[0].shape[1], channels)


def _weighted_sum(x: np.ndarray, taps: np.ndarray, weights: np.ndarray, axis: int) -> np.ndarray:
    """The sums of the parts of an array at some places along an axis."""
    factors = weights[:, :, None] if axis == 1 else weights[:, None, :]
    total: np.ndarray | None = None
    for tap, factor in zip(taps, factors):
        part = x.take(tap, axis=axis).astype(np.float32, copy=False)
        part *= factor
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None
    return total


def apply_matrices(xp: ArrayModule, images: Array, rows: Array, columns: Array) -> Array:
    """Multiplies height and width of images by matrices ``[target, source]``, in float32."""
    images = images.astype(np.float32)
    if xp is np:
        partly = np.einsum("th,bhwc->btwc", rows, images, optimize=True)
        return np.einsum("sw,btwc->btsc", columns, partly, optimize=True)
    # Accelerators would round the factors.
    partly = xp.einsum("th,bhwc->btwc", rows, images, precision="highest")
    return xp.einsum("sw,btwc->btsc", columns, partly, precision="highest")
