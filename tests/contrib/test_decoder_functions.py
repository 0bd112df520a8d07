"""The decoders of TensorFlow 1.0 against those of later releases."""

import numpy as np
import pytest

import headwater as tf

seq2seq = tf.contrib.seq2seq
RANDOM = np.random.RandomState(0)
STATE = RANDOM.randn(2, 4).astype(np.float32)
INPUTS = RANDOM.randn(2, 5, 3).astype(np.float32)
MEMORY = RANDOM.randn(2, 6, 4).astype(np.float32)
TABLE = RANDOM.randn(4, 3).astype(np.float32)


@pytest.fixture(autouse=True)
def _graph():
    tf.reset_default_graph()


def _values(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def _cell():
    return tf.nn.rnn_cell.GRUCell(4)


def test_training_is_a_dynamic_network():
    with tf.variable_scope("net") as scope:
        function = seq2seq.simple_decoder_fn_train(tf.constant(STATE))
        outputs, state, context = seq2seq.dynamic_rnn_decoder(
            _cell(), function, INPUTS, [5, 3], scope=scope
        )
    assert context is None
    assert tf.global_variables()[0].name == "net/gru_cell/gates/kernel:0"
    with tf.variable_scope("net", reuse=True) as scope:
        expected = tf.nn.dynamic_rnn(
            _cell(), INPUTS, [5, 3], initial_state=tf.constant(STATE), scope=scope
        )
    found, wanted = _values([(outputs, state), expected])
    np.testing.assert_allclose(found[0], wanted[0], atol=1e-6)
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-6)


def test_inference_is_greedy_decoding():
    with tf.variable_scope("net") as scope:
        function = seq2seq.simple_decoder_fn_inference(
            None, tf.constant(STATE), TABLE, 0, 1, 4, num_decoder_symbols=4
        )
        outputs, _, _ = seq2seq.dynamic_rnn_decoder(_cell(), function, time_major=True, scope=scope)
    with tf.variable_scope("net", reuse=True) as scope:
        helper = seq2seq.GreedyEmbeddingHelper(TABLE, [0, 0], 1)
        decoder = seq2seq.BasicDecoder(_cell(), helper, tf.constant(STATE))
        expected, _, _ = seq2seq.dynamic_decode(
            decoder, True, impute_finished=True, maximum_iterations=5, scope=scope
        )
    found, wanted = _values([outputs, expected.rnn_output])
    np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize("option", ["bahdanau", "luong"])
def test_attention_is_emitted(option):
    with tf.variable_scope("net") as scope:
        prepared = seq2seq.prepare_attention(tf.constant(MEMORY), option, 4)
        train = seq2seq.attention_decoder_fn_train(tf.constant(STATE), *prepared)
        outputs, _, _ = seq2seq.dynamic_rnn_decoder(_cell(), train, INPUTS, [5, 3], scope=scope)
        names = {v.op.name for v in tf.global_variables()}
        scope.reuse_variables()
        keys, values, _, construct = seq2seq.prepare_attention(
            tf.constant(MEMORY), option, 4, reuse=True
        )
        first = tf.concat([INPUTS[:, 0], tf.zeros([2, 4])], 1)
        query, _ = _cell()(first, tf.constant(STATE))
        expected = construct(query, keys, values)
    assert {"net/attention_keys/weights", "net/attention_construct/weights"} < names
    found, wanted = _values([outputs, expected])
    np.testing.assert_allclose(found[:, 0], wanted, atol=1e-6)
    assert (found[1, 3:] == 0).all() and found[0].all()


def test_wrong_uses_of_decoders():
    with pytest.raises(ValueError, match="Unknown attention option"):
        seq2seq.prepare_attention(tf.constant(MEMORY), "other", 4)
    with pytest.raises(ValueError, match="sequence_length"):
        function = seq2seq.simple_decoder_fn_train(tf.constant(STATE))
        seq2seq.dynamic_rnn_decoder(_cell(), function, INPUTS)
