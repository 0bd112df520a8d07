"""Statements 98 to 105 and 186 about branches, loops, arrays and recurrent networks."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


@pytest.fixture(autouse=True)
def graph():
    tf.reset_default_graph()


def value(fetch):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch)


def test_98_99_branches():
    a, b = tf.constant(1), tf.constant(2)
    assert value(tf.cond(tf.constant(True), lambda: a + b, lambda: a * b)) == 3
    assert value(tf.cond(tf.constant(False), lambda: a + b, lambda: a * b)) == 2
    equal(value(tf.where([True, False], [3, 3], [2, 2])), [3, 2])


def test_100_101_fibonacci_numbers():
    def last(n):
        return tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), (2, 1, 1))

    assert value(last(5)) == (5, 3, 5)
    assert value(last(tf.constant(1))) == (2, 1, 1)


def test_102_103_variables_that_change_their_shape():
    def body(i, a, b, c):
        return i + 1, b, a + b, tf.concat([c, [a + b]], 0)

    start = (2, tf.constant(1), tf.constant(1), tf.constant([1, 1]))
    with pytest.raises(ValueError, match="shape"):
        tf.while_loop(lambda i, *_: i < 5, body, start)
    shapes = (*(tf.TensorShape([]),) * 3, tf.TensorShape([None]))
    found = tf.while_loop(lambda i, *_: i < 5, body, start, shape_invariants=shapes)
    equal(value(found[3]), [1, 1, 2, 3, 5])


def test_104_105_arrays():
    n = tf.constant(5)
    c = tf.TensorArray(tf.int32, n).write(0, 1).write(1, 1)

    def body(i, a, b, c):
        return i + 1, b, a + b, c.write(i, a + b)

    found = tf.while_loop(lambda i, *_: i < n, body, (2, 1, 1, c))
    equal(value(found[3].stack()), [1, 1, 2, 3, 5])


def test_186_shapes_of_a_network():
    cell = tf.nn.rnn_cell.BasicRNNCell(15)
    start = cell.zero_state(10, tf.float32)
    outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([10, 7, 5]), initial_state=start)
    assert outputs.shape.as_list() == [10, 7, 15]
    assert state.shape.as_list() == [10, 15]
    gradients = tf.gradients(tf.reduce_sum(outputs), tf.trainable_variables())
    clipped, norm = tf.clip_by_global_norm(gradients, 1.0)
    found, total = value([clipped, norm])
    assert total > 1.0
    np.testing.assert_allclose(sum((g**2).sum() for g in found), 1.0, rtol=1e-4)
