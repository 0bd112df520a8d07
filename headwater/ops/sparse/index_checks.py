"""Checks of sparse tensors and their index vectors."""

from __future__ import annotations

import math

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import SparseTensor


def listed(values: TensorLike) -> str:
    """Numbers as texts of errors show them: ``[2,7]``."""
    return "[" + ",".join(str(int(value)) for value in values) + "]"


def strides_of(shape: Array) -> np.ndarray:
    """The row-major strides."""
    dims = [int(dim) for dim in shape]
    return np.array([math.prod(dims[i + 1 :]) for i in range(len(dims))], np.int64)


def require_ordered(xp: ArrayModule, indices: Array, shape: np.ndarray) -> None:
    """Checks that index vectors are within a shape, in row-major order and distinct.

    Args:
        xp: numpy or jax.numpy.
        indices: index vectors as rows.
        shape: the dense shape.

    Raises:
        InvalidArgumentError: if they are not.
    """
    limits = np.asarray(shape).astype(indices.dtype)
    inside = xp.all((indices >= 0) & (indices < limits), axis=1)
    places = (indices * strides_of(shape)).sum(1)
    later = xp.concatenate([xp.ones(min(1, len(places)), bool), places[1:] > places[:-1]])
    require(xp, inside & later, lambda: _failure(indices, inside, later, shape))


def _failure(
    indices: np.ndarray, inside: np.ndarray, later: np.ndarray, shape: np.ndarray
) -> Exception:
    i = int(np.argmax(~(np.asarray(inside) & np.asarray(later))))
    what = f"indices[{i}] = {listed(indices[i])} is"
    if not inside[i]:
        text = f"{what} out of bounds: need 0 <= index < {listed(shape)}"
    elif np.array_equal(indices[i], indices[i - 1]):
        text = f"{what} repeated"
    else:
        text = f"{what} out of order. Many sparse ops require sorted indices."
    return errors.InvalidArgumentError(None, None, text)


def checked_sparse(value: SparseTensor | TensorLike) -> SparseTensor:
    """A SparseTensor, also of a SparseTensorValue.

    Raises:
        TypeError: if it is something else.
    """
    if isinstance(value, SparseTensor):
        return value
    if hasattr(value, "dense_shape"):
        return SparseTensor.from_value(value)
    raise TypeError("Input must be a SparseTensor.")


def check_parts(indices: Array, values: Array, shape: Array) -> None:
    """Checks that the three parts of a sparse tensor fit together.

    Raises:
        InvalidArgumentError: if they do not.
    """
    text = None
    for what, value, rank in (
        ("Input indices should be a matrix", indices, 2),
        ("Input values should be a vector", values, 1),
        ("Input shape should be a vector", shape, 1),
    ):
        if value.ndim != rank:
            text = f"{what} but received shape {listed(value.shape)}"
            break
    else:
        if len(indices) != len(values):
            text = (
                "indices and values rows (indexing dimension) must match. (indices = "
                f"{len(indices)}, values = {len(values)})"
            )
        elif indices.shape[1] != len(shape):
            text = "Order length must be SparseTensor rank."
    if text is not None:
        raise errors.InvalidArgumentError(None, None, text)


def row_major(xp: ArrayModule, indices: Array) -> Array:
    """The order in which index vectors are in row-major order; equal ones stay in order."""
    if not indices.shape[1]:
        return xp.arange(len(indices))
    return xp.lexsort(tuple(indices[:, i] for i in range(indices.shape[1] - 1, -1, -1)))
