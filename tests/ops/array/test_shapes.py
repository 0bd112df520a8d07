"""shape, size, rank, reshape, squeeze and expand_dims, static and at run time."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_ranks():
    assert tf.TensorShape(None).with_rank(1).ndims == 1
    assert tf.TensorShape(None).merge_with([1, 2]).as_list() == [1, 2]
    for call in (
        lambda: tf.TensorShape([1, 2]).with_rank(1),
        lambda: tf.TensorShape([1]).merge_with([2]),
    ):
        with pytest.raises(
            ValueError, match=r"Shape \(1, 2\) must have rank 1|Shapes \(1,\) and \(2,\) are not"
        ):
            call()


def test_shape_size_rank():
    t = tf.zeros([2, 2, 3])
    assert value([tf.size(t), tf.rank(t)]) == [12, 3]
    equal(value(tf.shape(t)), [2, 2, 3])
    assert {f(t).dtype for f in (tf.shape, tf.size, tf.rank)} == {tf.int32}
    assert value(tf.rank(tf.SparseTensor([[0, 0]], [1], [2, 2]))) == 2


def test_reshape_squeeze_expand():
    t = np.arange(18).reshape(3, 2, 3)
    equal(value(tf.reshape(t, [-1])), np.arange(18))
    assert value(tf.reshape(t, [2, -1])).shape == (2, 9)
    assert value(tf.reshape([7], [])) == 7
    for wrong in ([-1, -1], [5]):
        with pytest.raises(
            (ValueError, tf.errors.InvalidArgumentError),
            match=r"Cannot reshape a tensor with 18|Only one input size may be -1, not",
        ):
            value(tf.reshape(t, wrong))
    u = tf.zeros([1, 2, 1, 3, 1, 1])
    assert tf.squeeze(u).get_shape().as_list() == [2, 3]
    assert tf.squeeze(u, [2, 4]).get_shape().as_list() == [1, 2, 3, 1]
    assert tf.squeeze(u, squeeze_dims=[2]).get_shape().as_list() == [1, 2, 3, 1, 1]
    with pytest.raises(
        ValueError, match=r"Can not squeeze dim\[1\], expected a dimension of 1, got 2"
    ):
        tf.squeeze(u, [1])
    for axis, shape in ((0, [1, 2, 3]), (1, [2, 1, 3]), (-1, [2, 3, 1]), (-3, [1, 2, 3])):
        assert tf.expand_dims(tf.zeros([2, 3]), axis).get_shape().as_list() == shape
    for axis in (3, -4):
        with pytest.raises(
            ValueError, match=r"\(op: 'ExpandDims'\) with input shapes: \[2,3\], \[\] and with"
        ):
            tf.expand_dims(tf.zeros([2, 3]), axis)


def test_shape_n_and_unique_with_counts():
    shapes = value(tf.shape_n([np.zeros((2, 3)), np.zeros(4), np.float64(1)]))
    assert [s.tolist() for s in shapes] == [[2, 3], [4], []]
    assert all(s.dtype == np.int32 for s in shapes)
    y, idx, count = value(tf.unique_with_counts([1, 1, 2, 4, 4, 4, 7, 8, 8]))
    equal(y, [1, 2, 4, 7, 8])
    equal(idx, [0, 0, 1, 2, 2, 2, 3, 4, 4])
    equal(count, [2, 1, 3, 1, 2])
    assert idx.dtype == count.dtype == np.int32


def test_shapes():
    a = tf.placeholder(tf.float32, [None, 128])
    assert a.shape.as_list() == [None, 128]
    dynamic = tf.shape(a)
    a.set_shape([32, 128])
    a.set_shape([None, 128])
    assert a.shape.as_list() == [32, 128]
    b = tf.placeholder(tf.float32, [None, 10, 32])
    sizes = tf.unstack(tf.shape(b))
    c = tf.reshape(b, [sizes[0], np.prod([10, 32])])
    equal(value(tf.shape(c), {b: np.zeros([2, 10, 32])}), [2, 320])
    assert c.shape.as_list() == [None, 320]
    flat = tf.reshape(b, [sizes[0] * sizes[1], 32])
    equal(value(tf.shape(flat), {b: np.zeros([2, 10, 32])}), [20, 32])
    equal(value(tf.shape([[1, 2], [3, 4]])), [2, 2])
    equal(value(dynamic, {a: np.zeros([32, 128])}), [32, 128])


def test_zero_sizes():
    empty = tf.zeros([2, 3, 0], tf.int32)
    joined = tf.concat([tf.gather(tf.reshape(empty, [6, 0]), [[0, 1, 2], [3, 4, 5]]),
                        tf.ones([2, 3, 1], tf.int32)], axis=2)  # fmt: skip
    equal(value(joined), np.ones((2, 3, 1)))


def test_reshape_and_expand_dims():
    x = [[1, 2], [3, 4], [5, 6]]
    equal(value(tf.reshape(x, [-1, 3, 1])), [[[1], [2], [3]], [[4], [5], [6]]])
    t = tf.placeholder(tf.float32, [None, 4])
    assert value(tf.reshape(t, [tf.shape(t)[0] * 2, 2]), {t: np.ones((3, 4))}).shape == (6, 2)
    for axis, shape in ((0, [1, 2]), (1, [2, 1]), (-1, [2, 1])):
        assert tf.expand_dims([1, 2], axis).get_shape() == shape
    for axis, shape in ((0, [1, 2, 3, 5]), (2, [2, 3, 1, 5]), (3, [2, 3, 5, 1])):
        assert tf.expand_dims(tf.zeros([2, 3, 5]), axis).get_shape() == shape
    with pytest.raises(
        (TypeError, ValueError),
        match=r"Failed to convert object of type <class 'list'> to Tensor\.",
    ):
        tf.reshape(x, [None, 3])
