"""Images resized by native kernels: the values of NumPy, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from headwater.ops.image import native_resize
from headwater.ops.image.linear_resize import resize_on_host

pytestmark = pytest.mark.skipif(
    native_resize._function() is None,
    reason="needs native kernels: built by `pip install .`, not turned off",
)


def both(images, height, width, flags, monkeypatch):
    """What the kernels give, and NumPy."""
    found = resize_on_host(images, height, width, *flags)
    monkeypatch.setattr(native_resize, "_function", lambda: None)
    return found, resize_on_host(images, height, width, *flags)


@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (20, 31), (90, 64), (41, 200)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_sizes_types_and_channels(rng, monkeypatch, dtype, size, channels, flags):
    images = (255 * rng.random((2, 41, 64, channels))).astype(dtype)
    found, expected = both(images, *size, flags, monkeypatch)
    assert found.dtype == np.float32 and found.shape == (2, *size, channels)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "view",
    [
        lambda images: images[:, 3:30, 5:40],
        lambda images: images[1:2, ::-1],
        lambda images: images[:, :, ::-1],
        lambda images: images[:, ::-1, ::-1],
        lambda images: images[:, ::2, ::3],
        lambda images: images[..., :2],
        lambda images: images.transpose(0, 2, 1, 3),
        lambda images: images.astype(np.int16),
        lambda images: images.astype(np.float64),
        lambda images: images[:0],
    ],
)
def test_parts_flips_and_other_types(rng, monkeypatch, view):
    images = view(rng.integers(0, 255, (3, 40, 50, 3), np.uint8))
    found, expected = both(images, 16, 70, (False, False), monkeypatch)
    np.testing.assert_array_equal(found, expected)


def test_the_kernels_take_crops_and_flips_as_they_are(rng):
    images = rng.integers(0, 255, (2, 40, 50, 3), np.uint8)
    taps = native_resize.Taps(np.array([0, 1]), np.array([1, 1]), np.array([0.5, 0], np.float32))
    crop = images[:, 38:0:-2, 7:20]
    resized = native_resize.resize(crop, taps, taps)
    middle = crop[:, :2, :2].astype(np.float32)
    across = np.stack([middle[:, :, 0] + (middle[:, :, 1] - middle[:, :, 0]) / 2, middle[:, :, 1]])
    across = np.moveaxis(across, 0, 2)
    top, bottom = across[:, 0], across[:, 1]
    np.testing.assert_array_equal(resized, np.stack([top + (bottom - top) / 2, bottom], 1))
