"""TFRecord framing: byte strings with lengths and checksums in one file.

A record is its length (uint64, little endian), the masked CRC32C of these eight bytes (uint32), the
data, and the masked CRC32C of the data.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, BinaryIO

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.io.checksum import masked_crc32c
from headwater.io.files import open_file

_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_HEADER_BYTES = _LENGTH.size + _CRC.size
_PIECE = 1 << 18
_GZIP_FORMAT = 16  # added to the window bits of zlib


@export("python_io.TFRecordCompressionType", "io.TFRecordCompressionType")
class TFRecordCompressionType:
    """How a file of records is compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


_NAMES = {
    TFRecordCompressionType.NONE: "",
    TFRecordCompressionType.ZLIB: "ZLIB",
    TFRecordCompressionType.GZIP: "GZIP",
}


@export("python_io.TFRecordOptions", "io.TFRecordOptions")
class TFRecordOptions:
    """How files of records are written.

    Args:
        compression_type: a TFRecordCompressionType, "GZIP", "ZLIB", "" or None.
        flush_mode: has no effect.
        input_buffer_size: has no effect.
        output_buffer_size: has no effect.
        window_bits: of zlib; 15 by default.
        compression_level: of zlib, 0 to 9.
        compression_method: of zlib.
        mem_level: of zlib.
        compression_strategy: of zlib.

    Raises:
        ValueError: if the compression is unknown.
    """

    compression_type_map = _NAMES

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: Any = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of a compression.

        Args:
            options: TFRecordOptions, a TFRecordCompressionType, a name, or None.

        Returns:
            "", "ZLIB" or "GZIP".

        Raises:
            ValueError: if the compression is unknown.
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return options
        raise ValueError(f'Not a valid compression_type: "{options}"')


