"""Reads and writes files that are compressed as streams of zlib or gzip."""

from __future__ import annotations

import re
import zlib
from typing import Any, BinaryIO

from headwater.base import errors
from headwater.base.cancellation import uninterrupted

GZIP_FORMAT = 16  # added to the window bits of zlib
_PIECE = 1 << 18


class InflatedFile:
    """Reads a compressed file, which may be several concatenated streams.

    Only one chunk of the file is in memory, whatever its content expands to. A file that ends
    within a stream ends there.

    Args:
        file: the file, open for reading in binary mode.
        kind: "ZLIB" or "GZIP".
    """

    def __init__(self, file: BinaryIO, kind: str) -> None:
        self._file = file
        self._bits = zlib.MAX_WBITS + (GZIP_FORMAT if kind == "GZIP" else 0)
        self._stream = zlib.decompressobj(self._bits)
        self._error: errors.DataLossError | None = None

    def read_piece(self) -> bytes:
        """The next decompressed bytes, at most 256 KB; none at the end.

        Raises:
            DataLossError: if they cannot be decompressed.
        """
        while self._error is None:
            if self._stream.eof:
                data = self._stream.unused_data
            else:
                data = self._stream.unconsumed_tail
            data = data or self._file.read(_PIECE)
            # An exception between the two calls would lose `data`.
            with uninterrupted():
                if self._stream.eof and data:
                    self._stream = zlib.decompressobj(self._bits)
                piece = self._decompress(data)
            if piece or (not data and self._error is None):
                return piece
        raise self._error

    def _decompress(self, data: bytes) -> bytes:
        before = self._stream.copy()
        try:
            return self._stream.decompress(data, _PIECE)
        except zlib.error as error:
            self._error = _data_loss(error)
            return _sound_part(before, data)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _data_loss(error: zlib.error) -> errors.DataLossError:
    number = re.search(r"Error (-?\d+)[^:]*: (.*)", str(error))
    reason = f"{number[1]}: {number[2]}" if number else str(error)
    return errors.DataLossError(None, None, f"inflate() failed with error {reason}")


def _sound_part(stream: Any, data: bytes) -> bytes:
    """What can be decompressed of data that are damaged somewhere."""
    parts: list[bytes] = []
    size = _PIECE // 8
    while size:
        trial = stream.copy()
        try:
            part = trial.decompress(data, size)
        except zlib.error:
            size //= 8
            continue
        if not part:
            break
        parts.append(part)
        stream, data = trial, trial.unconsumed_tail
    return b"".join(parts)


def make_compressor(kind: str, options: Any) -> Any:
    """A zlib compressor.

    Args:
        kind: "ZLIB" or "GZIP".
        options: TFRecordOptions, or anything without its attributes for the defaults.
    """

    def option(name: str, default: int) -> int:
        value = getattr(options, name, None)
        return default if value is None else value

    window = option("window_bits", zlib.MAX_WBITS)
    return zlib.compressobj(
        option("compression_level", zlib.Z_DEFAULT_COMPRESSION),
        zlib.DEFLATED,
        window + GZIP_FORMAT if kind == "GZIP" else window,
        option("mem_level", 8 if kind == "ZLIB" else 9),
        option("compression_strategy", zlib.Z_DEFAULT_STRATEGY),
    )
