"""Numbers of rows that differ from batch to batch: few programs, and the values of TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling.program import Program

BATCH, STEPS = 64, 24
WORDS = np.array([f"w{i}" for i in range(200)], object)


@pytest.fixture
def compilations(monkeypatch):
    """The number of nodes of each program that is compiled, or traced in vain."""
    found = []
    compile_program = Program.compile

    def counted(self, *arguments):
        found.append(len(self._region.nodes))
        compile_program(self, *arguments)

    monkeypatch.setattr(Program, "compile", counted)
    return found


def in_both_modes(monkeypatch, train):
    """What `train` returns if segments are compiled, and if all nodes are interpreted."""
    results = []
    for mode in ("auto", "never"):
        monkeypatch.setenv("HEADWATER_JIT", mode)
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(1)
            results.append(train(session))
    return results


def embeddings_of_words(session, names="abc"):
    """The losses of a model with embeddings of words, whose number differs in each batch."""
    random = np.random.RandomState(2)
    features = {n: tf.placeholder(tf.string, [None, 1], name=n) for n in names}
    columns = [tf.feature_column.categorical_column_with_hash_bucket(n, 100) for n in names]
    embedded = [tf.feature_column.embedding_column(column, 4) for column in columns]
    logits = tf.feature_column.linear_model(features, columns)
    hidden = tf.layers.dense(tf.feature_column.input_layer(features, embedded), 256, tf.nn.relu)
    hidden = tf.layers.dense(hidden, 256, tf.nn.relu)
    loss = tf.reduce_mean(tf.square(logits + tf.layers.dense(hidden, 1) - 1))
    step = tf.train.AdagradOptimizer(0.05).minimize(loss)
    session.run(tf.global_variables_initializer())
    losses = []
    for _ in range(STEPS):
        feed = {x: WORDS[random.randint(0, 200, (BATCH, 1))] for x in features.values()}
        losses.append(session.run([loss, step], feed)[0])
    return losses


def test_distinct_words_of_a_batch(monkeypatch, compilations):
    compiled, interpreted = in_both_modes(monkeypatch, embeddings_of_words)
    assert 0 < len(compilations) <= 4
    np.testing.assert_allclose(compiled, interpreted, rtol=1e-5)
    assert compiled[-1] < compiled[0]


def test_more_columns_take_no_more_programs(monkeypatch, compilations):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    numbers = []
    for names in ("ab", "abcdef"):
        with tf.Graph().as_default(), tf.Session() as session:
            embeddings_of_words(session, names)
        numbers.append(len(compilations))
        compilations.clear()
    assert max(numbers) <= 4


def bags_of_words(session):
    """The losses of a model of bags of ids, with the number of ids that is new in each batch."""
    random = np.random.RandomState(3)
    ids = tf.sparse_placeholder(tf.int64)
    table = tf.Variable(np.linspace(-1, 1, 800, dtype=np.float32).reshape(100, 8))
    bags = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="mean")
    hidden = tf.layers.dense(tf.reshape(bags, [BATCH, 8]), 256, tf.nn.relu)
    hidden = tf.layers.dense(hidden, 256, tf.nn.relu)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 1) - 1))
    step = tf.train.AdamOptimizer(0.01).minimize(loss)
    session.run(tf.global_variables_initializer())
    losses = []
    for _ in range(STEPS):
        counts = random.randint(1, 5, BATCH)
        rows = np.repeat(np.arange(BATCH), counts)
        indices = np.stack([rows, np.concatenate([np.arange(n) for n in counts])], 1)
        value = tf.SparseTensorValue(indices, random.randint(0, 100, len(rows)), (BATCH, 5))
        losses.append(session.run([loss, step], {ids: value})[0])
    return losses


def test_bags_of_ids(monkeypatch, compilations):
    compiled, interpreted = in_both_modes(monkeypatch, bags_of_words)
    assert len(compilations) <= 4
    np.testing.assert_allclose(compiled, interpreted, rtol=1e-4)


def masked_loss(session):
    """The losses of a model whose loss takes the examples that a mask keeps."""
    random = np.random.RandomState(4)
    x, mask = tf.placeholder(tf.float32, [None, 16]), tf.placeholder(tf.bool, [None])
    hidden = x
    for _ in range(3):
        hidden = tf.layers.dense(hidden, 128, tf.nn.relu)
    kept = tf.boolean_mask(tf.layers.dense(hidden, 4), mask)
    loss = tf.reduce_mean(tf.square(kept - 1))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    losses = []
    for count in range(STEPS):
        feed = {x: random.randn(BATCH, 16), mask: np.arange(BATCH) < 20 + count}
        losses.append(session.run([loss, step], feed)[0])
    return losses


def test_masked_loss(monkeypatch, compilations):
    compiled, interpreted = in_both_modes(monkeypatch, masked_loss)
    assert len(compilations) <= 4
    np.testing.assert_allclose(compiled, interpreted, rtol=1e-4)


def test_the_first_batch_may_be_repeated(monkeypatch, compilations):
    """A shape that recurs by chance gets a program, and the others are still observed."""
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    x = tf.placeholder(tf.int64, [BATCH])
    table = tf.Variable(np.ones((100, 8), np.float32))
    weights = tf.Variable(np.full((8, 512), 0.1, np.float32))
    distinct, positions = tf.unique(x)
    rows = tf.gather(tf.gather(table, distinct), positions)
    hidden = tf.matmul(tf.reshape(rows, [BATCH, 8]), weights)
    for _ in range(20):
        hidden = tf.tanh(hidden)
    total = tf.reduce_sum(hidden)
    random = np.random.RandomState(5)
    batches = [random.randint(0, 10 + 4 * i, BATCH) for i in range(20)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run(total, {x: batch}) for batch in (batches[0], *batches)]
    assert len(compilations) <= 5
    np.testing.assert_allclose(found, found[0], rtol=1e-5)
