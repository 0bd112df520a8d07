"""JPEG and PNG, decoded and encoded."""

from __future__ import annotations

import io
import re
import struct

import numpy as np
import pytest
from PIL import Image

import headwater as tf

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


def test_decode_jpeg():
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
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data or crop window,"):
        value(tf.image.decode_jpeg(cut))
    saved = value(tf.image.decode_jpeg(cut, try_recover_truncated=True, acceptable_fraction=0.3))
    assert saved.shape == (32, 48, 3)


def test_bytes_between_the_segments_of_a_jpeg_file_are_skipped():
    data = value(tf.image.encode_jpeg(smooth(32, 48, 3)))
    scan = data.index(b"\xff\xda")
    whole, other = (
        value(tf.image.decode_jpeg(file)).astype(int)
        for file in (data, data[:scan] + bytes(3) + data[scan:])
    )
    assert abs(whole - other).max() < 8


def test_encode_jpeg():
    picture, gray = smooth(32, 48, 3), smooth(32, 48, 1)
    for image, mode in ((picture, "RGB"), (gray, "L")):
        assert Image.open(io.BytesIO(value(tf.image.encode_jpeg(image)))).mode == mode
    value(tf.image.encode_jpeg(gray, format="grayscale"))
    for image, name in ((gray, "rgb"), (picture, "grayscale")):
        with pytest.raises(BAD, match=r"channels, got \[32,48,"):
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
def test_png(channels, kind):
    picture = smooth(9, 7, channels).astype(kind) * (1 if kind == np.uint8 else 257)
    for compression in (-1, 0, 9):
        data = tf.image.encode_png(picture, compression)
        equal(value(tf.image.decode_png(data, dtype=kind)), picture)
    for asked in (1, 3, 4):
        decoded = value(tf.image.decode_png(data, channels=asked, dtype=kind))
        assert decoded.shape == (9, 7, asked) and decoded.dtype == kind
    assert tf.image.decode_png(data).dtype == tf.uint8


def bitmap(width, height, bits):
    """The beginning of a BMP file that says so of itself."""
    head = struct.pack("<2sIHHI", b"BM", 70, 0, 0, 54)
    return head + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, 16, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        ((0, 0, 24), "Width must be positive"),
        ((2**31 - 1, 0, 24), "Height must be nonzero"),
        ((2**31 - 1, 1, 24), "Total possible pixel bytes must be less than 2^30"),
        ((1, -(2**31), 8), "Total possible pixel bytes must be less than 2^30"),
        ((1, 2**28 - 1, 32), "Total possible pixel bytes must be less than 2^30"),
        ((1, 2**28 - 2, 32), "Incomplete bmp content, requires at least 1073741870 bytes"),
        ((2**31 - 1, 1, 40), "Number of channels must be 1, 3 or 4, was 5"),
    ],
)
def test_sizes_of_bitmaps_are_checked(session, size, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(text)):
        session.run(tf.image.decode_bmp(bitmap(*size)))
