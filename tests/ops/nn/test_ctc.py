"""Connectionist temporal classification: errors, decoders, and the loss in compiled programs."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.graph import build

INPUTS = np.random.RandomState(0).randn(4, 2, 3).astype(np.float32)


def run(make, feed_dict=None):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make(), feed_dict)


def loss_of(values, indices=((0, 0), (0, 1), (1, 0)), lengths=(4, 4), **attrs):
    return run(
        lambda: build.CTCLoss(
            INPUTS,
            np.array(indices, np.int64),
            np.array(values, np.int32),
            np.array(lengths, np.int32),
            **attrs,
        )
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"values": [0, 1, 1], "lengths": (4, 5)}, r"sequence_length\(1\) <= 4"),
        ({"values": [0, 1, 1], "lengths": (-1, 4)}, r"seq_len\(0\) < 0"),
        ({"values": [0, -1, 1]}, "All labels must be nonnegative integers, batch: 0 labels: 0,-1"),
        ({"values": [2, 1, 1]}, "Saw a non-null label .* batch: 0 num_classes: 3 labels: 2,1"),
        ({"values": [0, 1, 1], "lengths": (1, 4)}, r"required: 2, available: 1\)0You can turn"),
        ({"values": [0, 1], "indices": ((0, 0), (0, 1))}, "Labels length is zero in batch 1"),
        (
            {"values": [0, 1, 1], "indices": ((0, 0), (1, 0), (0, 1))},
            r"label SparseTensor is not valid: indices\[2\] = \[0,1\] is out of order",
        ),
        (
            {"values": [0, 1, 1], "indices": ((0, 0), (0, 1), (2, 0))},
            r"indices\[2\] = \[2,0\] is out of bounds: need 0 <= index < \[2,2\]",
        ),
    ],
)
@pytest.mark.parametrize("mode", ["never", "always"])
def test_ctc_loss_refuses_bad_labels(monkeypatch, mode, arguments, text):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        loss_of(**arguments)


def test_impossible_labels_have_infinite_loss_and_a_finite_gradient():
    loss, gradient = loss_of([1, 1, 0], lengths=(2, 4))
    assert np.isinf(loss[0]) and np.isfinite(loss[1])
    assert np.all(np.isfinite(gradient))


def test_many_labels_pick_the_loop_that_is_large_enough(monkeypatch):
    """A program has one loop for few labels and one for many; both agree with NumPy."""
    random = np.random.RandomState(1)
    inputs = random.randn(80, 3, 5).astype(np.float32)
    for counts in ((3, 5, 2), (30, 2, 16)):
        indices = np.array([(b, i) for b, n in enumerate(counts) for i in range(n)], np.int64)
        values = random.randint(0, 4, len(indices)).astype(np.int32)
        arguments = (inputs, indices, values, np.array([80, 70, 60], np.int32))
        results = []
        for mode in ("never", "always"):
            monkeypatch.setenv("HEADWATER_JIT", mode)
            results.append(run(lambda arguments=arguments: build.CTCLoss(*arguments)))
        np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-5)
        np.testing.assert_allclose(results[0][1], results[1][1], atol=2e-5)


def test_second_derivative_of_ctc_loss_is_refused():
    with tf.Graph().as_default():
        inputs = tf.placeholder(tf.float32, [4, 2, 3])
        labels = tf.SparseTensor(np.array([[0, 0], [1, 0]], np.int64), np.int32([0, 1]), [2, 1])
        gradient = tf.gradients(tf.nn.ctc_loss(labels, inputs, [4, 4]), inputs)[0]
        with pytest.raises(LookupError, match="explicitly disabled"):
            tf.gradients(gradient, inputs)


def test_labels_may_stand_behind_the_inputs_as_in_early_releases():
    with tf.Graph().as_default():
        inputs = tf.placeholder(tf.float32, [4, 2, 3])
        labels = tf.SparseTensor(np.array([[0, 0], [1, 0]], np.int64), np.int32([0, 1]), [2, 1])
        assert tf.nn.ctc_loss(inputs, labels, [4, 4]).shape == (2,)
        with pytest.raises(TypeError, match=r"Expected labels .first argument. to be a SparseTen"):
            tf.nn.ctc_loss(inputs, inputs, [4, 4])


def probable_labels(inputs, count):
    """Probabilities of all rows of labels, summed over every path."""
    powers = np.exp(inputs.astype(np.float64))
    probabilities = powers / powers.sum(axis=1, keepdims=True)
    steps, classes = inputs.shape
    found = {}
    for path in np.ndindex(*(classes,) * steps):
        share = np.prod(probabilities[np.arange(steps), path])
        row = tuple(
            c for t, c in enumerate(path) if c < classes - 1 and not (t and path[t - 1] == c)
        )
        found[row] = found.get(row, 0) + share
    best = sorted(found, key=lambda row: -found[row])[:count]
    return best, np.log([found[row] for row in best])


def test_wide_beam_search_finds_the_most_probable_labels():
    decoded, scores = run(
        lambda: tf.nn.ctc_beam_search_decoder(INPUTS, [4, 3], 100, 3, merge_repeated=False)
    )
    for row, steps in enumerate((4, 3)):
        expected, expected_scores = probable_labels(INPUTS[:steps, row], 3)
        np.testing.assert_allclose(scores[row], expected_scores, rtol=1e-5)
        for path, labels in zip(decoded, expected):
            assert tuple(path.values[path.indices[:, 0] == row]) == labels


def test_narrow_beam_search_gives_the_numbers_of_the_original():
    decoded, scores = run(lambda: tf.nn.ctc_beam_search_decoder(INPUTS, [4, 4], 4, 2))
    np.testing.assert_array_equal(decoded[0].values, [0, 0, 1])
    np.testing.assert_array_equal(decoded[1].values, [0, 1, 0, 0, 1, 0])
    np.testing.assert_array_equal(decoded[1].dense_shape, [2, 3])
    expected = [[-1.7054296, -1.8693684], [-1.2825886, -1.8209919]]
    np.testing.assert_allclose(scores, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([4, 4], 2, 3), tf.errors.InvalidArgumentError, "requested more paths than the beam"),
        (([4, 0], 4, 2), tf.errors.InvalidArgumentError, "Less leaves in the beam search than"),
        (([4, 5], 4, 2), tf.errors.FailedPreconditionError, r"sequence_length\(1\) <= 4"),
    ],
)
def test_beam_search_refuses_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        run(lambda: tf.nn.ctc_beam_search_decoder(INPUTS, *arguments))
