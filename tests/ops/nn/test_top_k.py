"""top_k and in_top_k."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_top_k():
    x = np.array([[1.0, 3, 3, 2], [4, 0, 4, 4]])
    values, places = value(tf.nn.top_k(x, 3))
    equal(values, [[3, 3, 2], [4, 4, 4]])
    equal(places, [[1, 2, 3], [0, 2, 3]])
    assert value(tf.nn.top_k(x)).values.shape == (2, 1)
    equal(value(tf.nn.top_k(x, tf.constant(2))).values, values[:, :2])
    equal(np.sort(value(tf.nn.top_k(x, 3, sorted=False)).values), np.sort(values))
    with pytest.raises(ValueError, match="input must have last dimension >= k = 5 but is 4"):
        tf.nn.top_k(x, 5)


def test_in_top_k():
    x = np.array([[0.1, 0.5, 0.5, 0.2]] * 3, np.float32)
    for kind in (np.int32, np.int64):
        found = tf.nn.in_top_k(x, np.array([1, 2, 3], kind), 1)
        equal(value(found), [True, True, False])


def test_evaluation():
    x = numbers(2, 3, 5)
    top, places = value(list(tf.nn.top_k(x, 2)))
    assert top.shape == places.shape == (2, 3, 2)
    equal(np.take_along_axis(x, places, -1), top)
    with pytest.raises(ValueError, match="input must have last dimension >= k = 6 but is 5"):
        tf.nn.top_k(x, 6)
    found = value(tf.nn.in_top_k([[0.0, 1.0, 1.0], [3.0, 2.0, 1.0]], [2, 1], 1))
    assert found.dtype == bool
    equal(found, [True, False])
