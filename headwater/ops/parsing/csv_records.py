"""Cuts files of comma-separated fields into records, as RFC 4180 has them."""

from __future__ import annotations

import re

from headwater.io.input_stream import InputStream

# The fields of a record, and the index and text of the first one that is broken.
Record = tuple[list[bytes], tuple[int, str] | None]

_UNESCAPED = "Quote inside a string has to be escaped by another quote"
_UNCLOSED = "Reached end of file without closing quoted field in record"
_QUOTE_INSIDE = "Unquoted fields cannot have quotes inside"


class RecordScanner:
    r"""Goes through the records of a file.

    A record ends with "\n", "\r" or "\r\n"; a field in quotes may have them inside.

    Args:
        stream: the content of the file.
        mark: what stands between fields, one byte.
        quoted: whether quotes have a meaning.
    """

    def __init__(self, stream: InputStream, mark: bytes, quoted: bool) -> None:
        self._stream = stream
        self._mark = mark
        self._quoted = quoted
        self._end = re.compile(b"[" + re.escape(mark) + b"\n\r]")
        self._ended = False

    @property
    def offset(self) -> int:
        """The offset in the file of the next record."""
        return self._stream.offset

    def whole_lines(self) -> bytes:
        r"""What was read ahead, up to the last "\n"; nothing if there is none."""
        stream = self._stream
        end = stream.buffer.rfind(b"\n", stream.place)
        if end < 0 and self._more():
            end = stream.buffer.rfind(b"\n", stream.place)
        return stream.buffer[stream.place : end + 1] if end >= 0 else b""

    def skip(self, count: int) -> None:
        """Leaves out bytes that were read ahead."""
        self._stream.place += count

    def next_record(self) -> Record | None:
        """The next record; None at the end of the file."""
        while True:
            stream = self._stream
            if stream.place == len(stream.buffer) and not self._more():
                return None
            fields: list[bytes] = []
            failure = None
            at = stream.place
            while True:
                field, error, at = self._field(at)
                if at < 0:
                    break
                fields.append(field)
                if error and failure is None:
                    failure = len(fields) - 1, error
                if stream.buffer[at : at + 1] != self._mark:
                    break
                at += 1
            if at < 0:
                # The record goes on after what was read; it is scanned again.
                self._more()
                continue
            stream.place = self._after_line(at)
            return fields, failure

    def _more(self) -> bool:
        """Reads on; returns False at the end of the file."""
        stream = self._stream
        ahead = len(stream.buffer) - stream.place
        self._ended = stream.fill(ahead + 1) == ahead
        return not self._ended

    def _after_line(self, at: int) -> int:
        buffer = self._stream.buffer
        if buffer[at : at + 2] == b"\r\n":
            return at + 2
        return min(at + 1, len(buffer))

    def _field(self, at: int) -> tuple[bytes, str, int]:
        """The field at an index, its error, and the index after it: -1 if more must be read."""
        buffer = self._stream.buffer
        if self._quoted and buffer[at : at + 1] == b'"':
            return self._quoted_field(at + 1)
        found = self._end.search(buffer, at)
        end = len(buffer) if found is None else found.start()
        if not self._ended and (found is None or self._is_last_return(end)):
            return b"", "", -1
        field = buffer[at:end]
        error = _QUOTE_INSIDE if self._quoted and b'"' in field else ""
        return field, error, end

    def _is_last_return(self, at: int) -> bool:
        r"""Whether there is a "\r" at an index, of which a "\n" may come next."""
        buffer = self._stream.buffer
        return at == len(buffer) - 1 and buffer[at:] == b"\r"

    def _quoted_field(self, at: int) -> tuple[bytes, str, int]:
        """As `_field`, from the place after the first quote."""
        buffer = self._stream.buffer
        parts: list[bytes] = []
        error = ""
        while True:
            quote = buffer.find(b'"', at)
            following = buffer[quote + 1 : quote + 2] if quote >= 0 else b""
            unsure = quote < 0 or not following or self._is_last_return(quote + 1)
            if unsure and not self._ended:
                return b"", "", -1
            if quote < 0:
                return b"", _UNCLOSED, len(buffer)
            parts.append(buffer[at:quote])
            if not following or following in (self._mark, b"\n", b"\r"):
                return b"".join(parts), error, quote + 1
            if following != b'"':
                error = _UNESCAPED
            parts.append(b'"')
            at = quote + 2 if following == b'"' else quote + 1
