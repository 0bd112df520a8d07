"""The native kernels: bad problems, threads, many shapes, and a process without them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from headwater.base import blas, native
from headwater.base.lazy import jax

needs_kernels = pytest.mark.skipif(
    native.library() is None,
    reason="needs native kernels: built by `pip install .`, not turned off",
)

# A 3x3 convolution of one 5x5 image with 16 channels; see headwater/native/convolution.h.
PROBLEM = (0, 1, 1, 16, 16, 5, 3, 1, 1, 1, 5, 5, 3, 1, 1, 1, 5)


def arrays(rng, size=5):
    shapes = (1, size, size, 16), (3, 3, 16, 16)
    x, w = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    return x, w, np.empty((1, size, size, 16), np.float32)


def problem(size):
    return tuple(size if number == 5 else number for number in PROBLEM)


def expected(x, w):
    size = x.shape[1]
    padded = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)])
    taps = [padded[:, i : i + size, j : j + size] @ w[i, j] for i in range(3) for j in range(3)]
    return sum(taps)


@needs_kernels
def test_many_shapes_are_computed(rng):
    # More than are kept, so that the first are made again.
    for size in [*range(5, 300), 5]:
        x, w, y = arrays(rng, size)
        if size < 100 or size > 290:
            assert native.convolution(problem(size), x, w, y)
            np.testing.assert_allclose(y, expected(x, w), rtol=1e-4, atol=1e-4)
        else:
            native.has_fast_convolution(problem(size))


@needs_kernels
@pytest.mark.parametrize(
    "rows, inner, columns", [(300, 400, 200), (1, 7, 1), (3, 900, 7000), (7000, 900, 3)]
)
def test_matrix_products_of_any_layout_are_computed(rng, rows, inner, columns):
    a = rng.normal(size=(rows, inner)).astype(np.float32)
    b = rng.normal(size=(inner, columns)).astype(np.float32)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    for left in (a, np.asfortranarray(a)):
        for right in (b, np.asfortranarray(b)):
            product = native.matmul(left, right)
            assert product.flags.c_contiguous
            np.testing.assert_allclose(product, expected, rtol=1e-4, atol=1e-3)


@needs_kernels
def test_products_of_the_host_come_from_the_kernels_once_there_are_many(rng, monkeypatch):
    a, b = (rng.normal(size=(256, 256)).astype(np.float32) for _ in range(2))
    taken = []
    monkeypatch.setattr(blas, "_work", blas._Work())
    monkeypatch.setattr(native, "matmul", lambda *pair: taken.append(pair))
    most = blas._WORTH_PREPARING // 256**3
    for _ in range(most):
        blas.matmul(a, b)
    assert not taken
    np.testing.assert_allclose(blas.matmul(a, b), a @ b, rtol=1e-4, atol=1e-4)
    assert len(taken) == 1
    # Strided matrices and other types are left to NumPy.
    blas.matmul(np.zeros((600, 600), np.float32)[::2], np.ones((600, 300), np.float32))
    blas.matmul(a.astype(np.float64), b.astype(np.float64))
    assert len(taken) == 1


@needs_kernels
def test_threads_compute_at_once(rng):
    cases = [(problem(size), *arrays(rng, size)) for size in (5, 6, 7, 8)]

    def compute():
        for _ in range(50):
            for numbers, x, w, y in cases:
                assert native.convolution(numbers, x, w, np.empty_like(y))

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for numbers, x, w, y in cases:
        assert native.convolution(numbers, x, w, y)
        np.testing.assert_allclose(y, expected(x, w), rtol=1e-4, atol=1e-4)


@needs_kernels
@pytest.mark.parametrize("place", range(len(PROBLEM)))
@pytest.mark.parametrize("number", [-1, 0, 7, 1 << 31, -(1 << 63)])
def test_any_numbers_leave_the_process_alive(place, number):
    changed = PROBLEM[:place] + (number,) + PROBLEM[place + 1 :]
    assert native.has_fast_convolution(changed) in (False, True)


@needs_kernels
def test_invalid_problems_are_not_computed(rng):
    x, w, y = arrays(rng)
    for place, number in ((0, 3), (1, 3), (2, 0), (8, -1), (10, 9)):
        changed = PROBLEM[:place] + (number,) + PROBLEM[place + 1 :]
        assert not native.convolution(changed, x, w, y)


@needs_kernels
def test_arrays_of_other_sizes_are_an_error(rng):
    assert native.is_registered()
    x, w, y = arrays(rng)
    call = jax.ffi.ffi_call(native.CONVOLUTION, jax.ShapeDtypeStruct(y.shape, y.dtype))
    numbers = np.array(PROBLEM, np.int64)
    np.testing.assert_allclose(call(x, w, problem=numbers), expected(x, w), rtol=1e-4, atol=1e-4)
    for bad in ((x[:, 1:], w), (x, w[1:]), (x[:0], w)):
        with pytest.raises(Exception, match="arrays do not have its sizes"):
            call(*bad, problem=numbers).block_until_ready()
    with pytest.raises(Exception, match="17 numbers"):
        call(x, w, problem=numbers[1:]).block_until_ready()
    with pytest.raises(Exception, match="out of range"):
        call(x, w, problem=-numbers).block_until_ready()


def test_turned_off(fork):
    source = """
import os
os.environ["HEADWATER_NATIVE"] = "0"
import numpy as np
import headwater as tf
from headwater.base import blas, native
x, w = np.ones((1, 8, 8, 16), np.float32), np.ones((3, 3, 16, 16), np.float32)
with tf.Session() as session:
    assert session.run(tf.nn.conv2d(x, w, [1] * 4, "SAME")).max() == 144
assert native.library() is None and not native.has_fast_convolution((1,)), native
assert not native.convolution((1,), x, w, x) and not native.is_registered()
"""
    fork(source)


def test_library_that_cannot_be_loaded_is_as_none(monkeypatch, tmp_path):
    (tmp_path / native.kernels_file().name).write_text("not a library")
    monkeypatch.setattr(native, "_FOLDER", tmp_path)
    native.library.cache_clear()
    try:
        assert native.library() is None
    finally:
        native.library.cache_clear()
