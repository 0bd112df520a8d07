"""Datasets of elements that are in memory: windows, groups, caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    rows_to_element,
    stacked_rows,
)


class RowsDataset(Dataset):
    """The rows of arrays."""

    def __init__(self, rows: Rows, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes)
        self.rows = rows

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return RowsIterator(self.rows, len(self.rows[0]))

    def cardinality(self) -> int:
        return len(self.rows[0])


class ElementsDataset(Dataset):
    """Elements of any shapes."""

    def __init__(self, elements: Sequence[Element], types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes)
        self.elements = elements

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return ElementsIterator(self.elements)

    def cardinality(self) -> int:
        return len(self.elements)


class RowsIterator(ElementIterator):
    """Goes through the rows of arrays.

    Args:
        rows: the components, stacked.
        count: the number of rows.
    """

    def __init__(self, rows: Rows, count: int) -> None:
        self._rows = rows
        self._count = count
        self._position = 0

    def next(self) -> Element | None:
        if self._position >= self._count:
            return None
        self._position += 1
        return rows_to_element(self._rows, self._position - 1)

    def next_rows(self, count: int) -> Rows | None:
        start, stop = self._position, min(self._position + count, self._count)
        self._position = stop
        return [array[start:stop] for array in self._rows] if start < stop else None

    def skip(self, count: int) -> int:
        skipped = min(count, self._count - self._position)
        self._position += skipped
        return skipped

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/position"] = self._position

    def restore(self, state: SavedState, prefix: str) -> None:
        self._position = int(state[f"{prefix}/position"])


def leading_equals(elements: Sequence[Element]) -> Sequence[Element]:
    """The first elements, as far as their shapes are equal."""
    first = [value.shape for value in elements[0]] if elements else []
    for i, element in enumerate(elements):
        if [value.shape for value in element] != first:
            return elements[:i]
    return elements


class ElementsIterator(ElementIterator):
    """Goes through a list of elements."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._elements = elements
        self._position = 0

    def next(self) -> Element | None:
        if self._position >= len(self._elements):
            return None
        self._position += 1
        return self._elements[self._position - 1]

    def next_rows(self, count: int) -> Rows | None:
        part = leading_equals(self._elements[self._position : self._position + count])
        self._position += len(part)
        return stacked_rows(part) if part else None

    def next_elements(self, count: int) -> list[Element]:
        part = self._elements[self._position : self._position + count]
        self._position += len(part)
        return list(part)

    def skip(self, count: int) -> int:
        skipped = min(count, len(self._elements) - self._position)
        self._position += skipped
        return skipped

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/position"] = self._position

    def restore(self, state: SavedState, prefix: str) -> None:
        self._position = int(state[f"{prefix}/position"])
