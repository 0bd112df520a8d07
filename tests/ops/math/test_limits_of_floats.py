"""Functions at the limits of float32, and their stable forms."""

from __future__ import annotations

import numpy as np

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_limits_of_float32():
    x, y = np.float32(1), np.float32(1e-50)
    assert np.isnan(value(tf.constant(x) * y / y))
    assert np.isnan(value(tf.constant(x) * np.float32(np.inf) / np.float32(np.inf)))

    def unstable(logits):
        e = tf.exp(logits)
        return e / tf.reduce_sum(e)

    found = value(unstable([1000.0, 0.0]))
    assert np.isnan(found[0]) and found[1] == 0
    assert np.isfinite(value(tf.exp(88.7))) and np.isinf(value(tf.exp(88.8)))


def test_stable_forms():
    def softmax(logits):
        e = tf.exp(logits - tf.reduce_max(logits))
        return e / tf.reduce_sum(e)

    equal(value(softmax([1000.0, 0.0])), [1, 0])
    equal(value(tf.nn.softmax([1000.0, 0.0])), [1, 0])
    p, x = tf.constant([0.5, 0.5]), tf.constant([1000.0, 0.0])
    unstable = -tf.reduce_sum(p * tf.log(tf.constant([1.0, 0.0])))
    assert np.isinf(value(unstable))
    shifted = x - tf.reduce_max(x)
    stable = -tf.reduce_sum(p * (shifted - tf.reduce_logsumexp(shifted)))
    assert value(stable) == 500
    assert value(tf.reduce_logsumexp(x)) == 1000
    equal(value(tf.gradients(stable, x)[0]), [0.5, -0.5])
    top, places = value(list(tf.nn.top_k(tf.log([[1.0, 0.0, 0.0]]) - 2.0, 2)))
    equal(top, [[-2, -np.inf]])
    equal(places, [[0, 1]])
