"""Open files as TensorFlow's programs use them: opened at the first use, read as text or bytes."""

from __future__ import annotations

from typing import Any, BinaryIO

from headwater.base import errors, logging
from headwater.base.compat_strings import as_bytes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.io.files import file_statistics, open_file

_READABLE = ("r", "r+", "a+", "w+")
_WRITABLE = ("w", "a", "r+", "a+", "w+")


def checked_name(name: Any) -> bytes:
    """The bytes of a file name; TypeError if it is neither text, bytes nor a path object."""
    return as_bytes(name.__fspath__() if hasattr(name, "__fspath__") else name)


class FileIO:
    """A file that is opened when it is first read or written.

    Reading and writing are independent: what was written is read after `flush`. A file that is
    opened for writing is emptied, unless the mode begins with "a".

    Args:
        name: its path or URL.
        mode: "r", "w", "a", "r+", "w+" or "a+", with "b" if contents are bytes and not text.

    Raises:
        InvalidArgumentError: if the mode is another one.
    """

    # For __del__ where __init__ fails.
    _reader: BinaryIO | None = None
    _writer: BinaryIO | None = None

    def __init__(self, name: Any, mode: str) -> None:
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        kind = mode.replace("b", "")
        if kind not in {*_READABLE, *_WRITABLE}:
            text = "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"
            raise errors.InvalidArgumentError(None, None, text)
        self._may_read = kind in _READABLE
        self._may_write = kind in _WRITABLE
        self._appends = kind.startswith("a")

    @property
    def name(self) -> Any:
        """The path that was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode that was given."""
        return self._mode

    def _reading(self) -> BinaryIO:
        if self._reader is None:
            if not self._may_read:
                raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
            self._reader = open_file(checked_name(self._name), "rb")
        return self._reader

    def _writing(self) -> BinaryIO:
        if self._writer is None:
            if not self._may_write:
                raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
            self._writer = open_file(checked_name(self._name), "ab" if self._appends else "wb")
        return self._writer

    def _content(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def size(self) -> int:
        """The size of the file in bytes, without what is not flushed yet."""
        return file_statistics(checked_name(self._name)).length

    def write(self, file_content: Any) -> None:
        """Adds to the file.

        Args:
            file_content: text or bytes.
        """
        file = self._writing()
        file.write(as_bytes(file_content))

    def read(self, n: int = -1) -> Any:
        """Reads on.

        Args:
            n: the number of bytes; -1 for all that are left.

        Returns:
            Text, or bytes if the mode has "b".

        Raises:
            UnicodeDecodeError: if what was read as text is not UTF-8.
        """
        file = self._reading()
        if isinstance(n, bool) or not hasattr(n, "__index__"):
            raise TypeError(f"read() takes a number of bytes, not {n!r}")
        if n < -1:
            raise OverflowError(f"read() takes a number of bytes that is not negative, not {n}")
        return self._content(file.read(n))

    def seek(self, offset: Any = None, whence: int = 0, position: Any = None) -> None:
        """Goes to another place of a file that is read.

        Args:
            offset: the place.
            whence: what it is counted from: 0 for the beginning, 1 for here, 2 for the end.
            position: an older name of `offset`.

        Raises:
            InvalidArgumentError: if the place is before the beginning, or for another `whence`.
            OutOfRangeError: if it is after the end.
        """
        file = self._reading()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if offset is not None and position is not None:
            raise TypeError("seek(): offset and position may not be set simultaneously.")
        place = position if offset is None else offset
        if not hasattr(place, "__index__"):
            raise TypeError(f"seek() takes a number of bytes, not {place!r}")
        if whence not in (0, 1, 2):
            text = f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            raise errors.InvalidArgumentError(None, None, text)
        end = self.size()
        place += (0, file.tell(), end)[whence]
        if place < 0:
            text = f"Seeking to a negative position: {place}"
            raise errors.InvalidArgumentError(None, None, text)
        file.seek(min(place, end))
        if place > end:
            raise errors.OutOfRangeError(None, None, "reached end of file")

    def tell(self) -> int:
        """The place in the file where it is read, or written if it is only written."""
        return (self._reading() if self._may_read else self._writing()).tell()

    def readline(self) -> Any:
        r"""Reads up to the end of the line; carriage returns are left out.

        Returns:
            The line with its "\n"; nothing at the end of the file.
        """
        return self._content(self._reading().readline().replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """Reads all lines that are left."""
        return list(self)

    def next(self) -> Any:
        """The next line; StopIteration at the end of the file."""
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __iter__(self) -> FileIO:
        return self

    def __next__(self) -> Any:
        return self.next()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, unused_type: Any, unused_value: Any, unused_traceback: Any) -> None:
        self.close()

    def __del__(self) -> None:
        # Programs rely on it that a file which they forget is written.
        try:
            self.close()
        except errors.OpError as error:
            logging.error("Could not finish writing file: %s", error)

    def flush(self) -> None:
        """Writes to the file what is held back."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Closes the file; it is opened anew if it is used again."""
        reader, writer = self._reader, self._writer
        self._reader = self._writer = None
        try:
            if writer is not None:
                writer.close()
        finally:
            if reader is not None:
                reader.close()

    def seekable(self) -> bool:
        """True."""
        return True


@export("gfile.GFile", "gfile.Open", "io.gfile.GFile")
class GFile(FileIO):
    """A file that is opened when it is first read or written.

    Reading and writing are independent: what was written is read after `flush`. A file that is
    opened for writing is emptied, unless the mode begins with "a".

    Args:
        name: its path or URL.
        mode: "r", "w", "a", "r+", "w+" or "a+", with "b" if contents are bytes and not text.

    Raises:
        InvalidArgumentError: if the mode is another one.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "lines.txt")
        >>> with tf.gfile.GFile(path, "w") as file:
        ...     file.write("one\\ntwo\\n")
        >>> tf.gfile.GFile(path).readlines()
        ['one\\n', 'two\\n']
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        super().__init__(name=name, mode=mode)


@export("gfile.FastGFile")
class FastGFile(FileIO):
    """A file that is opened when it is first read or written; the same as GFile.

    Args:
        name: its path or URL.
        mode: as for GFile.
    """

    @deprecated(None, "Use tf.gfile.GFile.")
    def __init__(self, name: Any, mode: str = "r") -> None:
        super().__init__(name=name, mode=mode)
