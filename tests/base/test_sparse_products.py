"""Sums of weighted rows by SciPy's kernel, and by its public classes where that is missing."""

from __future__ import annotations

import numpy as np
import pytest

from headwater.base import sparse_products
from headwater.base.lazy import LazyModule


@pytest.fixture(params=["scipy.sparse._sparsetools", "scipy.sparse._gone", "scipy.sparse"])
def kernels(request, monkeypatch):
    """The module of the kernel: as it is, missing, and without the function."""
    monkeypatch.setattr(sparse_products, "_kernels", LazyModule(request.param))
    sparse_products._function.cache_clear()
    yield request.param
    sparse_products._function.cache_clear()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.complex64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_are_added_to_their_places(kernels, dtype, index, rng):
    rows = rng.integers(-9, 9, (50, 3)).astype(dtype)
    places = rng.integers(0, 7, 50).astype(index)
    weights = rng.integers(-2, 3, 50).astype(dtype)
    result = np.ones((7, 3), dtype)
    expected = result.copy()
    for row, place, weight in zip(rows, places, weights):
        expected[place] += weight * row
    sparse_products.add_products(result, places, weights, rows)
    np.testing.assert_array_equal(result, expected)
    private = sparse_products._function() is not sparse_products._product_of_objects
    assert private == (kernels == "scipy.sparse._sparsetools")


def test_no_rows(kernels):
    result = np.ones((2, 3), np.float32)
    none = np.zeros((0, 3), np.float32)
    sparse_products.add_products(result, np.zeros(0, np.int32), none[:, 0], none)
    np.testing.assert_array_equal(result, np.ones((2, 3)))
