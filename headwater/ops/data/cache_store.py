"""Where cached datasets keep their elements: in memory, or in files."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.io.checkpoint_bundle import BundleReader, BundleWriter, index_path
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

    Args:
        filename: the beginning of the names of the files.
        types: the types of the components.

    Raises:
        AlreadyExistsError: if another iterator writes these files.
    """

    def __init__(self, filename: str, types: Sequence[DType]) -> None:
        self._types = types
        self._count = 0
        # TensorFlow numbers the parts of a cache that is saved and restored while it is written.
        self._lock = f"{filename}_0.lockfile"
        if file_exists(self._lock):
            contents = read_bytes(self._lock).decode(errors="replace")
            raise errors.AlreadyExistsError(
                None,
                None,
                "There appears to be a concurrent caching iterator running - cache lockfile "
                f"already exists ('{self._lock}'). If you are sure no other running TF "
                "computations are using this cache prefix, delete the lockfile and re-initialize "
                f"the iterator. Lockfile contents: {contents}",
            )
        with open_file(self._lock, "wb") as file:
            file.write(f"Created at: {int(time.time())}".encode())
        self._bundle = BundleWriter(filename)

    def add(self, element: Element) -> None:
        """Writes an element."""
        for i, (value, dtype) in enumerate(zip(element, self._types)):
            self._bundle.add(_name(self._count, i, len(self._types)), np.asarray(value), dtype)
        self._count += 1

    def finish(self) -> None:
        """Makes the files readable."""
        self._bundle.finish()
        remove_file(self._lock, missing_ok=True)

    def abandon(self) -> None:
        """Removes the files."""
        self._bundle.abandon()
        remove_file(self._lock, missing_ok=True)


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
