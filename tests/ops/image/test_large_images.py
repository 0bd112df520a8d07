"""Images are read and written in bands of rows: the same pixels, with little memory on the way."""

import io
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from PIL import Image

from headwater.ops.image import bands, gif, jpeg, png

SIZES = [(1, 1), (2, 5), (3, 2), (9, 3), (16, 16), (33, 17), (50, 7)]


def picture(height, width, channels, dtype=np.uint8):
    rng = np.random.RandomState(height * 100 + width)
    largest = np.iinfo(dtype).max
    ramp = np.linspace(0, largest, height * width * channels).reshape(height, width, channels)
    noise = rng.randint(0, largest // 4, ramp.shape)
    return ((ramp + noise) % (largest + 1)).astype(dtype)


def file_of(pixels, kind, **options):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **options)
    return file.getvalue()


def jpeg_files(height, width):
    colours = picture(height, width, 3)
    for subsampling in (0, 1, 2):
        yield file_of(colours, "JPEG", subsampling=subsampling)
    yield file_of(colours[:, :, 0], "JPEG")
    cmyk = io.BytesIO()
    Image.fromarray(colours).convert("CMYK").save(cmyk, "JPEG")
    yield cmyk.getvalue()


def png_files(height, width):
    for channels in (1, 2, 3, 4):
        for dtype in (np.uint8, np.uint16):
            yield png.encode(picture(height, width, channels, dtype))
    palette = io.BytesIO()
    Image.fromarray(picture(height, width, 3)).quantize(16).save(palette, "PNG", transparency=3)
    yield palette.getvalue()
    yield file_of(picture(height, width, 3), "PNG", transparency=(0, 0, 0))


def all_results(height, width):
    """What is read from files of all kinds, and what is written."""
    for data in jpeg_files(height, width):
        for options in (
            {},
            {"fancy": False},
            {"accurate": True},
            {"channels": 1},
            {"channels": 3},
            {"ratio": 2},
        ):
            try:
                yield jpeg.decode(data, **options)
            except jpeg.Unreadable:  # CMYK has no grey
                assert options == {"channels": 1}
                assert Image.open(io.BytesIO(data)).mode == "CMYK"
    for data in png_files(height, width):
        for channels in (0, 1, 3, 4):
            for dtype in (np.uint8, np.uint16):
                yield png.decode(data, channels, np.dtype(dtype))
    yield gif.decode(file_of(picture(height, width, 3), "GIF"))
    yield np.frombuffer(png.encode(picture(height, width, 3)), np.uint8)


@pytest.mark.parametrize("size", SIZES)
def test_bands_do_not_show(size, monkeypatch):
    whole = list(all_results(*size))
    monkeypatch.setattr(bands, "_BAND_PIXELS", 1)
    for mine, other in zip(all_results(*size), whole, strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_written_files_are_read_back(channels, dtype, monkeypatch):
    monkeypatch.setattr(bands, "_BAND_PIXELS", 40)
    pixels = picture(31, 9, channels, dtype)
    np.testing.assert_array_equal(
        png.decode(png.encode(pixels), 0, np.dtype(dtype)) if channels != 2 else pixels, pixels
    )
    if dtype is np.uint8:
        read = np.asarray(Image.open(io.BytesIO(png.encode(pixels))))
        np.testing.assert_array_equal(read.reshape(pixels.shape), pixels)


@pytest.mark.parametrize("size", SIZES)
def test_strips_do_not_show(size, monkeypatch):
    whole = list(all_results(*size))
    monkeypatch.setattr(png, "_LARGE_PIXELS", 1)
    monkeypatch.setattr(png, "_PIECE", 5)
    monkeypatch.setattr(bands, "_BAND_PIXELS", 1)
    for mine, other in zip(all_results(*size), whole, strict=True):
        np.testing.assert_array_equal(mine, other)


def unreadable(data):
    try:
        png.decode(data, 0, np.dtype(np.uint8))
    except png.Unreadable:
        return True
    return False


def png_of(packed):
    header = struct.pack(">IIBBBBB", 5, 4, 8, 2, 0, 0, 0)
    parts = (b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")
    return png.MAGIC + b"".join(png._chunk(*part) for part in parts)


def test_damaged_strips_are_refused_as_by_tensorflow(monkeypatch):
    monkeypatch.setattr(png, "_LARGE_PIXELS", 1)
    rows = b"".join(b"\0" + bytes(range(i, i + 15)) for i in range(4))
    packed = zlib.compress(rows)
    assert not unreadable(png_of(packed)) and not unreadable(png_of(packed + b"junk"))
    assert not unreadable(png_of(zlib.compress(rows + b"abc")))
    for damaged in (
        packed[:-1] + b"x",
        packed[:-4],
        zlib.compress(rows[:-1]),
        zlib.compress(rows[:16] + b"\7" + rows[17:]),
        b"",
    ):
        assert unreadable(png_of(damaged))


def traced_peak(call):
    """The peak of the memory that NumPy and Python allocated meanwhile, in bytes."""
    tracemalloc.start()
    try:
        result = call()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("kind", "channels"),
    [*(("png", n) for n in (0, 1, 3, 4)), *(("jpeg", n) for n in (0, 1, 3)), ("gif", 3)],
)
def test_reading_takes_little_more_than_the_result(kind, channels):
    height = width = 2400
    ramp = np.add.outer(np.arange(height), np.arange(width)) // 16 % 256
    colours = np.stack([ramp, ramp.T[::-1], ramp // 2], -1).astype(np.uint8)
    data = file_of(colours, kind.upper(), **({"compress_level": 1} if kind == "png" else {}))
    read = {
        "png": lambda: png.decode(data, channels, np.dtype(np.uint8)),
        "jpeg": lambda: jpeg.decode(data, channels),
        "gif": lambda: gif.decode(data),
    }[kind]
    read()
    peak, pixels = traced_peak(read)
    assert pixels.size >= height * width
    # A frame of a GIF file is unpacked before it is drawn.
    room = 1.5 * pixels.nbytes if kind == "gif" else 12 << 20
    assert peak < pixels.nbytes + room + len(data)


def test_writing_takes_little():
    pixels = np.zeros((2400, 2400, 3), np.uint8)
    pixels += np.arange(2400, dtype=np.uint8)[:, None]
    png.encode(pixels[:10])
    peak, _ = traced_peak(lambda: png.encode(pixels))
    assert peak < 40 << 20


@pytest.mark.parametrize(
    ("size", "sums"),
    [((1, 1), (111, 111, 111, 111)), ((3, 3), (2972, 1407, 353, 399))],
)
def test_small_images_made_smaller(size, sums):
    count = size[0] * size[1] * 3
    pixels = (np.arange(count) * 37 % 256).astype(np.uint8).reshape(*size, 3)
    data = jpeg.encode(pixels)
    found = [jpeg.decode(data, ratio=ratio) for ratio in (1, 2, 4, 8)]
    # Sums of TensorFlow 1.15.5.
    assert [int(image.sum()) for image in found] == list(sums)
    assert [image.shape[0] for image in found] == [-(-size[0] // r) for r in (1, 2, 4, 8)]


def test_the_limit_of_pixels_is_that_of_tensorflow(monkeypatch):
    data = bytearray(file_of(picture(16, 16, 3), "JPEG"))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    assert jpeg.decode(bytes(data)).shape == (16, 16, 3)
    start = data.index(b"\xff\xc0") + 5
    data[start : start + 4] = b"\xff\xff\xff\xff"  # height and width of 65535
    with pytest.raises(jpeg.Unreadable):
        jpeg.shape_of(bytes(data))
