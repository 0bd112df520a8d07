"""Sparse updates of variables and IndexedSlices."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
NUMBERS = "float32 float64 int64 int32 uint8 uint16 int16 int8 complex64 complex128 float16"


def initialized(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(f) for f in fetches]


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_scatter(index):
    v = tf.Variable(np.zeros([4, 2], np.float32))
    indices = np.array([[0, 2], [2, 2]], index)
    updates = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    want = np.zeros([4, 2], np.float32)
    np.add.at(want, indices, updates)
    with tf.Session() as session:
        session.run(v.initializer)
        equal(session.run(tf.scatter_add(v, indices, updates)), want)
        equal(session.run(tf.scatter_sub(v, indices, updates)), np.zeros([4, 2]))
        equal(session.run(tf.scatter_update(v, 3, [5.0, 6.0]))[3], [5, 6])
        equal(session.run(v)[3], [5, 6])
    with pytest.raises(
        ValueError, match=r"Dimension 0 in both shapes must be equal, but are 3 and 2\."
    ):
        tf.scatter_add(v, [0, 1], tf.zeros([3, 2]))


def test_locks_of_scatter():
    v = tf.Variable([1.0])
    ops = [f(v, [0], [1.0]).op for f in (tf.scatter_update, tf.scatter_add, tf.scatter_sub)]
    assert [op.get_attr("use_locking") for op in ops] == [True, False, False]


@pytest.mark.parametrize("name", NUMBERS.split())
def test_types_of_scatter(name):
    v = tf.Variable(np.ones([3], name))
    add = tf.scatter_add(v, [1, 1], np.array([2, 3], name))
    with tf.Session() as session:
        session.run(v.initializer)
        equal(session.run(add), np.array([1, 6, 1], name))


def test_indexed_slices():
    slices = tf.IndexedSlices(
        tf.constant([[1, 1], [2, 2], [10, 10], [4, 4]]), tf.constant([12, 26, 37, 45]), [50, 2]
    )
    masked = tf.sparse_mask(slices, [12, 45])
    dense, kept, rows = initialized(tf.convert_to_tensor(slices), masked.indices, masked.values)
    equal(np.nonzero(dense[:, 0])[0], [12, 26, 37, 45])
    equal(kept, [26, 37])
    equal(rows, [[2, 2], [10, 10]])
