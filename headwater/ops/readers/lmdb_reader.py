"""The reader of LMDB databases."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

from headwater.io.lmdb_files import open_database
from headwater.ops.readers.reader_resource import Reader


class LMDBReader(Reader):
    """The entries of LMDB databases, with their own keys, in the order of the keys."""

    defers_interrupts = True
    _reads_ahead = True

    def __init__(self) -> None:
        self._entries: Iterator[tuple[bytes, bytes]] = iter(())

    def on_work_started(self) -> None:
        self._entries = open_database(os.fsdecode(self.current_work)).entries()

    def on_work_finished(self) -> None:
        self.on_reset()

    def on_reset(self) -> None:
        self._entries = iter(())

    def read_up_to(self, count: int) -> tuple[list[bytes], list[bytes], bool]:
        entries = list(itertools.islice(self._entries, count))
        return [key for key, _ in entries], [value for _, value in entries], not entries
