"""Class vectors and normalized arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array


@export("keras.utils.to_categorical")
def to_categorical(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> Array:
    """Makes vectors with a one at the number of the class.

    Args:
        y: the numbers of classes; a last axis of length 1 is dropped.
        num_classes: the length of the vectors; the largest number and one more if None.
        dtype: the type of the vectors.

    Returns:
        An array with one more axis.
    """
    numbers = np.array(y, dtype="int")
    shape = numbers.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    numbers = numbers.ravel()
    length = num_classes or int(np.max(numbers)) + 1
    vectors = np.zeros((numbers.size, length), dtype=dtype)
    vectors[np.arange(numbers.size), numbers] = 1
    return vectors.reshape((*shape, length))


@export("keras.utils.normalize")
def normalize(x: Array, axis: int = -1, order: int = 2) -> Array:
    """Scales an array to length 1 along an axis.

    Args:
        x: an array.
        axis: the axis.
        order: the order of the norm.

    Returns:
        An array of its shape; vectors of length 0 stay.
    """
    lengths = np.atleast_1d(np.linalg.norm(x, order, axis))
    lengths[lengths == 0] = 1
    return x / np.expand_dims(lengths, axis)
