"""Clipping by value, by norm and by the global norm."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_clipping():
    t = tf.constant([[-3.0, 0.5], [4.0, 2.0]])
    equal(value(tf.clip_by_value(t, -1.0, 1.0)), [[-1, 0.5], [1, 1]])
    norm = np.sqrt(29.25)
    close(value(tf.clip_by_norm(t, 1.0)), value(t) / norm, rtol=1e-6)
    equal(value(tf.clip_by_norm(t, 100.0)), value(t))
    close(value(tf.clip_by_average_norm(t, 1.0)), value(t) / (norm / 4), rtol=1e-6)


def test_clipping_by_the_global_norm():
    ts = [tf.constant([3.0, 0.0]), None, tf.constant([4.0])]
    clipped, norm = tf.clip_by_global_norm(ts, 2.0)
    assert clipped[1] is None
    with tf.Session() as session:
        one, three, whole = session.run([clipped[0], clipped[2], norm])
        assert whole == 5
        close(one, [1.2, 0], 1e-6)
        close(three, [1.6], 1e-6)
        same, _ = tf.clip_by_global_norm(ts, 10.0)
        close(session.run(same[0]), [3, 0])
        given, back = tf.clip_by_global_norm(ts, 2.0, use_norm=tf.constant(8.0))
        close(session.run([given[2], back][0]), [1.0])


def test_global_norm_and_what_is_clipped_to_it():
    a, b = tf.constant([3.0, 0.0]), tf.IndexedSlices(tf.constant([[4.0]]), tf.constant([2]))
    norm = tf.global_norm([a, None, b])
    assert norm.get_shape().ndims == 0 and value(norm) == 5.0
    clipped, norm = tf.clip_by_global_norm([a, None, b], 2.5)
    assert clipped[1] is None and value(norm) == 5.0
    assert isinstance(clipped[2], tf.IndexedSlices)
    close(value(clipped[0]), [1.5, 0.0])
    close(value(clipped[2].values), [[2.0]])
    unchanged, _ = tf.clip_by_global_norm([a], 10.0)
    close(value(unchanged[0]), [3, 0])
    given, norm = tf.clip_by_global_norm([a], 2.0, use_norm=tf.constant(4.0))
    close(value(given[0]), [1.5, 0.0])
    for call in (lambda: tf.clip_by_global_norm(a, 1.0), lambda: tf.global_norm(a)):
        with pytest.raises(TypeError, match="t_list should be a sequence"):
            call()


def test_clipping_to_a_global_norm_of_one():
    clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    assert value(norm) == 5.0
    close(value(clipped), [[0.6], [0.8]])
