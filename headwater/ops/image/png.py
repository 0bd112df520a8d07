"""The PNG format: chunks, pixels of all kinds, 8 and 16 bits."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from headwater.base.lazy import LazyModule
from headwater.ops.image.bands import bands, by_bands, rows_of

_pil_image: Any = LazyModule("PIL.Image")

MAGIC = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_LARGEST_SIDE = 1_000_000
_MOST_BYTES = 1 << 29
# The maximum compression ratio of deflate.
_BEST_RATIO = 1040
# Larger images are unpacked in strips, which takes less memory and more time.
_LARGE_PIXELS = 1 << 24
_MOST_SURPLUS = _PIECE = 1 << 16
# The most bytes of a block of deflate that are stored as they are.
_MOST_STORED = 0xFFFF
# So many bytes are filtered at a time: all candidates stay in the cache.
_FILTERED_BYTES = 1 << 16
# Weights of red and green in grey, in parts of 32768.
_RED, _GREEN = 9797, 19234


class Header(NamedTuple):
    """What IHDR tells."""

    width: int
    height: int
    depth: int
    colour: int
    interlaced: int


class Unreadable(Exception):
    """The data are not a PNG image."""


def _chunks(data: bytes) -> dict[bytes, bytes]:
    """The chunks of a file by type, IDAT joined; ends with IEND."""
    found: dict[bytes, bytes] = {}
    pixels = []
    position = len(MAGIC)
    while b"IEND" not in found:
        if position + 12 > len(data):
            raise Unreadable("data")
        (length,) = struct.unpack_from(">I", data, position)
        kind = data[position + 4 : position + 8]
        end = position + 8 + length
        if end + 4 > len(data):
            raise Unreadable("data")
        body = data[position + 8 : end]
        (checksum,) = struct.unpack_from(">I", data, end)
        if zlib.crc32(data[position + 4 : end]) != checksum:
            if not kind[0] & 0x20:
                raise Unreadable("data")
        elif kind == b"IDAT":
            pixels.append(body)
        else:
            found.setdefault(kind, body)
        position = end + 4
    found[b"IDAT"] = b"".join(pixels)
    return found


def read_header(data: bytes) -> Header:
    """Reads the size and kind of the pixels.

    Raises:
        Unreadable: if there is no valid header.
    """
    if len(data) < 33 or data[12:16] != b"IHDR" or data[8:12] != b"\0\0\0\r":
        raise Unreadable("header")
    if zlib.crc32(data[12:29]) != struct.unpack_from(">I", data, 29)[0]:
        raise Unreadable("header")
    width, height, depth, colour, compression, filters, interlaced = struct.unpack_from(
        ">IIBBBBB", data, 16
    )
    fits = 0 < width <= _LARGEST_SIDE and 0 < height <= _LARGEST_SIDE
    if not fits or depth not in _DEPTHS.get(colour, ()) or compression or filters:
        raise Unreadable("header")
    if interlaced > 1:
        raise Unreadable("header")
    return Header(width, height, depth, colour, interlaced)


_Rows = Callable[[slice], np.ndarray]


def _unpacked(header: Header, data: bytes, mode: str, raw_mode: str) -> _Rows:
    """Pixels as Pillow unpacks them: a function that returns those of some rows."""
    size = (header.width, header.height)
    try:
        image = _pil_image.frombytes(mode, size, data, "zip", raw_mode, header.interlaced)
    except (OSError, ValueError, SyntaxError) as error:
        raise Unreadable("data") from error
    return lambda band: rows_of(image, band).reshape(band.stop - band.start, header.width, -1)


def _stored(data: bytes) -> bytes:
    """Data in the format of zlib, as they are; without the sum at the end, which Pillow ignores."""
    parts = [b"\x78\x01"]
    for start in range(0, len(data), _MOST_STORED):
        part = data[start : start + _MOST_STORED]
        parts += (struct.pack("<BHH", 0, len(part), len(part) ^ 0xFFFF), part)
    return b"".join(parts)


class _Strips:
    """Pixels of eight bits per sample, unpacked a strip of rows at a time, from top to bottom.

    Pillow unpacks a whole image only, and keeps four bytes per pixel of it. So the filtered rows of
    each strip are an image of their own, whose first row is the last one of the strip before.

    Args:
        header: of an image that is not interlaced.
        data: its rows, filtered and packed.
        mode: the mode of Pillow for its pixels.
    """

    def __init__(self, header: Header, data: bytes, mode: str) -> None:
        self._header, self._mode = header, mode
        self._unpacker = zlib.decompressobj()
        self._pieces = (data[i : i + _PIECE] for i in range(0, len(data), _PIECE))
        self._row_bytes = header.width * _CHANNELS[header.colour]
        self._above = b""

    def __call__(self, band: slice) -> np.ndarray:
        count = band.stop - band.start
        width = self._header.width
        filtered = self._unpacked(count * (1 + self._row_bytes))
        # The first row is not filtered.
        first = b"\0" + self._above if self._above else b""
        stored = _stored(first + filtered)
        skipped = 1 if first else 0
        try:
            size = (width, count + skipped)
            strip = _pil_image.frombytes(self._mode, size, stored, "zip", self._mode, 0)
        except (OSError, ValueError, SyntaxError) as error:
            raise Unreadable("data") from error
        pixels = rows_of(strip, slice(skipped, count + skipped)).reshape(count, width, -1)
        self._above = pixels[-1].tobytes()
        if band.stop == self._header.height:
            self._check_end()
        return pixels

    def _unpacked(self, count: int) -> bytes:
        parts = []
        while count:
            part = self._next(count)
            if not part:
                raise Unreadable("data")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _next(self, most: int) -> bytes:
        """Up to so many bytes; none at the end."""
        part = b""
        while not (part or self._unpacker.eof):
            packed = self._unpacker.unconsumed_tail or next(self._pieces, b"")
            if not packed:
                break
            try:
                part = self._unpacker.decompress(packed, most)
            except zlib.error as error:
                raise Unreadable("data") from error
        return part

    def _check_end(self) -> None:
        """Checks the sum at the end, unless much more follows."""
        if not self._next(_MOST_SURPLUS) and not self._unpacker.eof:
            raise Unreadable("data")


def _samples(header: Header, data: bytes) -> _Rows:
    """The stored samples of some rows, ``[rows, width, samples]``, uint8 or uint16."""
    count = _CHANNELS[header.colour]
    needed = header.height * (header.width * count * header.depth + 7) // 8
    if needed > len(data) * _BEST_RATIO:
        raise Unreadable("data")
    if header.depth < 8:
        return _unpacked(header, data, "P", f"P;{header.depth}")
    if header.depth == 8:
        mode = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[count]
        if not header.interlaced and header.width * header.height >= _LARGE_PIXELS:
            return _Strips(header, data, mode)
        return _unpacked(header, data, mode, mode)
    if count == 1:
        grey = _unpacked(header, data, "I;16", "I;16B")
        return lambda band: grey(band).astype(np.uint16)
    if count == 2:
        # Four raw bytes per pixel.
        parts = _unpacked(header, data, "RGBA", "RGBA")
        high, low = (lambda band: parts(band)[:, :, ::2]), (lambda band: parts(band)[:, :, 1::2])
    else:
        mode = "RGB" if count == 3 else "RGBA"
        high = _unpacked(header, data, mode, f"{mode};16B")
        low = _unpacked(header, data, mode, f"{mode};16L")
    return lambda band: high(band).astype(np.uint16) << 8 | low(band)


def _with_alpha(
    header: Header, chunks: dict[bytes, bytes], samples: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Grey or colours, and the alpha if there is one; 8 or 16 bits."""
    largest = (1 << header.depth) - 1
    transparent = chunks.get(b"tRNS")
    if header.colour == 3:
        palette = np.zeros((256, 3), np.uint8)
        given = np.frombuffer(chunks.get(b"PLTE", b"")[:768], np.uint8)
        palette[: len(given) // 3] = given[: len(given) // 3 * 3].reshape(-1, 3)
        index = samples[:, :, 0]
        if transparent is None:
            return palette[index], None
        alphas = np.full(256, 255, np.uint8)
        alphas[: len(transparent)] = np.frombuffer(transparent[:256], np.uint8)
        return palette[index], alphas[index][:, :, None]
    if header.colour in (4, 6):
        return samples[:, :, :-1], samples[:, :, -1:]
    alpha = None
    if transparent is not None and len(transparent) == 2 * samples.shape[2]:
        key = np.frombuffer(transparent, ">u2") & largest
        opaque = np.any(samples != key, axis=2, keepdims=True)
        full = 65535 if header.depth == 16 else 255
        alpha = np.where(opaque, full, 0).astype(samples.dtype)
    if header.depth < 8:
        samples = samples * np.uint8(255 // largest)
    return samples, alpha


def _grey(pixels: np.ndarray) -> np.ndarray:
    """Colours as grey, in the integer arithmetic of the PNG library."""
    weights = (_RED, _GREEN, 32768 - _RED - _GREEN)
    if pixels.dtype == np.uint8:
        # Exact: all sums are below 2**24.
        sums = pixels.astype(np.float32) @ np.array(weights, np.float32)
        sums *= np.float32(2**-15)
        return sums.astype(np.uint8)[:, :, None]
    wide = pixels.astype(np.uint32)
    red, green, blue = wide[:, :, 0], wide[:, :, 1], wide[:, :, 2]
    blend = red * weights[0] + green * weights[1] + blue * weights[2] + 16384
    same = (red == green) & (red == blue)
    return np.where(same, red, blend >> 15).astype(pixels.dtype)[:, :, None]


def decode(data: bytes, channels: int, dtype: np.dtype) -> np.ndarray:
    """Reads an image.

    Args:
        data: the file.
        channels: 1, 3 or 4; 0 for those of the file.
        dtype: uint8 or uint16.

    Returns:
        An array ``[height, width, channels]``.

    Raises:
        Unreadable: if the data are damaged; the argument is ``"header"``, ``"size"`` or
            ``"data"``.
    """
    header = read_header(data)
    if header.width * header.height * max(channels, _CHANNELS[header.colour]) >= _MOST_BYTES:
        raise Unreadable("size")
    chunks = _chunks(data)
    rows = _samples(header, chunks[b"IDAT"])

    def converted(band: slice) -> np.ndarray:
        return _converted(header, chunks, rows(band), channels, dtype)

    return by_bands(header.height, header.width, converted)


def _converted(
    header: Header, chunks: dict[bytes, bytes], samples: np.ndarray, channels: int, dtype: np.dtype
) -> np.ndarray:
    """Stored samples as pixels of the wanted form."""
    colours, alpha = _with_alpha(header, chunks, samples)
    if channels == 0:
        with_alpha = header.colour in (3, 4, 6) and alpha is not None
        channels = colours.shape[2] + (1 if with_alpha else 0)
    if channels in (1, 2) and colours.shape[2] == 3:
        colours = _grey(colours)
    elif channels in (3, 4) and colours.shape[2] == 1:
        colours = np.repeat(colours, 3, axis=2)
    if channels in (2, 4):
        if alpha is None:
            # As in TensorFlow, pixels of few bits get an alpha of few bits.
            opaque = (1 << header.depth) - 1
            alpha = np.full((*colours.shape[:2], 1), opaque, colours.dtype)
        colours = np.concatenate([colours, alpha], axis=2)
    if colours.dtype == dtype:
        return colours
    if dtype == np.uint8:
        return (colours >> 8).astype(np.uint8)
    return colours.astype(np.uint16) * np.uint16(257)


def _distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.maximum(a, b) - np.minimum(a, b)


def _paeth(left: np.ndarray, up: np.ndarray, corner: np.ndarray) -> np.ndarray:
    """Of three neighbours the one nearest to left + up - corner, the first of equally near ones.

    All in bytes: if the corner is between the two others, its distance is the difference of
    theirs; otherwise it is the sum, and the corner is not the nearest.
    """
    to_left, to_up = _distance(up, corner), _distance(left, corner)
    left_mask = -(to_left <= to_up).view(np.uint8)
    nearest = up ^ ((left ^ up) & left_mask)
    takes_corner = (left < corner) ^ (up < corner)
    takes_corner &= _distance(to_left, to_up) < np.minimum(to_left, to_up)
    return nearest ^ ((nearest ^ corner) & -takes_corner.view(np.uint8))


def _filtered(rows: np.ndarray, above: np.ndarray | None, step: int) -> np.ndarray:
    """Rows of bytes with the filter in front that makes them smallest.

    Args:
        rows: ``[rows, bytes]``; subtraction wraps around, as in the format.
        above: the row before them, None for zeros.
        step: the number of bytes of a pixel.
    """
    row_count, width = rows.shape
    padded = np.zeros((row_count + 1, width + step), np.uint8)
    padded[1:, step:] = rows
    if above is not None:
        padded[0, step:] = above
    left, up, corner = padded[1:, :-step], padded[:-1, step:], padded[:-1, :-step]
    average = (left & up) + ((left ^ up) >> 1)
    candidates = [rows, rows - left, rows - up, rows - average, rows - _paeth(left, up, corner)]
    # As signed bytes, the smallest sum of magnitudes; these are at most 128.
    costs = [np.minimum(c, -c).sum(1, dtype=np.uint32) for c in candidates]
    best = np.argmin(costs, axis=0)
    result = np.empty((row_count, width + 1), np.uint8)
    result[:, 0] = best
    for number, candidate in enumerate(candidates):
        chosen = best == number
        result[chosen, 1:] = candidate[chosen]
    return result


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def encode(pixels: np.ndarray, compression: int = -1) -> bytes:
    """Writes an image.

    Args:
        pixels: uint8 or uint16, ``[height, width, channels]`` with 1 to 4 channels.
        compression: the level of zlib.

    Returns:
        The file.
    """
    height, width, channels = pixels.shape
    depth = 8 * pixels.dtype.itemsize
    step = channels * pixels.dtype.itemsize
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    packer = zlib.compressobj(compression)
    packed = []
    above = None
    for band in bands(height, width):
        big_endian = np.ascontiguousarray(pixels[band], pixels.dtype.newbyteorder(">"))
        rows = big_endian.view(np.uint8).reshape(len(big_endian), -1)
        count = max(1, _FILTERED_BYTES // rows.shape[1])
        for start in range(0, len(rows), count):
            part = rows[start : start + count]
            packed.append(packer.compress(_filtered(part, above, step).data))
            above = part[-1]
    body = b"".join([*packed, packer.flush()])
    return MAGIC + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")
