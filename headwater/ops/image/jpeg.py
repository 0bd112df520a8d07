"""The JPEG format, by Pillow, with the decoder settings of TensorFlow."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np

from headwater.base.lazy import LazyModule
from headwater.ops.image.bands import by_bands, rows_of

_pil_image: Any = LazyModule("PIL.Image")
_pil_jpeg: Any = LazyModule("PIL.JpegImagePlugin")

MAGIC = b"\xff\xd8\xff"
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_END = b"\xff\xd9"
_MOST_PIXELS = 1 << 29


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


def _stored_as_rgb(image: Any) -> bool:
    """Whether the colours are red, green and blue, as the JPEG library finds out."""
    if "jfif" in image.info:
        return False
    if "adobe_transform" in image.info:
        return image.info["adobe_transform"] == 0
    return [layer[0] for layer in image.layer] == [82, 71, 66]


def _load_planes(image: Any) -> tuple[int, int] | None:
    """Loads luminance and colour differences by the fast transform, not smoothed.

    Returns:
        The sampling of luminance (across, down), or None if they are stored in another form.
    """
    layer = getattr(image, "layer", None)
    if image.mode != "RGB" or not layer or len(layer) != 3:
        return None
    (_, across, down, _), *others = layer
    if (across, down) not in ((1, 1), (2, 1), (2, 2)):
        return None
    if any(tuple(other[1:3]) != (1, 1) for other in others):
        return None
    if _stored_as_rgb(image):
        image.decoderconfig = (1, 1)
        return None
    if image.draft("YCbCr", image.size) is None or image.mode != "YCbCr":
        return None
    image.decoderconfig = (1, 1)
    _load(image)
    return across, down


def _smoothed(plane: np.ndarray, sampling: tuple[int, int], size: tuple[int, int]) -> np.ndarray:
    """Doubles a plane of colour differences by the triangle filter of the JPEG library."""
    _, down = sampling
    # The largest intermediate value is 255 * 16 + 8.
    wide = plane.astype(np.int16)
    if down == 2:
        height, width = wide.shape
        lines = np.empty((2 * height, width), np.int16)
        np.multiply(wide, 3, out=lines[::2])
        lines[1::2] = lines[::2]
        lines[0] += wide[0]
        lines[2::2] += wide[:-1]
        lines[1:-1:2] += wide[1:]
        lines[-1] += wide[-1]
        wide = lines
        shift, first, second = 4, 8, 7
    else:
        shift, first, second = 2, 1, 2
    height, width = wide.shape
    result = np.empty((height, 2 * width), np.int16)
    even, odd = result[:, ::2], result[:, 1::2]
    triple = wide * np.int16(3)
    np.add(triple, first, out=even)
    np.add(triple, second, out=odd)
    even[:, 1:] += wide[:, :-1]
    odd[:, :-1] += wide[:, 1:]
    result >>= shift
    if down == 1:
        result[:, 0], result[:, -1] = wide[:, 0], wide[:, -1]
    else:
        result[:, 0] = (wide[:, 0] * 4 + 8) >> 4
        result[:, -1] = (wide[:, -1] * 4 + 7) >> 4
    return result[: size[0], : size[1]]


def _fixed(x: float) -> int:
    return int(x * 65536 + 0.5)


_HALF = 1 << 15


def _colours(y: np.ndarray, cb: np.ndarray, cr: np.ndarray) -> np.ndarray:
    """Luminance and colour differences as RGB, in the arithmetic of the JPEG library."""
    y, cb, cr = (plane.astype(np.int32) for plane in (y, cb, cr))
    cb -= 128
    cr -= 128
    result = np.empty((*y.shape, 3), np.uint8)
    for channel, from_blue, from_red in (
        (0, 0, _fixed(1.402)),
        (1, -_fixed(0.344136286), -_fixed(0.714136286)),
        (2, _fixed(1.772), 0),
    ):
        shade = (cr if from_red else cb) * (from_red or from_blue)
        if from_red and from_blue:
            shade += cb * from_blue
        shade += _HALF
        shade >>= 16
        shade += y
        np.maximum(shade, 0, out=shade)
        np.minimum(shade, 255, out=shade)
        result[:, :, channel] = shade
    return result


def _fast_colours(image: Any) -> np.ndarray | None:
    """RGB by the fast transform with smoothed colours, if the file has the usual form."""
    sampling = _load_planes(image)
    if sampling is None:
        return None
    across, down = sampling
    # Narrow planes are not smoothed.
    smooth = across > 1 and (image.width + 1) // 2 > 2

    def colours(band: slice) -> np.ndarray:
        # Smoothing looks at one row of colours, two of the image, above and below.
        start, stop = max(band.start - 2, 0), min(band.stop + 2, image.height)
        planes = rows_of(image, slice(start, stop))
        inner = slice(band.start - start, band.stop - start)
        parts = [planes[inner, :, 0]]
        for i in (1, 2):
            plane = planes[:, :, i]
            if smooth:
                plane = _smoothed(plane[::down, ::across], sampling, plane.shape)
            parts.append(plane[inner])
        return _colours(*parts)

    return by_bands(image.height, image.width, colours)


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
    image = _opened(data)
    if channels == 0:
        channels = 1 if image.mode == "L" else 3
    if ratio > 1:
        # Fractions of pixels, so that Pillow finds this ratio for the smallest images too.
        image.draft("L" if channels == 1 else "RGB", (image.width / ratio, image.height / ratio))
        if not accurate:
            image.decoderconfig = (ratio, 1)
    elif channels == 1 and image.mode == "RGB":
        image.draft("L", image.size)
    if ratio == 1 and not accurate:
        if image.mode == "RGB" and fancy:
            colours = _fast_colours(image)
            if colours is not None:
                return colours
            if image.mode != "RGB":
                image = _opened(data)
        elif image.mode in ("L", "RGB"):
            image.decoderconfig = (1, 1)
    _load(image)

    def converted(band: slice) -> np.ndarray:
        pixels = rows_of(image, band)
        if image.mode == "CMYK":
            wide = pixels.astype(np.int32)
            pixels = ((255 - wide[:, :, :3]) * (255 - wide[:, :, 3:]) // 255).astype(np.uint8)
            if channels == 1:
                pixels = np.asarray(_pil_image.fromarray(pixels).convert("L"))
        if pixels.ndim == 2:
            pixels = pixels[:, :, None]
        return np.repeat(pixels, 3, axis=2) if pixels.shape[2] < channels else pixels

    return by_bands(image.height, image.width, converted)


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
