"""Products of a sparse matrix with one element per column and a dense matrix, by SciPy's kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from headwater.base.lazy import LazyModule

_sparse: Any = LazyModule("scipy.sparse")
# The kernels behind SciPy's matrix objects. They are private, so they may move or go.
_kernels: Any = LazyModule("scipy.sparse._sparsetools")


def add_products(
    result: np.ndarray, places: np.ndarray, weights: np.ndarray, rows: np.ndarray
) -> None:
    """Adds `weights[i] * rows[i]` to `result[places[i]]`, for each i in order.

    Args:
        result: contiguous matrix of numbers, changed in place.
        places: integer vector of the rows of `result`, all in range.
        weights: vector of the type of `result`.
        rows: contiguous matrix of the type and the width of `result`.
    """
    _function()(
        len(result),
        len(places),
        result.shape[1],
        np.arange(len(places) + 1, dtype=places.dtype),
        np.ascontiguousarray(places),
        np.ascontiguousarray(weights),
        rows.reshape(-1),
        result.reshape(-1),
    )


@cache
def _function() -> Callable[..., None]:
    """SciPy's private function; making a matrix object takes ten times as long as a product."""
    try:
        return _kernels.csc_matvecs  # type: ignore[no-any-return]
    except (ImportError, AttributeError):
        return _product_of_objects


def _product_of_objects(
    count: int,
    columns: int,
    width: int,
    starts: np.ndarray,
    places: np.ndarray,
    weights: np.ndarray,
    rows: np.ndarray,
    result: np.ndarray,
) -> None:
    """As SciPy's `csc_matvecs`, by its public classes."""
    matrix = _sparse.csc_matrix((weights, places, starts), shape=(count, columns))
    result += (matrix @ rows.reshape(columns, width)).reshape(-1)
