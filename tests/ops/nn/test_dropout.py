"""dropout: values, noise shapes and refused arguments."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal
BAD = (ValueError, tf.errors.InvalidArgumentError)


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_dropout():
    x = np.ones((40, 50), np.float32)
    y = value(tf.nn.dropout(x, 0.4, seed=3))
    close(np.unique(y), [0, 2.5], 1e-6)
    assert abs(y.sum() - x.sum()) < 150
    images = np.ones((3, 4, 5, 6), np.float32)
    whole = value(tf.nn.dropout(images, 0.5, noise_shape=[3, 1, 1, 6], seed=1))
    equal(whole, np.broadcast_to(whole[:, :1, :1], whole.shape))


def test_dropout_arguments():
    for keep in (0.0, -0.1, 1.1):
        with pytest.raises(
            ValueError, match=r"rate must be a scalar tensor or a float in the range \[0, 1\), got"
        ):
            tf.nn.dropout([1.0], keep)
    equal(value(tf.nn.dropout([1.0, 2.0], 1.0)), [1, 2])
    assert tf.nn.dropout([[1.0, 2.0]], tf.constant(0.5)).get_shape().as_list() == [1, 2]


def test_noise_that_does_not_fit():
    x = np.ones((4, 5), np.float32)
    rows = value(tf.nn.dropout(x, 0.5, noise_shape=[4, 1], seed=1))
    equal(rows, np.broadcast_to(rows[:, :1], rows.shape))
    with pytest.raises(BAD, match="Dimensions must be equal, but are 4 and 3"):
        value(tf.nn.dropout(x, 0.5, noise_shape=[3, 1]))


def test_dropout_by_a_placeholder():
    keep_prob = tf.placeholder("float")
    x = np.ones((30, 30), np.float32)
    dropped = tf.nn.dropout(x, keep_prob)
    equal(value(dropped, {keep_prob: 1.0}), x)
    close(np.unique(value(dropped, {keep_prob: 0.5})), [0, 2])
