"""Resizing images by linear sampling with the native kernels."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, NamedTuple

import numpy as np

from headwater.base import native


class Taps(NamedTuple):
    """The two places around each place of the result, and how far it is between them.

    Attributes:
        first: the first places, int64.
        second: the second places, int64.
        distance: from the first to the second, float32.
    """

    first: np.ndarray
    second: np.ndarray
    distance: np.ndarray


@functools.lru_cache(maxsize=1)
def _function() -> Any:
    """The function of `headwater/native/resize.cc`; None if there is none."""
    library = native.library()
    if library is None or not hasattr(library, "headwater_resize_linear"):
        # A library that was built from older sources has other functions only.
        return None
    array = ctypes.c_void_p
    library.headwater_resize_linear.argtypes = [array, ctypes.c_int, *[array] * 6]
    return library.headwater_resize_linear


def is_built() -> bool:
    """Whether there are native kernels."""
    return _function() is not None


def resize(images: np.ndarray, down: Taps, across: Taps) -> np.ndarray | None:
    """Resizes images.

    Args:
        images: ``[batch, height, width, channels]``.
        down: the taps of the rows.
        across: the taps of the columns.

    Returns:
        ``[batch, new height, new width, channels]``, float32; None without the kernels, and for
        images of other types than uint8 and float32, or whose pixels do not follow each other.
    """
    function = _function()
    batch, _, _, channels = images.shape
    item = images.itemsize
    by_image, by_row, *within = images.strides
    of_floats = images.dtype == np.float32
    if function is None or not (of_floats or images.dtype == np.uint8):
        return None
    if within != [channels * item, item] or by_image % item or by_row % item:
        return None
    height, width = len(down.first), len(across.first)
    sizes = np.array([batch, by_image // item, by_row // item, channels, height, width])
    taps = [
        array
        for axis in (down, across)
        for array in (np.concatenate([axis.first, axis.second]), axis.distance)
    ]
    result = np.empty((batch, height, width, channels), np.float32)
    addresses = [array.ctypes.data for array in (sizes, *taps, result)]
    return None if function(images.ctypes.data, of_floats, *addresses) else result
