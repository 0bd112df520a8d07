"""The ops of word2vec, on a text of few words."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.graph import build


@pytest.fixture
def text(tmp_path):
    rng = np.random.default_rng(0)
    # Words come in pairs: a letter of the first three and its capital.
    letters = rng.choice(list("abc"), 3000)
    path = tmp_path / "text.txt"
    path.write_text(" ".join(f"{x} {x.upper()}" for x in letters) + " once")
    return str(path)


def test_skipgram_reads_words_and_pairs(text):
    parts = build.Skipgram(filename=text, batch_size=500, window_size=1, subsample=0.0)
    with tf.Session() as session:
        words, counts, total, epoch, processed, examples, labels = session.run(list(parts))
        for _ in range(100):
            later = session.run([parts[3], parts[4]])
    assert words[0] == b"UNK"
    assert sorted(words[1:]) == [b"A", b"B", b"C", b"a", b"b", b"c"]
    assert counts[0] == 1
    assert counts.sum() == total == 6001
    assert list(counts[1:]) == sorted(counts[1:], reverse=True)
    assert epoch == 0
    assert processed >= 250
    names = {(words[e], words[w]) for e, w in zip(examples, labels)}
    # Every small letter is followed by its own capital.
    assert not names & {(b"a", b"b"), (b"a", b"a"), (b"A", b"C"), (b"b", b"B" * 2)}
    assert {(b"a", b"A"), (b"A", b"a")} <= names
    assert later[0] > 0
    assert later[1] > processed


def test_skipgram_refuses_short_texts(tmp_path):
    (tmp_path / "short").write_text("a b c")
    parts = build.Skipgram(filename=str(tmp_path / "short"), batch_size=2)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="too little"):
        session.run(parts[-1])


def test_training_brings_words_of_a_pair_together(text):
    parts = build.Skipgram(filename=text, batch_size=200, window_size=1, subsample=0.0)
    with tf.Session() as session:
        words, counts = session.run([parts[0], parts[1]])
        inner = tf.Variable(tf.random_uniform([len(words), 8], -0.1, 0.1, seed=1))
        outer = tf.Variable(tf.zeros([len(words), 8]))
        step = build.NegTrain(
            inner._ref(),
            outer._ref(),
            parts[5],
            parts[6],
            0.05,
            vocab_count=counts.tolist(),
            num_negative_samples=5,
        )
        session.run(tf.global_variables_initializer())
        for _ in range(200):
            session.run(step)
        score = np.matmul(*session.run([inner, tf.transpose(outer)]))
    number = {word: i for i, word in enumerate(words.tolist())}
    small = [number[w] for w in (b"a", b"b", b"c")]
    large = [number[w] for w in (b"A", b"B", b"C")]
    found = score[np.ix_(small, large)]
    assert (found.argmax(1) == [0, 1, 2]).all()


def test_a_step_without_negative_samples():
    inner = tf.Variable([[1.0, 0.0], [0.0, 2.0]])
    outer = tf.Variable([[0.5, 0.5], [1.0, -1.0]])
    step = build.NegTrain(
        inner._ref(), outer._ref(), [0], [1], 0.1, vocab_count=[1, 1], num_negative_samples=0
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        rate = 0.1 * (1 - 1 / (1 + np.exp(-1.0)))
        np.testing.assert_allclose(session.run(inner), [[1 + rate, -rate], [0, 2]], rtol=1e-6)
        np.testing.assert_allclose(session.run(outer), [[0.5, 0.5], [1 + rate, -1]], rtol=1e-6)
