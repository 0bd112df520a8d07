"""Crops, pads, glimpses, flips and bounding boxes."""

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


def test_central_parts():
    image = np.arange(24).reshape(4, 6, 1)
    smaller = value(tf.image.resize_image_with_crop_or_pad(image, 2, 4))
    equal(smaller, image[1:3, 1:5])
    mixed = value(tf.image.resize_image_with_crop_or_pad(image, 6, 2))
    equal(mixed, np.pad(image[:, 2:4], [(1, 1), (0, 0), (0, 0)]))
    for size in ((0, 2), (2, -1)):
        with pytest.raises(
            ValueError, match=r"target_height must be > 0\.|target_width must be > 0\."
        ):
            tf.image.resize_image_with_crop_or_pad(image, *size)
    square = np.arange(64).reshape(8, 8, 1)
    equal(value(tf.image.central_crop(square, 0.5)), square[2:6, 2:6])
    equal(value(tf.image.central_crop(square, 1.0)), square)
    for fraction in (0.0, -1.0, 1.5):
        with pytest.raises(ValueError, match=r"central_fraction must be within \(0, 1\]"):
            tf.image.central_crop(square, fraction)


def test_bounding_boxes():
    image = np.arange(1, 13).reshape(3, 4, 1)
    padded = value(tf.image.pad_to_bounding_box(image, 1, 2, 5, 7))
    equal(padded, np.pad(image, [(1, 1), (2, 1), (0, 0)]))
    equal(value(tf.image.pad_to_bounding_box(image, 0, 0, 3, 4)), image)
    equal(value(tf.image.crop_to_bounding_box(image, 1, 2, 2, 2)), image[1:3, 2:4])
    for f, given in ((tf.image.pad_to_bounding_box, (1, 0, 3, 4)),
                     (tf.image.pad_to_bounding_box, (-1, 0, 5, 5)),
                     (tf.image.crop_to_bounding_box, (2, 0, 2, 2)),
                     (tf.image.crop_to_bounding_box, (0, -1, 2, 2))):  # fmt: skip
        with pytest.raises(ValueError, match=r"height must be|offset_width must be >= 0\."):
            f(image, *given)


def test_extract_glimpse():
    images = np.arange(50, dtype=np.float32).reshape(2, 5, 5, 1)
    inside = value(tf.image.extract_glimpse(images, [3, 3], [[0.0, 0.0], [0.0, 0.0]]))
    equal(inside, images[:, 1:4, 1:4])
    corner = value(tf.image.extract_glimpse(images, [3, 3], [[1.0, 1.0], [-1.0, -1.0]]))
    equal(corner[0, :2, :2], images[0, 3:, 3:])
    assert corner.shape == (2, 3, 3, 1) and len(np.unique(corner[0])) == 9
    spelled = tf.image.extract_glimpse(images, [3, 3], [[0.0, 0.0], [0.0, 0.0]], centered=True,
                                       normalized=True, uniform_noise=True)  # fmt: skip
    equal(value(spelled), inside)
    pixels = tf.image.extract_glimpse(
        images, [2, 2], [[1.0, 2.0], [0.0, 0.0]], centered=False, normalized=False
    )
    equal(value(pixels)[0], images[0, :2, 1:3])


def test_flips():
    image = np.arange(12).reshape(2, 3, 2)
    equal(value(tf.image.flip_up_down(image)), image[::-1])
    equal(value(tf.image.flip_left_right(image)), image[:, ::-1])
    equal(value(tf.image.transpose_image(image)), image.transpose(1, 0, 2))
    for f in (tf.image.flip_up_down, tf.image.flip_left_right, tf.image.transpose_image,
              tf.image.random_flip_up_down, tf.image.random_flip_left_right):  # fmt: skip
        with pytest.raises(ValueError, match=r"'image' must be at least three-dimensional\."):
            f(image[0])
    for f, flipped in ((tf.image.random_flip_up_down, image[::-1]),
                       (tf.image.random_flip_left_right, image[:, ::-1])):  # fmt: skip
        node = f(image, seed=3)
        with tf.Session() as session:
            seen = [session.run(node) for _ in range(200)]
        turned = sum(np.array_equal(each, flipped) for each in seen)
        assert turned + sum(np.array_equal(each, image) for each in seen) == 200
        assert 70 < turned < 130
        with tf.Session() as session:
            equal([session.run(node) for _ in range(20)], seen[:20])


def test_draw_bounding_boxes():
    """The page's box in the order that it states: rows 10 to 20, columns 100 to 180."""
    images = np.zeros((1, 100, 200, 3), np.float32)
    drawn = value(tf.image.draw_bounding_boxes(images, [[[0.1, 0.5, 0.2, 0.9]]]))
    assert drawn.shape == images.shape and drawn.dtype == np.float32
    rows, columns = np.nonzero(drawn[0].any(-1))
    assert abs(rows.min() - 10) <= 1 and abs(rows.max() - 20) <= 1
    assert abs(columns.min() - 100) <= 1 and abs(columns.max() - 180) <= 1
    value(tf.image.draw_bounding_boxes(images, [[[-0.5, 0.5, 1.5, 2.0]]]))
    half = tf.image.draw_bounding_boxes(tf.cast(images, tf.half), [[[0.1, 0.5, 0.2, 0.9]]])
    assert half.dtype == tf.float16


def test_sample_distorted_bounding_box():
    image = smooth(40, 50, 3)
    boxes = [[[0.2, 0.2, 0.8, 0.8]]]
    begin, size, box = tf.image.sample_distorted_bounding_box(tf.shape(image), boxes, seed=5)
    assert begin.dtype == size.dtype == tf.int32 and box.get_shape() == [1, 1, 4]
    drawn = tf.image.draw_bounding_boxes(tf.expand_dims(tf.to_float(image), 0), box)
    tf.image_summary("images_with_box", drawn)
    part = tf.slice(image, begin, size)
    start, extent, edges, cut = value([begin, size, box, part])
    assert start[2] == 0 and extent[2] == -1
    y, x = start[:2]
    equal(cut, image[y : y + extent[0], x : x + extent[1]])
    close(edges[0, 0] * [40, 50, 40, 50], [y, x, y + extent[0], x + extent[1]], atol=1e-3)
    with tf.Session() as session:
        again = session.run([begin, size, box])
    equal(again[0], start)
    nothing = np.zeros((1, 0, 4), np.float32)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"No bounding boxes provided as input\. One must enable",
    ):
        value(tf.image.sample_distorted_bounding_box([40, 50, 3], nothing)[0])
    allowed = tf.image.sample_distorted_bounding_box(
        [40, 50, 3], nothing, use_image_if_no_bounding_boxes=True
    )
    value(allowed[0])
    impossible = tf.image.sample_distorted_bounding_box(
        [40, 50, 3], boxes, min_object_covered=1.0, aspect_ratio_range=[0.01, 0.011],
        max_attempts=3,
    )  # fmt: skip
    start, extent, _ = value(list(impossible))
    assert start.tolist() == [0, 0, 0] and extent.tolist() == [40, 50, -1]
