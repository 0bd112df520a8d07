"""l2_normalize, local response normalization, moments and batch normalization."""

from __future__ import annotations

import numpy as np

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_l2_normalize():
    x = numbers(3, 4)
    close(value(tf.nn.l2_normalize(x[0], 0)), x[0] / np.linalg.norm(x[0]), 1e-5)
    equal(value(tf.nn.l2_normalize(np.zeros(3, np.float32), 0)), np.zeros(3))
    small = np.array([1e-8, 0], np.float32)
    close(value(tf.nn.l2_normalize(small, 0)), small / 1e-6, 1e-5)
    close(value(tf.nn.l2_normalize(x, [0, 1])), x / np.linalg.norm(x), 1e-5)


def test_local_response_normalization():
    x = abs(numbers(1, 2, 2, 8))
    y = value(tf.nn.local_response_normalization(x, 2, 1.5, 0.3, 0.7))
    padded = np.pad(x**2, [(0, 0)] * 3 + [(2, 2)])
    sums = sum(padded[..., i : i + 8] for i in range(5))
    close(y, x / (1.5 + 0.3 * sums) ** 0.7, 1e-4)
    everything = (x**2).sum(-1, keepdims=True)
    close(value(tf.nn.lrn(x))[..., 3], (x / np.sqrt(1 + everything))[..., 3], 0.2)


def test_moments():
    x = numbers(4, 3, 2, 5)
    count, total, square, shift = tf.nn.sufficient_statistics(x, [0, 1, 2], keep_dims=True)
    assert shift is None and total.get_shape().as_list() == [1, 1, 1, 5]
    assert tf.nn.sufficient_statistics(x, [0], shift=tf.constant(1.0))[3] is not None
    mean, variance = value(tf.nn.moments(x, [0, 1, 2]))
    close(mean, x.mean((0, 1, 2)), 1e-4, 1e-6)
    close(variance, x.var((0, 1, 2)), 1e-4)
    again = tf.nn.normalize_moments(count, total, square, shift)
    for one, two in zip(value(again), (mean, variance)):
        close(one.ravel(), two, 1e-4, 1e-5)
    assert value(tf.nn.moments(x, [0], keep_dims=True)[0]).shape == (1, 3, 2, 5)


def test_batch_normalization():
    x, mean, variance = numbers(4, 3), numbers(3, seed=1), numbers(3, seed=2) ** 2
    y = value(tf.nn.batch_normalization(x, mean, variance, [1.0] * 3, [2.0] * 3, 0.1))
    close(y, 2 * (x - mean) / np.sqrt(variance + 0.1) + 1, 1e-4, 1e-5)
    plain = value(tf.nn.batch_normalization(x, mean, variance, None, None, 0.1))
    close(plain, (x - mean) / np.sqrt(variance + 0.1), 1e-4, 1e-5)
    kept = tf.nn.batch_normalization(x, mean[None], variance[None], None, None, 0.1)
    close(value(kept), plain, 1e-5)


def test_order_of_the_arguments_of_moments():
    x = numbers(4, 3)
    mean, variance = value(tf.nn.moments(x, [0], tf.constant(1.0), "name", True))
    assert mean.shape == (1, 3)
    close(mean[0], x.mean(0), 1e-5, 1e-6)
    close(variance[0], x.var(0), 1e-4)
