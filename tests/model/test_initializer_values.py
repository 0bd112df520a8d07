"""Ranges, types and statistics of initializers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def initialized(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(f) for f in fetches]


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def initial(initializer, *shape):
    with tf.Graph().as_default():
        return value(tf.get_variable("v", shape, initializer=initializer))


def test_initializers_of_integers():
    for make in (
        tf.random_normal_initializer,
        tf.truncated_normal_initializer,
        tf.uniform_unit_scaling_initializer,
    ):
        with pytest.raises(
            ValueError, match=r"Expected floating point type, got <dtype: 'int32'>\."
        ):
            make(dtype=tf.int32)


def test_ranges_of_initializers():
    truncated = tf.get_variable("t", [4000], initializer=tf.truncated_normal_initializer(1.0, 0.5))
    unit = tf.uniform_unit_scaling_initializer(1.43)
    dense = tf.get_variable("d", [100, 30], initializer=unit)
    conv = tf.get_variable("c", [3, 3, 8, 50], initializer=unit)
    t, d, c = initialized(truncated, dense, conv)
    assert np.abs(t - 1.0).max() <= 1.0
    for x, size in ((d, 100), (c, 72)):
        bound = np.sqrt(3.0 / size) * 1.43
        assert 0.95 * bound < np.abs(x).max() <= bound


def test_initializers():
    x = initial(tf.truncated_normal_initializer(mean=0.0, stddev=1.0, seed=None), 200, 100)
    assert abs(x).max() <= 2 and 0.8 < x.std() < 0.95
    assert abs(value(tf.truncated_normal((1000,)))).max() <= 2
    x = initial(tf.random_normal_initializer(mean=1.0, stddev=2.0), 200, 100)
    assert abs(x.mean() - 1) < 0.1 and abs(x.std() - 2) < 0.1
    x = initial(tf.random_uniform_initializer(minval=0, maxval=3.0), 200, 100)
    assert 0 <= x.min() < 0.01 and 2.99 < x.max() < 3
    bounds = (
        (tf.uniform_unit_scaling_initializer(factor=1.0), math.sqrt(3 / 200)),
        (tf.variance_scaling_initializer(scale=2.0, mode="fan_avg", distribution="uniform"),
         math.sqrt(3 * 2 / 150)),
        (tf.glorot_uniform_initializer(), math.sqrt(6 / 300)),
    )  # fmt: skip
    for initializer, bound in bounds:
        x = initial(initializer, 200, 100)
        assert 0.99 * bound < abs(x).max() <= bound
    for initializer, n in ((tf.variance_scaling_initializer(scale=1.0, mode="fan_in"), 200),
                           (tf.variance_scaling_initializer(mode="fan_out"), 100),
                           (tf.glorot_normal_initializer(), 150)):  # fmt: skip
        x = initial(initializer, 200, 100)
        close(x.std(), math.sqrt(1 / n), 0.05)
        assert abs(x).max() < 2.3 * math.sqrt(1 / n) / 0.87
    x = initial(tf.orthogonal_initializer(), 6, 6)
    close(x @ x.T, np.eye(6), atol=1e-5)
    equal(initial(tf.zeros_initializer(), 2), [0, 0])
    equal(initial(tf.ones_initializer(), 2), [1, 1])
    equal(initial(tf.constant_initializer(7), 2), [7, 7])
