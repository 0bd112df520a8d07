"""Shapes, types and refused arguments of CTC losses and decoders."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def ctc_setup():
    logits = numbers(4, 2, 4)
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], np.array([1, 0, 2], np.int32), [2, 2])
    return logits, labels


def test_ctc_loss():
    logits, labels = ctc_setup()
    lengths = [4, 3]
    loss = value(tf.nn.ctc_loss(labels, logits, lengths))
    close(value(tf.nn.ctc_loss(labels, logits + 5.0, lengths)), loss, 1e-4)
    turned = tf.nn.ctc_loss(labels, logits.transpose(1, 0, 2), lengths, time_major=False)
    close(value(turned), loss, 1e-5)
    e = np.exp(logits.astype(np.float64))
    p = e / e.sum(-1, keepdims=True)

    def collapsed(path):
        kept = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
        return [c for c in kept if c != 3]

    for b, wanted in ((0, [1, 0]), (1, [2])):
        total = sum(
            np.prod([p[t, b, c] for t, c in enumerate(path)])
            for path in np.ndindex(*[4] * lengths[b])
            if collapsed(path) == wanted
        )
        close(loss[b], -np.log(total), 1e-4)
    with pytest.raises(TypeError, match=r"Expected labels \(first argument\) to be a SparseTensor"):
        tf.nn.ctc_loss([[1]], logits, lengths)


def test_ctc_labels_that_do_not_fit():
    logits, labels = ctc_setup()
    bad = tf.SparseTensor([[0, 0], [1, 0]], np.array([-1, 1], np.int32), [2, 2])
    for given, lengths in ((labels, [5, 4]), (labels, [1, 4]), (bad, [4, 4])):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"All labels must be nonnegative|Not enough time for target|"
            r"sequence_length\(0\) <= 4",
        ):
            value(tf.nn.ctc_loss(given, logits, lengths))


def test_ctc_decoders():
    path = [0, 1, 1, 3, 1, 3, 1]
    logits = np.full((7, 1, 4), -5.0, np.float32)
    for t, c in enumerate(path):
        logits[t, 0, c] = 5
    for merge, wanted in ((True, [0, 1, 1, 1]), (False, [0, 1, 1, 1, 1])):
        decoded, scores = value(tf.nn.ctc_greedy_decoder(logits, [7], merge_repeated=merge))
        equal(decoded[0].values, wanted)
        equal(decoded[0].indices, [[0, i] for i in range(len(wanted))])
        assert tuple(decoded[0].dense_shape) == (1, len(wanted)) and scores.shape == (1, 1)
    for merge, wanted in ((True, [0, 1]), (False, [0, 1, 1, 1])):
        beams, scores = value(
            tf.nn.ctc_beam_search_decoder(logits, [7], top_paths=2, merge_repeated=merge)
        )
        assert len(beams) == 2 and scores.shape == (1, 2)
        equal(beams[0].values, wanted)
