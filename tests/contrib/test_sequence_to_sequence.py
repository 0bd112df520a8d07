"""The legacy sequence-to-sequence functions as language models and translators use them."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


@pytest.fixture(autouse=True)
def graph():
    tf.reset_default_graph()
    tf.set_random_seed(1)


def decoder(**options):
    encoder = [tf.constant([1, 2]), tf.constant([3, 0])]
    inputs = [tf.placeholder(tf.int32, [2]) for _ in range(4)]
    outputs, _ = tf.nn.seq2seq.embedding_rnn_seq2seq(
        encoder, inputs, tf.nn.rnn_cell.GRUCell(6), 5, 7, embedding_size=6, **options
    )
    return inputs, outputs


def test_memory_is_carried_from_batch_to_batch_by_feeding_zeros():
    lstm = tf.nn.rnn_cell.BasicLSTMCell(3, state_is_tuple=False)
    assert lstm.state_size == 6
    initial = state = tf.zeros([2, lstm.state_size])
    words = tf.placeholder(tf.float32, [2, 4, 5])
    with tf.variable_scope("net") as scope:
        for i in range(4):
            if i:
                scope.reuse_variables()
            _, state = lstm(words[:, i], state)
    data = np.random.RandomState(0).randn(2, 4, 5).astype(np.float32)
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        memory = session.run(initial)
        assert not memory.any()
        first = session.run(state, {initial: memory, words: data})
        second = session.run(state, {initial: first, words: data})
    assert first.shape == (2, 6) and np.abs(second - first).max() > 1e-4


def test_one_cell_may_be_repeated():
    lstm = tf.nn.rnn_cell.BasicLSTMCell(3, state_is_tuple=False)
    stacked = tf.nn.rnn_cell.MultiRNNCell([lstm] * 2, state_is_tuple=False)
    state = stacked.zero_state(2, tf.float32)
    assert state.get_shape().as_list() == [2, 12]


def test_only_the_first_decoder_input_counts_when_outputs_are_fed_back():
    inputs, outputs = decoder(feed_previous=True)
    assert [o.get_shape().as_list() for o in outputs] == [[2, 7]] * 4
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        found = [
            session.run(outputs, dict(zip(inputs, [[1, 2], *rest])))
            for rest in ([[0, 0]] * 3, [[5, 6]] * 3)
        ]
        other = session.run(outputs, dict(zip(inputs, [[3, 4]] + [[0, 0]] * 3)))
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)
    assert np.abs(np.array(other) - np.array(found[0])).max() > 1e-3


def test_outputs_are_not_projected_when_a_projection_is_given():
    projection = tf.ones([6, 7]), tf.ones([7])
    _, outputs = decoder(output_projection=projection)
    assert [o.get_shape().as_list() for o in outputs] == [[2, 6]] * 4


def test_basic_sequence_to_sequence():
    inputs = [tf.ones([2, 3]) for _ in range(3)]
    goals = [tf.ones([2, 3]) for _ in range(5)]
    outputs, state = tf.nn.seq2seq.basic_rnn_seq2seq(inputs, goals, tf.nn.rnn_cell.GRUCell(4))
    assert len(outputs) == 5 and state.get_shape().as_list() == [2, 4]


def test_perplexity_of_uniform_logits_is_the_number_of_words():
    logits = [tf.zeros([2, 10])] * 3
    targets = [tf.constant([1, 2])] * 3
    loss = tf.nn.seq2seq.sequence_loss(logits, targets, [tf.ones([2])] * 3)
    with tf.Session() as session:
        np.testing.assert_allclose(np.exp(session.run(loss)), 10.0, rtol=1e-4)
