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
from typing import Any, BinaryIO

import numpy as np

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.io.checksum import checksum_function, masked, masked_crc32c
from headwater.io.compressed_file import make_compressor
from headwater.io.file_errors import in_file
from headwater.io.files import open_file
from headwater.io.input_stream import InputStream

_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_HEADER_BYTES = _LENGTH.size + _CRC.size
_HEADER = struct.Struct("<QI")

# Single records are taken from so many that were read at once.
_READ_AHEAD = 256


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
        self._check_open()
        record = framed(data)
        self._file.write(self._compressor.compress(record) if self._compressor else record)

    def flush(self) -> None:
        """Hands what was written to the operating system."""
        self._check_open()
        if self._compressor:
            self._file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def _check_open(self) -> None:
        if self._file.closed:
            raise errors.FailedPreconditionError(
                None, None, "Writer not initialized or previously closed"
            )

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
        # Records that were read ahead and their offsets; the first ones have been handed out.
        self._records: list[bytes] = []
        self._offsets: list[int] = []
        self._next = 0

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
        if self._next == len(self._records):
            self._records, self._offsets, self._next = [], [], 0
            self._read_ahead(max(count, _READ_AHEAD))
        first, self._next = self._next, min(self._next + count, len(self._records))
        return self._records[first : self._next], self._offsets[first : self._next]

    def _read_ahead(self, count: int) -> None:
        while (missing := self._parse(count)) and not self._records:
            if self._stream.fill(missing) < missing:
                if missing > _HEADER_BYTES:
                    offset = self._stream.offset
                    raise errors.DataLossError(None, None, f"truncated record at {offset}")
                break

    def _parse(self, count: int) -> int:
        """Parses the records in the buffer, up to one that is damaged.

        Returns:
            How many bytes have to be ahead for the next one, or 0 if that is not what is missing.
        """
        stream, records = self._stream, self._records
        buffer, place = stream.buffer, stream.place
        end, length = len(buffer), _LENGTH.unpack_from
        places: list[int] = []
        missing = 0
        # Checksums are compared afterwards, for all records at once.
        for _ in range(count):
            first = place + _HEADER_BYTES
            if first > end:
                missing = _HEADER_BYTES
                break
            last = first + length(buffer, place)[0]
            after = last + _CRC.size
            if after > end:
                missing = after - place
                break
            places.append(place)
            records.append(buffer[first:last])
            place = after
        sound, offset = _sound_records(buffer, places, records, place)
        if offset is None and missing > _HEADER_BYTES and not _has_sound_header(buffer, place):
            offset = place
        if offset is not None:
            missing = 0
            if sound < len(places):
                place = places[sound]
                del places[sound:], records[sound:]
        self._offsets = [stream.start + position for position in places]
        stream.place = place
        if offset is not None and not records:
            text = f"corrupted record at {stream.start + offset}"
            raise errors.DataLossError(None, None, text)
        return missing


def _sound_records(
    buffer: bytes, places: list[int], records: list[bytes], after: int
) -> tuple[int, int | None]:
    """How many records at the beginning have the right checksums.

    Args:
        buffer: the bytes.
        places: where the records begin in them.
        records: their data.
        after: where the last one ends.

    Returns:
        The number, and where the part is in the buffer whose checksum is wrong, if there is one.
    """
    if not records:
        return 0, None
    begin = np.array(places, np.int64)
    end = np.append(begin[1:], after) - _CRC.size
    stored = np.ndarray((len(buffer) - _CRC.size + 1,), f"V{_CRC.size}", buffer, 0, (1,))
    crcs = np.fromiter(map(checksum_function(), records), np.uint64, len(records))
    wrong = masked(crcs) != stored[end].view("<u4")
    lengths = map(_length_crc, map(len, records))
    wrong_header = stored[begin + _LENGTH.size].view("<u4") != np.fromiter(
        lengths, np.uint64, len(records)
    )
    wrong |= wrong_header
    if not np.count_nonzero(wrong):
        return len(records), None
    first = int(wrong.argmax())
    return first, places[first] + (0 if wrong_header[first] else _HEADER_BYTES)


def _has_sound_header(buffer: bytes, place: int) -> bool:
    length, crc = _HEADER.unpack_from(buffer, place)
    return crc == _length_crc(length)


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

        Raises:
            FailedPreconditionError: if the writer is closed.
        """
        if not isinstance(record, bytes):
            raise TypeError(f"expected bytes, {type(record).__name__} found")
        self._writer.write(record)

    def flush(self) -> None:
        """Hands what was written to the operating system.

        Raises:
            FailedPreconditionError: if the writer is closed.
        """
        self._writer.flush()

    def close(self) -> None:
        """Ends the file."""
        self._writer.close()
