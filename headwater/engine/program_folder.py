"""The folder in which compiled programs are kept between processes."""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path

from headwater.base import logging

_SUFFIX = ".program"
# If there are more bytes, those programs are removed that have not been used for longest.
_MOST_BYTES = 1 << 29
# So much of them is left then.
_KEPT_SHARE = 0.75
_DIGEST_BYTES = 16
# Machine code shrinks to a sixth; other levels of compression cost more time than they save space.
_COMPRESSION = 1


def cache_directory() -> Path | None:
    """Where compiled programs are kept: HEADWATER_CACHE_DIR, or the user's cache folder.

    Returns:
        The folder, or None if HEADWATER_CACHE_DIR is empty, which turns the cache off.
    """
    folder = os.environ.get("HEADWATER_CACHE_DIR")
    if folder is not None:
        return Path(folder) if folder else None
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "headwater" / "programs"


def program_folder() -> ProgramFolder | None:
    """The folder of this process; None if compiled programs are not kept."""
    path = cache_directory()
    return None if path is None else _usable(path)


@functools.cache
def _usable(path: Path) -> ProgramFolder | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        writers = _other_writers(path)
    except OSError as error:
        logging.warning("Compiled programs are not kept on disk: %s", error)
        return None
    if writers:
        # A compiled program is machine code that this process would execute.
        logging.warning(
            "Compiled programs are neither kept in %s nor taken from there: %s. Let HEADWATER_"
            "CACHE_DIR name a folder of your own (chmod 700), or set it to nothing.",
            path,
            writers,
        )
        return None
    return ProgramFolder(path)


def _other_writers(folder: Path) -> str:
    """Says why others can write into a folder; nothing if they cannot."""
    if not hasattr(os, "geteuid"):
        return ""
    status = folder.stat()
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "other users can write into it"
    return ""


class ProgramFolder:
    """A private folder with one file for each program, of bounded size.

    Several processes may use it: files appear as a whole, and one that is gone was never there.

    Args:
        path: the folder, in which only this user can write.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # The bytes of all programs, once this process has written one.
        self._size: int | None = None
        self._can_write = True

    def read(self, key: str) -> bytes | None:
        """What is kept under a key; None if nothing is. Damaged files are removed."""
        file = self._file(key)
        try:
            packed = file.read_bytes()
        except OSError:
            return None
        data = _unpacked(packed)
        if data is None:
            self.remove(key)
            return None
        with suppress(OSError):
            os.utime(file)
        return data

    def write(self, key: str, data: bytes) -> None:
        """Keeps some bytes under a key."""
        if not self._can_write:
            return
        packed = zlib.compress(data, _COMPRESSION)
        try:
            self._write(self._file(key), _digest(packed) + packed)
            self._make_room()
        except OSError as error:
            logging.warning("Compiled programs are no longer kept on disk: %s", error)
            self._can_write = False

    def remove(self, key: str) -> None:
        """Forgets what is kept under a key."""
        logging.debug("Removing the compiled program %s", key)
        with suppress(OSError):
            self._file(key).unlink()

    def _file(self, key: str) -> Path:
        return self._path / f"{key}{_SUFFIX}"

    def _write(self, file: Path, data: bytes) -> None:
        handle, temporary = tempfile.mkstemp(dir=self._path)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(temporary).replace(file)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise
        if self._size is not None:
            self._size += len(data)

    def _make_room(self) -> None:
        """Removes the programs that have not been used for longest, if there is too much."""
        if self._size is not None and self._size <= _MOST_BYTES:
            return
        found = []
        for file in self._path.glob(f"*{_SUFFIX}"):
            # Another process may have removed it.
            with suppress(OSError):
                status = file.stat()
                found.append((status.st_mtime_ns, status.st_size, file))
        self._size = sum(size for _, size, _ in found)
        if self._size <= _MOST_BYTES:
            return
        for _, size, file in sorted(found):
            if self._size <= _KEPT_SHARE * _MOST_BYTES:
                break
            with suppress(OSError):
                file.unlink()
            self._size -= size


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _unpacked(packed: bytes) -> bytes | None:
    """The bytes of a file; None if they are not what was written."""
    digest, data = packed[:_DIGEST_BYTES], packed[_DIGEST_BYTES:]
    return zlib.decompress(data) if digest == _digest(data) else None
