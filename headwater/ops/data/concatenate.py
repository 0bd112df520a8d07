"""ConcatenateDataset: the elements of one dataset after those of another one."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    INFINITE,
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    dataset_of,
    input_iterator,
    variant_of,
)


class ConcatenateDataset(Dataset):
    """The elements of the inputs, one input after the other."""

    makes_early = True

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _ConcatenateIterator(self, context)

    def cardinality(self) -> int:
        counts = [source.cardinality() for source in self.inputs]
        if INFINITE in counts:
            return INFINITE
        return UNKNOWN if UNKNOWN in counts else sum(counts)


class _ConcatenateIterator(ElementIterator):
    def __init__(self, dataset: ConcatenateDataset, context: IteratorContext) -> None:
        self._datasets = dataset.inputs
        self._context = context
        self._number = 0
        self._current: ElementIterator | None = None
        self._begin(0)

    def _begin(self, number: int) -> None:
        self.close()
        self._number = number
        self._current = None
        if number < len(self._datasets):
            self._current = input_iterator(self._datasets[number], self._context, number)

    def next(self) -> Element | None:
        while self._current is not None:
            element = self._current.next()
            if element is not None:
                return element
            self._begin(self._number + 1)
        return None

    def next_rows(self, count: int) -> Rows | None:
        while self._current is not None:
            rows = self._current.next_rows(count)
            if rows is not None:
                return rows
            self._begin(self._number + 1)
        return None

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/number"] = self._number
        if self._current is not None:
            self._current.save(state, f"{prefix}/current")

    def restore(self, state: SavedState, prefix: str) -> None:
        number = int(state[f"{prefix}/number"])
        if number != self._number:
            self._begin(number)
        if self._current is not None:
            self._current.restore(state, f"{prefix}/current")

    def close(self) -> None:
        if self._current is not None:
            self._current.close()


def kernel_concatenate_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    another_dataset: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    sources = [dataset_of(input_dataset), dataset_of(another_dataset)]
    return variant_of(ConcatenateDataset(output_types, output_shapes, sources))


register_op(
    "ConcatenateDataset",
    inputs="input_dataset: variant, another_dataset: variant",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_concatenate_dataset,
    runs_on=RunsOn.HOST,
)
