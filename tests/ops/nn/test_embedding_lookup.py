"""embedding_lookup and embedding_lookup_sparse: shards, weights, combiners, kinds of ids."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_embedding_lookup():
    table = np.arange(13)
    parts = {
        "mod": [table[i::5] for i in range(5)],
        "div": [table[:3], table[3:6], table[6:9], table[9:11], table[11:]],
    }
    for strategy, split in parts.items():
        for kind in (np.int32, np.int64):
            found = tf.nn.embedding_lookup(split, np.arange(13, dtype=kind), strategy)
            equal(value(found), table)
    rows = numbers(5, 2)
    equal(value(tf.nn.embedding_lookup(rows, [[0, 4], [1, 1]])), rows[[[0, 4], [1, 1]]])
    with pytest.raises(ValueError, match="Need at least one param"):
        tf.nn.embedding_lookup([], [1])
    with pytest.raises(ValueError, match="Unrecognized partition strategy: other"):
        tf.nn.embedding_lookup([rows, rows], [1], partition_strategy="other")


def test_embedding_lookup_sparse():
    table = numbers(6, 3)
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 0], tf.int64), [2, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [2.0, 0.5, 1.0], [2, 2])
    first = 2 * table[1] + 0.5 * table[3]
    expected = {"sum": 1.0, "mean": 2.5, "sqrtn": np.sqrt(4.25)}
    for combiner, bottom in expected.items():
        for params in (table, [table[::2], table[1::2]]):
            found = tf.nn.embedding_lookup_sparse(params, ids, weights, combiner=combiner)
            close(value(found), [first / bottom, table[0]], 1e-5)
    close(
        value(tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")),
        [table[1] + table[3], table[0]],
        1e-5,
    )
    with pytest.raises(TypeError, match="sp_ids must be SparseTensor"):
        tf.nn.embedding_lookup_sparse(table, [1], None)
    with pytest.raises(TypeError, match="sp_weights must be either None or SparseTensor"):
        tf.nn.embedding_lookup_sparse(table, ids, [1.0])
    with pytest.raises(ValueError, match="combiner must be one of 'mean', 'sqrtn' or 'sum'"):
        tf.nn.embedding_lookup_sparse(table, ids, None, combiner="max")


def test_kinds_of_ids():
    rows = numbers(5, 2)
    for kind in (np.int32, np.int64):
        equal(value(tf.nn.embedding_lookup(rows, np.array([3, 0], kind))), rows[[3, 0]])
    with pytest.raises(
        (TypeError, ValueError),
        match="Value passed to parameter 'indices' has DataType float32 not in",
    ):
        tf.nn.embedding_lookup(rows, tf.constant([1.0]))


def test_shards():
    shards = {
        "mod": [[0, 5, 10], [1, 6, 11], [2, 7, 12], [3, 8], [4, 9]],
        "div": [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10], [11, 12]],
    }
    for strategy, parts in shards.items():
        table = [np.array(part, np.float32)[:, None] for part in parts]
        ids = np.array([[0, 12], [7, 9]])
        found = tf.nn.embedding_lookup(table, ids, partition_strategy=strategy)
        assert found.get_shape().as_list() in ([2, 2, 1], [2, 2, None])
        equal(value(found)[..., 0], ids)


def test_weights_of_embedding_lookup_sparse():
    params = numbers(10, 20)
    places, shape = [[0, 0], [0, 1], [1, 0], [2, 3]], [3, 4]
    ids = tf.SparseTensor(places, np.array([1, 3, 0, 1]), shape)
    weights = tf.SparseTensor(places, np.array([2.0, 0.5, 1.0, 3.0], np.float32), shape)
    found = value(tf.nn.embedding_lookup_sparse(params, ids, weights, combiner="mean"))
    close(found, [(params[1] * 2 + params[3] * 0.5) / 2.5, params[0], params[1]], 1e-5, 1e-6)
    plain = value(tf.nn.embedding_lookup_sparse(params, ids, weights))
    close(plain, found, 1e-6)
