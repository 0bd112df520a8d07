"""Files and folders, with TensorFlow's errors."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

from headwater.io.file_errors import file_error, file_errors

_BUFFER_BYTES = 1 << 16


def path_text(path: Any) -> str:
    """A path that may be text, bytes or a path object, as text."""
    return os.fsdecode(path)


class _RawFile(io.FileIO):
    """An open file whose reading and writing fail with TensorFlow's errors."""

    def readinto(self, buffer: Any) -> Any:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise file_error(error, self.name) from None

    def readall(self) -> Any:
        try:
            return super().readall()
        except OSError as error:
            raise file_error(error, self.name) from None

    def write(self, data: Any) -> Any:
        try:
            return super().write(data)
        except OSError as error:
            raise file_error(error, self.name) from None

    def close(self) -> None:
        try:
            super().close()
        except OSError as error:
            raise file_error(error, self.name) from None


def open_file(path: Any, mode: str) -> BinaryIO:
    """Opens a file in a binary mode.

    Args:
        path: text, bytes or a path object.
        mode: "rb", "wb" or "ab".

    Raises:
        OpError: of the class that fits (NotFoundError for example), if it cannot be opened. So do
            reading, writing and closing it.
    """
    name = path_text(path)
    with file_errors(name):
        raw = _RawFile(name, mode)
    if raw.readable():
        return io.BufferedReader(raw, _BUFFER_BYTES)
    return io.BufferedWriter(raw, _BUFFER_BYTES)


def read_bytes(path: Any) -> bytes:
    """The content of a file; raises the OpError that fits if it cannot be read."""
    with open_file(path, "rb") as file:
        return file.read()


def _mode(path: Any) -> int:
    """The type and permissions of a file; 0 if there is none."""
    name = path_text(path)
    try:
        return Path(name).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as error:
        raise file_error(error, name) from None


def file_exists(path: Any) -> bool:
    """Whether there is a file or folder; raises the OpError that fits if that cannot be known."""
    return _mode(path) != 0


def modified_time(path: Any) -> float:
    """When a file was last written, in seconds since 1970.

    Raises:
        OpError: of the class that fits (NotFoundError for example), if that cannot be known.
    """
    name = path_text(path)
    with file_errors(name):
        return Path(name).stat().st_mtime


def is_file(path: Any) -> bool:
    """Whether there is a regular file; raises the OpError that fits if that cannot be known."""
    return stat.S_ISREG(_mode(path))


def is_folder(path: Any) -> bool:
    """Whether there is a folder; raises the OpError that fits if that cannot be known."""
    return stat.S_ISDIR(_mode(path))


def make_folders(path: Any) -> None:
    """Makes a folder and those above it, unless something of that name is there."""
    name = path_text(path)
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        pass  # it is a file: later operations in the folder fail with a clear error
    except OSError as error:
        raise file_error(error, name) from None


def names_in(folder: Any) -> list[str]:
    """The names of what is in a folder; raises the OpError that fits if it cannot be read."""
    name = path_text(folder)
    with file_errors(name):
        return [entry.name for entry in Path(name or ".").iterdir()]


def remove_file(path: Any, missing_ok: bool = False) -> None:
    """Removes a file.

    Args:
        path: text, bytes or a path object.
        missing_ok: whether there may be no such file.

    Raises:
        OpError: of the class that fits, if it cannot be removed.
    """
    name = path_text(path)
    with file_errors(name):
        Path(name).unlink(missing_ok=missing_ok)


def rename_file(path: Any, target: Any) -> None:
    """Renames a file atomically; an existing file of that name is replaced."""
    name = path_text(path)
    with file_errors(name):
        Path(name).replace(path_text(target))
