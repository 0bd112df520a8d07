"""Files that are written atomically."""

from __future__ import annotations

import contextlib
from typing import Any

from headwater.base import errors
from headwater.io.draft_files import draft_path, lock_file, remove_abandoned, unlock
from headwater.io.files import folder_of, open_file, path_text, remove_file, rename_file
from headwater.io.local_files import reserve_space


class AtomicFile:
    """A new file under a unique temporary name.

    Args:
        path: its final name; an existing file is replaced.

    Raises:
        OpError: of the class that fits (NotFoundError for example), if it cannot be opened.
    """

    def __init__(self, path: Any) -> None:
        self._path = path_text(path)
        self._reserved = False
        self._open()
        while self._lock == -1:
            # Another writer has taken it for abandoned before it was locked.
            self._file.close()
            self._open()

    def _open(self) -> None:
        self._place = draft_path(self._path)
        self._file = open_file(self._place, "wb")
        self._lock = lock_file(self._file, self._place)

    def reserve(self, size: int) -> None:
        """Asks for the space of about so many bytes, which makes writing them faster.

        Renaming a file onto another one waits for the disk if a part of it has no space yet. So
        this asks for more than the values need; what is left is given back at the end.
        """
        self._reserved = reserve_space(self._file, size + size // 64)

    def write(self, data: Any) -> None:
        """Adds bytes."""
        self._file.write(data)

    def close(self) -> None:
        """Ends the writing; the file keeps its temporary name. On failure, removes it."""
        try:
            if self._reserved:
                self._reserved = False
                self._file.truncate()
            self._file.close()
        except errors.OpError:
            self.abandon()
            raise

    def rename(self, path: str) -> None:
        """Gives the closed file a name, which may be temporary too."""
        rename_file(self._place, path)
        self._place = path

    def commit(self) -> None:
        """Closes the file and renames it to its final name; on failure, removes it."""
        self.close()
        try:
            self.rename(self._path)
        except errors.OpError:
            self.abandon()
            raise
        self.release()

    def release(self) -> None:
        """Ends the lock: the file has its final name."""
        lock, self._lock = self._lock, None
        unlock(lock)

    def abandon(self) -> None:
        """Removes what was written."""
        with contextlib.suppress(errors.OpError):
            self._file.close()
        with contextlib.suppress(errors.OpError):
            remove_file(self._place, missing_ok=True)
        self.release()


def write_atomically(path: Any, data: bytes) -> None:
    """Writes a file atomically.

    Args:
        path: its name; a file of that name is replaced.
        data: the content.

    Raises:
        OpError: of the class that fits, if it cannot be written.
    """
    remove_abandoned(folder_of(path) or ".")
    file = AtomicFile(path)
    try:
        file.write(data)
    except BaseException:
        file.abandon()
        raise
    file.commit()
