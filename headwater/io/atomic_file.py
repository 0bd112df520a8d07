"""Files that are written atomically."""

from __future__ import annotations

import contextlib
import secrets
from typing import Any

from headwater.base import errors
from headwater.io.files import open_file, path_text, remove_file, rename_file


class AtomicFile:
    """A new file under a unique temporary name.

    Args:
        path: its final name; an existing file is replaced.

    Raises:
        OpError: of the class that fits (NotFoundError for example), if it cannot be opened.
    """

    def __init__(self, path: Any) -> None:
        self._path = path_text(path)
        self._draft = f"{self._path}.tmp{secrets.token_hex(16)}"
        self._file = open_file(self._draft, "wb")

    def write(self, data: Any) -> None:
        """Adds bytes."""
        self._file.write(data)

    def commit(self) -> None:
        """Closes the file and renames it to its final name; on failure, removes it."""
        try:
            self._file.close()
            rename_file(self._draft, self._path)
        except errors.OpError:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Removes what was written."""
        with contextlib.suppress(errors.OpError):
            self._file.close()
        with contextlib.suppress(errors.OpError):
            remove_file(self._draft, missing_ok=True)


def write_atomically(path: Any, data: bytes) -> None:
    """Writes a file atomically.

    Args:
        path: its name; a file of that name is replaced.
        data: the content.

    Raises:
        OpError: of the class that fits, if it cannot be written.
    """
    file = AtomicFile(path)
    try:
        file.write(data)
    except BaseException:
        file.abandon()
        raise
    file.commit()
