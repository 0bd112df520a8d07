"""Files that appear under their names only when they are complete."""

from __future__ import annotations

import contextlib
import secrets
from typing import Any

from headwater.base import errors
from headwater.io.files import open_file, path_text, remove_file, rename_file


class AtomicFile:
    """A new file under a temporary name, which no other process or thread has.

    Args:
        path: its name to be; a file of that name is replaced.

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
        """Ends the file and gives it its name; if that fails, nothing is left of it."""
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
    """Writes a file, of which others see either all or nothing.

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
