"""File systems that a URL names, through fsspec."""

from __future__ import annotations

import errno
import functools
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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
    "hdfs": "hdfs",
    "webhdfs": "hdfs",
    "s3": "s3",
    "s3a": "s3",
    "http": "http",
    "https": "http",
}
# Schemes whose clients overwrite a file that is opened to add to it, or fail.
_OVERWRITTEN = {"gs", "gcs", "webhdfs"}
# Schemes whose servers do not rename a file to the name of another one, and say nothing.
_NOT_REPLACED = {"hdfs", "webhdfs"}
# The libraries of Hadoop and Java that the client of hdfs:// loads.
_HADOOP = ("libhdfs", "libjvm")


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
        if error.errno is None and any(library in str(error) for library in _HADOOP):
            raise _no_hadoop(error) from error
        raise file_error(error, name) from error
    except (NotImplementedError, io.UnsupportedOperation) as error:
        text = str(error) or "the file system does not support this"
        raise errors.UnimplementedError(None, None, f"{name}; {text}") from error
    except ImportError as error:
        raise _no_client(name.partition("://")[0], name, error) from None
    except Exception as error:
        text = str(error) or type(error).__name__
        raise errors.UnknownError(None, None, f"{name}; {text}") from error


class _RawFile(io.RawIOBase):
    """An open remote file whose reading and writing fail with TensorFlow's errors.

    Args:
        file: the open file of a client.
        name: its name, for errors.
        reads: whether it is open for reading.
        copied: makes a local copy of it, for servers that do not send parts of files; or None.
    """

    def __init__(
        self, file: Any, name: str, reads: bool, copied: Callable[[], BinaryIO] | None = None
    ) -> None:
        super().__init__()
        self._file = file
        self._reads = reads
        self._copied = copied
        self.name = name

    def readable(self) -> bool:
        return self._reads

    def writable(self) -> bool:
        return not self._reads

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def readinto(self, buffer: Any) -> int:
        with _remote_errors(self.name):
            data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _read(self, count: int) -> bytes:
        try:
            return bytes(self._file.read(count))
        except ValueError:
            if self._copied is None:
                raise
            position = self._file.tell()
            self._file.close()
            self._file, self._copied = self._copied(), None
            self._file.seek(position)
            return bytes(self._file.read(count))

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
            raise _no_client(scheme, name, error) from None

    def _at(self, name: str) -> tuple[Any, str]:
        """The storage and the path in it. Other processes write too, so no listing is kept."""
        return _fsspec_core.url_to_fs(name, use_listings_cache=False)

    def open(self, name: str, mode: str) -> BinaryIO:
        with _remote_errors(name):
            storage, path = self._at(name)
            if mode == "ab" and not storage.exists(path):
                # Not every client appends to a file that does not exist.
                mode = "wb"
            copied = None
            if mode == "rb" and "http" in storage.protocol:
                copied = functools.partial(_copied, storage, path)
            if mode == "ab" and name.partition("://")[0] in _OVERWRITTEN:
                file = _written_again(storage, path)
            else:
                file = storage.open(path, mode)
            raw = _RawFile(file, name, mode == "rb", copied)
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
                _mark_folder(storage, path)

    def make_folders(self, name: str) -> None:
        with _remote_errors(name):
            storage, path = self._at(name)
            if not storage.exists(path):
                storage.makedirs(path, exist_ok=True)
                while not storage.isdir(path):
                    _mark_folder(storage, path)
                    path = storage._parent(path)

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
            # Not every client fails where there is no file.
            if storage.info(path)["type"] == "directory":
                raise IsADirectoryError(name)
            storage.rm_file(path)

    def remove_folder(self, name: str) -> None:
        with _remote_errors(name):
            storage, path = self._at(name)
            # Some clients would remove what is in it.
            if self.names_in(name):
                raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), name)
            # Clients of object storages remove buckets only.
            with suppress(FileExistsError):
                storage.rmdir(path)
            if storage.isdir(path):
                storage.rm_file(f"{path}/")

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
            replaces = name.partition("://")[0] not in _NOT_REPLACED
            if not replaces and storage.isfile(target_path):
                storage.rm_file(target_path)
            storage.mv(path, target_path, recursive=storage.isdir(path))
            if not replaces and storage.exists(path):
                raise OSError(errno.EIO, os.strerror(errno.EIO), name)


def _copied(storage: Any, path: str) -> BinaryIO:
    """A temporary copy of a file that is read from its beginning to its end."""
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    # Zero is for servers that do not send parts of files.
    size = {"block_size": 0} if "http" in storage.protocol else {}
    with storage.open(path, "rb", **size) as file:
        shutil.copyfileobj(file, copy)
    return copy


def _written_again(storage: Any, path: str) -> Any:
    """A file that is written anew and begins with what it has; closing it replaces the old one."""
    # Writing may replace the old one before all of it has been read.
    with _copied(storage, path) as old:
        file = storage.open(path, "wb")
        old.seek(0)
        shutil.copyfileobj(old, file)
    return file


def _mark_folder(storage: Any, path: str) -> None:
    """Makes an object that stands for a folder without files, where folders do not exist.

    In object storages a folder is what names have in common. As TensorFlow does there, an empty one
    gets an object whose name ends with a slash.
    """
    if not storage.isdir(path):
        storage.pipe_file(f"{path}/", b"")


def _no_client(scheme: str, name: str, error: Exception) -> errors.UnimplementedError:
    """The error of a path whose scheme has no client here."""
    text = f"File system scheme '{scheme}' not implemented (file: '{name}')"
    return errors.UnimplementedError(None, None, text, hint=_client_hint(scheme, error))


def _no_hadoop(error: OSError) -> errors.NotFoundError:
    """The error of a path of HDFS where Hadoop's own library is missing."""
    text = "libhdfs.so: cannot open shared object file: No such file or directory"
    hint = (
        "the client of hdfs:// loads libjvm.so of Java and libhdfs.so of Hadoop: set JAVA_HOME, "
        "HADOOP_HOME and CLASSPATH (to what `hadoop classpath --glob` prints), or use webhdfs:// "
        f"({str(error).partition(chr(10))[0]})"
    )
    return errors.NotFoundError(None, None, text, hint=hint)


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
