"""Sums, means and others over segments."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_segments():
    c = tf.constant([[1, 2, 3, 4], [-1, -2, -3, -4], [5, 6, 7, 8]])
    equal(value(tf.segment_sum(c, tf.constant([0, 0, 1]))), [[0, 0, 0, 0], [5, 6, 7, 8]])
    x = np.array([[1.0, 2], [3, -4], [5, 6], [-7, 8]])
    for kind in (np.int32, np.int64):
        ids = np.array([0, 0, 1, 1], kind)
        for f, reference in ((tf.segment_sum, np.sum), (tf.segment_prod, np.prod),
                             (tf.segment_min, np.min), (tf.segment_max, np.max),
                             (tf.segment_mean, np.mean)):  # fmt: skip
            equal(value(f(x, ids)), [reference(x[:2], axis=0), reference(x[2:], axis=0)])
    for ids in ([0, 1], [1, 0, 0, 0]):
        with pytest.raises(
            (ValueError, tf.errors.InvalidArgumentError),
            match=r"segment ids are not increasing|segment_ids should be the same size",
        ):
            value(tf.segment_sum(x, ids))


def test_unsorted_segments():
    x = np.arange(8.0).reshape(4, 2)
    found = tf.unsorted_segment_sum(x, [2, 0, 2, 0], 4)
    assert found.get_shape() == [4, 2]
    equal(value(found), [x[1] + x[3], [0, 0], x[0] + x[2], [0, 0]])


def test_sparse_segments():
    c = tf.constant([[1, 2, 3, 4], [-1, -2, -3, -4], [5, 6, 7, 8]])
    equal(value(tf.sparse_segment_sum(c, [0, 1], [0, 0])), [[0, 0, 0, 0]])
    equal(value(tf.sparse_segment_sum(c, [0, 1], [0, 1])), [[1, 2, 3, 4], [-1, -2, -3, -4]])
    both = tf.sparse_segment_sum(c, [0, 1, 2], [0, 0, 1]), tf.segment_sum(c, [0, 0, 1])
    equal(*value(both))
    x = np.arange(12.0).reshape(4, 3)
    sums = np.array([x[0] + x[2], x[3]])
    close(value(tf.sparse_segment_mean(x, [0, 2, 3], [0, 0, 1])), sums / [[2], [1]])
    close(value(tf.sparse_segment_sqrt_n(x, [0, 2, 3], [0, 0, 1])), sums / [[2**0.5], [1]])
    grad = tf.sparse_segment_sqrt_n_grad(np.ones((2, 3)), [0, 2, 3], [0, 0, 1], 4)
    close(value(grad), np.outer([0.5**0.5, 0, 0.5**0.5, 1], np.ones(3)))
