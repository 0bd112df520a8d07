"""tensorflow.contrib.ndlstm.python.misc: images as vectors, classes as images."""

from __future__ import annotations

from headwater.contrib.ndlstm.vectors import (
    one_hot_mask,
    one_hot_planes,
    pixels_as_vector,
    pool_as_vector,
)

__all__ = ["one_hot_mask", "one_hot_planes", "pixels_as_vector", "pool_as_vector"]
