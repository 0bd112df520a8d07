"""Conversions of colors and types, brightness, contrast, hue, saturation, whitening."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def smooth(height, width, channels):
    """A picture that survives compression."""
    y, x = np.mgrid[:height, :width]
    planes = [(120 + 50 * np.sin(x / 9 + k) + 50 * np.cos(y / 7 - k)) for k in range(channels)]
    return np.stack(planes, -1).astype(np.uint8)


def test_colors():
    image = smooth(4, 5, 3)
    gray = value(tf.image.rgb_to_grayscale(image))
    assert gray.dtype == np.uint8 and gray.shape == (4, 5, 1)
    close(gray[..., 0], image @ [0.2989, 0.587, 0.114], atol=1.01)
    equal(value(tf.image.grayscale_to_rgb(gray)), np.repeat(gray, 3, -1))
    assert value(tf.image.rgb_to_grayscale(image[None].astype(np.float32))).shape == (1, 4, 5, 1)
    pure = np.eye(3, dtype=np.float32)
    hsv = value(tf.image.rgb_to_hsv(pure))
    close(hsv, [[0, 1, 1], [1 / 3, 1, 1], [2 / 3, 1, 1]], 1e-6)
    colors = np.random.RandomState(0).uniform(size=(2, 3, 4, 3)).astype(np.float32)
    there = tf.image.rgb_to_hsv(colors)
    assert value(there).min() >= 0 and value(there).max() <= 1
    close(value(tf.image.hsv_to_rgb(there)), colors, 1e-5, 1e-6)
    with pytest.raises(ValueError, match="Dimension must be 3 but is 2"):
        tf.image.rgb_to_hsv(colors[..., :2])
    with pytest.raises(
        (TypeError, ValueError),
        match="Value passed to parameter 'images' has DataType uint8 not in",
    ):
        tf.image.rgb_to_hsv(tf.constant(image))


def test_convert_image_dtype():
    image = np.array([0, 128, 255], np.uint8)
    floats = value(tf.image.convert_image_dtype(image, tf.float32))
    close(floats, [0, 128 / 255, 1], 1e-6)
    equal(value(tf.image.convert_image_dtype(floats, tf.uint8)), image)
    wide = value(tf.image.convert_image_dtype(image, tf.int16))
    assert wide.dtype == np.int16 and wide[2] > 30000
    over = np.array([-0.5, 0.5, 1.5], np.float32)
    clipped = value(tf.image.convert_image_dtype(over, tf.uint8, saturate=True))
    equal(clipped[[0, 2]], [0, 255])
    equal(value(tf.image.convert_image_dtype(over, tf.float32)), over)


def test_brightness_and_contrast():
    image = np.full((2, 2, 3), 100, np.uint8)
    brighter = value(tf.image.adjust_brightness(image, 0.2))
    assert brighter.dtype == np.uint8
    close(brighter, 151, atol=1)
    floats = smooth(4, 5, 3)[None].astype(np.float32) / 255
    mean = floats.mean((1, 2), keepdims=True)
    close(value(tf.image.adjust_contrast(floats, 2.0)), (floats - mean) * 2 + mean, 1e-4, 1e-5)
    with pytest.raises(ValueError, match="Shape must be at least rank 3 but is rank 1"):
        tf.image.adjust_contrast([1.0, 2.0], 2.0)
    random = tf.image.random_brightness(floats, 0.3, seed=1)
    with tf.Session() as session:
        deltas = [np.mean(session.run(random) - floats) for _ in range(30)]
    assert max(map(abs, deltas)) <= 0.3 + 1e-6 and np.std(deltas) > 0.05
    with pytest.raises(ValueError, match=r"max_delta must be non-negative\."):
        tf.image.random_brightness(floats, -0.1)
    for bounds in ((2.0, 1.0), (1.0, 1.0), (-1.0, 1.0)):
        with pytest.raises(
            ValueError, match=r"lower must be non-negative\.|upper must be > lower\."
        ):
            tf.image.random_contrast(floats, *bounds)
    stretched = value(tf.image.random_contrast(floats, 0.5, 0.6, seed=2))
    factor = (stretched - mean).std() / (floats - mean).std()
    assert 0.5 <= factor <= 0.6


def test_hue_and_saturation():
    red = np.array([[[200, 40, 40]]], np.uint8)
    turned = value(tf.image.adjust_hue(red, 1 / 3))
    assert turned.dtype == np.uint8
    close(turned, [[[40, 200, 40]]], atol=1)
    equal(value(tf.image.adjust_saturation(red, 0.0)), [[[200, 200, 200]]])
    close(value(tf.image.adjust_saturation(red, 9.0)), [[[200, 0, 0]]], atol=1)
    for delta in (-0.1, 0.6):
        with pytest.raises(ValueError, match="max_delta must be"):
            tf.image.random_hue(red, delta)
    for bounds in ((2.0, 1.0), (1.0, 1.0), (-1.0, 1.0)):
        with pytest.raises(
            ValueError, match=r"lower must be non-negative\.|upper must be > lower\."
        ):
            tf.image.random_saturation(red, *bounds)
    assert value(tf.image.random_hue(red, 0.5, seed=1)).shape == (1, 1, 3)
    assert value(tf.image.random_saturation(red, 0.5, 1.5, seed=1)).shape == (1, 1, 3)


def test_whitening():
    image = smooth(4, 5, 3).astype(np.float32)
    white = value(tf.image.per_image_whitening(image))
    close(white, (image - image.mean()) / max(image.std(), 60**-0.5), 1e-4, 1e-5)
    equal(value(tf.image.per_image_whitening(np.full((2, 2, 3), 7.0, np.float32))), 0)
    with pytest.raises(ValueError, match=r"'image' must be at least three-dimensional\."):
        tf.image.per_image_whitening(image[0])
