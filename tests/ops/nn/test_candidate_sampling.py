"""Candidate samplers and the losses that use them."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.ops.nn import class_sampling
from headwater.ops.random import philox

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_sampled_losses():
    w, b, x = numbers(9, 4), numbers(9, seed=1), numbers(3, 4, seed=2)
    labels = np.array([[1], [4], [8]], np.int64)
    sampled = tf.nn.uniform_candidate_sampler(labels, 1, 5, True, 9, seed=3)
    sampled = value(list(sampled))
    for f in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss):
        loss = f(weights=w, biases=b, labels=labels, inputs=x, num_sampled=5, num_classes=9,
                 sampled_values=sampled)  # fmt: skip
        parts = f(weights=[w[::2], w[1::2]], biases=b, labels=labels, inputs=x, num_sampled=5,
                  num_classes=9, sampled_values=sampled)  # fmt: skip
        assert loss.get_shape().as_list() == [3]
        close(*value([loss, parts]), 1e-5)


def test_samplers():
    labels = np.array([[0, 3], [5, 5]], np.int64)
    ids, true, expected = value(tf.nn.uniform_candidate_sampler(labels, 2, 6, True, 8, seed=1))
    assert ids.dtype == np.int64 and len(set(ids)) == 6 and ids.min() >= 0 and ids.max() < 8
    assert true.shape == (2, 2) and expected.shape == (6,)
    _, true, expected = value(tf.nn.uniform_candidate_sampler(labels, 2, 6, False, 8))
    close(true, np.full((2, 2), 6 / 8), 1e-6)
    ids, true, expected = value(tf.nn.log_uniform_candidate_sampler(labels, 2, 6, False, 8, seed=4))
    close(true, 6 * (np.log(labels + 2) - np.log(labels + 1)) / np.log(9), 1e-5)
    close(expected, 6 * (np.log(ids + 2) - np.log(ids + 1)) / np.log(9), 1e-5)
    with tf.Graph().as_default():
        again = value(tf.nn.log_uniform_candidate_sampler(labels, 2, 6, False, 8, seed=4)[0])
    with tf.Graph().as_default():
        equal(again, value(tf.nn.log_uniform_candidate_sampler(labels, 2, 6, False, 8, seed=4)[0]))


def test_unigram_samplers():
    labels = np.array([[0], [1]], np.int64)
    sampler = tf.nn.learned_unigram_candidate_sampler(labels, 1, 4, False, 3, seed=1)
    with tf.Session() as session:
        first, second = (session.run(sampler)[1] for _ in range(2))
    close(first, np.full((2, 1), 4 / 3), 1e-5)
    close(second, np.full((2, 1), 4 * 2 / 5), 1e-5)
    arguments = (labels, 1, 40, False, 5)
    for given in ({}, {"vocab_file": "f", "unigrams": [1.0]}):
        with pytest.raises(
            (ValueError, tf.errors.OpError),
            match=r"Must only provide one of vocab_file|Must provide either vocab_file or",
        ):
            value(tf.nn.fixed_unigram_candidate_sampler(*arguments, **given)[0])
    ids, _, expected = value(
        tf.nn.fixed_unigram_candidate_sampler(
            *arguments, num_reserved_ids=2, unigrams=[1.0, 3.0, 4.0], seed=3
        )
    )
    assert ids.min() >= 2
    close(expected, np.array([0, 0, 5, 15, 20.0])[ids], 1e-5)
    flat = tf.nn.fixed_unigram_candidate_sampler(
        *arguments, distortion=0.0, unigrams=[1.0] * 4 + [9.0]
    )
    close(value(flat[2]), np.full(40, 8), 1e-5)


def test_compute_accidental_hits():
    rows, places, weights = tf.nn.compute_accidental_hits(
        np.array([[1, 2], [3, 3]], np.int64), np.array([3, 0, 2], np.int64), 2
    )
    masked = tf.sparse_to_dense(
        tf.stack([tf.to_int64(rows), places], 1), [2, 3], weights, 0.0, validate_indices=False
    )
    lowest = np.finfo(np.float32).min
    equal(value(masked), [[0, 0, lowest], [lowest, 0, 0]])
    assert rows.dtype == tf.int32 and places.dtype == tf.int64


def test_sampled_losses_of_several_classes():
    w, b, x = numbers(50, 4), numbers(50, seed=1), numbers(3, 4, seed=2)
    labels = np.array([[1, 4], [8, 20], [3, 9]], np.int64)
    sampled = value(list(tf.nn.log_uniform_candidate_sampler(labels, 2, 10, True, 50, seed=3)))
    several = value(
        tf.nn.nce_loss(weights=w, biases=b, labels=labels, inputs=x, num_sampled=10,
                       num_classes=50, num_true=2, sampled_values=sampled)
    )  # fmt: skip
    ids, true, expected = sampled

    def cross_entropy(logits, z):
        return np.maximum(logits, 0) - logits * z + np.log1p(np.exp(-abs(logits)))

    hits = np.einsum("bd,btd->bt", x, w[labels]) + b[labels] - np.log(true)
    others = x @ w[ids].T + b[ids] - np.log(expected)
    close(several, cross_entropy(hits, 0.5).sum(1) + cross_entropy(others, 0).sum(1), 1e-4)
    one = labels[:, :1]
    full = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=one[:, 0], logits=x @ w.T + b)
    losses = [
        tf.nn.sampled_softmax_loss(weights=w, biases=b, labels=one, inputs=x, num_sampled=10,
                                   num_classes=50)
        for _ in range(2)
    ]  # fmt: skip
    with tf.Session() as session:
        means = np.mean([session.run(losses) for _ in range(40)], (0, 1))
        assert (means < session.run(full)).all()


def test_counts_of_unique_samples():
    labels = np.array([[0]], np.int64)
    with tf.Session() as session:
        sampler = tf.nn.uniform_candidate_sampler(labels, 1, 5, True, 10)
        found = np.mean([session.run(sampler)[1] for _ in range(200)])
    assert 0.35 < found < 0.65


def test_learned_counts_are_not_saved(tmp_path):
    labels = np.array([[0]], np.int64)
    sampler = tf.nn.learned_unigram_candidate_sampler(labels, 1, 4, False, 3, seed=1)
    tf.Variable(1.0)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run(sampler)[1]
        session.run(sampler)
        path = saver.save(session, str(tmp_path / "model"))
    with tf.Session() as session:
        saver.restore(session, path)
        close(session.run(sampler)[1], first)


def test_vocabulary_files_and_shards(tmp_path):
    file = tmp_path / "words"
    file.write_text("a,1\nb,3\nc,x,4\n")
    labels = np.array([[1], [3]], np.int64)
    ids, true, _ = value(
        list(tf.nn.fixed_unigram_candidate_sampler(labels, 1, 40, False, 4, str(file),
                                                   num_reserved_ids=1, seed=3))
    )  # fmt: skip
    assert ids.min() >= 1
    close(true, [[40 / 8], [40 * 4 / 8]], 1e-5)
    part = tf.nn.fixed_unigram_candidate_sampler(
        np.array([[1], [2]]), 1, 40, False, 3, unigrams=[1.0, 2, 3, 4, 5, 6], num_shards=2, shard=1
    )
    ids, true, _ = value(list(part))
    assert ids.max() < 3
    close(true, [[40 * 4 / 12], [40 * 6 / 12]], 1e-5)


def test_full_softmax_at_inference():
    x, w, b = numbers(3, 4), numbers(7, 4, seed=1), numbers(7, seed=2)
    found = value(tf.nn.softmax(tf.matmul(x, tf.transpose(w)) + b))
    e = np.exp(x @ w.T + b)
    close(found, e / e.sum(1, keepdims=True), 1e-5)


# Training over several epochs with the losses that the tests above check.
@pytest.mark.slow
def test_word_vectors():
    vocabulary, size, batch = 50, 8, 4
    embeddings = tf.Variable(tf.random_uniform([vocabulary, size], -1.0, 1.0))
    weights = tf.Variable(tf.truncated_normal([vocabulary, size], stddev=1.0 / np.sqrt(size)))
    biases = tf.Variable(tf.zeros([vocabulary]))
    inputs = tf.placeholder(tf.int32, shape=[batch])
    labels = tf.placeholder(tf.int32, shape=[batch, 1])
    embed = tf.nn.embedding_lookup(embeddings, inputs)
    feed = {inputs: [1, 2, 3, 4], labels: [[2], [3], [4], [5]]}
    for sampled in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss):
        loss = sampled(weights, biases, embed, labels, 16, vocabulary)
        assert loss.get_shape() == [batch]
        train = tf.train.GradientDescentOptimizer(learning_rate=1.0).minimize(tf.reduce_mean(loss))
        with tf.Session() as session:
            session.run(tf.initialize_all_variables())
            first = np.mean([session.run(loss, feed).mean() for _ in range(20)])
            for _ in range(60):
                session.run(train, feed)
            assert np.mean([session.run(loss, feed).mean() for _ in range(20)]) < first / 2


def test_sampling_by_default_is_log_uniform():
    w, b, x = numbers(9, 4), numbers(9, seed=1), numbers(3, 4, seed=2)
    labels = np.array([[1], [4], [8]], np.int64)
    for f, order in ((tf.nn.nce_loss, (w, b, x, labels)), (tf.nn.nce_loss, (w, b, labels, x)),
                     (tf.nn.sampled_softmax_loss, (w, b, x, labels))):  # fmt: skip
        with tf.Graph().as_default() as graph:
            loss = f(*order, 5, 9)
            assert loss.get_shape() == [3]
            kinds = {op.type for op in graph.get_operations()}
            assert "LogUniformCandidateSampler" in kinds
            hits = "ComputeAccidentalHits" in kinds
            assert hits == (f is tf.nn.sampled_softmax_loss)


@pytest.mark.parametrize(("count", "limit"), [(1, 2), (5, 5), (64, 1000), (64, 65), (700, 701)])
def test_classes_drawn_ahead_are_those_of_each_run_alone(count, limit):
    stream = philox.initial_stream(7, 11)
    labels = np.arange(limit)[:3].reshape(-1, 1)
    class_sampling.log_uniform.cache_clear()
    kept = class_sampling.log_uniform(limit)
    for _ in range(5):
        alone = class_sampling.log_uniform.__wrapped__(limit)
        for ours, expected in zip(
            kept.sample(stream, count, True, labels),
            alone.sample(stream, count, True, labels),
            strict=True,
        ):
            np.testing.assert_array_equal(ours, expected)
        stream = class_sampling.advanced(stream, count)


def test_draws_for_later_runs_are_forgotten_in_time(monkeypatch):
    monkeypatch.setattr(class_sampling, "_MOST_STREAMS", 40)
    monkeypatch.setattr(class_sampling, "_MOST_AHEAD", 256)
    kept = class_sampling.log_uniform.__wrapped__(1000)
    labels = np.zeros((1, 1), np.int64)
    for seed in range(60):
        stream = philox.initial_stream(seed, 1)
        for _ in range(2):
            kept.sample(stream, 8, True, labels)
            stream = class_sampling.advanced(stream, 8)
    assert len(kept._ahead) + len(kept._expected_streams) <= 2 * class_sampling._MOST_STREAMS
