"""Recipes of a few lines: batched gathers, beam search, broadcast merges, divergences."""

from __future__ import annotations

import numpy as np

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def sizes(t):
    """The size of each axis: a number where it is known, a scalar tensor elsewhere."""
    running = tf.unstack(tf.shape(t))
    return [r if s is None else s for s, r in zip(t.shape.as_list(), running)]


def rows_of_each(t, places):
    """output[i] = gather(t[i], places[i])."""
    batch, rows, *rest = sizes(t)
    places = tf.convert_to_tensor(places)
    starts = tf.reshape(tf.range(batch) * rows, [batch] + [1] * (places.shape.ndims - 1))
    return tf.gather(tf.reshape(t, [batch * rows, *rest]), places + starts)


def test_gathering_in_batches():
    x = np.arange(24).reshape(2, 4, 3)
    for given, feed in ((tf.constant(x), None), (tf.placeholder(tf.int32, [None, 4, 3]), x)):
        fed = None if feed is None else {given: feed}
        for places in ([[0, 3], [2, 2]], [[[1], [0]], [[3], [3]]]):
            found = value(rows_of_each(given, places), fed)
            equal(found, [x[i][np.array(places[i])] for i in range(2)])
    assert sizes(tf.zeros([2, 3])) == [2, 3]
    b = tf.placeholder(tf.float32, [None, 10, 32])
    batch, rows, columns = sizes(b)
    assert tf.reshape(b, [batch, rows * columns]).shape.as_list() == [None, 320]
    assert tf.reshape(b, [batch, np.prod([rows, columns])]).shape.as_list() == [None, 320]


def test_beam_search():
    """A table of transitions: what a beam search finds is what trying everything finds."""
    classes, steps, beams, last = 4, 3, 4, 3
    table = np.log(np.random.RandomState(0).dirichlet(np.ones(classes), size=classes))
    table = table.astype(np.float32)
    scores = tf.log([[1.0] + [0.0] * (beams - 1)])
    ids = tf.tile([[0]], [1, beams])
    chosen = tf.zeros([1, beams, 0], dtype=ids.dtype)
    mask = tf.ones([1, beams])
    for step in range(steps):
        with tf.variable_scope("rnn", reuse=True if step > 0 else None):
            logits = tf.nn.embedding_lookup(
                tf.get_variable("t", initializer=tf.constant(table)), ids
            )
        summed = scores[:, :, None] + tf.nn.log_softmax(logits) * mask[:, :, None]
        scores, places = tf.nn.top_k(tf.reshape(summed, [1, beams * classes]), k=beams)
        ids, origins = places % classes, places // classes
        chosen = tf.concat([rows_of_each(chosen, origins), ids[:, :, None]], axis=2)
        mask = rows_of_each(mask, origins) * tf.to_float(tf.not_equal(ids, last))
    found, best = value([chosen, scores])
    assert found.shape == (1, beams, steps) and (np.diff(best[0]) <= 0).all()

    def score(path):
        total, before = 0.0, 0
        for each in path:
            total += table[before, each]
            if each == last:
                break
            before = each
        return total

    close(best[0, 0], max(score(path) for path in np.ndindex(*[classes] * steps)), 1e-5)
    close(best[0], [score(path) for path in found[0]], 1e-5)


def test_merging_by_broadcasting():
    def merged(tensors, units, activation=tf.nn.relu, name=None, **options):
        with tf.variable_scope(name, default_name="merge"):
            parts = [
                tf.layers.dense(t, units, activation=None, name=f"proj_{i}", **options)
                for i, t in enumerate(tensors)
            ]
            total = sum(parts[1:], parts[0])
            return activation(total) if activation else total

    a, b = tf.ones([2, 1, 3]), tf.ones([1, 4, 5])
    assert merged([a, b], 6).shape.as_list() == [2, 4, 6]
    names = [v.op.name for v in tf.trainable_variables()]
    assert names == [f"merge/proj_{i}/{kind}" for i in (0, 1) for kind in ("kernel", "bias")]
    plain = merged([a], 6, activation=None, name="own", use_bias=False)
    assert plain.op.name.startswith("own/") and len(tf.trainable_variables()) == 5
    assert value(plain).shape == (2, 1, 6)


def test_divergence_and_leaky_relu():
    def divergence(q, p=(0.0, 0.0)):
        (m1, l1), (m2, l2) = q, p
        terms = l2 - l1 + tf.exp(l1 - l2) + tf.square(m1 - m2) / tf.exp(l2) - 1
        return tf.reduce_sum(0.5 * terms, axis=-1)

    assert value(divergence((tf.constant([1.0]), tf.constant([0.0])))) == 0.5
    assert value(divergence((0.0, tf.zeros([3])))) == 0
    x = tf.constant([-1.0, 2.0])
    close(value(tf.maximum(x, 0.1 * x)), [-0.1, 2])


def test_batch_normalization_with_own_averages():
    x = np.arange(48, dtype=np.float32).reshape(2, 3, 4, 2)
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    for fused in (False, True):
        with tf.Graph().as_default(), tf.variable_scope(None, "batch_normalization"):
            beta = tf.get_variable("beta", 2, initializer=tf.zeros_initializer())
            gamma = tf.get_variable("gamma", 2, initializer=tf.ones_initializer())
            average = tf.get_variable(
                "avg_mean", 2, initializer=tf.zeros_initializer(), trainable=False
            )
            if fused:
                y, m, v = tf.nn.fused_batch_norm(
                    x, scale=gamma, offset=beta, mean=None, variance=None, epsilon=0.001,
                    is_training=True,
                )  # fmt: skip
            else:
                m, v = tf.nn.moments(tf.constant(x), axes=[0, 1, 2])
                y = tf.nn.batch_normalization(x, m, v, beta, gamma, 0.001)
            tf.add_to_collection(
                tf.GraphKeys.UPDATE_OPS, tf.assign(average, average * 0.9 + m * (1.0 - 0.9))
            )
            assert average.shape.as_list() == [2] and len(tf.trainable_variables()) == 2
            assert beta.op.name == "batch_normalization/beta"
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                normal, seen = session.run([y, v])
                close(normal, (x - mean) / np.sqrt(variance + 0.001), 1e-3, 1e-4)
                close(seen, variance * (24 / 23 if fused else 1), 1e-4)
                equal(session.run(average), [0, 0])
                session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
                close(session.run(average), mean * 0.1, 1e-5)
