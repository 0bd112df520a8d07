"""The JPEG format with the settings of TensorFlow: decoded by simplejpeg, encoded by Pillow.

simplejpeg has the same JPEG library as TensorFlow, with its fast and its accurate transform, and
with or without smoothed colours. Files that it rejects are left to Pillow, which forgives damage as
TensorFlow does.
"""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np

from headwater.base.lazy import LazyModule
from headwater.ops.image.bands import by_bands, pixels_of

_pil_image: Any = LazyModule("PIL.Image")
_pil_jpeg: Any = LazyModule("PIL.JpegImagePlugin")
_simplejpeg: Any = LazyModule("simplejpeg")

MAGIC = b"\xff\xd8\xff"
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_END = b"\xff\xd9"
_MOST_PIXELS = 1 << 29
_FOUR_COLOURS = ("CMYK", "YCCK")
_SMALLEST_SCALED = 16


class Unreadable(Exception):
    """The data are not a JPEG image."""


def _opened(data: bytes) -> Any:
    try:
        # Image.open would refuse large images, and warn of smaller ones than TensorFlow's limit.
        image = _pil_jpeg.JpegImageFile(io.BytesIO(data))
    except (OSError, ValueError, SyntaxError) as error:
        raise Unreadable from error
    if image.width * image.height >= _MOST_PIXELS:
        raise Unreadable
    return image


def _load(image: Any) -> None:
    try:
        image.load()
    except (OSError, ValueError, SyntaxError) as error:
        raise Unreadable from error


def shape_of(data: bytes) -> tuple[int, int, int]:
    """Height, width and number of components, from the header.

    Raises:
        Unreadable: if there is no valid header.
    """
    image = _opened(data)
    return image.height, image.width, len(image.getbands())


def _scaled_alike(height: int, width: int) -> bool:
    """Whether further ratios of the decoder make images of the same size as halves or quarters."""
    return min(height, width) < _SMALLEST_SCALED


def _usual_pixels(data: bytes, channels: int, ratio: int, **options: Any) -> np.ndarray | None:
    """The pixels of a file of the usual form, as stored if it is CMYK; None for other files.

    Args:
        data: the file.
        channels: 1 or 3; 0 for those of the file.
        ratio: the image is made smaller by this.
        options: of the decoder.
    """
    try:
        height, width, colours, _ = _simplejpeg.decode_jpeg_header(data, strict=options["strict"])
        if height * width >= _MOST_PIXELS or (ratio > 1 and _scaled_alike(height, width)):
            return None
        if colours in _FOUR_COLOURS:
            form = "CMYK"
        else:
            form = "GRAY" if channels == 1 or (channels == 0 and colours == "Gray") else "RGB"
        if ratio > 1:
            options |= {"min_height": -(-height // ratio), "min_width": -(-width // ratio)}
        pixels: np.ndarray = _simplejpeg.decode_jpeg(data, form, **options)
    except (ValueError, TypeError, OverflowError, MemoryError):
        return None
    return pixels


def _forgiven_pixels(data: bytes, channels: int, ratio: int, unsmoothed: bool) -> np.ndarray:
    """The pixels of a small or damaged file, as far as the JPEG library forgives the damage.

    Args:
        data: the file.
        channels: 1 or 3; 0 for those of the file.
        ratio: the image is made smaller by this.
        unsmoothed: whether to use the fast transform and leave colours as they are.

    Raises:
        Unreadable: if the data are damaged.
    """
    image = _opened(data)
    grey = channels == 1 or image.mode == "L"
    if ratio > 1:
        # Fractions of pixels, so that Pillow finds this ratio for the smallest images too.
        image.draft("L" if grey else "RGB", (image.width / ratio, image.height / ratio))
    elif grey and image.mode == "RGB":
        image.draft("L", image.size)
    if unsmoothed:
        image.decoderconfig = (ratio, 1)
    _load(image)
    return pixels_of(image)


def _inked(pixels: np.ndarray) -> np.ndarray:
    """Stored cyan, magenta, yellow and black, which are inverted, as RGB."""
    wide = pixels.astype(np.int32)
    return (wide[:, :, :3] * wide[:, :, 3:] // 255).astype(np.uint8)


def decode(
    data: bytes,
    channels: int = 0,
    ratio: int = 1,
    fancy: bool = True,
    accurate: bool = False,
    recover: bool = False,
) -> np.ndarray:
    """Reads an image.

    Args:
        data: the file.
        channels: 1 or 3; 0 for those of the file.
        ratio: the image is made smaller by this, 1, 2, 4 or 8.
        fancy: whether colours are smoothed.
        accurate: whether the accurate transform is used rather than the fast one.
        recover: whether an image that is cut off is read as far as it goes.

    Returns:
        uint8 ``[height, width, channels]``.

    Raises:
        Unreadable: if the data are damaged.
    """
    if recover:
        data += _END
    options = {"fastdct": not accurate, "fastupsample": not fancy}
    pixels = _usual_pixels(data, channels, ratio, strict=True, **options)
    inverted = pixels is not None
    if pixels is None:
        unsmoothed = not accurate and (ratio > 1 or not fancy)
        forgiven = _forgiven_pixels(data, channels, ratio, unsmoothed)
        pixels = _usual_pixels(data, channels, ratio, strict=False, **options)
        inverted = pixels is not None
        if pixels is None:
            pixels = forgiven
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    depth = pixels.shape[2]
    if depth == 4 and channels == 1:
        # The JPEG library does not convert these colours to grey.
        raise Unreadable
    if depth == (channels or min(depth, 3)):
        return pixels

    def converted(band: slice) -> np.ndarray:
        part = pixels[band]
        if depth == 4:
            return _inked(part if inverted else 255 - part)
        return np.repeat(part, 3, axis=2)

    return by_bands(pixels.shape[0], pixels.shape[1], converted)


def encode(
    pixels: np.ndarray,
    quality: int = 95,
    progressive: bool = False,
    optimize: bool = False,
    downsample: bool = True,
    density_unit: str = "in",
    density: tuple[int, int] = (300, 300),
    xmp: bytes = b"",
) -> bytes:
    """Writes an image.

    Args:
        pixels: uint8 ``[height, width, channels]`` with 1 or 3 channels.
        quality: 0 to 100.
        progressive: whether the image is stored coarse to fine.
        optimize: whether the codes are fitted to the image.
        downsample: whether colours are stored at half the size.
        density_unit: ``"in"`` or ``"cm"``.
        density: pixels per unit, across and down.
        xmp: metadata in XMP.

    Returns:
        The file.
    """
    image = _pil_image.fromarray(
        np.ascontiguousarray(pixels if pixels.shape[2] == 3 else pixels[:, :, 0])
    )
    file = io.BytesIO()
    options: dict[str, Any] = (
        {} if pixels.shape[2] == 1 else {"subsampling": 2 if downsample else 0}
    )
    image.save(
        file,
        "JPEG",
        quality=max(quality, 1),
        progressive=progressive,
        optimize=optimize,
        dpi=density,
        **options,
    )
    data = bytearray(file.getvalue())
    # The JFIF header comes first: unit and density are at fixed offsets.
    data[13:18] = struct.pack(">BHH", 1 if density_unit == "in" else 2, *density)
    if xmp:
        segment = _XMP + xmp
        data[20:20] = b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment
    return bytes(data)
