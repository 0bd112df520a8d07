"""LMDB databases, which several readers of a process share."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headwater.base import errors
from headwater.base.lazy import LazyModule
from headwater.io.files import file_statistics, join_path, open_file

_lmdb: Any = LazyModule("lmdb")

_lock = threading.RLock()
# LMDB does not open a database twice in one process.
_open: weakref.WeakValueDictionary[str, Database] = weakref.WeakValueDictionary()


class Database:
    """An open database; readers of the same one share it."""

    def __init__(self, path: str) -> None:
        is_folder = file_statistics(path).is_directory
        file = join_path(path, "data.mdb") if is_folder else path
        # Has the error of a file that cannot be read.
        open_file(file, "rb").close()
        try:
            self._environment = _lmdb.open(
                path, subdir=is_folder, readonly=True, lock=False, create=False, max_readers=1024
            )
        except _lmdb.Error as error:
            raise errors.DataLossError(None, None, str(error)) from None
        pages, size = self._environment.info()["last_pgno"] + 1, self._environment.stat()["psize"]
        # LMDB maps the file: reading beyond its end would end the process.
        if file_statistics(file).length < pages * size:
            hint = "if the database is sound, `mdb_copy -c` makes one that can be read."
            text = f"{file}: the file is shorter than its {pages} pages of {size} bytes"
            raise errors.DataLossError(None, None, text, hint=hint)

    def __del__(self) -> None:
        environment = getattr(self, "_environment", None)
        if environment is not None:
            environment.close()

    def entries(self) -> Iterator[tuple[bytes, bytes]]:
        """Iterates over keys and values."""
        with self._environment.begin() as transaction:
            try:
                yield from transaction.cursor()
            except _lmdb.Error as error:
                raise errors.DataLossError(None, None, str(error)) from None


def open_database(path: str) -> Database:
    """Opens a database to be read.

    Args:
        path: the path of its folder or file.

    Raises:
        UnimplementedError: if the package lmdb is not installed.
        OpError: of the class that fits, if it cannot be opened.
    """
    try:
        _ = _lmdb.open
    except ModuleNotFoundError:
        text = "Reading LMDB databases needs the package lmdb, which is not installed."
        hint = "pip install 'headwater[lmdb]'"
        raise errors.UnimplementedError(None, None, text, hint=hint) from None
    name = str(Path(path).resolve())
    with _lock:
        database = _open.get(name)
        if database is None:
            database = _open[name] = Database(path)
    return database
