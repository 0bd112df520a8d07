"""Images as values of summaries."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import errors
from headwater.base.lazy import LazyModule
from headwater.ops.summary.serialized import dims_text

if TYPE_CHECKING:
    from headwater.protos.summary_pb2 import Summary

_pil_image: Any = LazyModule("PIL.Image")

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
# Below this, an image counts as black.
_DARKEST = 1e-6


def check_images(images: np.ndarray) -> None:
    """Raises an InvalidArgumentError if an array is not a batch of images."""
    if images.ndim != 4 or images.shape[3] not in _MODES:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Tensor must be 4-D with last dim 1, 3, or 4, not {dims_text(images)}",
        )


def add_images(
    summary: Summary, tag: str, images: np.ndarray, max_images: int, bad_color: np.ndarray
) -> None:
    """Adds images to a summary.

    Args:
        summary: the summary.
        tag: what the tags begin with.
        images: a batch that `check_images` allows.
        max_images: how many of them are added.
        bad_color: bytes, the colour of pixels that are not finite; at least one per channel.
    """
    _, height, width, depth = images.shape
    for i, image in enumerate(images[:max_images]):
        pixels = image if image.dtype == np.uint8 else _as_bytes(image, bad_color[:depth])
        suffix = f"/{i}" if max_images > 1 else ""
        proto = summary.value.add(tag=f"{tag}/image{suffix}").image
        proto.height, proto.width, proto.colorspace = height, width, depth
        proto.encoded_image_string = _png(pixels)


def _as_bytes(image: np.ndarray, bad_color: np.ndarray) -> np.ndarray:
    """Scales an image of floats to 0..255; zero is 128 if there are negative values.

    Pixels that are not finite get the bad colour and do not count for the scale.
    """
    kind = image.dtype.type
    finite = np.isfinite(image).all(axis=-1)
    pixels = image[finite]
    result = np.empty(image.shape, np.uint8)
    result[~finite] = bad_color
    if pixels.size:
        low, high = pixels.min(), pixels.max()
        if low >= 0:
            scale, offset = (kind(255) / high if high >= _DARKEST else kind(0)), kind(0)
        else:
            largest = max(abs(low), abs(high))
            scale, offset = (kind(127) / largest if largest >= _DARKEST else kind(0)), kind(128)
        result[finite] = (pixels * scale + offset).astype(np.uint8)
    return result


def _png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    if pixels.size:
        mode = _MODES[pixels.shape[-1]]
        data = pixels[:, :, 0] if mode == "L" else pixels
        _pil_image.fromarray(np.ascontiguousarray(data)).save(file, "PNG")
    return file.getvalue()
