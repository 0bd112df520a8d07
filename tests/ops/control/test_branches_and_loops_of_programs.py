"""Small programs of branches, loops, control dependencies and TensorArrays."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_branches():
    a, b = tf.constant(1), tf.constant(2)
    assert value(tf.cond(tf.constant(True), lambda: a + b, lambda: a * b)) == 3
    assert value(tf.cond(tf.constant(False), lambda: a + b, lambda: a * b)) == 2
    equal(value(tf.where([True, False], [3, 3], [2, 2])), [3, 2])


def test_fibonacci_numbers():
    def last(n):
        return tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), (2, 1, 1))

    assert value(last(5)) == (5, 3, 5)
    assert value(last(tf.constant(1))) == (2, 1, 1)


def test_variables_that_change_their_shape():
    def body(i, a, b, c):
        return i + 1, b, a + b, tf.concat([c, [a + b]], 0)

    start = (2, tf.constant(1), tf.constant(1), tf.constant([1, 1]))
    with pytest.raises(ValueError, match="shape"):
        tf.while_loop(lambda i, *_: i < 5, body, start)
    shapes = (*(tf.TensorShape([]),) * 3, tf.TensorShape([None]))
    found = tf.while_loop(lambda i, *_: i < 5, body, start, shape_invariants=shapes)
    equal(value(found[3]), [1, 1, 2, 3, 5])


def test_arrays():
    n = tf.constant(5)
    c = tf.TensorArray(tf.int32, n).write(0, 1).write(1, 1)

    def body(i, a, b, c):
        return i + 1, b, a + b, c.write(i, a + b)

    found = tf.while_loop(lambda i, *_: i < n, body, (2, 1, 1, c))
    equal(value(found[3].stack()), [1, 1, 2, 3, 5])


def test_order():
    a, b = tf.Variable(2), tf.Variable(1)
    c = a + b
    with tf.control_dependencies([c]):
        assign = tf.assign(a, 5)
    with tf.Session() as session:
        for _ in range(10):
            session.run(tf.global_variables_initializer())
            assert session.run([assign, c]) == [5, 3]
        session.run(tf.global_variables_initializer())
        assert session.run(tf.assign(b, b + 2)) == 3
    check = tf.Assert(tf.constant(False), ["never"])
    with tf.control_dependencies([check]):
        checked = tf.identity(c)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(c) == 3
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed: \[never\]"):
            session.run(checked)


def test_control_flow():
    a, b = tf.constant(1), tf.constant(2)
    assert value(tf.cond(tf.constant(True), lambda: a + b, lambda: a * b)) == 3
    equal(value(tf.where([True, False], [3, 3], [2, 2])), [3, 2])
    n = tf.constant(5)

    def body(i, a, b):
        return i + 1, b, a + b

    assert value(tf.while_loop(lambda i, a, b: i < n, body, (2, 1, 1)))[2] == 5

    def growing(i, a, b, c):
        return i + 1, b, a + b, tf.concat([c, [a + b]], 0)

    start = (tf.constant(2), a, tf.constant(1), tf.constant([1, 1]))
    with pytest.raises(
        ValueError, match=r"Input tensor 'Const_6:0' enters the loop with shape \(2,\), but"
    ):
        tf.while_loop(lambda i, *_: i < n, growing, start)
    shapes = tuple(tf.TensorShape(s) for s in ([], [], [], [None]))
    equal(value(tf.while_loop(lambda i, *_: i < n, growing, start, shapes))[3], [1, 1, 2, 3, 5])
    array = tf.TensorArray(tf.int32, n).write(0, 1).write(1, 1)
    done = tf.while_loop(
        lambda i, *_: i < n,
        lambda i, a, b, c: (i + 1, b, a + b, c.write(i, a + b)),
        (2, 1, 1, array),
    )
    equal(value(done[3].stack()), [1, 1, 2, 3, 5])
