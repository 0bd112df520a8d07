"""dynamic_rnn and static_rnn: equal results, lengths, structures, wrong arguments, saved states."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import headwater as tf

# Programs of two forms round differently; the values are of order 1.
close = functools.partial(np.testing.assert_allclose, atol=1e-6)
equal = np.testing.assert_array_equal
LENGTHS = [4, 2, 3]


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


def both_forms(cell, x, lengths, **options):
    """Results of the dynamic and of the static form with the same variables."""
    with tf.variable_scope("net"):
        one = tf.nn.dynamic_rnn(cell, x, sequence_length=lengths, scope="r", **options)
    with tf.variable_scope("net", reuse=True):
        steps = tf.unstack(x, axis=1)
        two = tf.nn.rnn(cell, steps, sequence_length=lengths, scope="r", **options)
    return one, two


def both_forms_again(cell, x):
    with tf.variable_scope("net", reuse=True):
        return tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope="r")


def test_both_forms_are_equal_and_stop_at_the_length():
    x = tf.constant(numbers(3, 4, 2))
    for dtype in (tf.int32, tf.int64):
        tf.reset_default_graph()
        x = tf.constant(numbers(3, 4, 2))
        lengths = tf.constant(LENGTHS, dtype)
        cell = tf.nn.rnn_cell.BasicRNNCell(5)
        one, two = both_forms(cell, x, lengths, dtype=tf.float32)
        assert isinstance(two[0], list) and len(two[0]) == 4
        full, _ = both_forms_again(cell, x)
        outputs, state, stacked, other, whole = value(
            [one[0], one[1], tf.stack(two[0], 1), two[1], full]
        )
        close(outputs, stacked, 1e-6)
        close(state, other, 1e-6)
        for row, length in enumerate(LENGTHS):
            equal(outputs[row, length:], 0)
            close(outputs[row, :length], whole[row, :length], 1e-6)
            close(state[row], whole[row, length - 1], 1e-6)


def test_structures_and_time_major():
    class Sum(tf.nn.rnn_cell.RNNCell):
        state_size = (tf.TensorShape([2, 3]), 4)
        output_size = (3, tf.TensorShape([2, 3]))

        def __call__(self, inputs, state, scope=None):
            a, (b, c) = inputs
            return (b, state[0] + a), (state[0] + a, state[1] + c)

    a, b, c = numbers(2, 5, 2, 3), numbers(2, 5, 3, seed=1), numbers(2, 5, 4, seed=2)
    outputs, state = tf.nn.dynamic_rnn(Sum(), (a, (b, c)), dtype=tf.float32)
    turned = [np.swapaxes(v, 0, 1) for v in (a, b, c)]
    major = tf.nn.dynamic_rnn(
        Sum(), (turned[0], (turned[1], turned[2])), dtype=tf.float32, time_major=True
    )
    found = value([outputs, state, major])
    close(found[0][0], b)
    close(found[0][1], np.cumsum(a, 1), 1e-5)
    close(found[1][0], a.sum(1), 1e-5)
    close(found[1][1], c.sum(1), 1e-5)
    close(found[2][0][1], np.swapaxes(found[0][1], 0, 1))
    close(found[2][1][0], found[1][0])


def test_wrong_arguments():
    cell, x = tf.nn.rnn_cell.BasicRNNCell(2), tf.zeros([3, 4, 2])
    for run, inputs in ((tf.nn.dynamic_rnn, x), (tf.nn.rnn, tf.unstack(x, axis=1))):
        with pytest.raises(ValueError, match="no initial_state"):
            run(cell, inputs)
        with pytest.raises(TypeError, match=r"The argument 'cell' \(<function"):
            run(lambda i, s: (i, s), inputs, dtype=tf.float32)
        for nothing in (None, []):
            with pytest.raises(
                (ValueError, TypeError),
                match=r"None values not supported\.|inputs must be a sequence|"
                r"inputs must not be empty",
            ):
                run(cell, nothing, dtype=tf.float32)
    with pytest.raises(
        ValueError, match=r"Input size \(dimension 0 of inputs\) must be accessible via shape"
    ):
        tf.nn.rnn(cell, [tf.placeholder(tf.float32, [3, None])], dtype=tf.float32)


def test_no_step_behind_the_longest_row_is_computed():
    calls = []

    class Counted(tf.nn.rnn_cell.RNNCell):
        state_size = output_size = 2

        def __call__(self, inputs, state, scope=None):
            def count(v):
                calls.append(1)
                return v

            seen = tf.py_func(count, [inputs], tf.float32)
            seen.set_shape([3, 2])
            return seen, state + seen

    steps = [tf.constant(numbers(3, 2, seed=i)) for i in range(6)]
    outputs, _ = tf.nn.rnn(Counted(), steps, dtype=tf.float32, sequence_length=[2, 1, 3])
    found = value(outputs)
    assert len(calls) == 3
    equal(found[4], 0)


def test_states_are_kept_by_a_saver():
    class Saver:
        def __init__(self):
            self.saved = {}

        def state(self, name):
            return tf.constant(numbers(3, 2, seed=len(name)))

        def save_state(self, name, state):
            self.saved[name] = state
            return tf.identity(state)

    saver, cell = Saver(), tf.nn.rnn_cell.BasicRNNCell(2)
    steps = [tf.constant(numbers(3, 2, seed=i)) for i in range(2)]
    outputs, state = tf.nn.state_saving_rnn(cell, steps, saver, "h")
    with tf.variable_scope("RNN", reuse=True):
        plain = tf.nn.rnn(cell, steps, initial_state=saver.state("h"), scope="x")
    assert list(saver.saved) == ["h"]
    assert len(outputs) == 2 and state.get_shape().as_list() == [3, 2]
    assert plain[1].get_shape().as_list() == [3, 2]
    for wrong in (("a", "b"), ("a",)):
        with pytest.raises(
            ValueError, match=r"state_name should be the same type as cell\.state_size\."
        ):
            tf.nn.state_saving_rnn(cell, steps, saver, wrong)
    with pytest.raises(
        TypeError, match=r"The argument 'cell' \(3\) is not an RNNCell: 'output_size'"
    ):
        tf.nn.state_saving_rnn(3, steps, saver, "h")


def test_shapes_of_a_network():
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
