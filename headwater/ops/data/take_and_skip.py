"""TakeDataset and SkipDataset: the first elements, or those after them."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op
from headwater.ops.data.dataset import (
    INFINITE,
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    Rows,
    SavedState,
    dataset_of,
    scalar_inputs,
    scalar_of,
    skip_some,
    variant_of,
)


class TakeDataset(Dataset):
    """The first `count` elements; all if it is negative."""

    makes_early = True

    def __init__(self, source: Dataset, count: int, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes, [source])
        self.count = count

    @property
    def transformation(self) -> str:
        return "FiniteTake"

    @property
    def is_noop(self) -> bool:
        return self.count < 0

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _TakeIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count == UNKNOWN or self.count < 0:
            return count
        return self.count if count == INFINITE else min(count, self.count)


class _TakeIterator(InputIterator):
    def __init__(self, dataset: TakeDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._count = dataset.count
        self._position = 0

    def _allowed(self, count: int) -> int:
        allowed = count if self._count < 0 else min(count, self._count - self._position)
        if count and not allowed:
            self._end_input()
        return allowed

    def next(self) -> Element | None:
        if not self._allowed(1):
            return None
        element = self._input.next()
        self._position += element is not None
        return element

    def next_rows(self, count: int) -> Rows | None:
        allowed = self._allowed(count)
        rows = self._input.next_rows(allowed) if allowed else None
        if rows is not None:
            self._position += len(rows[0])
        return rows

    def skip(self, count: int) -> int:
        skipped = self._input.skip(self._allowed(count))
        self._position += skipped
        return skipped

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/position"] = self._position

    def restore(self, state: SavedState, prefix: str) -> None:
        self._position = int(state[f"{prefix}/position"])
        if self._allowed(1):
            super().restore(state, prefix)


class SkipDataset(Dataset):
    """The elements after the first `count` ones; none if it is negative."""

    makes_early = True

    def __init__(self, source: Dataset, count: int, types: Any, component_shapes: Any) -> None:
        super().__init__(types, component_shapes, [source])
        self.count = count

    @property
    def transformation(self) -> str:
        return "FiniteSkip"

    @property
    def is_noop(self) -> bool:
        return self.count == 0

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _SkipIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if self.count < 0:
            return 0
        return count if count in (INFINITE, UNKNOWN) else max(count - self.count, 0)


class _SkipIterator(InputIterator):
    def __init__(self, dataset: SkipDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._all = dataset.count < 0
        self._missing = max(dataset.count, 0)

    def _skip_first(self) -> bool:
        """Leaves out the first elements; returns whether others can follow."""
        while self._missing and not self._all:
            self._missing -= skip_some(self._input, self._missing) or self._missing
        return not self._all

    def next(self) -> Element | None:
        return self._input.next() if self._skip_first() else None

    def next_rows(self, count: int) -> Rows | None:
        return self._input.next_rows(count) if self._skip_first() else None

    def skip(self, count: int) -> int:
        return self._input.skip(count) if self._skip_first() else 0

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/missing"] = self._missing

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._missing = int(state[f"{prefix}/missing"])


def kernel_take_dataset(
    xp: ArrayModule, input_dataset: Array, count: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    number = int(scalar_of(count, "count"))
    return variant_of(TakeDataset(dataset_of(input_dataset), number, output_types, output_shapes))


def kernel_skip_dataset(
    xp: ArrayModule, input_dataset: Array, count: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    number = int(scalar_of(count, "count"))
    return variant_of(SkipDataset(dataset_of(input_dataset), number, output_types, output_shapes))


register_op(
    "TakeDataset",
    inputs="input_dataset: variant, count: int64",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("count"),
    kernel=kernel_take_dataset,
    runs_on=RunsOn.HOST,
)

register_op(
    "SkipDataset",
    inputs="input_dataset: variant, count: int64",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("count"),
    kernel=kernel_skip_dataset,
    runs_on=RunsOn.HOST,
)
