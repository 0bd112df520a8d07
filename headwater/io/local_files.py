"""The file system of this machine."""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
from pathlib import Path
from typing import Any, BinaryIO

from headwater.io.file_errors import file_error, file_errors
from headwater.io.file_system import FileStatistics, FileSystem

_BUFFER_BYTES = 1 << 16


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
