"""Temporary files that are renamed when they are complete, and those that killed writers leave.

A writer holds a lock on its draft, which the operating system drops when the process ends. So what
can be locked belongs to nobody and is removed. Files of other machines (which may share the folder
but not the locks), of file systems without locks and of other programs are left alone.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import secrets
import shutil
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from headwater.base import errors
from headwater.io.files import (
    folder_of,
    is_remote,
    join_path,
    make_folder,
    name_of,
    names_in,
    remove_folder,
)

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_MACHINE: Final = f"{zlib.crc32(platform.node().encode()):08x}"
# TensorFlow's own temporary files end with 32 digits.
_DIGITS: Final = 16
_DRAFT: Final = re.compile(rf"\.tmp{_MACHINE}[0-9a-f]{{{_DIGITS}}}$")
# The folder of the shards of a checkpoint until they are merged, and what marks it as ours.
_SHARD_FOLDER: Final = re.compile(r"_temp_([0-9a-f]{32})$")
_LOCK_START: Final = "writer-"
_FOLDER_LOCK: Final = f"{_LOCK_START}{_MACHINE}.lock"

# Locks on folders of shards, by the identifier in the name.
_folder_locks: dict[str, tuple[str, int]] = {}
_mutex: Final = threading.Lock()


def draft_path(path: str) -> str:
    """A new name for a file that will become `path`."""
    return f"{path}.tmp{_MACHINE}{secrets.token_hex(_DIGITS // 2)}"


def lock_file(file: BinaryIO, path: str) -> int | None:
    """Locks an open draft for as long as this process lives, or until `unlock`.

    Returns:
        The lock; None where there are no locks. -1 if the file has been removed meanwhile.
    """
    if fcntl is None or is_remote(path):
        return None
    lock = os.dup(file.fileno())
    try:
        # Shared, since one process may lock a file twice.
        fcntl.flock(lock, fcntl.LOCK_SH)
    except OSError:
        os.close(lock)
        return None
    if os.fstat(lock).st_nlink:
        return lock
    os.close(lock)
    return -1


def lock_path(path: str) -> int | None:
    """Locks a complete file or a folder as `lock_file` does; None if that is not possible."""
    if fcntl is None or is_remote(path):
        return None
    try:
        lock = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
    except OSError:
        os.close(lock)
        return None
    return lock


def unlock(lock: int | None) -> None:
    """Ends a lock."""
    if lock is not None:
        os.close(lock)


@contextlib.contextmanager
def _locked_alone(path: str) -> Iterator[bool]:
    """Whether no process holds the lock of a file; none can take it within the with block."""
    if fcntl is None or is_remote(path):
        yield False
        return
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        alone = True
    except OSError:
        alone = False
    try:
        yield alone
    finally:
        os.close(file)


def remove_if_abandoned(path: str) -> None:
    """Removes a file or folder unless a process holds its lock, or that cannot be known."""
    with contextlib.suppress(OSError), _locked_alone(path) as alone:
        if alone and Path(path).is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif alone:
            os.unlink(path)  # noqa: PTH108 (text)


def make_draft_folder(path: str) -> tuple[str, int | None]:
    """Makes and locks a folder, which keeps its lock when it is renamed.

    Args:
        path: the beginning of its name.

    Returns:
        Its path, and the lock; None where there are no locks.

    Raises:
        OpError: of the class that fits, if it cannot be made.
    """
    while True:
        folder = draft_path(path)
        make_folder(folder)
        lock = lock_path(folder)
        if lock is None or os.fstat(lock).st_nlink:
            return folder, lock
        # Another writer has taken it for abandoned before it was locked.
        unlock(lock)


def hold_shard_folder(folder: str) -> None:
    """Keeps others from removing a folder of shards, until `release_shard_folder`.

    Args:
        folder: any folder; nothing is done for those that are not of shards.
    """
    match = _SHARD_FOLDER.search(folder)
    if match is None or fcntl is None or is_remote(folder):
        return
    with _mutex, contextlib.suppress(OSError):
        held = _folder_locks.get(match[1])
        if held is not None:
            if held[0] == folder:
                return
            # An earlier save of the same nodes has failed, or ended in another process.
            os.close(_folder_locks.pop(match[1])[1])
        lock = os.open(join_path(folder, _FOLDER_LOCK), os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(lock, fcntl.LOCK_SH)
        _folder_locks[match[1]] = folder, lock


def release_shard_folder(folder: str) -> None:
    """Ends `hold_shard_folder`, when the shards have been moved away."""
    match = _SHARD_FOLDER.search(folder)
    if match is None or is_remote(folder):
        return
    with _mutex, contextlib.suppress(OSError):
        held = _folder_locks.pop(match[1], None)
        if held is not None:
            os.close(held[1])
        os.unlink(join_path(folder, _FOLDER_LOCK))  # noqa: PTH108 (text)


def abandon_shard_folder(folder: str) -> None:
    """Removes a folder of shards if nothing has been written to it."""
    with contextlib.suppress(errors.OpError):
        if is_shard_folder(folder) and names_in(folder) in ([_FOLDER_LOCK], []):
            release_shard_folder(folder)
            remove_folder(folder)


def is_shard_folder(folder: str) -> bool:
    """Whether the shards of a checkpoint are written to a folder and then moved away."""
    return _SHARD_FOLDER.search(folder) is not None


def remove_abandoned(folder: Any) -> None:
    """Removes what killed writers have left in a folder; never fails."""
    if fcntl is None or is_remote(folder):
        return
    with contextlib.suppress(errors.OpError):
        for name in names_in(folder):
            path = join_path(folder, name)
            if _DRAFT.search(name):
                remove_if_abandoned(path)
            elif _SHARD_FOLDER.search(name):
                _remove_abandoned_shards(path)


def _remove_abandoned_shards(folder: str) -> None:
    locks = [name for name in names_in(folder) if name.startswith(_LOCK_START)]
    if locks == [_FOLDER_LOCK]:
        with _locked_alone(join_path(folder, _FOLDER_LOCK)) as alone:
            if alone:
                shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned_near(path: str) -> None:
    """Removes what killed writers have left where a checkpoint is written."""
    folder = folder_of(path)
    remove_abandoned(folder or ".")
    if is_shard_folder(name_of(folder)):
        remove_abandoned(folder_of(folder) or ".")
