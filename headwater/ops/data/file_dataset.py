"""Datasets whose elements come from files, one file after the other."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail
from headwater.base.typing import Array
from headwater.graph import shapes
from headwater.io.file_errors import in_file
from headwater.io.input_stream import InputStream
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    rows_to_element,
    scalar_of,
)

# Single elements are taken from so many that were read at once.
_READ_AHEAD = 256


class FileReader(abc.ABC):
    """Reads the elements of one open file."""

    @abc.abstractmethod
    def read(self, count: int) -> Rows | None:
        """Some elements, of which `count` are wanted; None at the end of the file.

        Raises:
            OpError: if the next element cannot be read.
        """

    def resumes_after(self, error: errors.OpError) -> bool:
        """Whether the file is read on after an error; otherwise the next file is read."""
        return False

    @abc.abstractmethod
    def close(self) -> None:
        """Closes the file."""


class StringReader(FileReader):
    """Reads elements that are one string each.

    Args:
        stream: the open file.
    """

    def __init__(self, stream: InputStream) -> None:
        self._stream = stream

    @abc.abstractmethod
    def read_strings(self, count: int) -> list[bytes]:
        """One string or more, `count` at most; none at the end of the file."""

    def read(self, count: int) -> Rows | None:
        strings = self.read_strings(count)
        return [string_array(strings)] if strings else None

    def close(self) -> None:
        self._stream.close()


class FileDataset(Dataset):
    """The elements of files, one file after the other.

    Args:
        names: the names of the files.
        types: the types of the components of an element; one string by default.
        component_shapes: their static shapes.
    """

    makes_early = True

    def __init__(
        self,
        names: Sequence[bytes],
        types: Any = (dtypes.string,),
        component_shapes: Any = ((),),
    ) -> None:
        super().__init__(types, component_shapes)
        self.names = list(names)

    @abc.abstractmethod
    def open(self, name: bytes) -> FileReader:
        """Opens a file."""

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _FileIterator(self)


class _FileIterator(ElementIterator):
    """Goes through the files; after an error it goes on with the next file."""

    def __init__(self, dataset: FileDataset) -> None:
        self._dataset = dataset
        self._file = 0
        self._reader: FileReader | None = None
        # How many elements of the file have been handed out.
        self._count = 0
        # What was read for single elements, and the index of the next one in it.
        self._rows: Rows = ()
        self._place = 0
        self._size = 0

    def next(self) -> Element | None:
        if self._place == self._size and not self._read(_READ_AHEAD):
            return None
        self._place += 1
        self._count += 1
        return rows_to_element(self._rows, self._place - 1)

    def next_rows(self, count: int) -> Rows | None:
        if self._place == self._size and not self._read(count):
            return None
        first, end = self._place, min(self._place + count, self._size)
        self._place = end
        self._count += end - first
        if first == 0 and end == self._size:
            return self._rows
        return [array[first:end] for array in self._rows]

    def skip(self, count: int) -> int:
        skipped = 0
        while skipped < count and (rows := self.next_rows(count - skipped)) is not None:
            skipped += len(rows[0])
        return skipped

    def _read(self, count: int) -> bool:
        """Reads on; returns False at the end of the last file."""
        while self._file < len(self._dataset.names):
            name = self._dataset.names[self._file]
            try:
                if self._reader is None:
                    self._reader = self._dataset.open(name)
                rows = self._reader.read(count)
            except errors.OpError as error:
                if self._reader is None or not self._reader.resumes_after(error):
                    self._end_file()
                raise in_file(error, name) from None
            if rows is not None:
                self._rows, self._place, self._size = rows, 0, len(rows[0])
                return True
            self._end_file()
        return False

    def _end_file(self) -> None:
        self.close()
        self._file += 1
        self._count = 0
        self._rows, self._place, self._size = (), 0, 0

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/file"] = self._file
        state[f"{prefix}/count"] = self._count

    def restore(self, state: SavedState, prefix: str) -> None:
        file = self._file = int(state[f"{prefix}/file"])
        count = int(state[f"{prefix}/count"])
        while self._file == file and self._count < count:
            # Errors in records were raised before the state was saved.
            with suppress(errors.InvalidArgumentError):
                self.next_rows(count - self._count)

    def close(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()


def string_array(strings: Sequence[bytes]) -> Array:
    """Strings as an array."""
    array = np.empty(len(strings), object)
    array[:] = strings
    return array


def names_of(filenames: Array) -> list[bytes]:
    """The file names in the input of a dataset op.

    Raises:
        InvalidArgumentError: if it is neither a scalar nor a vector.
    """
    if np.ndim(filenames) > 1:
        fail("`filenames` must be a scalar or a vector.")
    return list(np.ravel(filenames))


def text_of(value: Array, name: str) -> str:
    """The value of a scalar string input, as text."""
    text: str = scalar_of(value, name).decode()
    return text


def compression_of(compression_type: Array) -> str:
    """The value of the input `compression_type` of a dataset op: "", "ZLIB" or "GZIP".

    Raises:
        InvalidArgumentError: if it is something else.
    """
    kind = text_of(compression_type, "compression_type")
    if kind not in ("", "ZLIB", "GZIP"):
        fail("Unsupported compression_type.")
    return kind


def shape_of_files(c: shapes.ShapeContext) -> Any:
    """A scalar. Checks that the file names are a scalar or a vector, other inputs scalars."""
    for argument in c.record.schema.inputs:
        shape = c.shape(argument.name)
        if argument.name != "filenames":
            c.with_rank(argument.name, 0)
        elif shape is not None and len(shape) > 1:
            c.fail(f"Shape must be at most rank 1 but is rank {len(shape)}")
    return ()
