"""The file system of this machine."""

from __future__ import annotations

import ctypes
import errno
import functools
import io
import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from headwater.io.file_errors import file_error, file_errors
from headwater.io.file_system import FileStatistics, FileSystem

_BUFFER_BYTES = 1 << 16
# Smaller files are written faster without asking for space.
_LEAST_RESERVED = 1 << 20
_KEEP_SIZE = 1


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

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size)
        except OSError as error:
            raise file_error(error, self.name) from None

    def close(self) -> None:
        try:
            super().close()
        except OSError as error:
            raise file_error(error, self.name) from None


@functools.cache
def _fallocate() -> Callable[[int, int, int, int], int] | None:
    """Linux's system call, which `os.posix_fallocate` replaces by writes where it is missing."""
    if not sys.platform.startswith("linux") or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    try:
        function = ctypes.CDLL(None).fallocate
    except (AttributeError, OSError):
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    return function


def reserve_space(file: BinaryIO, size: int) -> bool:
    """Asks for the space of a large new file in one piece, which makes writing it faster.

    The size of the file stays as it is. Where there is no such service, or no space, nothing
    happens: writing the file reports the latter.

    Args:
        file: a file that is open for writing.
        size: how many bytes.

    Returns:
        Whether the file has got space.
    """
    reserve = _fallocate() if size >= _LEAST_RESERVED else None
    if reserve is None:
        return False
    try:
        number = file.fileno()
    except (AttributeError, OSError):  # a remote file
        return False
    return reserve(number, _KEEP_SIZE, 0, size) == 0


class LocalFiles(FileSystem):
    """Files and folders of this machine."""

    def open(self, name: str, mode: str) -> BinaryIO:
        with file_errors(name):
            raw = _RawFile(name, mode)
        if raw.readable():
            return io.BufferedReader(raw, _BUFFER_BYTES)
        return io.BufferedWriter(raw, _BUFFER_BYTES)

    def statistics(self, name: str) -> FileStatistics:
        with file_errors(name):
            if not name:  # which pathlib takes for the current folder
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            found = Path(name).stat()
        return FileStatistics(found.st_size, found.st_mtime_ns, stat.S_ISDIR(found.st_mode))

    def make_folder(self, name: str) -> None:
        try:
            Path(name).mkdir()
        except FileExistsError:
            pass
        except OSError as error:
            raise file_error(error, name) from None

    def make_folders(self, name: str) -> None:
        try:
            Path(name).mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            pass  # it is a file: later operations in the folder fail with a clear error
        except OSError as error:
            raise file_error(error, error.filename or name) from None

    def names_in(self, name: str) -> list[str]:
        with file_errors(name):
            return [entry.name for entry in Path(name or ".").iterdir()]

    def remove_file(self, name: str) -> None:
        with file_errors(name):
            Path(name).unlink()

    def remove_folder(self, name: str) -> None:
        with file_errors(name):
            Path(name).rmdir()

    def remove_tree(self, name: str) -> None:
        try:
            shutil.rmtree(name)
        except OSError as error:
            raise file_error(error, error.filename or name) from None

    def rename(self, name: str, target: str) -> None:
        with file_errors(name):
            Path(name).replace(target)

    def link(self, name: str, target: str) -> None:
        with file_errors(target):
            os.link(name, target)
