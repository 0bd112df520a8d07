"""Shared by the resources of this package: names, and texts of types and shapes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.dtypes import DType
from headwater.graph import shapes

_numbers = itertools.count()
_SHORT_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


def private_name(op_name: str) -> str:
    """The name of a resource that no other node shares."""
    return f"_{next(_numbers)}_{op_name}"


def cancelled(text: str) -> errors.CancelledError:
    """The error of a cancelled op."""
    return errors.CancelledError(None, None, text)


def out_of_range(text: str) -> errors.OutOfRangeError:
    """The error of an op that asks for more elements than there will be."""
    return errors.OutOfRangeError(None, None, text)


def types_text(types: Iterable[DType]) -> str:
    """Types as errors show them."""
    return ", ".join(_SHORT_NAMES.get(t.name, t.name) for t in types)


def shapes_text(all_shapes: Iterable[Any]) -> str:
    """Shapes as errors show them."""
    return "[" + ",".join(shapes.show(shape) for shape in all_shapes) + "]"


def fits(shape: tuple[int, ...], wanted: Sequence[int | None] | None) -> bool:
    """Whether a shape is compatible with a partially known shape."""
    if wanted is None:
        return True
    return len(shape) == len(wanted) and all(w in (None, d) for d, w in zip(shape, wanted))


def stacked(arrays: Sequence[np.ndarray], dtype: DType, shape: Sequence[int]) -> np.ndarray:
    """Arrays of one shape as the rows of one array."""
    if shape:
        result = np.empty((len(arrays), *shape), dtype.numpy_dtype)
        for i, array in enumerate(arrays):
            result[i] = array
        return result
    if dtype is dtypes.string:
        result = np.empty(len(arrays), object)
        result[:] = [array.item() for array in arrays]
        return result
    return np.array([array.item() for array in arrays], dtype.numpy_dtype)
