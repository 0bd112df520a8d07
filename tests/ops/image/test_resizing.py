"""Resizing: methods, scales and sizes known at run time."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def smooth(height, width, channels):
    """A picture that survives compression."""
    y, x = np.mgrid[:height, :width]
    planes = [(120 + 50 * np.sin(x / 9 + k) + 50 * np.cos(y / 7 - k)) for k in range(channels)]
    return np.stack(planes, -1).astype(np.uint8)


def test_resizing():
    image = smooth(6, 8, 3)
    methods = tf.image.ResizeMethod
    kinds = (methods.BILINEAR, methods.NEAREST_NEIGHBOR, methods.BICUBIC, methods.AREA)
    assert kinds == (0, 1, 2, 3)
    functions = (tf.image.resize_bilinear, tf.image.resize_nearest_neighbor,
                 tf.image.resize_bicubic, tf.image.resize_area)  # fmt: skip
    for method, f in zip(kinds, functions):
        one = f(image[None], [3, 4])
        assert one.dtype == (tf.uint8 if method == methods.NEAREST_NEIGHBOR else tf.float32)
        for given in ((3, 4), ([3, 4],)):
            three = tf.image.resize_images(image, *given, method=method)
            assert three.get_shape() == [3, 4, 3]
            four = tf.image.resize_images(image[None], *given, method=method)
            equal(*value([three, four[0]]))
            equal(*value([four, one]))
    equal(value(tf.image.resize_images(image, 6, 8, 1)), image)
    equal(*value([tf.image.resize_images(image, 3, 4),
                  tf.image.resize_images(image, 3, 4, method=methods.BILINEAR)]))  # fmt: skip
    for given, method in ((image[0], 0), (image, 9)):
        with pytest.raises(
            ValueError, match=r"'images' must have either 3 or 4|Resize method is not implemented\."
        ):
            tf.image.resize_images(given, 3, 4, method=method)


def test_scales_of_resizing():
    ramp = np.arange(5.0).reshape(1, 1, 5, 1)
    free = value(tf.image.resize_bilinear(ramp, [1, 3]))[0, 0, :, 0]
    close(free, np.arange(3) * 5 / 3, 1e-6)
    aligned = value(tf.image.resize_bilinear(ramp, [1, 3], align_corners=True))[0, 0, :, 0]
    close(aligned, [0, 2, 4], 1e-6)


def test_views_are_resized_as_their_copies(rng):
    images = rng.integers(0, 256, (2, 37, 23, 3)).astype(np.uint8)
    given = tf.placeholder(tf.uint8, [None, None, None, 3])
    size = tf.placeholder(tf.int32, [2])
    resized = [
        tf.image.resize_bilinear(given, size),
        tf.image.resize_bilinear(given, size, align_corners=True),
    ]
    views = [images[:, ::-1], images[:, :, ::-1], images[:, ::-1, ::-1], images[:, 3:30, 2:9]]
    for height, width in ((5, 60), (80, 7), (37, 23)):
        for view in views:
            views_resized = value(resized, {given: view, size: (height, width)})
            copies_resized = value(resized, {given: view.copy(), size: (height, width)})
            for got, expected in zip(views_resized, copies_resized):
                equal(got, expected)


def test_pictures_on_their_way():
    data = value(tf.image.encode_jpeg(smooth(20, 30, 3)))
    resized = tf.image.resize_images(tf.image.decode_jpeg(data), 299, 299)
    found = value(resized)
    assert found.shape == (299, 299, 3) and found.dtype == np.float32
    png = value(tf.image.encode_png(smooth(5, 6, 3)))
    rgb_image_float = tf.image.convert_image_dtype(tf.image.decode_png(png, channels=3), tf.float32)
    assert value(tf.image.rgb_to_hsv(rgb_image_float)).shape == (5, 6, 3)
