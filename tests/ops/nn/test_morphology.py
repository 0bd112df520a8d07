"""dilation2d and erosion2d."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal
BAD = (ValueError, tf.errors.OpError)


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_morphology():
    x, w = numbers(1, 5, 6, 2), numbers(2, 3, 2, seed=1)
    y = value(tf.nn.dilation2d(x, w, [1, 1, 1, 1], [1, 1, 1, 1], "VALID"))
    for i in range(4):
        for j in range(4):
            close(y[0, i, j], (x[0, i : i + 2, j : j + 3] + w).max((0, 1)), 1e-6)
    flat = value(tf.nn.dilation2d(x, np.zeros((2, 2, 2), np.float32), [1] * 4, [1] * 4, "SAME"))
    equal(flat, value(tf.nn.max_pool(x, [1, 2, 2, 1], [1] * 4, "SAME")))
    eroded = tf.nn.erosion2d(x, w, [1] * 4, [1] * 4, "VALID")
    assert eroded.op.name.startswith("erosion2d")
    negative = tf.nn.dilation2d(-x, w[::-1, ::-1], [1] * 4, [1] * 4, "VALID")
    equal(*value([eroded, -negative]))
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        tf.nn.erosion2d(x, numbers(2, 2, 3), [1] * 4, [1] * 4, "VALID")


def test_shapes_and_types_of_dilation():
    x, w = np.arange(72).reshape(1, 6, 6, 2), np.ones((2, 2, 2))
    for dtype in "float32 float64 int32 int64 uint8 int16 int8 uint16 float16".split():
        y = tf.nn.dilation2d(x.astype(dtype), w.astype(dtype), [1, 2, 3, 1], [1, 2, 1, 1], "VALID")
        assert y.dtype == dtype and y.get_shape() == [1, 2, 2, 2]
        equal(value(y), x[:, 2:6:2, 1::3] + 1)
    with pytest.raises(ValueError, match="Shape must be rank 3 but is rank 2"):
        tf.nn.dilation2d(x.astype(np.float32), np.ones((2, 2)), [1] * 4, [1] * 4, "VALID")


def test_morphology_as_pooling():
    x = -1 - abs(numbers(1, 5, 5, 2))
    flat = np.zeros((3, 3, 2), np.float32)
    dilated = tf.nn.dilation2d(x, flat, [1, 2, 2, 1], [1, 1, 1, 1], "SAME")
    equal(*value([dilated, tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")]))
    for padding in ("FULL", "same"):
        with pytest.raises(BAD, match="Attr 'padding' of 'Dilation2D' Op passed string"):
            value(tf.nn.erosion2d(x, flat, [1] * 4, [1] * 4, padding))
