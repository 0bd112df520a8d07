"""Products of matrices with NumPy, with threads and without."""

from __future__ import annotations

import numpy as np
import pytest

from headwater.base import blas


@pytest.mark.parametrize("shapes", [((3, 4), (4, 2)), ((2, 70, 80), (80, 90)), ((0, 3), (3, 2))])
def test_small_products_are_those_of_numpy(shapes):
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in shapes)
    np.testing.assert_allclose(blas.matmul(a, b), np.matmul(a, b), rtol=1e-4, atol=1e-5)


def test_the_number_of_threads_is_restored_even_after_an_error():
    controls = blas._openblas()
    if controls is None:
        pytest.skip("NumPy uses another library than OpenBLAS")
    threads, set_threads = controls
    before = threads()
    try:
        set_threads(2)
        blas.matmul(np.ones((50, 50)), np.ones((50, 50)))
        assert threads() == 2
        with pytest.raises(ValueError, match="mismatch"):
            blas.matmul(np.ones((50, 50)), np.ones((40, 50)))
        assert threads() == 2
    finally:
        set_threads(before)
