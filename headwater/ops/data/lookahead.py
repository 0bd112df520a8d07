"""Elements that are made before it is their turn."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.ops.data.background import Block, Failure, restored_items, save_items
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    Rows,
    SavedState,
    rows_to_element,
    stacked_rows,
)


class Lookahead(ElementIterator):
    """The elements of a dataset, some of which may be made ahead.

    Args:
        dataset: the dataset.
        elements: an iterator over it.

    Attributes:
        may_be_early: whether `ready` may be called.
    """

    def __init__(self, dataset: Dataset, elements: ElementIterator) -> None:
        self.may_be_early = dataset.may_be_early()
        self._elements = elements
        self._block: Block | None = None
        self._failure: Exception | None = None

    def ready(self, count: int) -> int:
        """Makes elements ahead, up to `count`; returns how many there are, 0 before an error."""
        if self._block is None and self._failure is None:
            try:
                rows = self._elements.next_rows(count)
            except Exception as error:
                self._failure = error
            else:
                self._block = None if rows is None else Block(rows)
        return 0 if self._block is None else self._block.size

    def ready_shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the elements that are ready."""
        return [] if self._block is None else [array.shape[1:] for array in self._block.rows]

    def next(self) -> Element | None:
        if self._block is None and self._failure is None:
            return self._elements.next()
        rows = self.next_rows(1)
        return None if rows is None else rows_to_element(rows, 0)

    def next_rows(self, count: int) -> Rows | None:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        if self._block is None:
            return self._elements.next_rows(count)
        return self.take(count)

    def take(self, count: int) -> Rows:
        """The next elements that are ready: `count`, or fewer."""
        assert self._block is not None
        rows = self._block.take(count)
        if not self._block.size:
            self._block = None
        return rows

    def save(self, state: SavedState, prefix: str) -> None:
        items: list[Sequence[object]] = []
        self._elements.save(state, prefix)
        if self._block is not None:
            start, stop = self._block.position, self._block.position + self._block.size
            items = [rows_to_element(self._block.rows, i) for i in range(start, stop)]
        failures = [] if self._failure is None else [Failure(self._failure)]
        save_items(state, f"{prefix}/ready", [*items, *failures])

    def restore(self, state: SavedState, prefix: str) -> None:
        self._elements.restore(state, prefix)
        items = restored_items(state, f"{prefix}/ready")
        elements = [item for item in items if not isinstance(item, Failure)]
        for item in items:
            if isinstance(item, Failure) and isinstance(item.error, Exception):
                self._failure = item.error
        if elements:
            self._block = Block(stacked_rows(elements))

    def close(self) -> None:
        self._elements.close()
