"""The IDX format of the MNIST files: a magic number, the shape, then the elements."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from headwater.io import files

# The second half of the magic number: 0x08 says unsigned bytes, then the rank.
IMAGES_MAGIC = 0x0803
LABELS_MAGIC = 0x0801

_UNPACKERS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"\xfd7": lzma.decompress,
}


def parse_idx(content: bytes, magic: int, kind: str, source: str) -> np.ndarray:
    """Parses the bytes of one IDX file of unsigned bytes.

    Args:
      content: the file, uncompressed.
      magic: IMAGES_MAGIC or LABELS_MAGIC.
      kind: "image" or "label", for the error text.
      source: name of the file, for the error text.

    Returns:
      A uint8 array of the shape that the file states; it shares memory with `content`.

    Raises:
      ValueError: if the magic number or the length is wrong.
    """
    found = int.from_bytes(content[:4], "big")
    if found != magic:
        raise ValueError(f"Invalid magic number {found} in MNIST {kind} file: {source}")
    rank = magic & 0xFF
    start = 4 + 4 * rank
    shape = tuple(int(size) for size in np.frombuffer(content[4:start], ">u4"))
    if len(shape) != rank or len(content) - start < int(np.prod(shape, dtype=np.int64)):
        raise ValueError(
            f"cannot reshape array of size {max(0, len(content) - start)} into shape {shape} "
            f"in MNIST {kind} file: {source}"
        )
    items = np.frombuffer(content, np.uint8, int(np.prod(shape, dtype=np.int64)), start)
    return items.reshape(shape)


def read_unpacked(path: Any) -> bytes:
    """Returns the content of a file, decompressed if it is in gzip or xz format.

    Args:
      path: a path or a URL.

    Raises:
      OSError, EOFError, zlib.error or lzma.LZMAError: as the format's reader does, with the name
        of the file and a hint.
      OpError: of the class that fits, if the file cannot be read.
    """
    content = files.read_bytes(path)
    unpack = _UNPACKERS.get(content[:2])
    if unpack is None:
        return content
    try:
        return unpack(content)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise type(error)(f"{error}\n{damage_hint(path)}") from error


def damage_hint(path: Any) -> str:
    """Returns what to do about a damaged file."""
    return (
        f"Hint: the file {str(path)!r} is damaged or incomplete. "
        "Delete it, so that it is fetched again, or put a sound copy in its place."
    )


def read_stream(stream: IO[bytes], magic: int, kind: str) -> np.ndarray:
    """Reads a gzip-compressed IDX file from an open binary file.

    Raises:
      ValueError, OSError: if it is not such a file.
    """
    with gzip.GzipFile(fileobj=stream) as unpacked:
        content = unpacked.read()
    return parse_idx(content, magic, kind, getattr(stream, "name", repr(stream)))
