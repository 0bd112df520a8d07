"""raw_rnn: the loop function decides what goes in and when rows end."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose


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


def test_raw_rnn():
    x, lengths = numbers(3, 4, 2), np.array([4, 2, 3])
    cell, seen = tf.nn.rnn_cell.BasicRNNCell(5), []
    rows = tf.TensorArray(tf.float32, 4).unstack(np.swapaxes(x, 0, 1))

    def loop(time, output, state, loop_state):
        seen.append((output, state, loop_state))
        first = output is None
        state = cell.zero_state(3, tf.float32) if first else state
        finished = time >= lengths
        ended = tf.reduce_all(finished)
        following = tf.cond(ended, lambda: tf.zeros([3, 2]), lambda: rows.read(time))
        return finished, following, state, output, tf.constant(0) if first else loop_state + 1

    with tf.variable_scope("net"):
        emitted, state, count = tf.nn.raw_rnn(cell, loop, scope="r")
    with tf.variable_scope("net", reuse=True):
        plain = tf.nn.dynamic_rnn(
            cell, tf.constant(x), sequence_length=lengths, dtype=tf.float32, scope="r"
        )
    assert seen[0] == (None, None, None)
    found = value([tf.transpose(emitted.stack(), [1, 0, 2]), state, plain, count])
    close(found[0], found[2][0], 1e-6)
    close(found[1], found[2][1], 1e-6)
    assert found[3] == 4
    for wrong in ((3, loop), (cell, 3)):
        with pytest.raises(
            TypeError, match=r"The argument 'cell' \(3\) is not an|loop_fn must be a callable"
        ):
            tf.nn.raw_rnn(*wrong)
