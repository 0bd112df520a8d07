"""Statements T138 to T181: recurrent networks and connectionist temporal classification."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
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


def test_t138_t139_t148_t150_both_forms_are_equal_and_stop_at_the_length():
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


def both_forms_again(cell, x):
    with tf.variable_scope("net", reuse=True):
        return tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope="r")


def test_t140_t141_t142_structures_and_time_major():
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


def test_t144_t145_t151_wrong_arguments():
    cell, x = tf.nn.rnn_cell.BasicRNNCell(2), tf.zeros([3, 4, 2])
    for run, inputs in ((tf.nn.dynamic_rnn, x), (tf.nn.rnn, tf.unstack(x, axis=1))):
        with pytest.raises(ValueError):
            run(cell, inputs)
        with pytest.raises(TypeError):
            run(lambda i, s: (i, s), inputs, dtype=tf.float32)
        for nothing in (None, []):
            with pytest.raises((ValueError, TypeError)):
                run(cell, nothing, dtype=tf.float32)
    with pytest.raises(ValueError):
        tf.nn.rnn(cell, [tf.placeholder(tf.float32, [3, None])], dtype=tf.float32)


def test_t149_no_step_behind_the_longest_row_is_computed():
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


def test_t152_t153_states_are_kept_by_a_saver():
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
        with pytest.raises(ValueError):
            tf.nn.state_saving_rnn(cell, steps, saver, wrong)
    with pytest.raises(TypeError):
        tf.nn.state_saving_rnn(3, steps, saver, "h")


def test_t154_t155_t156_t157_both_directions():
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
    with pytest.raises(TypeError):
        tf.nn.bidirectional_dynamic_rnn(cells[0], None, x, dtype=tf.float32)


def test_t158_to_t165_raw_rnn():
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
        with pytest.raises(TypeError):
            tf.nn.raw_rnn(*wrong)


# CTC


def sparse(rows):
    indices = [[b, t] for b, row in enumerate(rows) for t in range(len(row))]
    values = [v for row in rows for v in row]
    shape = [len(rows), max(len(row) for row in rows)]
    return tf.SparseTensor(
        tf.constant(indices, tf.int64), tf.constant(values, tf.int32), tf.constant(shape, tf.int64)
    )


def collapsed(path, blank):
    merged = [p for i, p in enumerate(path) if i == 0 or p != path[i - 1]]
    return [p for p in merged if p != blank]


def brute_force(logits, labels, form):
    """Minus the logarithm of the sum over all paths of one row."""
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    steps, classes = p.shape
    total = 0.0
    for path in itertools.product(range(classes), repeat=steps):
        if form(path, classes - 1) == list(labels):
            total += np.prod([p[t, k] for t, k in enumerate(path)])
    return -np.log(total)


def test_t166_t167_t168_t171_t172_t173_losses():
    logits, labels = numbers(4, 2, 4), [[0, 1], [2, 2]]
    loss = tf.nn.ctc_loss(sparse(labels), tf.constant(logits), [4, 4])
    shifted = tf.nn.ctc_loss(sparse(labels), tf.constant(logits + 3.0), [4, 4])
    turned = tf.nn.ctc_loss(
        sparse(labels), tf.constant(np.swapaxes(logits, 0, 1)), [4, 4], time_major=False
    )
    once = tf.nn.ctc_loss(
        sparse(labels), tf.constant(logits), [4, 4], preprocess_collapse_repeated=True
    )
    shorter = tf.nn.ctc_loss(sparse([[0, 1], [2]]), tf.constant(logits), [4, 4])
    unmerged = tf.nn.ctc_loss(sparse(labels), tf.constant(logits), [4, 4], ctc_merge_repeated=False)
    found = value([loss, shifted, turned, once, shorter, unmerged])
    expected = [brute_force(logits[:, b], labels[b], collapsed) for b in range(2)]
    close(found[0], expected, 1e-5)
    close(found[1], expected, 1e-5)
    close(found[2], expected, 1e-5)
    close(found[3], found[4], 1e-5)

    def plain(path, blank):
        return [p for p in path if p != blank]

    close(found[5], [brute_force(logits[:, b], labels[b], plain) for b in range(2)], 1e-5)


def test_t169_t170_t174_t175_wrong_labels():
    logits = tf.constant(numbers(3, 1, 4))
    with tf.Session() as session:
        for labels, length in (([[0]], [4]), ([[0, 1]], [1]), ([[-1]], [3])):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(tf.nn.ctc_loss(sparse(labels), logits, length))
    with pytest.raises(TypeError):
        tf.nn.ctc_loss([[0]], logits, [3])


def test_t176_t177_t178_t181_greedy_decoding():
    path = [0, 0, 3, 0, 1, 1, 3, 2]
    logits = np.zeros([8, 2, 4], np.float32)
    for t, k in enumerate(path):
        logits[t, :, k] = 5.0
    (merged,), score = tf.nn.ctc_greedy_decoder(tf.constant(logits), [8, 3])
    (every,), _ = tf.nn.ctc_greedy_decoder(tf.constant(logits), [8, 3], merge_repeated=False)
    (best,), _ = tf.nn.ctc_beam_search_decoder(
        tf.constant(logits), [8, 3], beam_width=16, top_paths=1, merge_repeated=False
    )
    found = value([merged, every, best, score])
    equal(found[0].values, [0, 0, 1, 2, 0])
    equal(found[0].dense_shape, [2, 4])
    equal(found[1].values, [0, 0, 0, 1, 1, 2, 0, 0])
    equal(found[2].values, found[0].values)
    equal(found[2].indices, found[0].indices)
    assert found[3].shape == (2, 1)


def test_t179_t180_beams():
    logits = tf.constant(numbers(5, 2, 4))
    decoded, scores = tf.nn.ctc_beam_search_decoder(logits, [5, 5], beam_width=8, top_paths=3)
    found = value([decoded, scores])
    assert len(found[0]) == 3 and found[1].shape == (2, 3)
    assert (np.diff(found[1], axis=1) <= 0).all()
    path = [0, 1, 3, 1, 3, 1]
    sure = np.zeros([6, 1, 4], np.float32)
    for t, k in enumerate(path):
        sure[t, :, k] = 9.0
    results = [
        tf.nn.ctc_beam_search_decoder(tf.constant(sure), [6], top_paths=1, merge_repeated=merge)[0]
        for merge in (True, False)
    ]
    (one,), (two,) = value(results)
    equal(one.values, [0, 1])
    equal(two.values, [0, 1, 1, 1])
