"""bias_add: values, types, layouts and refused shapes."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_bias_add():
    x = np.arange(24.0).reshape(2, 3, 4)
    equal(value(tf.nn.bias_add(x, np.arange(4.0))), x + np.arange(4.0))
    for bias in (np.zeros(3), np.zeros((1, 4))):
        with pytest.raises(ValueError, match=r"\(op: 'BiasAdd'\) with input shapes: \[2,3,4\], \["):
            tf.nn.bias_add(x, bias)
    images = np.arange(24.0).reshape(1, 2, 3, 4)
    shifted = value(tf.nn.bias_add(images, [1.0, 2.0], data_format="NCHW"))
    equal(shifted, images + np.array([1.0, 2.0])[:, None, None])


@pytest.mark.parametrize("dtype", "float32 float64 int64 int32 uint8 int16 int8".split())
def test_bias_add_of_all_types(dtype):
    result = value(tf.nn.bias_add(np.ones((2, 2), dtype), np.array([1, 2], dtype)))
    assert result.dtype == dtype
    equal(result, [[2, 3], [2, 3]])


def test_types_of_bias_add():
    for dtype in (np.complex64, np.complex128):
        result = value(tf.nn.bias_add(np.ones((2, 2), dtype), np.array([1j, 2], dtype)))
        assert result.dtype == dtype
        equal(result, [[1 + 1j, 3], [1 + 1j, 3]])
    with pytest.raises(
        (TypeError, ValueError), match="Tensor conversion requested dtype float32 for Tensor"
    ):
        tf.nn.bias_add(tf.constant([[1.0]]), tf.constant([1], tf.int32))


def test_bias_of_a_wrong_size():
    for value_, bias in ((numbers(2, 3), numbers(2)), (numbers(2, 3), numbers(1, 3))):
        with pytest.raises(ValueError, match=r"\(op: 'BiasAdd'\) with input shapes: \[2,3\], \["):
            tf.nn.bias_add(value_, bias)
