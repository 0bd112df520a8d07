"""Recurrent networks of both directions."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import headwater as tf

# Programs of two forms round differently; the values are of order 1.
close = functools.partial(np.testing.assert_allclose, atol=1e-6)
LENGTHS = [4, 2, 3]
equal = np.testing.assert_array_equal


@pytest.fixture(autouse=True)
def graph():
    tf.reset_default_graph()
    tf.set_random_seed(7)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def steps(count=3, rows=2, size=4):
    random = np.random.RandomState(0)
    return [tf.constant(random.randn(rows, size).astype(np.float32)) for _ in range(count)]


def test_both_directions():
    x, lengths = tf.constant(numbers(3, 4, 2)), tf.constant(LENGTHS)
    cells = [tf.nn.rnn_cell.BasicRNNCell(n) for n in (3, 5)]
    with tf.variable_scope("b"):
        outputs, states = tf.nn.bidirectional_dynamic_rnn(
            *cells, x, sequence_length=lengths, dtype=tf.float32, scope="s"
        )
    with tf.variable_scope("b", reuse=True):
        static, fw, bw = tf.nn.bidirectional_rnn(
            *cells, tf.unstack(x, axis=1), sequence_length=lengths, dtype=tf.float32, scope="s"
        )
    assert [o.get_shape().as_list() for o in static] == [[3, 8]] * 4
    found = value([tf.concat(2, outputs), tf.stack(static, 1), states, (fw, bw)])
    close(found[0], found[1], 1e-6)
    for one, two in zip(found[2], found[3]):
        close(one, two, 1e-6)
    with pytest.raises(
        TypeError, match=r"The argument 'cell_bw' \(None\) is not an RNNCell: 'output_size'"
    ):
        tf.nn.bidirectional_dynamic_rnn(cells[0], None, x, dtype=tf.float32)


def test_both_directions_are_joined_by_depth_the_forward_one_first():
    cells = tf.nn.rnn_cell.BasicRNNCell(2), tf.nn.rnn_cell.BasicRNNCell(3)
    inputs = steps()
    outputs, fw, bw = tf.nn.bidirectional_rnn(*cells, inputs, dtype=tf.float32)
    assert [o.get_shape().as_list() for o in outputs] == [[2, 5]] * 3
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        first, last, state_fw, state_bw = session.run([outputs[0], outputs[-1], fw, bw])
    np.testing.assert_allclose(last[:, :2], state_fw, 1e-6)
    np.testing.assert_allclose(first[:, 2:], state_bw, 1e-6)
    with pytest.raises(
        ValueError, match="If no initial_state is provided, dtype must be specified"
    ):
        tf.nn.bidirectional_rnn(*cells, inputs, scope="z")
    with pytest.raises(
        TypeError, match=r"The argument 'cell_bw' \(3\) is not an RNNCell: 'output_size'"
    ):
        tf.nn.bidirectional_rnn(cells[0], 3, inputs, dtype=tf.float32, scope="w")
    with pytest.raises((ValueError, TypeError), match="inputs must not be empty"):
        tf.nn.bidirectional_rnn(*cells, [], dtype=tf.float32, scope="v")


def test_two_halves_of_a_sequence():
    with tf.variable_scope("net"):
        cell = tf.nn.rnn_cell.BasicRNNCell(5)
        zero = cell.zero_state(2, tf.float32)
        x = tf.constant(numbers(2, 6, 3))
        whole, last = tf.nn.dynamic_rnn(cell, x, initial_state=zero)
    with tf.variable_scope("net", reuse=True):
        first, state = tf.nn.dynamic_rnn(cell, x[:, :3], initial_state=zero)
        second, again = tf.nn.dynamic_rnn(cell, x[:, 3:], initial_state=state)
    assert whole.get_shape() == [2, 6, 5]
    zeros, one, two, state_one, state_two = value(
        [zero, whole, tf.concat([first, second], 1), last, again]
    )
    equal(zeros, np.zeros((2, 5)))
    close(two, one, 1e-5)
    close(state_two, state_one, 1e-5)
