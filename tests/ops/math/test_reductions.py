"""Reductions, accumulate_n, argmin and argmax."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_reductions():
    x = np.ones((2, 3), np.int32)
    equal(value(tf.reduce_sum(x)), 6)
    equal(value(tf.reduce_sum(x, 0)), [2, 2, 2])
    equal(value(tf.reduce_sum(x, 1)), [3, 3])
    equal(value(tf.reduce_sum(x, 1, keep_dims=True)), [[3], [3]])
    equal(value(tf.reduce_sum(x, [0, 1])), 6)
    y = np.array([[1.0, -2, 3], [4, 5, -6]])
    for f, reference in ((tf.reduce_prod, np.prod), (tf.reduce_min, np.min),
                         (tf.reduce_max, np.max), (tf.reduce_mean, np.mean)):  # fmt: skip
        assert f(y).get_shape() == [] and value(f(y)) == reference(y)
        close(value(f(y, reduction_indices=[1])), reference(y, axis=1))
        kept = f(y, reduction_indices=1, keep_dims=True)
        assert kept.get_shape() == [2, 1]
        close(value(kept), reference(y, axis=1, keepdims=True))


def test_means_and_logical_reductions():
    x = [[1.0, 1.0], [2.0, 2.0]]
    assert value(tf.reduce_mean(x)) == 1.5
    equal(value(tf.reduce_mean(x, 0)), [1.5, 1.5])
    equal(value(tf.reduce_mean(x, 1)), [1, 2])
    t = [[True, True], [False, False]]
    assert value([tf.reduce_all(t), tf.reduce_any(t)]) == [False, True]
    equal(value([tf.reduce_all(t, 0), tf.reduce_any(t, 0)]), [[False] * 2, [True] * 2])
    equal(value([tf.reduce_all(t, 1), tf.reduce_any(t, 1)]), [[True, False]] * 2)
    for f in (tf.reduce_all, tf.reduce_any):
        with pytest.raises(
            (TypeError, ValueError), match="Expected bool passed to parameter 'input' of op 'A"
        ):
            f([1, 0])


def test_accumulate_n():
    a, b = tf.constant([[1, 2], [3, 4]]), tf.constant([[5, 0], [0, 6]])
    equal(value(tf.accumulate_n([a, b, a])), [[7, 4], [6, 14]])
    checked = tf.accumulate_n([a, b, a], shape=[2, 2], tensor_dtype=tf.int32)
    equal(value(checked), [[7, 4], [6, 14]])
    for given in ([a, tf.constant([1, 2])], [a, tf.cast(b, tf.float32)]):
        with pytest.raises(
            ValueError,
            match=r"Shapes \(2, 2\) and \(2,\) are not|inputs must be a list of at least",
        ):
            tf.accumulate_n(given)


def test_argmin_and_argmax():
    x = np.array([[3.0, 1, 2], [0, 5, 4]])
    for f, reference in ((tf.argmin, np.argmin), (tf.argmax, np.argmax)):
        for axis in (0, 1):
            found = value(f(x, axis))
            assert found.dtype == np.int64
            equal(found, reference(x, axis))
        equal(value(f(x, dimension=1)), reference(x, 1))
        with pytest.raises(
            (ValueError, tf.errors.InvalidArgumentError),
            match=r"Dimension \(2\) must be in the range \[-2, 2\), where 2 is the",
        ):
            value(f(x, 2))
