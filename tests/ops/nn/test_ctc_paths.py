"""CTC losses against sums over all paths, and decoders against known paths."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


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


def test_losses():
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


def test_wrong_labels():
    logits = tf.constant(numbers(3, 1, 4))
    with tf.Session() as session:
        for labels, length in (([[0]], [4]), ([[0, 1]], [1]), ([[-1]], [3])):
            with pytest.raises(
                tf.errors.InvalidArgumentError,
                match=r"All labels must be nonnegative|Not enough time for target|"
                r"sequence_length\(0\) <= 3",
            ):
                session.run(tf.nn.ctc_loss(sparse(labels), logits, length))
    with pytest.raises(TypeError, match=r"Expected labels \(first argument\) to be a SparseTensor"):
        tf.nn.ctc_loss([[0]], logits, [3])


def test_greedy_decoding():
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


def test_beams():
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
