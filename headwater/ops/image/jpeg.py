"""The JPEG format, by Pillow, with the decoder settings of TensorFlow."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np

from headwater.base.lazy import LazyModule

_pil_image: Any = LazyModule("PIL.Image")

MAGIC = b"\xff\xd8\xff"
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_END = b"\xff\xd9"


class Unreadable(Exception):
    """The data are no JPEG image."""


def _opened(data: bytes) -> Any:
    try:
        return _pil_image.open(io.BytesIO(data), formats=["JPEG"])
    except (OSError, ValueError, SyntaxError, _pil_image.DecompressionBombError) as error:
        raise Unreadable from error


def _pixels(image: Any) -> np.ndarray:
    try:
        image.load()
    except (OSError, ValueError, SyntaxError) as error:
        raise Unreadable from error
    return np.asarray(image)


def shape_of(data: bytes) -> tuple[int, int, int]:
    """Height, width and number of components, from the header.

    Raises:
        Unreadable: if there is no valid header.
    """
    image = _opened(data)
    return image.height, image.width, len(image.getbands())


def _planes(data: bytes) -> tuple[np.ndarray, tuple[int, int]] | None:
    """Luminance and colour differences by the fast transform, not smoothed.

    Returns:
        The planes and the sampling of luminance (across, down), or None if they are stored
        in another form.
    """
    image = _opened(data)
    layer = getattr(image, "layer", None)
    if image.mode != "RGB" or not layer or len(layer) != 3:
        return None
    (_, across, down, _), *others = layer
    if any(tuple(other[1:3]) != (1, 1) for other in others):
        return None
    image.draft("YCbCr", image.size)
    if image.mode != "YCbCr":
        return None
    image.decoderconfig = (1, 1)
    return _pixels(image), (across, down)


def _smoothed(plane: np.ndarray, sampling: tuple[int, int], size: tuple[int, int]) -> np.ndarray:
    """Doubles a plane of colour differences by the triangle filter of the JPEG library."""
    across, down = sampling
    wide = plane.astype(np.int32)
    if down == 2:
        above = np.concatenate([wide[:1], wide[:-1]])
        below = np.concatenate([wide[1:], wide[-1:]])
        lines = np.stack([wide * 3 + above, wide * 3 + below], axis=1)
        wide = lines.reshape(-1, wide.shape[1])
        shift, first, second = 4, 8, 7
        end = 4
    else:
        shift, first, second, end = 2, 1, 2, 4
        if across == 1:
            return plane
    before = np.concatenate([wide[:, :1], wide[:, :-1]], axis=1)
    after = np.concatenate([wide[:, 1:], wide[:, -1:]], axis=1)
    pairs = np.stack([wide * 3 + before + first, wide * 3 + after + second], axis=2)
    result = pairs.reshape(len(wide), -1) >> shift
    if down == 1:
        result[:, 0], result[:, -1] = wide[:, 0], wide[:, -1]
    else:
        result[:, 0] = (wide[:, 0] * end + 8) >> 4
        result[:, -1] = (wide[:, -1] * end + 7) >> 4
    return result[: size[0], : size[1]]


def _colours(planes: np.ndarray) -> np.ndarray:
    """Luminance and colour differences as RGB, in the arithmetic of the JPEG library."""
    y, cb, cr = (planes[:, :, i].astype(np.int64) for i in range(3))
    cb, cr = cb - 128, cr - 128
    half = 1 << 15

    def fixed(x: float) -> int:
        return int(x * 65536 + 0.5)

    red = y + ((fixed(1.402) * cr + half) >> 16)
    blue = y + ((fixed(1.772) * cb + half) >> 16)
    green = y + ((-fixed(0.344136286) * cb - fixed(0.714136286) * cr + half) >> 16)
    return np.clip(np.stack([red, green, blue], axis=2), 0, 255).astype(np.uint8)


def _fast_colours(data: bytes) -> np.ndarray | None:
    """RGB by the fast transform with smoothed colours, if the file has the usual form."""
    found = _planes(data)
    if found is None or found[1] not in ((1, 1), (2, 1), (2, 2)):
        return None
    planes, (across, down) = found
    size = planes.shape[:2]
    parts = [planes[:, :, 0].astype(np.int32)]
    for i in (1, 2):
        plane = planes[::down, ::across, i]
        # Narrow planes are not smoothed.
        if plane.shape[1] <= 2 and across == 2:
            parts.append(planes[:, :, i].astype(np.int32))
        else:
            parts.append(_smoothed(plane, (across, down), size))
    return _colours(np.stack(parts, axis=2))


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
        image.draft("L" if channels == 1 else "RGB", (image.width // ratio, image.height // ratio))
    elif channels == 1 and image.mode == "RGB":
        image.draft("L", image.size)
    if ratio == 1 and not accurate:
        if image.mode == "RGB" and fancy:
            colours = _fast_colours(data)
            if colours is not None:
                return colours
        elif image.mode in ("L", "RGB"):
            image.decoderconfig = (1, 1)
    pixels = _pixels(image)
    if image.mode == "CMYK":
        wide = pixels.astype(np.int32)
        pixels = ((255 - wide[:, :, :3]) * (255 - wide[:, :, 3:]) // 255).astype(np.uint8)
        if channels == 1:
            pixels = np.asarray(_pil_image.fromarray(pixels).convert("L"))
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] < channels else pixels


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
    # The JFIF header comes first: unit and density stand at fixed places.
    data[13:18] = struct.pack(">BHH", 1 if density_unit == "in" else 2, *density)
    if xmp:
        segment = _XMP + xmp
        data[20:20] = b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment
    return bytes(data)
