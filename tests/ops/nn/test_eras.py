"""Losses called as programs of TensorFlow 0.x call them."""

import numpy as np
import pytest

import headwater as tf

LOGITS = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]], np.float32)


def values(*tensors):
    with tf.Session() as session:
        return session.run(list(tensors))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_softmax_cross_entropy_takes_logits_first():
    labels = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]], np.float32)
    positional, named = values(
        tf.nn.softmax_cross_entropy_with_logits(LOGITS, labels),
        tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=LOGITS),
    )
    np.testing.assert_array_equal(positional, named)
    expected = -(labels * np.log(softmax(LOGITS))).sum(1)
    np.testing.assert_allclose(positional, expected, rtol=1e-5)


def test_sparse_softmax_cross_entropy_takes_logits_first():
    labels = np.array([2, 0])
    positional, named = values(
        tf.nn.sparse_softmax_cross_entropy_with_logits(LOGITS, labels),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=LOGITS),
    )
    np.testing.assert_array_equal(positional, named)
    expected = -np.log(softmax(LOGITS))[[0, 1], labels]
    np.testing.assert_allclose(positional, expected, rtol=1e-5)


def test_sigmoid_cross_entropy_takes_logits_first():
    targets = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.25]], np.float32)
    positional, named = values(
        tf.nn.sigmoid_cross_entropy_with_logits(LOGITS, targets),
        tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=LOGITS),
    )
    np.testing.assert_array_equal(positional, named)
    chances = 1 / (1 + np.exp(-LOGITS))
    expected = -targets * np.log(chances) - (1 - targets) * np.log(1 - chances)
    np.testing.assert_allclose(positional, expected, rtol=1e-5)


@pytest.mark.parametrize(
    "function",
    [
        tf.nn.softmax_cross_entropy_with_logits,
        tf.nn.sparse_softmax_cross_entropy_with_logits,
        tf.nn.sigmoid_cross_entropy_with_logits,
    ],
)
def test_losses_need_labels(function):
    with pytest.raises(ValueError, match=r"labels=\.\.\., logits=\.\.\."):
        function(LOGITS)


def test_sampled_losses_take_inputs_before_labels():
    weights = np.arange(12, dtype=np.float32).reshape(6, 2) / 10
    biases = np.zeros(6, np.float32)
    inputs = np.array([[1.0, 2.0], [0.5, -1.0]], np.float32)
    labels = np.array([[1], [4]], np.int64)
    drawn = (tf.constant([0, 2, 5], tf.int64), tf.fill([2, 1], 0.5), tf.fill([3], 0.5))
    for function in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss):
        old = function(weights, biases, inputs, labels, 3, 6, sampled_values=drawn)
        new = function(weights, biases, labels, inputs, 3, 6, sampled_values=drawn)
        np.testing.assert_array_equal(*values(old, new))
