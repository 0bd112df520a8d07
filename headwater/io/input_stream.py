"""Files that are read from beginning to end in large pieces, for formats of records and lines."""

from __future__ import annotations

import weakref
from typing import Any, BinaryIO

from headwater.io.compressed_file import InflatedFile
from headwater.io.files import open_file

_PIECE = 1 << 18


class PlainFile:
    """Reads a file that is not compressed.

    Args:
        file: the file, open for reading in binary mode.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._position = file.tell()

    def read_piece(self) -> bytes:
        """The next bytes, at most 256 KB; none at the end."""
        # An interrupted read may have moved the file without returning what it read.
        if self._file.tell() != self._position:
            self._file.seek(self._position)
        data = self._file.read(_PIECE)
        self._position += len(data)
        return data

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class InputStream:
    """The bytes of a file in order; `buffer[place:]` are those that have been read ahead.

    Formats parse the buffer themselves and move `place`, so that many small records cost few calls.

    Args:
        file: the file, open for reading in binary mode; the stream closes it.
        compression: "", "ZLIB" or "GZIP".

    Attributes:
        compression: as it was given.
        buffer: a part of the content.
        place: the index in it of the next byte.
        start: the offset of the buffer in the (decompressed) content.
    """

    def __init__(self, file: BinaryIO, compression: str = "") -> None:
        self._source: Any = InflatedFile(file, compression) if compression else PlainFile(file)
        self.compression = compression
        self.buffer = b""
        self.place = 0
        self.start = 0
        # Also closes a stream that is garbage in a cycle, before its file complains of that.
        self._close = weakref.finalize(self, self._source.close)

    @property
    def offset(self) -> int:
        """The offset of the next byte in the (decompressed) content."""
        return self.start + self.place

    def read_piece(self) -> bytes:
        """The next bytes of the file after the buffer; none at the end."""
        return self._source.read_piece()

    def fill(self, count: int) -> int:
        """Reads on until `count` bytes are ahead, or to the end of the file.

        No more memory is allocated than the file has bytes, whatever `count` is.

        Returns:
            How many bytes are ahead, `count` or more if the file has them.
        """
        ahead = len(self.buffer) - self.place
        if ahead >= count:
            return ahead
        parts = [self.buffer[self.place :]]
        try:
            while ahead < count and (piece := self.read_piece()):
                parts.append(piece)
                ahead += len(piece)
        finally:
            # Pieces that were read before a failure are kept.
            self.start, self.place, self.buffer = self.offset, 0, b"".join(parts)
        return ahead

    def read(self, count: int) -> bytes:
        """The next bytes; fewer than `count` at the end."""
        self.fill(count)
        data = self.buffer[self.place : self.place + count]
        self.place += len(data)
        return data

    def skip(self, count: int) -> bool:
        """Skips bytes; returns whether there were so many."""
        while count > (ahead := len(self.buffer) - self.place):
            count -= ahead
            self.start, self.place = self.start + len(self.buffer), 0
            self.buffer = b""
            self.buffer = self.read_piece()
            if not self.buffer:
                return False
        self.place += count
        return True

    def close(self) -> None:
        """Closes the file."""
        self._close()


def open_stream(path: Any, compression: str = "") -> InputStream:
    """Opens a file to be read from beginning to end.

    Args:
        path: text, bytes or a path object.
        compression: "", "ZLIB" or "GZIP".

    Raises:
        OpError: of the class that fits (NotFoundError for example), if it cannot be opened.
    """
    return InputStream(open_file(path, "rb"), compression)
