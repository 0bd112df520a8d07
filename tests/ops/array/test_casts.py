"""Casts, bit casts, quantization and numbers in strings."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_linear_quantization():
    """0 is the least and 255 the greatest value; 128 of [-10, 30] is 10.08."""
    codes = np.array([0, 128, 255], np.uint8)
    quantized = tf.bitcast(tf.constant(codes), tf.quint8)
    found = value(tf.dequantize(quantized, -10.0, 30.0, mode="MIN_COMBINED"))
    close(found, [-10, -10 + 40 * 128 / 255, 30], 1e-5)
    low, high = value(
        tf.dequantize(tf.bitcast(tf.constant([0, 255], tf.uint8), tf.quint8), -3.0, 6.0)
    )
    close([low, high], [-3, 6], 1e-6)
    there = tf.quantize_v2(np.array([-10, 10, 30], np.float32), -10.0, 30.0, tf.quint8)
    equal(value(tf.bitcast(there.output, tf.uint8)), [0, 128, 255])


def test_string_to_number():
    equal(value(tf.string_to_number(["1.5", "-2"])), np.float32([1.5, -2]))
    equal(value(tf.string_to_number(["7"], tf.int32)), [7])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="StringToNumberOp could not correctly convert string: 99999999999",
    ):
        value(tf.string_to_number(["99999999999"], tf.int32))


def test_casts():
    x = tf.constant([1.8, 2.2, -1.8])
    names = {"ToDouble": "float64", "ToFloat": "float32", "ToBFloat16": "bfloat16"}
    names |= {"ToInt32": "int32", "ToInt64": "int64"}
    functions = [tf.to_double, tf.to_float, tf.to_bfloat16, tf.to_int32, tf.to_int64]
    source = tf.constant([1, 2], tf.int16)
    for function, (name, dtype) in zip(functions, names.items(), strict=True):
        cast = function(source)
        assert cast.op.name == name and cast.dtype == dtype
    sparse = tf.to_int32(tf.SparseTensor([[0]], [1.5], [2]))
    equal(value(sparse).values, [1])
    equal(value(tf.cast(x, tf.int32)), [1, 2, -1])
    with pytest.raises((TypeError, ValueError, tf.errors.OpError)):
        value(tf.cast(tf.constant(["a"]), tf.float32))
    equal(value(tf.saturate_cast([300, -5, 7], tf.uint8)), [255, 0, 7])


def test_bitcast():
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    wide = tf.bitcast(x, tf.uint8)
    assert wide.get_shape().as_list() == [2, 4, 4]
    equal(value(wide), x.view(np.uint8).reshape(2, 4, 4))
    equal(value(tf.bitcast(wide, tf.float32)), x)
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match=r"Cannot bitcast due to shape\. 3 does not match 4",
    ):
        value(tf.bitcast(np.zeros([2, 3], np.uint8), tf.float32))


def test_bitcast_between_sizes():
    x = np.array([1.0, -2.5], np.float32)
    equal(value(tf.bitcast(x, tf.int32)), x.view(np.int32))
    small = tf.bitcast(x, tf.uint8)
    assert small.get_shape().as_list() == [2, 4]
    equal(value(small), x.view(np.uint8).reshape(2, 4))
    equal(value(tf.bitcast(small, tf.float32)), x)
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match=r"Cannot bitcast due to shape\. 3 does not match 4",
    ):
        value(tf.bitcast(np.zeros((2, 3), np.uint8), tf.float32))
