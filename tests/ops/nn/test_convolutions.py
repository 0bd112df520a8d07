"""Convolutions of one to three dimensions: values, paddings, strides, types, refusals."""

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


def test_paddings():
    for size, window, stride in ((5, 3, 1), (5, 3, 2), (6, 6, 1), (4, 1, 2), (7, 4, 3)):
        x, w = np.ones((1, size, 1, 1), np.float32), np.ones((window, 1, 1, 1), np.float32)
        same = value(tf.nn.conv2d(x, w, [1, stride, 1, 1], "SAME"))[0, :, 0, 0]
        out = -(-size // stride)
        along = max((out - 1) * stride + window - size, 0)
        padded = np.pad(np.ones(size), (along // 2, along - along // 2))
        equal(same, [padded[i * stride : i * stride + window].sum() for i in range(out)])
        valid = value(tf.nn.conv2d(x, w, [1, stride, 1, 1], "VALID"))
        assert valid.shape[1] == -(-(size - window + 1) // stride)


def test_conv2d():
    x, w = numbers(2, 5, 6, 3), numbers(2, 3, 3, 4, seed=1)
    y = value(tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID"))
    patches = value(tf.extract_image_patches(x, [1, 2, 3, 1], [1] * 4, [1] * 4, "VALID"))
    close(y, patches @ w.reshape(18, 4), 1e-4, 1e-4)
    first = tf.nn.conv2d(
        x.transpose(0, 3, 1, 2),
        w,
        [1, 1, 1, 1],
        "VALID",
        use_cudnn_on_gpu=False,
        data_format="NCHW",
    )
    close(value(first), y.transpose(0, 3, 1, 2), 1e-4, 1e-5)


def test_conv2d_that_does_not_exist():
    x, w = numbers(1, 4, 4, 1), numbers(2, 2, 1, 1)
    for strides in ([2, 1, 1, 1], [1, 1, 1, 2]):
        with pytest.raises(
            (ValueError, tf.errors.OpError),
            match="Current implementation does not yet support strides in the",
        ):
            value(tf.nn.conv2d(x, w, strides, "SAME"))
    with pytest.raises(
        ValueError, match=r"Attr 'padding' of 'Conv2D' Op passed string 'same\?' not in:"
    ):
        tf.nn.conv2d(x, w, [1, 1, 1, 1], "same?")
    with pytest.raises(
        (ValueError, TypeError),
        match="Input 'filter' of 'Conv2D' Op has type float64 that does not",
    ):
        tf.nn.conv2d(tf.constant(x), tf.constant(w, tf.float64), [1, 1, 1, 1], "SAME")


def test_depthwise():
    x, w = numbers(1, 4, 4, 2), numbers(3, 3, 2, 3, seed=1)
    y = value(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"))
    assert y.shape == (1, 4, 4, 6)
    for k in range(2):
        part = value(tf.nn.conv2d(x[..., k : k + 1], w[:, :, k : k + 1], [1] * 4, "SAME"))
        close(y[..., 3 * k : 3 * k + 3], part, 1e-4, 1e-5)
    close(value(tf.nn.depthwise_conv2d_native(x, w, [1, 1, 1, 1], "SAME")), y, 1e-5, 1e-6)
    point = numbers(1, 1, 6, 7, seed=2)
    both = value(tf.nn.separable_conv2d(x, w, point, [1, 1, 1, 1], "SAME"))
    close(both, value(tf.nn.conv2d(y, point, [1] * 4, "SAME")), 1e-4, 1e-5)


def test_atrous():
    x, w = numbers(1, 7, 7, 2), numbers(2, 2, 2, 3, seed=1)
    close(value(tf.nn.atrous_conv2d(x, w, 1, "SAME")), value(tf.nn.conv2d(x, w, [1] * 4, "SAME")))
    upsampled = np.zeros((3, 3, 2, 3), np.float32)
    upsampled[::2, ::2] = w
    y = value(tf.nn.atrous_conv2d(x, w, 2, "VALID"))
    close(y, value(tf.nn.conv2d(x, upsampled, [1] * 4, "VALID")), 1e-4, 1e-5)
    with pytest.raises(
        ValueError, match=r"Depth of input \(2\) is not a multiple of input depth of filter"
    ):
        tf.nn.atrous_conv2d(x, numbers(2, 2, 3, 3), 2, "SAME")
    with pytest.raises(ValueError, match="Invalid padding method 'FULL'"):
        tf.nn.atrous_conv2d(x, w, 2, "FULL")


def test_space_to_batch_and_back():
    x = numbers(2, 4, 6, 1)
    there = tf.space_to_batch(x, [[1, 1], [0, 0]], 2)
    equal(value(tf.batch_to_space(there, [[1, 1], [0, 0]], 2)), x)


def test_conv2d_transpose():
    x, w = tf.constant(numbers(1, 5, 5, 2)), numbers(3, 3, 2, 3, seed=1)
    y = tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME")
    g = numbers(1, 3, 3, 3, seed=2)
    back = tf.nn.conv2d_transpose(g, w, tf.shape(x), [1, 2, 2, 1])
    found, expected = value([back, tf.gradients(y, x, g)[0]])
    assert found.shape == (1, 5, 5, 2)
    close(found, expected, 1e-4, 1e-5)
    with pytest.raises(
        ValueError, match="input channels does not match filter's input channels, 3 != 4"
    ):
        tf.nn.conv2d_transpose(g, numbers(3, 3, 2, 4), [1, 5, 5, 2], [1, 2, 2, 1])
    with pytest.raises(
        ValueError, match="Attr 'padding' of 'Conv2DBackpropInput' Op passed string 'FULL'"
    ):
        tf.nn.conv2d_transpose(g, w, [1, 5, 5, 2], [1, 2, 2, 1], padding="FULL")


def test_conv1d():
    x, w = numbers(2, 6, 3), numbers(2, 3, 4, seed=1)
    y = value(tf.nn.conv1d(x, w, 2, "VALID"))
    flat = value(tf.nn.conv2d(x[:, None], w[None], [1, 1, 2, 1], "VALID"))
    close(y, flat[:, 0], 1e-5, 1e-6)
    first = tf.nn.conv1d(x.transpose(0, 2, 1), w, 2, "VALID", data_format="NCHW")
    close(value(first), y.transpose(0, 2, 1), 1e-4, 1e-5)


def test_conv3d():
    x, w = tf.constant(numbers(1, 3, 4, 4, 2)), numbers(2, 2, 2, 2, 3, seed=1)
    y = tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "VALID")
    assert y.get_shape().as_list() == [1, 2, 3, 3, 3]
    with pytest.raises(
        ValueError, match=r"Depth of input \(2\) is not a multiple of input depth of filter"
    ):
        tf.nn.conv3d(x, numbers(2, 2, 2, 3, 3), [1] * 5, "VALID")
    g = numbers(1, 2, 3, 3, 3, seed=2)
    back = tf.nn.conv3d_transpose(g, w, [1, 3, 4, 4, 2], [1] * 5, "VALID")
    found, expected = value([back, tf.gradients(y, x, g)[0]])
    close(found, expected, 1e-4, 1e-5)
    with pytest.raises(
        ValueError, match="input channels does not match filter's input channels, 3 != 4"
    ):
        tf.nn.conv3d_transpose(g, numbers(2, 2, 2, 2, 4), [1, 3, 4, 4, 2], [1] * 5, "VALID")


def test_zeros_outside_and_offsets():
    x = np.arange(1.0, 26).reshape(1, 5, 5, 1)
    ones = np.ones((3, 3, 1, 1))
    every = value(tf.nn.conv2d(x, ones, [1, 1, 1, 1], "SAME"))[0, :, :, 0]
    padded = np.pad(x[0, :, :, 0], 1)
    equal(every, [[padded[i : i + 3, j : j + 3].sum() for j in range(5)] for i in range(5)])
    other = value(tf.nn.conv2d(x, ones, [1, 2, 2, 1], "SAME"))[0, :, :, 0]
    equal(other, every[::2, ::2])


def test_types_of_convolutions():
    for dtype in (np.float16, np.float32, np.float64):
        x, w = numbers(1, 4, 4, 1).astype(dtype), numbers(2, 2, 1, 1).astype(dtype)
        assert value(tf.nn.conv2d(x, w, [1] * 4, "SAME")).dtype == dtype
    x, w = numbers(1, 4, 4, 2).astype(np.float64), numbers(2, 2, 2, 1).astype(np.float64)
    assert value(tf.nn.depthwise_conv2d_native(x, w, [1] * 4, "SAME")).dtype == np.float64
    flat = tf.nn.conv1d(numbers(1, 4, 2).astype(np.float64), w[0], 1, "SAME")
    assert flat.dtype == tf.float64


def test_depthwise_strides():
    x, w = numbers(1, 4, 4, 1), numbers(2, 2, 1, 1)
    for strides in ([2, 1, 1, 1], [1, 1, 1, 2]):
        with pytest.raises(
            (ValueError, tf.errors.OpError),
            match="Current implementation does not yet support strides in the",
        ):
            value(tf.nn.depthwise_conv2d(x, w, strides, "SAME"))


def test_more_outputs_than_inputs_are_not_needed():
    """The pages refuse fewer outputs than depthwise channels; releases after 1.0 allow them."""
    x, w = numbers(1, 4, 4, 2), numbers(2, 2, 2, 3)
    equal_number = tf.nn.separable_conv2d(x, w, numbers(1, 1, 6, 6), [1] * 4, "SAME")
    assert value(equal_number).shape == (1, 4, 4, 6)
    fewer = tf.nn.separable_conv2d(x, w, numbers(1, 1, 6, 2), [1] * 4, "SAME")
    assert value(fewer).shape == (1, 4, 4, 2)


def test_atrous_chains():
    x, rate = numbers(1, 8, 8, 2), 2
    w = numbers(2, 2, 2, 1, seed=1)
    y = tf.nn.atrous_conv2d(x.astype(np.float64), w.astype(np.float64), rate, "VALID")
    assert y.dtype == tf.float64
    expected = sum(
        x[0, di * 2 : 6 + di * 2, dj * 2 : 6 + dj * 2] @ w[di, dj]
        for di in range(2) for dj in range(2)
    )  # fmt: skip
    close(value(y)[0], expected, 1e-4, 1e-5)
    filters = [numbers(3, 3, 2, 2, seed=seed) for seed in (2, 3)]
    chained = tf.constant(x)
    for each in filters:
        chained = tf.nn.atrous_conv2d(chained, each, rate=rate, padding="SAME")
    pad = [[0, 0], [0, 0]]
    net = tf.space_to_batch(x, paddings=pad, block_size=rate)
    for each in filters:
        net = tf.nn.conv2d(net, each, strides=[1, 1, 1, 1], padding="SAME")
    net = tf.batch_to_space(net, crops=pad, block_size=rate)
    close(*value([chained, net]), 1e-4, 1e-4)


def test_convolution_network():
    assert tf.constant(0.1, shape=[32]).get_shape() == [32]
    image = tf.reshape(tf.placeholder(tf.float32, [None, 784]), [-1, 28, 28, 1])
    assert image.get_shape().as_list() == [None, 28, 28, 1]
    w = tf.truncated_normal([5, 5, 1, 32], stddev=0.1)
    h = tf.nn.conv2d(image, w, strides=[1, 1, 1, 1], padding="SAME")
    assert h.get_shape().as_list() == [None, 28, 28, 32]
    for side in (14, 7):
        h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        assert h.get_shape().as_list() == [None, side, side, 32]
