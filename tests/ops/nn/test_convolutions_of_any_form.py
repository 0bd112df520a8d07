"""Strides, formats, rates, output shapes and sizes of convolutions."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.ops.nn.window import POINT, Axis, covered

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose
BAD = (ValueError, tf.errors.OpError)


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_strides_and_formats():
    x, w = numbers(1, 3, 4, 5), numbers(1, 1, 3, 2)
    first = tf.nn.conv2d(x, w, [1, 1, 2, 1], "SAME", data_format="NCHW")
    assert first.get_shape() == [1, 2, 2, 5]
    depthwise = numbers(1, 1, 5, 3, seed=1)
    y = value(tf.nn.depthwise_conv2d(x, depthwise, [1, 1, 1, 1], "VALID"))
    equal(y, (x[..., None] * depthwise[0, 0]).reshape(1, 3, 4, 15))


def test_separable_strides():
    x, d, p = numbers(1, 6, 6, 2), numbers(3, 3, 2, 2, seed=1), numbers(1, 1, 4, 5, seed=2)
    both = value(tf.nn.separable_conv2d(x, d, p, [1, 2, 2, 1], "SAME"))
    first = value(tf.nn.depthwise_conv2d(x, d, [1, 2, 2, 1], "SAME"))
    close(both, first @ p[0, 0], 1e-4, 1e-5)
    with pytest.raises(
        ValueError, match=r"Depth of input \(4\) is not a multiple of input depth of filter"
    ):
        tf.nn.separable_conv2d(x, d, numbers(1, 1, 3, 5), [1, 1, 1, 1], "SAME")


def test_rates_are_positive():
    for rate in (0, -1):
        with pytest.raises(ValueError, match="dilation_rate must be positive"):
            tf.nn.atrous_conv2d(numbers(1, 4, 4, 1), numbers(2, 2, 1, 1), rate, "SAME")


def test_output_shapes_known_at_the_run():
    x, w = tf.placeholder(tf.float32, [None, 2, 2, 3]), numbers(3, 3, 2, 3)
    y = tf.nn.conv2d_transpose(x, w, tf.pack([tf.shape(x)[0], 4, 4, 2]), [1, 2, 2, 1])
    assert value(y, {x: numbers(5, 2, 2, 3)}).shape == (5, 4, 4, 2)


def test_conv3d_strides():
    x, w = numbers(1, 4, 4, 4, 1), numbers(2, 2, 2, 1, 1)
    assert tf.nn.conv3d(x, w, [1, 2, 2, 2, 1], "SAME").get_shape() == [1, 2, 2, 2, 1]
    for strides in ([2, 1, 1, 1, 1], [1, 1, 1, 1, 2]):
        with pytest.raises(BAD, match="Current implementation does not yet support strides in the"):
            value(tf.nn.conv3d(x, w, strides, "SAME"))


def test_sizes_of_convolutions():
    for size, window, stride, padding, out in ((10, 3, 1, "VALID", 8), (10, 3, 2, "VALID", 4),
                                               (10, 3, 2, "SAME", 5),
                                               (10, 5, 1, "SAME", 10)):  # fmt: skip
        x, w = tf.zeros([1, size, size, 1]), tf.zeros([window, window, 1, 1])
        y = tf.nn.conv2d(x, w, strides=[1, stride, stride, 1], padding=padding)
        assert y.get_shape() == [1, out, out, 1]
    y = tf.layers.conv2d(tf.zeros([1, 50, 50, 10]), 20, 1)
    assert y.get_shape() == [1, 50, 50, 20]
    x = tf.placeholder(tf.float32, [None, 4, 4, 3])
    w = tf.ones([2, 2, 5, 3])
    output_shape = tf.pack([tf.shape(x)[0], 8, 8, 5])
    up = tf.nn.conv2d_transpose(
        x, w, output_shape=output_shape, strides=[1, 2, 2, 1], padding="SAME"
    )
    assert value(up, {x: np.ones((6, 4, 4, 3))}).shape == (6, 8, 8, 5)


def test_depthwise_convolutions():
    row = np.array([1.0, 2, 3, 4], np.float32)
    image = np.stack([np.tile(row, (4, 1)), np.ones((4, 4), np.float32)], -1)[None]
    weights = np.broadcast_to(np.array([[0.0, 2], [1, 3]], np.float32), (3, 3, 2, 2))
    deep = tf.nn.depthwise_conv2d(
        input=image, filter=weights, strides=[1, 1, 1, 1], rate=[1, 1], padding="VALID"
    )
    line = [[0, 36, 9, 27], [0, 54, 9, 27]]
    equal(value(deep), [[line, line]])
    flat = tf.nn.conv2d(input=image, filter=weights, strides=[1, 1, 1, 1], padding="VALID")
    line = [[9, 63], [9, 81]]
    equal(value(flat), [[line, line]])
    summed = tf.reduce_sum(tf.reshape(deep, [1, 2, 2, 2, 2]), 3)
    equal(*value([summed, flat]))
    x, w = tf.placeholder(tf.float32, [None, 14, 14, 32]), tf.zeros([3, 3, 32, 64])
    assert tf.nn.conv2d(x, w, [1] * 4, "SAME").get_shape().as_list() == [None, 14, 14, 64]
    deep = tf.nn.depthwise_conv2d(x, w, [1] * 4, "SAME")
    assert deep.get_shape().as_list() == [None, 14, 14, 2048]
    with pytest.raises(
        ValueError, match="Attr 'padding' of 'DepthwiseConv2dNative' Op passed string"
    ):
        tf.nn.depthwise_conv2d(image, weights, [1] * 4, "FULL")


@pytest.mark.parametrize("rows", [6, 3])
@pytest.mark.parametrize("channels", [1, 2])
def test_windows_that_cover_the_columns_or_everything(rows, channels, monkeypatch):
    x, w = numbers(2, rows, 5, channels), numbers(3, 5, channels, 4, seed=1)
    fed, weights = tf.placeholder(tf.float32, x.shape), tf.constant(w)
    y = tf.nn.conv2d(fed, weights, [1, 1, 1, 1], "VALID")
    fetches = [y, *tf.gradients(tf.square(y), [fed, weights])]
    parts = np.stack([x[:, i : i + rows - 2] for i in range(3)])
    expected = np.einsum("kbrcd,kcdo->bro", parts, w)[:, :, None]
    slopes = 2.0 * expected[:, :, 0]
    dw = np.einsum("kbrcd,bro->kcdo", parts, slopes)
    dx = np.zeros_like(x)
    for i in range(3):
        dx[:, i : i + rows - 2] += np.einsum("bro,cdo->brcd", slopes, w[i])
    for mode in ("never", "always"):
        monkeypatch.setenv("HEADWATER_JIT", mode)
        with tf.Session() as session:
            for found, wanted in zip(session.run(fetches, {fed: x}), (expected, dx, dw)):
                np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_the_axes_that_windows_cover_are_the_last_ones():
    slides, covers = Axis(6, 3, 1, 1, 0, 0, 4), Axis(5, 5, 2, 1, 0, 0, 1)
    padded = Axis(4, 5, 1, 1, 1, 0, 1)
    assert [covered(axes) for axes in ([slides, covers], [covers, covers], [covers, slides])] == [
        1,
        2,
        0,
    ]
    assert [covered(axes) for axes in ([covers, padded], [slides, POINT], [covers, POINT])] == [
        0,
        0,
        2,
    ]
