"""The GIF format: its blocks are read here, the pixels of a frame are unpacked by Pillow.

As in TensorFlow, frames are drawn one over the other, without transparent colours.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple, NoReturn

import numpy as np

from headwater.base.lazy import LazyModule
from headwater.ops.image.bands import pixels_of

_pil_image: Any = LazyModule("PIL.Image")

MAGIC = b"GIF8"
_IMAGE, _EXTENSION, _END = b",", b"!", b";"
_LONGEST_STRING = 4096
_LARGEST_RESULT = 2**32


class Unreadable(Exception):
    """The data are not a GIF image; the text says why."""


class _Frame(NamedTuple):
    left: int
    top: int
    width: int
    height: int
    interlaced: int
    colours: np.ndarray | None
    bits: int
    blocks: bytes


def _not_slurped(text: str) -> NoReturn:
    raise Unreadable(f"failed to slurp gif file: {text}")


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.offset = data, 0

    def take(self, count: int) -> bytes:
        part = self.data[self.offset : self.offset + count]
        if len(part) < count:
            _not_slurped("Failed to read from given file")
        self.offset += count
        return part

    def colours(self, flags: int) -> np.ndarray | None:
        if not flags & 0x80:
            return None
        count = 2 << (flags & 7)
        return np.frombuffer(self.take(3 * count), np.uint8).reshape(count, 3)

    def blocks(self) -> bytes:
        """A sequence of length-prefixed blocks with an empty one at the end."""
        begin = self.offset
        while True:
            length = self.take(1)[0]
            if not length:
                return self.data[begin : self.offset]
            self.take(length)


def _opened(data: bytes) -> tuple[_Reader, np.ndarray | None]:
    reader = _Reader(data)
    if len(data) < 13:
        raise Unreadable("failed to open gif file: No screen descriptor detected")
    flags = reader.take(13)[10]
    return reader, reader.colours(flags)


def _frames(data: bytes) -> list[_Frame]:
    """The frames of a file, still compressed."""
    reader, shared = _opened(data)
    frames = []
    while True:
        kind = reader.take(1)
        if kind == _END:
            break
        if kind == _EXTENSION:
            reader.take(1)
            reader.blocks()
        elif kind == _IMAGE:
            left, top, width, height, flags = struct.unpack("<HHHHB", reader.take(9))
            own = reader.colours(flags)
            colours = shared if own is None else own
            bits = reader.take(1)[0]
            frames.append(
                _Frame(left, top, width, height, flags >> 6 & 1, colours, bits, reader.blocks())
            )
        else:
            _not_slurped("Wrong record type detected")
    if not frames:
        _not_slurped("No Image Descriptor detected")
    return frames


def _most_pixels(frame: _Frame) -> int:
    """How many pixels the packed data can hold: each code stands for one more than the last."""
    codes = 8 * len(frame.blocks) // (frame.bits + 1)
    longest = min(codes, _LONGEST_STRING)
    return codes * longest if codes > longest else codes * (codes + 1) // 2


def _indices(frame: _Frame) -> np.ndarray:
    """The numbers of the colours of a frame, ``[height, width]``."""
    size = frame.width, frame.height
    if not frame.width or not frame.height:
        _not_slurped("Unknown error")
    if not 1 <= frame.bits <= 8:
        _not_slurped("Image is defective, decoding aborted")
    if frame.width * frame.height > _most_pixels(frame):
        _not_slurped("Image EOF detected before image complete")
    try:
        image = _pil_image.frombytes(
            "P", size, frame.blocks, "gif", frame.bits, frame.interlaced, -1
        )
    except ValueError:
        _not_slurped("Image EOF detected before image complete")
    return pixels_of(image)


def _drawn(frame: _Frame, number: int) -> np.ndarray:
    """The colours of a frame, ``[height, width, 3]``."""
    indices = _indices(frame)
    if frame.colours is None:
        raise Unreadable(f"missing color map for frame {number}")
    largest = int(indices.max())
    if largest >= len(frame.colours):
        count = len(frame.colours)
        first = int(indices[indices >= count][0])
        raise Unreadable(f"found color index {first} outside of color map range {count}")
    return frame.colours[indices]


def decode(data: bytes) -> np.ndarray:
    """Reads all frames.

    Args:
        data: the file.

    Returns:
        uint8 ``[frames, height, width, 3]``.

    Raises:
        Unreadable: if the data are damaged.
    """
    frames = _frames(data)
    first = frames[0]
    width = max(frame.width for frame in frames)
    height = max(frame.height for frame in frames)
    problem = ""
    if (first.left, first.top, first.width, first.height) != (0, 0, width, height):
        problem = "the first frame does not fill the canvas"
    elif len(frames) * width * height * 3 > _LARGEST_RESULT:
        problem = f"{len(frames)} frames of {width} by {height} pixels are too large"
    result = np.empty((0 if problem else len(frames), height, width, 3), np.uint8)
    for number, frame in enumerate(frames):
        picture = _drawn(frame, number)
        # Frames that cannot be unpacked are reported first.
        if problem:
            continue
        if number:
            result[number] = result[number - 1]
        target = result[number, frame.top :, frame.left :]
        part = picture[: target.shape[0], : target.shape[1]]
        target[: part.shape[0], : part.shape[1]] = part
    if problem:
        raise Unreadable(problem)
    return result
