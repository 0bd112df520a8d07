"""Large images, processed in bands of rows so that intermediate arrays stay small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array

_BAND_PIXELS = 1 << 16


def bands(height: int, width: int) -> Iterator[slice]:
    """The rows of an image, an even number at a time except for the last ones."""
    rows = max(2, _BAND_PIXELS // max(width, 1) // 2 * 2)
    for start in range(0, height, rows):
        yield slice(start, min(start + rows, height))


def by_bands(height: int, width: int, make: Callable[[slice], np.ndarray]) -> np.ndarray:
    """Makes an image of at least one pixel.

    Args:
        height: the number of rows.
        width: the number of columns.
        make: returns the pixels of some rows, ``[rows, width, ...]``, always of one dtype.

    Returns:
        The pixels of all rows.
    """
    result: Array = None
    for band in bands(height, width):
        part = make(band)
        if result is None:
            if len(part) == height:
                return part
            result = np.empty((height, *part.shape[1:]), part.dtype)
        result[band] = part
    return result


def rows_of(image: Any, band: slice) -> np.ndarray:
    """The pixels of some rows of a Pillow image."""
    return np.asarray(image.crop((0, band.start, image.width, band.stop)))


def pixels_of(image: Any) -> np.ndarray:
    """The pixels of a Pillow image; NumPy alone would copy them twice."""
    return by_bands(image.height, image.width, lambda band: rows_of(image, band))
