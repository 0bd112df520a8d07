"""Arguments and defaults of the functions that unroll or loop over cells."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def steps(count=3, rows=2, size=4):
    random = np.random.RandomState(0)
    return [tf.constant(random.randn(rows, size).astype(np.float32)) for _ in range(count)]


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


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
        with pytest.raises(
            ValueError, match=r"#elems\(state_name\) !=|state_name should be the same type"
        ):
            tf.nn.state_saving_rnn(cell, steps(), Saver(), wrong, scope="x")
    with pytest.raises(ValueError, match="inputs must not be empty"):
        tf.nn.state_saving_rnn(cell, [], Saver(), ("c", "h"), scope="y")


def test_lengths_scopes_and_options_of_networks():
    x = tf.constant(numbers(2, 3, 4))
    for kind in (np.int32, np.int64):
        with tf.Graph().as_default():
            x = tf.constant(numbers(2, 3, 4))
            tf.set_random_seed(1)
            cell = tf.nn.rnn_cell.BasicRNNCell(5)
            lengths = np.array([2, 3], kind)
            plain, _ = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
            assert all(v.name.startswith("rnn/") for v in tf.trainable_variables())
            tf.get_variable_scope().reuse_variables()
            other, _ = tf.nn.dynamic_rnn(
                cell, x, lengths, dtype=tf.float32, parallel_iterations=1, swap_memory=True
            )
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                equal(*session.run([plain, other]))
