"""Constants, fills, sequences and constant values."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_zeros_and_ones():
    assert value(tf.zeros([3, 4])).dtype == np.float32
    equal(value(tf.ones(tf.constant([2, 3]), tf.int32)), np.ones([2, 3], np.int32))
    for name in "float32 float64 int8 int16 int32 int64 uint8 complex64 complex128".split():
        x = tf.cast(tf.constant([[1, 2]]), name)
        assert tf.zeros_like(x).dtype == name == tf.ones_like(x).dtype.name
        equal(value(tf.ones_like(x)), [[1, 1]])


def test_zeros_of_another_type_where_the_shape_is_unknown():
    x = tf.placeholder(tf.float32, [None, 2])
    feed = {x: np.ones((3, 2))}
    for dtype, zero in ((tf.bool, False), (tf.string, b""), (tf.int64, 0)):
        zeros = tf.zeros_like(x, dtype)
        assert zeros.dtype == dtype
        with tf.Session() as session:
            assert session.run(zeros, feed).tolist() == [[zero] * 2] * 3
    assert tf.zeros_like(tf.constant([1.5]), False).dtype == tf.float32


def test_fill_and_constant():
    equal(value(tf.fill([2, 3], 9)), np.full([2, 3], 9, np.int32))
    equal(value(tf.constant([1, 2], shape=[2, 2])), [[1, 2], [2, 2]])
    with pytest.raises(
        ValueError, match=r"Too many elements provided\. Needed at most 2, but received 3"
    ):
        tf.constant([1, 2, 3], shape=[2])
    assert tf.constant([1.5]).op.name.startswith("Const") and tf.constant(1.5).dtype == tf.float32
    assert tf.constant([[1], [2]]).get_shape().as_list() == [2, 1]
    equal(value(tf.constant(-1.0, shape=[2, 3])), np.full([2, 3], -1.0))


def test_sequences():
    equal(value(tf.linspace(10.0, 12.0, 3, name="l")), [10, 11, 12])
    equal(value(tf.range(3, 18, 3)), [3, 6, 9, 12, 15])
    equal(value(tf.range(5)), range(5))
    assert tf.range(2).op.name == "range_2" and tf.range(2).dtype == tf.int32


def test_types_of_python_values():
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
    equal(value(tf.sparse_tensor_to_dense(sparse)), [[0, 5], [0, 0], [6, 0]])
    assert value(tf.constant(["a", b"\0bc"])).tolist() == [b"a", b"\0bc"]
    for shape in ([2, 3], (2, 3), tf.TensorShape([2, 3])):
        assert tf.placeholder(tf.float32, shape).get_shape().as_list() == [2, 3]


def test_constant_values_and_dimensions():
    equal(tf.contrib.util.constant_value(tf.constant([1, 2])), [1, 2])
    assert tf.contrib.util.constant_value(tf.placeholder(tf.int32)) is None
    shape = tf.placeholder(tf.float32, [None, 7]).get_shape()
    assert shape[0].value is None and shape[1].value == 7
