"""slice, split, tile, pad, concat, pack, reverse and transpose."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_slice():
    t = np.array([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]], [[5, 5, 5], [6, 6, 6]]])
    equal(value(tf.slice(t, [1, 0, 0], [1, 1, 3])), [[[3, 3, 3]]])
    equal(value(tf.slice(t, [1, 0, 0], [1, -1, 3])), t[1:2])
    equal(value(tf.slice(t, [1, 0, 0], [2, 1, 3])), t[1:3, :1])
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match=r"Expected size\[0\] in \[0, 1\], but got 2",
    ):
        value(tf.slice(t, [2, 0, 0], [2, 1, 3]))


def test_split_and_tile():
    parts = tf.split(1, 3, tf.zeros([5, 30]))
    assert [p.get_shape().as_list() for p in parts] == [[5, 10]] * 3
    with pytest.raises(ValueError, match="Dimension size must be evenly divisible by 4 but is 30"):
        tf.split(1, 4, tf.zeros([5, 30]))
    equal(value(tf.tile(["a", "b"], [2])), [b"a", b"b", b"a", b"b"])


def test_pad():
    t = np.array([[1, 2, 3], [4, 5, 6]])
    for mode, name in (("CONSTANT", "constant"), ("REFLECT", "reflect")):
        equal(value(tf.pad(t, [[1, 1], [2, 2]], mode)), np.pad(t, [(1, 1), (2, 2)], name))
    equal(value(tf.pad(t, [[2, 1], [3, 2]], "SYMMETRIC")), np.pad(t, [(2, 1), (3, 2)], "symmetric"))
    with pytest.raises(ValueError, match="Unknown padding mode: OTHER"):
        tf.pad(t, [[1, 1], [2, 2]], "OTHER")
    for mode, padding in (("REFLECT", 2), ("SYMMETRIC", 3)):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="paddings must be"):
            value(tf.pad(t, [[padding, 0], [0, 0]], mode))


def test_concat_pack_unpack():
    a, b = np.arange(6).reshape(2, 3), np.arange(6, 12).reshape(2, 3)
    equal(value(tf.concat(0, [a, b])), np.concatenate([a, b]))
    equal(value(tf.concat(1, [a, b])), np.concatenate([a, b], 1))
    with pytest.raises(
        ValueError, match=r"Dimension 0 in both shapes must be equal, but are 3 and 4\."
    ):
        tf.concat(0, [tf.zeros([2, 3]), tf.zeros([2, 4])])
    equal(value(tf.pack([[1, 4], [2, 5], [3, 6]])), [[1, 4], [2, 5], [3, 6]])
    equal(value(tf.unpack(a)), a)
    with pytest.raises(ValueError, match="Cannot infer num from shape <unknown>"):
        tf.unpack(tf.placeholder(tf.float32))


def test_reversing():
    x = np.arange(24).reshape(2, 3, 4)
    want = x.copy()
    want[0, :, :2] = x[0, :, 1::-1]
    want[1, :, :4] = x[1, :, ::-1]
    equal(value(tf.reverse_sequence(x, np.int64([2, 4]), 2, 0)), want)
    equal(value(tf.reverse(x, [True, False, True])), x[::-1, :, ::-1])
    for name in "uint8 int8 int32 bool float16 float32 float64".split():
        equal(value(tf.reverse(x.astype(name), [False, True, False])), x.astype(name)[:, ::-1])


def test_transpose():
    x = np.arange(6).reshape(1, 2, 3)
    equal(value(tf.transpose(x)), x.T)
    y = tf.transpose(x, perm=[0, 2, 1])
    equal(value(y), x.transpose(0, 2, 1))
    assert y.op.name == "transpose_1"


def test_stacks_splits_and_fills():
    a, b = [1, 2, 3], [4, 5, 6]
    for f in (tf.stack, tf.pack):
        equal(value(f([a, b], name="both")), [a, b])
    x = tf.placeholder(tf.float32)
    columns = tf.squeeze(tf.stack([tf.square(x), x, tf.ones_like(x)], 1))
    w = tf.constant([[5.0], [0.0], [3.0]])
    curve = tf.squeeze(tf.matmul(tf.stack([tf.square(x), x, tf.ones_like(x)], 1), w), 1)
    fed = {x: np.array([1.0, 2.0])}
    equal(value(columns, fed), [[1, 1, 1], [4, 2, 1]])
    equal(value(curve, fed), [8, 23])
    halves = tf.split(x, 2)
    equal(value(tf.concat(halves, axis=0), {x: [[1.0], [2.0]]}), [[1], [2]])
    equal(*value([tf.constant(a)[1:3], tf.slice(a, [1], [2])]))
    rows = tf.unstack(tf.zeros([500, 10]))
    assert len(rows) == 500 and rows[0].get_shape() == [10]
    equal(value(tf.identity(a)), a)
    equal(value(tf.zeros([2, 3, 4])[:, -1, :]), np.zeros((2, 4)))
    filled = tf.constant(value=1, shape=[3, 3, 1, 1], dtype=tf.float32)
    equal(value(filled), np.ones((3, 3, 1, 1)))
    v = tf.get_variable("v", [3, 3], initializer=tf.constant_initializer(list(range(9))))
    equal(value(v), np.arange(9).reshape(3, 3))
