"""listdiff, where, unique, edit_distance and permutations."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_listdiff():
    out, idx = value(tf.listdiff([1, 2, 3, 4, 5, 6], [1, 3, 5]))
    equal(out, [2, 4, 6])
    equal(idx, [1, 3, 5])
    assert idx.dtype == np.int32
    out, idx = value(tf.listdiff(["b", "a", "b"], ["a"]))
    equal(out, [b"b", b"b"])
    equal(idx, [0, 2])


def test_where_and_unique():
    found = value(tf.where([[True, False], [True, False]]))
    assert found.dtype == np.int64
    equal(found, [[0, 0], [1, 0]])
    cubes = [[[True, False], [True, False]], [[False, True], [False, True]],
             [[False, False], [False, True]]]  # fmt: skip
    equal(value(tf.where(cubes)), [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [2, 1, 1]])
    y, idx = value(tf.unique([1, 1, 2, 4, 4, 4, 7, 8, 8]))
    equal(y, [1, 2, 4, 7, 8])
    equal(idx, [0, 0, 1, 2, 2, 2, 3, 4, 4])


def test_edit_distance():
    hypothesis = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], (2, 1, 1))
    truth = tf.SparseTensor(
        [[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], (2, 2, 2)
    )
    equal(value(tf.edit_distance(hypothesis, truth)), [[np.inf, 1], [0.5, 1]])
    counted = value(tf.edit_distance(hypothesis, truth, normalize=False))
    equal(counted, [[1, 1], [1, 1]])
    for pair in ((hypothesis, [1]), ([1], truth)):
        with pytest.raises(TypeError, match=r"must be a SparseTensor\."):
            tf.edit_distance(*pair)


def test_permutations_and_scalar_mul():
    equal(value(tf.invert_permutation([3, 4, 0, 2, 1])), [2, 4, 3, 0, 1])
    for wrong in ([0, 0], [1, 2], [-1, 0]):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"is not between 0 and 2|0 is duplicated in the input\.",
        ):
            value(tf.invert_permutation(wrong))
    equal(value(tf.scalar_mul(3, tf.constant([1, 2]))), [3, 6])
    slices = tf.IndexedSlices(tf.constant([[1.0, 2]]), tf.constant([4]))
    scaled = tf.scalar_mul(2.0, slices)
    assert isinstance(scaled, tf.IndexedSlices)
    equal(value([scaled.values]), [[[2, 4]]])
    for scalar in (tf.constant([1.0, 2]), tf.placeholder(tf.float32)):
        with pytest.raises(ValueError, match="Only scalar multiply works, got shape"):
            tf.scalar_mul(scalar, tf.constant([1.0, 2]))
