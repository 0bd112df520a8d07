"""TFRecord framing: byte strings with lengths and checksums in one file.

A record is its length (uint64, little endian), the masked CRC32C of these eight bytes (uint32), the
data, and the masked CRC32C of the data.
"""

from __future__ import annotations

import functools
import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, NoReturn

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.io.checksum import MASK, checksum_function, masked_crc32c
from headwater.io.compressed_file import make_compressor
from headwater.io.file_errors import in_file
from headwater.io.files import open_file
from headwater.io.input_stream import InputStream

_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_HEADER_BYTES = _LENGTH.size + _CRC.size
_HEADER = struct.Struct("<QI")


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


def framed(data: bytes) -> bytes:
    """A record: its length and data with their checksums."""
    length = _LENGTH.pack(len(data))
    return b"".join(
        (length, _CRC.pack(masked_crc32c(length)), data, _CRC.pack(masked_crc32c(data)))
    )


class RecordWriter:
    """Writes records to an open file."""

    def __init__(self, file: BinaryIO, options: Any = None) -> None:
        self._file = file
        self._compressor: Any = None
        kind = TFRecordOptions.get_compression_type_string(options)
        if kind:
            self._compressor = make_compressor(kind, options)

    def __del__(self) -> None:
        # Programs rely on a writer that they never close to flush its file.
        try:
            self.close()
        except errors.OpError as error:
            logging.error("Could not finish writing file: %s", error)

    def write(self, data: bytes) -> None:
        """Writes one record."""
        record = framed(data)
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


@functools.lru_cache(maxsize=1024)
def _length_crc(length: int) -> int:
    """The checksum of the length of a record; many records have equal lengths."""
    return masked_crc32c(_LENGTH.pack(length))


class RecordReader:
    """Reads the records of an open file, many at a time.

    Args:
        stream: the content of the file; the reader takes it from where it is.
    """

    def __init__(self, stream: InputStream) -> None:
        self._stream = stream

    def read(self, count: int) -> tuple[list[bytes], list[int]]:
        """Reads some records and their offsets in the (decompressed) file.

        Args:
            count: the largest number.

        Returns:
            One record or more: those that have been read ahead. None at the end of the file; a
            file that ends within the header of a record ends there.

        Raises:
            DataLossError: if a checksum of the next record does not fit, or the file ends within
                the record. Further calls fail in the same way.
        """
        records: list[bytes] = []
        offsets: list[int] = []
        try:
            while (missing := self._parse(count, records, offsets)) and not records:
                if self._stream.fill(missing) < missing:
                    if missing > _HEADER_BYTES:
                        offset = self._stream.offset
                        raise errors.DataLossError(None, None, f"truncated record at {offset}")
                    break
        except errors.DataLossError:
            if not records:
                raise
        return records, offsets

    def _parse(self, count: int, records: list[bytes], offsets: list[int]) -> int:
        """Parses the records in the buffer.

        Returns:
            How many bytes have to be ahead for the next one, or 0 if there are `count`.
        """
        stream = self._stream
        buffer, place, start = stream.buffer, stream.place, stream.start
        size = len(buffer)
        header, crc, crc32c = _HEADER.unpack_from, _CRC.unpack_from, checksum_function()
        missing = 0
        for _ in range(count):
            first = place + _HEADER_BYTES
            if first > size:
                missing = _HEADER_BYTES
                break
            length, length_crc = header(buffer, place)
            if length_crc != _length_crc(length):
                self._damaged(start + place, place)
            after = first + length
            if after + _CRC.size > size:
                missing = _HEADER_BYTES + length + _CRC.size
                break
            data = buffer[first:after]
            checksum = crc32c(data)
            # `masked`, without the cost of a call.
            checksum = (((checksum >> 15) | (checksum << 17)) + MASK) & 0xFFFFFFFF
            if crc(buffer, after)[0] != checksum:
                self._damaged(start + first, place)
            records.append(data)
            offsets.append(start + place)
            place = after + _CRC.size
        stream.place = place
        return missing

    def _damaged(self, offset: int, place: int) -> NoReturn:
        """Stops before a record whose checksum at an offset does not fit."""
        self._stream.place = place
        raise errors.DataLossError(None, None, f"corrupted record at {offset}")


def read_records(file: BinaryIO, options: Any = None) -> Iterator[bytes]:
    """Reads the records of an open file.

    Args:
        file: a file that is open for reading in binary mode; it is closed at the end.
        options: what TFRecordOptions.get_compression_type_string takes.

    Yields:
        The data of each record. A file that ends within the header of a record ends there.

    Raises:
        DataLossError: if a checksum does not fit, or the file ends within a record.
    """
    stream = InputStream(file, TFRecordOptions.get_compression_type_string(options))
    reader = RecordReader(stream)
    try:
        while records := reader.read(sys.maxsize)[0]:
            yield from records
    finally:
        stream.close()


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
    try:
        yield from read_records(open_file(path, "rb"), options)
    except errors.DataLossError as error:
        raise in_file(error, path) from None


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
