"""Models from sequences to sequences: what older releases allowed, and losses by definition."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf
from headwater.compat import install as hook
from headwater.contrib.legacy_seq2seq.decoders import embed_most_likely

models = tf.contrib.legacy_seq2seq


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def _values(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def _symbols(*values):
    return [tf.constant([value, value + 1]) for value in values]


def _losses_of(values, targets):
    shifted = values - values.max(-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return -np.take_along_axis(logs, targets[..., None], -1)[..., 0]


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 100))
def test_losses_of_lists_and_of_one_tensor_are_weighted_means(steps, batch, seed):
    random = np.random.RandomState(seed)
    logits = random.randn(batch, steps, 5).astype(np.float32)
    targets = random.randint(0, 5, (batch, steps))
    weights = random.randint(0, 3, (batch, steps)).astype(np.float32)
    losses = _losses_of(logits, targets) * weights
    lists = [
        [tf.constant(part[:, step]) for step in range(steps)] for part in (logits, targets, weights)
    ]
    whole = [tf.constant(part) for part in (logits, targets, weights)]
    found = _values(
        [
            models.sequence_loss_by_example(*lists),
            models.sequence_loss(*lists, average_across_timesteps=False),
            tf.contrib.seq2seq.sequence_loss(*whole),
            tf.contrib.seq2seq.sequence_loss(*whole, True, False),
        ]
    )
    totals = weights.sum(1)
    by_row = np.where(totals > 0, losses.sum(1) / np.maximum(totals, 1), 0)
    mean = losses.sum() / weights.sum() if weights.any() else 0
    for value, expected in zip(found, [by_row, losses.sum() / batch, mean, by_row], strict=True):
        np.testing.assert_allclose(value, expected, rtol=2e-5, atol=1e-6)


def test_loss_functions_of_old_releases_get_their_arguments_in_their_order():
    seen = []

    def newest(labels, logits):
        seen.append((labels.dtype, logits.dtype))
        return tf.reduce_sum(logits, 1)

    def of_release_1_0(labels, inputs):
        return newest(labels, inputs)

    def oldest(inputs, labels):
        return newest(labels, inputs)

    for function in (newest, of_release_1_0, oldest):
        models.sequence_loss([tf.ones([2, 3])], _symbols(0), [tf.ones([2])], True, True, function)
    assert seen == [(tf.int32, tf.float32)] * 3


def test_loss_of_one_tensor_takes_the_order_of_release_1_0():
    arguments = tf.ones([2, 3, 4]), tf.zeros([2, 3], tf.int32), tf.ones([2, 3])

    def loss(labels, logits):
        return tf.reduce_sum(logits, 1)

    value = tf.contrib.seq2seq.sequence_loss(*arguments, False, False, loss, "old")
    assert value.op.name.startswith("old/")
    np.testing.assert_array_equal(_values(value), np.full((2, 3), 4))


@pytest.mark.parametrize(
    "model", [models.embedding_rnn_seq2seq, models.embedding_attention_seq2seq]
)
def test_one_cell_serves_all_buckets(model):
    cell = tf.nn.rnn_cell.GRUCell(3)
    outputs, losses = models.model_with_buckets(
        _symbols(1, 2),
        _symbols(0, 1),
        _symbols(1, 2),
        [tf.ones([2])] * 2,
        [(1, 1), (2, 2), (2, 2)],
        lambda x, y: model(x, y, cell, 4, 4, 3),
    )
    names = [v.op.name for v in tf.global_variables()]
    assert len(names) == len(set(names))
    assert sum(name.endswith("gru_cell/gates/kernel") for name in names) == 2
    assert not tf.get_variable_scope().reuse
    first, second, third = _values(outputs)
    assert [x.shape for x in second] == [(2, 4)] * 2
    assert not np.allclose(first[0], second[0])
    np.testing.assert_array_equal(second, third)
    gradients = tf.gradients(losses[1], tf.trainable_variables())
    assert all(gradient is not None for gradient in gradients)


def test_one_encoder_takes_the_order_of_release_1_0():
    inputs = {"a": _symbols(0, 1), "b": _symbols(2)}
    numbers = {"a": 4, "b": 5}
    outputs, states = models.one2many_rnn_seq2seq(
        _symbols(1), inputs, tf.nn.rnn_cell.GRUCell(3), 4, numbers, 2
    )
    named, _ = models.one2many_rnn_seq2seq(
        encoder_inputs=_symbols(1),
        decoder_inputs_dict=inputs,
        cell=tf.nn.rnn_cell.GRUCell(3),
        num_encoder_symbols=4,
        num_decoder_symbols_dict=numbers,
        embedding_size=2,
        scope="named",
    )
    for result in (outputs, named):
        assert [x.shape.as_list() for x in result["a"]] == [[2, 4]] * 2
        assert [x.shape.as_list() for x in result["b"]] == [[2, 5]]
    assert states["b"].shape.as_list() == [2, 3]


def test_modules_of_old_releases_have_the_models():
    hook.install()
    try:
        old = importlib.import_module("tensorflow.python.ops.seq2seq")
        contrib = importlib.import_module("tensorflow.contrib.legacy_seq2seq.python.ops.seq2seq")
        oldest = importlib.import_module("tensorflow.models.rnn.seq2seq")
        for module in (old, contrib, oldest, tf.nn.seq2seq):
            assert module.rnn_decoder is models.rnn_decoder
            assert module.sequence_loss_by_example is models.sequence_loss_by_example
        assert old._extract_argmax_and_embed is contrib._extract_argmax_and_embed
    finally:
        hook.uninstall()


def test_fed_symbols_are_those_of_the_last_step():
    embedding = tf.constant(np.eye(4, dtype=np.float32))
    weights = tf.constant([[0.0, 0, 0, 1], [0, 1, 0, 0]]), tf.zeros([4])
    found = _values(embed_most_likely(embedding, weights)(tf.constant([[2.0, 1], [1, 2]]), 1))
    np.testing.assert_array_equal(found, np.eye(4)[[3, 1]])
