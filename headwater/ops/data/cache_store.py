"""Where cached datasets keep their elements: in memory, or in files."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.io.checkpoint_bundle import BundleReader, BundleWriter
from headwater.io.checkpoint_files import data_path, index_path
from headwater.io.checkpoint_merge import merge_bundles
from headwater.io.files import file_exists, open_file, read_bytes, remove_file
from headwater.ops.data.dataset import (
    Element,
    ElementIterator,
    Rows,
    SavedState,
    joined_rows,
    restore_elements,
    rows_to_element,
    save_elements,
)
from headwater.ops.data.rows import ElementsIterator, RowsIterator

# Blocks of rows are joined when there are so many.
_MOST_BLOCKS = 1024
# The digits of the number of an element in the names in a file.
_DIGITS = 7


class Kept:
    """Elements in memory: rows as long as their shapes are equal."""

    def __init__(self) -> None:
        self._blocks: list[Rows] = []
        self._elements: list[Element] | None = None
        self._row_shapes: list[tuple[int, ...]] | None = None

    def add(self, rows: Rows) -> None:
        """Adds rows."""
        row_shapes = [array.shape[1:] for array in rows]
        if self._row_shapes is None:
            self._row_shapes = row_shapes
        if self._elements is None and row_shapes != self._row_shapes:
            self._elements = _elements_of(self._blocks)
            self._blocks = []
        if self._elements is not None:
            self._elements += _elements_of([rows])
            return
        self._blocks.append(rows)
        if len(self._blocks) >= 2 * _MOST_BLOCKS:
            # Blocks that are as large already stay as they are: no row is copied often.
            small = self._blocks[-_MOST_BLOCKS:]
            self._blocks[-_MOST_BLOCKS:] = [joined_rows(small)]

    def finish(self) -> None:
        """Ends the additions."""
        if len(self._blocks) > 1:
            self._blocks = [joined_rows(self._blocks)]

    def iterate(self) -> ElementIterator:
        """An iterator over the elements."""
        if self._blocks:
            return RowsIterator(self._blocks[0], len(self._blocks[0][0]))
        return ElementsIterator(self._elements or [])

    def save(self, state: SavedState, prefix: str) -> None:
        """Writes the elements to a state."""
        blocks = [joined_rows(self._blocks)] if self._blocks else []
        save_elements(state, f"{prefix}/blocks", blocks)
        save_elements(state, f"{prefix}/elements", self._elements or [])

    def restore(self, state: SavedState, prefix: str) -> None:
        """Reads what `save` has written."""
        for rows in restore_elements(state, f"{prefix}/blocks"):
            self.add(rows)
        for element in restore_elements(state, f"{prefix}/elements"):
            self.add([np.asarray(value)[np.newaxis] for value in element])


def _elements_of(blocks: Sequence[Rows]) -> list[Element]:
    return [rows_to_element(rows, i) for rows in blocks for i in range(len(rows[0]))]


class MemoryCache:
    """The elements of a dataset, once an iterator has gone through all of them."""

    def __init__(self) -> None:
        self.kept: Kept | None = None


def has_file(filename: str) -> bool:
    """Whether files with elements are complete."""
    return file_exists(index_path(filename))


def _name(element: int, component: int, components: int) -> str:
    width = len(str(components))
    return f"{element:{_DIGITS}d}_{component:{width}d}"


class FileCacheWriter:
    """Writes elements to files, which can be read when all are written.

    Each time an iterator is saved, a part of the files ends: a restored iterator goes on with the
    next part.

    Args:
        filename: the beginning of the names of the files.
        types: the types of the components.
    """

    def __init__(self, filename: str, types: Sequence[DType]) -> None:
        self._filename = filename
        self._types = types
        self._bundle: BundleWriter | None = None
        # The numbers of the part that is written, and of the next element.
        self.part = 0
        self.count = 0

    def _prefix(self, part: int) -> str:
        return f"{self._filename}_{part}"

    def _lock(self, part: int) -> str:
        return f"{self._prefix(part)}.lockfile"

    def begin(self) -> None:
        """Opens the files of a part, if they are not open.

        Raises:
            AlreadyExistsError: if another iterator writes these files, or has left a part.
        """
        if self._bundle is not None:
            return
        prefix, lock = self._prefix(self.part), self._lock(self.part)
        if file_exists(index_path(prefix)):
            raise errors.AlreadyExistsError(
                None,
                None,
                f"Existing cache files found: \n{index_path(prefix)}\n{data_path(prefix, 0, 1)}\n"
                "To continue delete the above files.",
            )
        if file_exists(lock):
            contents = read_bytes(lock).decode(errors="replace")
            raise errors.AlreadyExistsError(
                None,
                None,
                "There appears to be a concurrent caching iterator running - cache lockfile "
                f"already exists ('{lock}'). If you are sure no other running TF "
                "computations are using this cache prefix, delete the lockfile and re-initialize "
                f"the iterator. Lockfile contents: {contents}",
            )
        with open_file(lock, "wb") as file:
            file.write(f"Created at: {int(time.time())}".encode())
        self._bundle = BundleWriter(prefix)

    def add(self, element: Element) -> None:
        """Writes an element to the files that are open."""
        assert self._bundle is not None
        for i, (value, dtype) in enumerate(zip(element, self._types)):
            self._bundle.add(_name(self.count, i, len(self._types)), np.asarray(value), dtype)
        self.count += 1

    def end_part(self) -> None:
        """Ends the part that is written, if there is one."""
        if self._bundle is not None:
            self._bundle.finish()
            self._bundle = None
            self.part += 1

    def finish(self) -> None:
        """Makes the files readable."""
        self.end_part()
        merge_bundles([self._prefix(part) for part in range(self.part)], self._filename)
        for part in range(self.part):
            remove_file(self._lock(part), missing_ok=True)

    def abandon(self) -> None:
        """Removes the files of the part that is written."""
        if self._bundle is not None:
            self._bundle.abandon()
            self._bundle = None
            remove_file(self._lock(self.part), missing_ok=True)


class FileCacheReader(ElementIterator):
    """Reads the elements that a FileCacheWriter has written.

    Args:
        filename: the beginning of the names of the files.
        types: the types of the components.
    """

    def __init__(self, filename: str, types: Sequence[DType]) -> None:
        self._reader = BundleReader(filename)
        self._types = types
        self._position = 0

    def next(self) -> Element | None:
        if _name(self._position, 0, len(self._types)) not in self._reader:
            return None
        element: list[Any] = []
        for i, dtype in enumerate(self._types):
            name = _name(self._position, i, len(self._types))
            found, _ = self._reader.dtype_and_shape(name)
            if found != dtype:
                raise errors.InternalError(
                    None,
                    None,
                    f"Output {i} of type {found.name} does not match declared output type "
                    f"{dtype.name}",
                )
            element.append(self._reader.read(name))
        self._position += 1
        return element

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/position"] = self._position

    def restore(self, state: SavedState, prefix: str) -> None:
        self._position = int(state[f"{prefix}/position"])
