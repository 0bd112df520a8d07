"""File systems that a URL names, through fsspec."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from headwater.base import errors
from headwater.base.lazy import LazyModule
from headwater.io.file_errors import file_error
from headwater.io.file_system import FileStatistics, FileSystem

_fsspec: Any = LazyModule("fsspec")
_fsspec_core: Any = LazyModule("fsspec.core")

_BUFFER_BYTES = 1 << 20
# Extras of the package that install the client of a scheme.
_EXTRAS = {
    "gs": "gcs",
    "gcs": "gcs",
    "s3": "s3",
    "s3a": "s3",
    "http": "http",
    "https": "http",
}


@contextmanager
def _remote_errors(name: str) -> Iterator[None]:
    """Within it, whatever a client of a storage raises becomes an error of TensorFlow.

    Clients of HTTP and of clouds have exceptions of their own, which are not OSErrors.
    """
    try:
        yield
    except errors.OpError:
        raise
    except OSError as error:
        raise file_error(error, name) from error
    except (NotImplementedError, io.UnsupportedOperation) as error:
        raise errors.UnimplementedError(None, None, f"{name}; {error}") from error
    except Exception as error:
        text = str(error) or type(error).__name__
        raise errors.UnknownError(None, None, f"{name}; {text}") from error


class _RawFile(io.RawIOBase):
    """An open remote file whose reading and writing fail with TensorFlow's errors."""

    def __init__(self, file: Any, name: str, reads: bool) -> None:
        super().__init__()
        self._file = file
        self._reads = reads
        self.name = name

    def readable(self) -> bool:
        return self._reads

    def writable(self) -> bool:
        return not self._reads

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def readinto(self, buffer: Any) -> int:
        with _remote_errors(self.name):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        with _remote_errors(self.name):
            self._file.write(bytes(data))
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        with _remote_errors(self.name):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        with _remote_errors(self.name):
            return int(self._file.tell())

    def close(self) -> None:
        if self.closed:
            return
        try:
            with _remote_errors(self.name):
                self._file.close()
        finally:
            super().close()


class RemoteFiles(FileSystem):
    """Files of the storage of one scheme; names are whole URLs.

    Args:
        scheme: "memory", "gs", "s3", "hdfs", "http" or another one that fsspec knows.
        name: the file that is asked for, for errors.

    Raises:
        UnimplementedError: if there is no such storage or its client is not installed.
    """

    def __init__(self, scheme: str, name: str) -> None:
        try:
            _fsspec.get_filesystem_class(scheme)
        except (ValueError, ImportError) as error:
            raise errors.UnimplementedError(
                None,
                None,
                f"File system scheme '{scheme}' not implemented (file: '{name}')",
                hint=_client_hint(scheme, error),
            ) from None

    def _at(self, name: str) -> tuple[Any, str]:
        """The storage and the path in it. Other processes write too, so no listing is kept."""
        return _fsspec_core.url_to_fs(name, use_listings_cache=False)

    def open(self, name: str, mode: str) -> BinaryIO:
        with _remote_errors(name):
            storage, path = self._at(name)
            if mode == "ab" and not storage.exists(path):
                # Not every client appends to a file that does not exist.
                mode = "wb"
            raw = _RawFile(storage.open(path, mode), name, mode == "rb")
        if raw.readable():
            return io.BufferedReader(raw, _BUFFER_BYTES)
        return io.BufferedWriter(raw, _BUFFER_BYTES)

    def statistics(self, name: str) -> FileStatistics:
        with _remote_errors(name):
            storage, path = self._at(name)
            found = storage.info(path)
            is_folder = found["type"] == "directory"
            modified = 0 if is_folder else _modified(storage, path)
        return FileStatistics(int(found.get("size") or 0), modified, is_folder)

    def make_folder(self, name: str) -> None:
        with _remote_errors(name):
            storage, path = self._at(name)
            if not storage.exists(path):
                storage.mkdir(path, create_parents=False)

    def make_folders(self, name: str) -> None:
        with _remote_errors(name):
            storage, path = self._at(name)
            if not storage.exists(path):
                storage.makedirs(path, exist_ok=True)

    def names_in(self, name: str) -> list[str]:
        with _remote_errors(name):
            storage, path = self._at(name)
            found = storage.ls(path, detail=False)
        names = (entry.rstrip("/").rpartition("/")[2] for entry in found)
        # Some storages list the folder itself.
        return [last for entry, last in zip(found, names) if entry.rstrip("/") != path.rstrip("/")]

    def remove_file(self, name: str) -> None:
        with _remote_errors(name):
            storage, path = self._at(name)
            if storage.isdir(path):
                raise IsADirectoryError(name)
            storage.rm_file(path)

    def remove_folder(self, name: str) -> None:
        with _remote_errors(name):
            storage, path = self._at(name)
            storage.rmdir(path)

    def remove_tree(self, name: str) -> None:
        with _remote_errors(name):
            storage, path = self._at(name)
            if not storage.isdir(path):
                raise NotADirectoryError(name) if storage.exists(path) else FileNotFoundError(name)
            storage.rm(path, recursive=True)

    def rename(self, name: str, target: str) -> None:
        with _remote_errors(name):
            storage, path = self._at(name)
            _, target_path = self._at(target)
            if not storage.exists(path):
                raise FileNotFoundError(name)
            storage.mv(path, target_path, recursive=storage.isdir(path))


def _client_hint(scheme: str, error: Exception) -> str:
    """What to install for a scheme whose client is missing."""
    extra = _EXTRAS.get(scheme)
    if extra is None or not isinstance(error, ImportError):
        return str(error)
    return f'pip install "headwater[{extra}]" installs the client of {scheme}:// ({error})'


def _modified(storage: Any, path: str) -> int:
    """When a file was last written, in nanoseconds since 1970; 0 where nobody knows."""
    try:
        return int(storage.modified(path).timestamp() * 1e9)
    except (NotImplementedError, AttributeError):
        return 0
