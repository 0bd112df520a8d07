"""Statements on images (lines 17950 to 18865)."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal
BAD = (ValueError, tf.errors.InvalidArgumentError)


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def smooth(height, width, channels):
    """A picture that survives compression."""
    y, x = np.mgrid[:height, :width]
    planes = [(120 + 50 * np.sin(x / 9 + k) + 50 * np.cos(y / 7 - k)) for k in range(channels)]
    return np.stack(planes, -1).astype(np.uint8)


def test_17979_to_17996_decode_jpeg():
    picture = smooth(32, 48, 3)
    data = value(tf.image.encode_jpeg(picture))
    whole = tf.image.decode_jpeg(data)
    assert whole.dtype == tf.uint8
    assert abs(value(whole).astype(int) - picture).mean() < 4
    for channels, shown in ((0, 3), (1, 1), (3, 3)):
        assert value(tf.image.decode_jpeg(data, channels=channels)).shape == (32, 48, shown)
    for ratio in (1, 2, 4, 8):
        small = value(tf.image.decode_jpeg(data, ratio=ratio))
        assert small.shape == (32 // ratio, 48 // ratio, 3)
    plain = value(tf.image.decode_jpeg(data))
    spelled = tf.image.decode_jpeg(data, fancy_upscaling=True, try_recover_truncated=False,
                                   acceptable_fraction=1)  # fmt: skip
    equal(value(spelled), plain)
    cut = data[: len(data) * 2 // 3]
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(tf.image.decode_jpeg(cut))
    saved = value(tf.image.decode_jpeg(cut, try_recover_truncated=True, acceptable_fraction=0.3))
    assert saved.shape == (32, 48, 3)


def test_18015_to_18038_encode_jpeg():
    picture, gray = smooth(32, 48, 3), smooth(32, 48, 1)
    for image, mode in ((picture, "RGB"), (gray, "L")):
        assert Image.open(io.BytesIO(value(tf.image.encode_jpeg(image)))).mode == mode
    value(tf.image.encode_jpeg(gray, format="grayscale"))
    for image, name in ((gray, "rgb"), (picture, "grayscale")):
        with pytest.raises(BAD):
            value(tf.image.encode_jpeg(image, format=name))
    plain = value(tf.image.encode_jpeg(picture))
    spelled = tf.image.encode_jpeg(
        picture, format="", quality=95, progressive=False, optimize_size=False,
        chroma_downsampling=True, density_unit="in", x_density=300, y_density=300,
        xmp_metadata="",
    )  # fmt: skip
    assert value(spelled) == plain
    assert Image.open(io.BytesIO(plain)).info["dpi"] == (300, 300)
    sizes = [len(value(tf.image.encode_jpeg(picture, quality=q))) for q in (20, 60, 95)]
    assert sizes == sorted(sizes)
    assert Image.open(io.BytesIO(value(tf.image.encode_jpeg(picture, progressive=True)))).info[
        "progressive"
    ]
    marked = value(tf.image.encode_jpeg(picture, density_unit="cm", x_density=50, y_density=60,
                                        xmp_metadata="<x:xmpmeta/>"))  # fmt: skip
    info = Image.open(io.BytesIO(marked)).info
    assert info["jfif_unit"] == 2 and info["jfif_density"] == (50, 60)
    assert b"<x:xmpmeta/>" in marked


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_18053_to_18087_png(channels, kind):
    picture = smooth(9, 7, channels).astype(kind) * (1 if kind == np.uint8 else 257)
    for compression in (-1, 0, 9):
        data = tf.image.encode_png(picture, compression)
        equal(value(tf.image.decode_png(data, dtype=kind)), picture)
    for asked in (1, 3, 4):
        decoded = value(tf.image.decode_png(data, channels=asked, dtype=kind))
        assert decoded.shape == (9, 7, asked) and decoded.dtype == kind
    assert tf.image.decode_png(data).dtype == tf.uint8


def test_18143_to_18219_resizing():
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
        with pytest.raises(ValueError):
            tf.image.resize_images(given, 3, 4, method=method)


def test_18163_scales_of_resizing():
    ramp = np.arange(5.0).reshape(1, 1, 5, 1)
    free = value(tf.image.resize_bilinear(ramp, [1, 3]))[0, 0, :, 0]
    close(free, np.arange(3) * 5 / 3, 1e-6)
    aligned = value(tf.image.resize_bilinear(ramp, [1, 3], align_corners=True))[0, 0, :, 0]
    close(aligned, [0, 2, 4], 1e-6)


def test_18104_18473_pictures_on_their_way():
    data = value(tf.image.encode_jpeg(smooth(20, 30, 3)))
    resized = tf.image.resize_images(tf.image.decode_jpeg(data), 299, 299)
    found = value(resized)
    assert found.shape == (299, 299, 3) and found.dtype == np.float32
    png = value(tf.image.encode_png(smooth(5, 6, 3)))
    rgb_image_float = tf.image.convert_image_dtype(tf.image.decode_png(png, channels=3), tf.float32)
    assert value(tf.image.rgb_to_hsv(rgb_image_float)).shape == (5, 6, 3)


def test_18229_to_18267_central_parts():
    image = np.arange(24).reshape(4, 6, 1)
    smaller = value(tf.image.resize_image_with_crop_or_pad(image, 2, 4))
    equal(smaller, image[1:3, 1:5])
    mixed = value(tf.image.resize_image_with_crop_or_pad(image, 6, 2))
    equal(mixed, np.pad(image[:, 2:4], [(1, 1), (0, 0), (0, 0)]))
    for size in ((0, 2), (2, -1)):
        with pytest.raises(ValueError):
            tf.image.resize_image_with_crop_or_pad(image, *size)
    square = np.arange(64).reshape(8, 8, 1)
    equal(value(tf.image.central_crop(square, 0.5)), square[2:6, 2:6])
    equal(value(tf.image.central_crop(square, 1.0)), square)
    for fraction in (0.0, -1.0, 1.5):
        with pytest.raises(ValueError):
            tf.image.central_crop(square, fraction)


def test_18277_to_18319_bounding_boxes():
    image = np.arange(1, 13).reshape(3, 4, 1)
    padded = value(tf.image.pad_to_bounding_box(image, 1, 2, 5, 7))
    equal(padded, np.pad(image, [(1, 1), (2, 1), (0, 0)]))
    equal(value(tf.image.pad_to_bounding_box(image, 0, 0, 3, 4)), image)
    equal(value(tf.image.crop_to_bounding_box(image, 1, 2, 2, 2)), image[1:3, 2:4])
    for f, given in ((tf.image.pad_to_bounding_box, (1, 0, 3, 4)),
                     (tf.image.pad_to_bounding_box, (-1, 0, 5, 5)),
                     (tf.image.crop_to_bounding_box, (2, 0, 2, 2)),
                     (tf.image.crop_to_bounding_box, (0, -1, 2, 2))):  # fmt: skip
        with pytest.raises(ValueError):
            f(image, *given)


def test_18331_to_18344_extract_glimpse():
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


def test_18359_to_18457_flips():
    image = np.arange(12).reshape(2, 3, 2)
    equal(value(tf.image.flip_up_down(image)), image[::-1])
    equal(value(tf.image.flip_left_right(image)), image[:, ::-1])
    equal(value(tf.image.transpose_image(image)), image.transpose(1, 0, 2))
    for f in (tf.image.flip_up_down, tf.image.flip_left_right, tf.image.transpose_image,
              tf.image.random_flip_up_down, tf.image.random_flip_left_right):  # fmt: skip
        with pytest.raises(ValueError):
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


def test_18484_to_18547_colors():
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
    with pytest.raises(ValueError):
        tf.image.rgb_to_hsv(colors[..., :2])
    with pytest.raises((TypeError, ValueError)):
        tf.image.rgb_to_hsv(tf.constant(image))


def test_18553_to_18559_convert_image_dtype():
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


def test_18582_to_18660_brightness_and_contrast():
    image = np.full((2, 2, 3), 100, np.uint8)
    brighter = value(tf.image.adjust_brightness(image, 0.2))
    assert brighter.dtype == np.uint8
    close(brighter, 151, atol=1)
    floats = smooth(4, 5, 3)[None].astype(np.float32) / 255
    mean = floats.mean((1, 2), keepdims=True)
    close(value(tf.image.adjust_contrast(floats, 2.0)), (floats - mean) * 2 + mean, 1e-4, 1e-5)
    with pytest.raises(ValueError):
        tf.image.adjust_contrast([1.0, 2.0], 2.0)
    random = tf.image.random_brightness(floats, 0.3, seed=1)
    with tf.Session() as session:
        deltas = [np.mean(session.run(random) - floats) for _ in range(30)]
    assert max(map(abs, deltas)) <= 0.3 + 1e-6 and np.std(deltas) > 0.05
    with pytest.raises(ValueError):
        tf.image.random_brightness(floats, -0.1)
    for bounds in ((2.0, 1.0), (1.0, 1.0), (-1.0, 1.0)):
        with pytest.raises(ValueError):
            tf.image.random_contrast(floats, *bounds)
    stretched = value(tf.image.random_contrast(floats, 0.5, 0.6, seed=2))
    factor = (stretched - mean).std() / (floats - mean).std()
    assert 0.5 <= factor <= 0.6


def test_18670_to_18753_hue_and_saturation():
    red = np.array([[[200, 40, 40]]], np.uint8)
    turned = value(tf.image.adjust_hue(red, 1 / 3))
    assert turned.dtype == np.uint8
    close(turned, [[[40, 200, 40]]], atol=1)
    equal(value(tf.image.adjust_saturation(red, 0.0)), [[[200, 200, 200]]])
    close(value(tf.image.adjust_saturation(red, 9.0)), [[[200, 0, 0]]], atol=1)
    for delta in (-0.1, 0.6):
        with pytest.raises(ValueError):
            tf.image.random_hue(red, delta)
    for bounds in ((2.0, 1.0), (1.0, 1.0), (-1.0, 1.0)):
        with pytest.raises(ValueError):
            tf.image.random_saturation(red, *bounds)
    assert value(tf.image.random_hue(red, 0.5, seed=1)).shape == (1, 1, 3)
    assert value(tf.image.random_saturation(red, 0.5, 1.5, seed=1)).shape == (1, 1, 3)


def test_18760_to_18779_whitening():
    image = smooth(4, 5, 3).astype(np.float32)
    white = value(tf.image.per_image_whitening(image))
    close(white, (image - image.mean()) / max(image.std(), 60**-0.5), 1e-4, 1e-5)
    equal(value(tf.image.per_image_whitening(np.full((2, 2, 3), 7.0, np.float32))), 0)
    with pytest.raises(ValueError):
        tf.image.per_image_whitening(image[0])


def test_18787_to_18801_draw_bounding_boxes():
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


def test_18826_to_18865_sample_distorted_bounding_box():
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
    with pytest.raises(tf.errors.InvalidArgumentError):
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