class RecordWriter:
    """Writes records to an open file."""

    def __init__(self, file: BinaryIO, options: Any = None) -> None:
        self._file = file
        self._compressor: Any = None
        kind = TFRecordOptions.get_compression_type_string(options)
        if kind:
            self._compressor = _compressor(kind, options)

    def __del__(self) -> None:
        # Programs rely on a writer that they never close to flush its file.
        try:
            self.close()
        except errors.OpError as error:
            logging.error("Could not finish writing file: %s", error)

    def write(self, data: bytes) -> None:
        """Writes one record."""
        length = _LENGTH.pack(len(data))
        record = b"".join(
            (length, _CRC.pack(masked_crc32c(length)), data, _CRC.pack(masked_crc32c(data)))
        )
        self._file.write(self._compressor.compress(record) if self._compressor else record)

    def flush(self) -> None:
        """Hands what was written to the operating system."""
        if self._compressor:
            self._file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Closes the file; further calls do nothing."""
        if self._file.closed:
            return
        try:
            if self._compressor:
                self._file.write(self._compressor.flush(zlib.Z_FINISH))
        finally:
            self._file.close()


def _compressor(kind: str, options: Any) -> Any:
    def option(name: str, default: int) -> int:
        value = getattr(options, name, None)
        return default if value is None else value

    window = option("window_bits", zlib.MAX_WBITS)
    return zlib.compressobj(
        option("compression_level", zlib.Z_DEFAULT_COMPRESSION),
        zlib.DEFLATED,
        window + _GZIP_FORMAT if kind == "GZIP" else window,
        option("mem_level", 8 if kind == "ZLIB" else 9),
        option("compression_strategy", zlib.Z_DEFAULT_STRATEGY),
    )


class _Inflated:
    """Reads a compressed file, which may be several concatenated streams.

    Only one chunk of the file is in memory, whatever its content expands to.
    """

    def __init__(self, file: BinaryIO, kind: str) -> None:
        self._file = file
        self._bits = zlib.MAX_WBITS + (_GZIP_FORMAT if kind == "GZIP" else 0)
        self._stream = zlib.decompressobj(self._bits)
        self._piece = b""
        self._place = 0

    def read(self, count: int) -> bytes:
        """The next bytes; fewer than `count` at the end."""
        parts = []
        while count:
            if self._place == len(self._piece):
                self._piece, self._place = self._next_piece(), 0
                if not self._piece:
                    break
            part = self._piece[self._place : self._place + count]
            self._place += len(part)
            count -= len(part)
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _next_piece(self) -> bytes:
        """The next decompressed bytes, at most a chunk; none at the end."""
        while True:
            if self._stream.eof:
                data = self._stream.unused_data
                self._stream = zlib.decompressobj(self._bits)
            else:
                data = self._stream.unconsumed_tail
            data = data or self._file.read(_PIECE)
            try:
                piece = self._stream.decompress(data, _PIECE)
            except zlib.error as error:
                number = re.search(r"Error (-?\d+)[^:]*: (.*)", str(error))
                reason = f"{number[1]}: {number[2]}" if number else str(error)
                raise errors.DataLossError(
                    None, None, f"inflate() failed with error {reason}"
                ) from None
            if piece or not data:
                return piece


def _read_up_to(source: Any, count: int) -> bytes:
    """The next bytes; fewer than `count` at the end, without allocating more than there are."""
    if count <= _PIECE:
        return source.read(count)
    parts = []
    while count and (part := source.read(min(count, _PIECE))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def read_records(file: BinaryIO, options: Any = None) -> Iterator[bytes]:
    """Reads the records of an open file.

    Args:
        file: a file that is open for reading in binary mode.
        options: what TFRecordOptions.get_compression_type_string takes.

    Yields:
        The data of each record. A file that ends within the header of a record ends there.

    Raises:
        DataLossError: if a checksum does not fit, or the file ends within a record.
    """
    kind = TFRecordOptions.get_compression_type_string(options)
    source: Any = _Inflated(file, kind) if kind else file
    offset = 0
    while len(header := source.read(_HEADER_BYTES)) == _HEADER_BYTES:
        (length,) = _LENGTH.unpack_from(header)
        if _CRC.unpack_from(header, _LENGTH.size)[0] != masked_crc32c(header[: _LENGTH.size]):
            raise errors.DataLossError(None, None, f"corrupted record at {offset}")
        body = _read_up_to(source, length + _CRC.size)
        if len(body) < length + _CRC.size:
            raise errors.DataLossError(None, None, f"truncated record at {offset}")
        data = body[:length]
        if _CRC.unpack_from(body, length)[0] != masked_crc32c(data):
            raise errors.DataLossError(None, None, f"corrupted record at {offset + _HEADER_BYTES}")
        yield data
        offset += _HEADER_BYTES + len(body)


@export("python_io.tf_record_iterator", "io.tf_record_iterator")
def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Reads the records of a file.

    Args:
        path: the path of the file.
        options: TFRecordOptions, or None if the file is not compressed.

    Yields:
        The data of each record.

    Raises:
        NotFoundError: if there is no such file.
        DataLossError: if a checksum does not fit, or the file ends within a record.
    """
    with open_file(path, "rb") as file:
        yield from read_records(file, options)


@export("python_io.TFRecordWriter", "io.TFRecordWriter")
class TFRecordWriter(AbstractContextManager):
    """Writes records to a new file.

    Args:
        path: the path of the file.
        options: TFRecordOptions, a TFRecordCompressionType or its name; None for no compression.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        TFRecordOptions.get_compression_type_string(options)
        self._writer = RecordWriter(open_file(path, "wb"), options)

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def write(self, record: bytes) -> None:
        """Writes one record.

        Args:
            record: its bytes.
        """
        if not isinstance(record, bytes):
            raise TypeError(f"expected bytes, {type(record).__name__} found")
        self._writer.write(record)

    def flush(self) -> None:
        """Hands what was written to the operating system."""
        self._writer.flush()

    def close(self) -> None:
        """Ends the file."""
        self._writer.close()
