"""Operators of tensors and broadcasting."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_broadcasting():
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 4"):
        tf.zeros([3, 2]) + tf.zeros([3, 4])
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
    equal(value(a + b), [[2, 3], [5, 6]])
    equal(value(a + tf.tile(b, [1, 2])), [[2, 3], [5, 6]])
    c = tf.constant([[1.0], [2.0]]) + tf.constant([1.0, 2.0])
    assert value(tf.reduce_sum(c)) == 12
    equal(value(tf.reduce_sum(c, 0)), [5, 7])


def test_operators():
    x, y = tf.constant([7, -8]), tf.constant([2, 3])
    p, q = tf.constant([True, False]), tf.constant([True, True])
    pairs = [
        (-x, tf.negative(x)),
        (x + y, tf.add(x, y)),
        (x - y, tf.subtract(x, y)),
        (x * y, tf.multiply(x, y)),
        (x / y, tf.truediv(x, y)),
        (x // y, tf.floordiv(x, y)),
        (x % y, tf.floormod(x, y)),
        (x**y, tf.pow(x, y)),
        (x < y, tf.less(x, y)),
        (x <= y, tf.less_equal(x, y)),
        (x > y, tf.greater(x, y)),
        (x >= y, tf.greater_equal(x, y)),
        (p & q, tf.logical_and(p, q)),
        (p | q, tf.logical_or(p, q)),
        (p ^ q, tf.logical_xor(p, q)),
        (~p, tf.logical_not(p)),
        (abs(x), tf.abs(x)),
        (x[0:1], tf.slice(x, [0], [1])),
    ]
    for got, want in value(pairs):
        equal(got, want)
    for use in (bool, lambda t: t and x, lambda t: t or x, lambda t: not t):
        with pytest.raises(
            TypeError, match=r"using a `tf\.Tensor` as a Python `bool` is not allowed in Graph"
        ):
            use(x)
    assert (x == y) is False and (x != y) is True and x is not None
