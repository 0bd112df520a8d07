"""Products of matrices with NumPy, with threads and without."""

from __future__ import annotations

import numpy as np
import pytest

from headwater.base import blas
from headwater.base.lazy import jnp


@pytest.mark.parametrize("shapes", [((3, 4), (4, 2)), ((2, 70, 80), (80, 90)), ((0, 3), (3, 2))])
def test_small_products_are_those_of_numpy(shapes):
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in shapes)
    np.testing.assert_allclose(blas.matmul(a, b), np.matmul(a, b), rtol=1e-4, atol=1e-5)


def test_the_number_of_threads_is_restored_even_after_an_error():
    controls = blas._openblas("numpy")
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


def test_decompositions_use_one_thread(monkeypatch):
    """Those of compiled programs from then on, those on the host while they run."""
    scipy, numpy = blas._openblas("scipy"), blas._openblas("numpy")
    if scipy is None or numpy is None:
        pytest.skip("NumPy or SciPy uses another library than OpenBLAS")
    for name in blas._VARIABLES:
        monkeypatch.delenv(name, raising=False)
    before = scipy[0](), numpy[0]()
    found = []

    @blas.decomposition
    def kernel(xp, x):
        found.append((xp is np, scipy[0](), numpy[0]()))
        return x

    try:
        blas.limit_lapack.cache_clear()
        scipy[1](2)
        numpy[1](2)
        kernel(np, np.eye(3))
        kernel(jnp, np.eye(3))
        assert found == [(True, 2, 1), (False, 1, 2)]
        assert (scipy[0](), numpy[0]()) == (1, 2)
        # Who has set the number keeps it.
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
        blas.limit_lapack.cache_clear()
        scipy[1](2)
        kernel(jnp, np.eye(3))
        assert scipy[0]() == 2
    finally:
        scipy[1](before[0])
        numpy[1](before[1])
        blas.limit_lapack.cache_clear()
