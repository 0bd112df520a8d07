"""Shapes and types of batches that data feeders make, and their labels as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from headwater.base import dtypes, logging
from headwater.base.typing import Array, ShapeLike
from headwater.graph import Tensor
from headwater.ops.array.constant import placeholder


def each(function: Callable[..., Any], *values: Any) -> Any:
    """Applies a function to values, or to those under each key if the first is a dict.

    Args:
        function: takes as many arguments as there are values.
        *values: if the first one is a dict, None and missing keys among the others are None.
    """
    if not isinstance(values[0], dict):
        return function(*values)
    return {
        key: function(first, *(value and value.get(key) for value in values[1:]))
        for key, first in values[0].items()
    }


def checked_batch_size(batch_size: int | None) -> int | None:
    """A batch size as it is.

    Raises:
        ValueError: if it is not positive.
    """
    if batch_size is not None and batch_size <= 0:
        raise ValueError(f"Invalid batch_size {batch_size}.")
    return batch_size


def input_shape(shape: ShapeLike, batch_size: int) -> list[int]:
    """The shape of a batch of features of a shape, the first dimension of which counts rows."""
    return [batch_size, *(list(shape[1:]) or [1])]


def output_shape(shape: ShapeLike, batch_size: int, n_classes: int | None) -> list[int]:
    """The shape of a batch of labels: one-hot for several classes, columns of one left out."""
    inner = list(shape[1:])
    if inner and inner[0] == 1:
        inner = inner[1:]
    return [batch_size, *inner, *([n_classes] if n_classes is not None and n_classes > 1 else [])]


def warned_of_float64(dtype: Any) -> Any:
    """A type as it is, after a warning if it is float64."""
    if dtypes.as_dtype(dtype) == dtypes.float64:
        logging.warning("float64 is not supported by many models, consider casting to float32.")
    return dtype


def label_rows(labels: Any, shape: list[int], dtype: Any, n_classes: int | None) -> Array:
    """The labels of a batch.

    Args:
        labels: one for each row; indices of classes if there are several classes.
        shape: what `output_shape` returned.
        dtype: the type of the result.
        n_classes: the number of classes; None or at most 1 for labels that are fed as they are.

    Returns:
        An array ``[rows, *shape[1:]]``, one-hot for several classes.

    Raises:
        IndexError: if a class is out of range.
    """
    rows = np.zeros([len(labels), *shape[1:]], dtype=dtype)
    if n_classes is None or n_classes <= 1:
        rows[...] = np.asarray(labels).reshape(rows.shape)
        return rows
    classes = np.asarray(labels).reshape(rows.shape[:-1]).astype(np.int64)
    np.put_along_axis(rows, classes[..., None], 1, axis=-1)
    return rows


def placeholders(shape: Any, dtype: Any, name: str) -> Any:
    """Placeholders for batches of any number of rows.

    Args:
        shape: the shape of a batch, a dict of them, or None.
        dtype: its type, or a dict of types.
        name: the name; a dict has names "NAME_KEY".

    Returns:
        A tensor, a dict of tensors, or None.
    """

    def make(one: list[int], kind: Any, full_name: str) -> Tensor:
        return placeholder(dtypes.as_dtype(kind), [None, *one[1:]], name=full_name)

    if isinstance(shape, dict):
        return {key: make(one, dtype[key], f"{name}_{key}") for key, one in shape.items()}
    return None if shape is None else make(shape, dtype, name)


def fed(tensors: Any, arrays: Any) -> dict[str, Array]:
    """Arrays by the names of the placeholders that they are for.

    Args:
        tensors: a placeholder or a dict of them.
        arrays: an array, or a dict with the same keys.
    """
    if isinstance(tensors, dict):
        return {tensors[key].name: array for key, array in arrays.items()}
    return {tensors.name: arrays}


def first_length(data: Any) -> int:
    """The number of rows of data, or of the first of several."""
    first: Any = next(iter(data.values())) if isinstance(data, dict) else data
    length: int = first.shape[0]
    return length


def batches_of(elements: Iterable[Any], batch_size: int | None) -> Iterable[Any]:
    """Elements that come one by one as batches; the last one may be smaller.

    Args:
        elements: arrays, numbers or dicts of them.
        batch_size: None for one batch of everything.
    """
    chunk: list[Any] = []
    for element in elements:
        chunk.append(element)
        if batch_size is not None and len(chunk) >= batch_size:
            yield _stacked(chunk)
            chunk = []
    if chunk:
        yield _stacked(chunk)


def _stacked(chunk: list[Any]) -> Any:
    if isinstance(chunk[0], dict):
        return {key: _stacked([element[key] for element in chunk]) for key in chunk[0]}
    return np.atleast_2d(np.asarray(chunk))
