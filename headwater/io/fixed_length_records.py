"""Files of records of equal length, between a header and a footer."""

from __future__ import annotations

from headwater.base import errors
from headwater.io.input_stream import InputStream


class FixedLengthRecords:
    """Reads the records of an open file, many at a time.

    Args:
        stream: the content of the file; it is read from its beginning.
        record_bytes: the length of a record.
        header_bytes: how many bytes come before the first record.
        footer_bytes: how many bytes at the end of the file are not records.
        hop_bytes: the distance from the beginning of a record to that of the next.

    Raises:
        OutOfRangeError: if the file ends within the header.
    """

    def __init__(
        self,
        stream: InputStream,
        record_bytes: int,
        header_bytes: int = 0,
        footer_bytes: int = 0,
        hop_bytes: int = 0,
    ) -> None:
        self._stream = stream
        self._record = record_bytes
        self._footer = footer_bytes
        self._hop = hop_bytes or record_bytes
        self._ended = False
        if not stream.skip(header_bytes):
            text = "EOF reached" if stream.compression else "reached end of file"
            raise errors.OutOfRangeError(None, None, text)

    def read(self, count: int) -> list[bytes]:
        """Reads some records.

        Args:
            count: the largest number.

        Returns:
            One record or more: those that have been read ahead. None at the end of the file; an
            incomplete record is left out.
        """
        if self._ended:
            return []
        stream, length, hop = self._stream, self._record, self._hop
        ahead = stream.fill(length + self._footer) - self._footer
        if ahead < length:
            self._ended = True
            return []
        if not hop:
            return [b""]
        count = min(count, (ahead - length) // hop + 1)
        first, buffer = stream.place, stream.buffer
        records = [buffer[i : i + length] for i in range(first, first + count * hop, hop)]
        self._ended = not stream.skip(count * hop)
        return records
