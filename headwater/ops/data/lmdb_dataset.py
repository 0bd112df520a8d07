"""LMDBDataset: the keys and values of LMDB databases."""

from __future__ import annotations

import itertools
import os
from typing import Any

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.io.lmdb_files import Database, open_database
from headwater.ops.data.dataset import Rows, variant_of
from headwater.ops.data.file_dataset import (
    FileDataset,
    FileReader,
    names_of,
    shape_of_files,
    string_array,
)


class LMDBDataset(FileDataset):
    """The entries of databases in the order of their keys."""

    def open(self, name: bytes) -> FileReader:
        return _LMDBReader(open_database(os.fsdecode(name)))


class _LMDBReader(FileReader):
    def __init__(self, database: Database) -> None:
        self._entries = database.entries()

    def read(self, count: int) -> Rows | None:
        entries = list(itertools.islice(self._entries, count))
        if not entries:
            return None
        keys, values = zip(*entries)
        return [string_array(keys), string_array(values)]

    def close(self) -> None:
        self._entries = iter(())


def kernel_lmdb_dataset(
    xp: ArrayModule, filenames: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    return variant_of(LMDBDataset(names_of(filenames), output_types, output_shapes))


def _register_lmdb_dataset(name: str) -> None:
    register_op(
        name,
        inputs="filenames: string",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shape_of_files,
        kernel=kernel_lmdb_dataset,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register_lmdb_dataset("LMDBDataset")
_register_lmdb_dataset("ExperimentalLMDBDataset")
