"""The lines of text files."""

from __future__ import annotations

from headwater.io.input_stream import InputStream


class LineReader:
    r"""Reads the lines of an open file, many at a time.

    A line ends with "\n"; one "\r" before it, or at the end of the file, is left out.

    Args:
        stream: the content of the file; the reader takes it from its beginning.
        drop_returns: whether every "\r" is left out, wherever it is.
    """

    def __init__(self, stream: InputStream, drop_returns: bool = False) -> None:
        self._stream = stream
        self._drop_returns = drop_returns
        self._lines: list[bytes] = []
        self._next = 0
        # The pieces of a line whose end has not been read.
        self._rest: list[bytes] = []

    def read(self, count: int) -> list[bytes]:
        """Reads some lines.

        Args:
            count: the largest number.

        Returns:
            One line or more: those that have been read ahead. None at the end of the file.
        """
        while self._next == len(self._lines):
            if not self._read_piece():
                return []
        lines = self._lines[self._next : self._next + count]
        self._next += len(lines)
        return lines

    def skip(self, count: int) -> int:
        """Skips lines; returns how many, fewer than `count` at the end of the file."""
        skipped = 0
        while skipped < count and (lines := self.read(count - skipped)):
            skipped += len(lines)
        return skipped

    def _read_piece(self) -> bool:
        """Reads on; returns False at the end of the file."""
        piece = self._stream.read_piece()
        if not piece:
            line = b"".join(self._rest).removesuffix(b"\r")
            self._rest = []
            self._lines, self._next = [line] if line else [], 0
            return bool(line)
        if self._drop_returns:
            piece = piece.replace(b"\r", b"")
        end = piece.rfind(b"\n")
        if end < 0:
            self._rest.append(piece)
            return True
        # Joined to the first line only, so that long lines are not copied again and again.
        lines = piece[:end].split(b"\n")
        if self._rest:
            lines[0] = b"".join([*self._rest, lines[0]])
        rest = piece[end + 1 :]
        if b"\r" in piece or lines[0].endswith(b"\r"):
            lines = [line.removesuffix(b"\r") for line in lines]
        self._lines, self._next, self._rest = lines, 0, [rest] if rest else []
        return True
