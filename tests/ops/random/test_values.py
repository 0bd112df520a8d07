"""Seeds, ranges and statistics of random ops."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


def seeded(build):
    """Two values of a random op in each of two sessions."""
    out = []
    for _ in range(2):
        with tf.Session() as session:
            out.append([session.run(build).tolist(), session.run(build).tolist()])
    return out


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_seeds_of_ops():
    a, b = tf.random_uniform([3], seed=1), tf.random_normal([3])
    (a1, a2), (a3, a4) = seeded(a)
    assert a1 == a3 and a2 == a4 and a1 != a2
    (b1, b2), (b3, b4) = seeded(b)
    assert len({str(x) for x in (b1, b2, b3, b4)}) == 4


def test_seeds_of_graphs():
    tf.set_random_seed(1234)
    a, b = tf.random_uniform([3]), tf.random_uniform([3])
    first, second = seeded(a), seeded(b)
    assert first[0] == first[1] and second[0] == second[1] and first != second
    both = seeded(tf.random_uniform([3], seed=1))
    assert both[0] == both[1]
    tf.reset_default_graph()
    assert seeded(tf.random_uniform([3], seed=1)) != both


def test_truncated_normal():
    x = value(tf.truncated_normal([20000], 1.0, 0.5, seed=3))
    assert np.all(np.abs(x - 1.0) <= 1.0) and np.std(x) > 0.4


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_random_uniform(dtype):
    x = value(tf.random_uniform([5000], 2, 7, dtype, seed=1))
    assert x.dtype == dtype and x.min() >= 2 and x.max() < 7
    if dtype.startswith("int"):
        assert set(x) == {2, 3, 4, 5, 6}
        with pytest.raises(ValueError, match=r"Must specify maxval for integer dtype tf\.int"):
            tf.random_uniform([2], dtype=dtype)
    else:
        x = value(tf.random_uniform([5000], dtype=dtype))
        assert x.min() >= 0 and x.max() < 1


def test_shuffle_crop_multinomial():
    x = np.arange(12).reshape(6, 2)
    shuffled = value(tf.random_shuffle(x, seed=2))
    assert sorted(map(tuple, shuffled)) == list(map(tuple, x)) and not np.array_equal(shuffled, x)
    cropped = value(tf.random_crop(np.arange(100).reshape(10, 10), [3, 10]))
    assert cropped.shape == (3, 10) and np.all(np.diff(cropped[:, 0]) == 10)
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match=r"assertion failed: \[Need value\.shape >= size, got \] \[6 2\] \[7 2\]",
    ):
        value(tf.random_crop(x, [7, 2]))
    drawn = value(tf.multinomial([[1.0, -1.0, -1.0], [-50.0, 50.0, -50.0]], 2000, seed=1))
    assert drawn.shape == (2, 2000) and drawn.dtype == np.int64
    assert abs(np.mean(drawn[0] == 0) - 0.787) < 0.05 and np.all(drawn[1] == 1)
