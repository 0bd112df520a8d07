"""RangeDataset: integers in arithmetic progression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, DTypeLike, ShapeLike
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    MOST_ROWS,
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    scalar_of,
    variant_of,
)


class RangeDataset(Dataset):
    """The numbers of a range."""

    makes_early = True

    def __init__(self, numbers: range, types: Any, component_shapes: ShapeLike) -> None:
        super().__init__(types, component_shapes)
        self.numbers = numbers

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _RangeIterator(self.numbers, self.types[0].numpy_dtype)

    def cardinality(self) -> int:
        return len(self.numbers)


class _RangeIterator(ElementIterator):
    def __init__(self, numbers: range, dtype: DTypeLike) -> None:
        self._numbers = numbers
        self._dtype = dtype
        self._position = 0

    def next(self) -> Element | None:
        if self._position >= len(self._numbers):
            return None
        self._position += 1
        return [np.asarray(self._numbers[self._position - 1], self._dtype)]

    def next_rows(self, count: int) -> Rows | None:
        cancellation.check()
        part = self._numbers[self._position : self._position + min(count, MOST_ROWS)]
        self._position += len(part)
        numbers = np.arange(part.start, part.stop, part.step)
        return [np.asarray(numbers, self._dtype)] if part else None

    def skip(self, count: int) -> int:
        skipped = min(count, len(self._numbers) - self._position)
        self._position += skipped
        return skipped

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/position"] = self._position

    def restore(self, state: SavedState, prefix: str) -> None:
        self._position = int(state[f"{prefix}/position"])


def kernel_range_dataset(
    xp: ArrayModule,
    start: Array,
    stop: Array,
    step: Array,
    *,
    output_types: Any,
    output_shapes: Sequence[ShapeLike],
) -> Array:
    first, last, by = (
        int(scalar_of(value, name))
        for value, name in ((start, "start"), (stop, "stop"), (step, "step"))
    )
    if by == 0:
        fail("step must be a non-zero integer.")
    return variant_of(RangeDataset(range(first, last, by), output_types, output_shapes))


register_op(
    "RangeDataset",
    inputs="start: int64, stop: int64, step: int64",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_range_dataset,
    runs_on=RunsOn.HOST,
    stateful=True,
)
