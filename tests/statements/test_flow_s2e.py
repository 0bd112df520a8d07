"""Statements about recurrent networks of the reference pages."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import headwater as tf


@pytest.fixture(autouse=True)
def graph():
    tf.reset_default_graph()


def steps(count=3, rows=2, size=4):
    random = np.random.RandomState(0)
    return [tf.constant(random.randn(rows, size).astype(np.float32)) for _ in range(count)]


def test_defaults_of_dynamic_rnn():
    parameters = inspect.signature(tf.nn.dynamic_rnn).parameters
    assert parameters["time_major"].default is False
    assert parameters["swap_memory"].default is False
    assert parameters["initial_state"].default is None


def test_a_state_may_be_given_as_a_tensor_or_as_a_tuple():
    x = tf.pack(steps(), axis=1)
    cell = tf.nn.rnn_cell.BasicRNNCell(5)
    _, last = tf.nn.dynamic_rnn(cell, x, initial_state=tf.ones([2, 5]))
    assert last.get_shape().as_list() == [2, 5]
    cells = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(n) for n in (3, 5)])
    start = (tf.ones([2, 3]), tf.ones([2, 5]))
    outputs, last = tf.nn.dynamic_rnn(cells, x, initial_state=start, scope="two")
    assert isinstance(last, tuple) and outputs.get_shape().as_list() == [2, 3, 5]


def test_the_names_of_a_savers_states_fit_to_the_states():
    class Saver:
        def state(self, name):
            return tf.zeros([2, 5])

        def save_state(self, name, state):
            return tf.no_op()

    cell = tf.nn.rnn_cell.BasicLSTMCell(5)
    outputs, state = tf.nn.state_saving_rnn(cell, steps(), Saver(), ("c", "h"))
    assert len(outputs) == 3 and len(state) == 2
    for wrong in ("c", ("c",), ("a", "b", "c")):
        with pytest.raises(ValueError):
            tf.nn.state_saving_rnn(cell, steps(), Saver(), wrong, scope="x")
    with pytest.raises(ValueError):
        tf.nn.state_saving_rnn(cell, [], Saver(), ("c", "h"), scope="y")


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
    with pytest.raises(ValueError):
        tf.nn.bidirectional_rnn(*cells, inputs, scope="z")
    with pytest.raises(TypeError):
        tf.nn.bidirectional_rnn(cells[0], 3, inputs, dtype=tf.float32, scope="w")
    with pytest.raises((ValueError, TypeError)):
        tf.nn.bidirectional_rnn(*cells, [], dtype=tf.float32, scope="v")
