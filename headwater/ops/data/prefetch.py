"""PrefetchDataset: a thread makes elements ahead of their use."""

from __future__ import annotations

from typing import Any

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.background import (
    AUTOTUNE,
    Source,
    SourcePool,
    element_of,
    restored_items,
    save_items,
)
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    input_iterator,
    scalar_of,
    variant_of,
)
from headwater.ops.data.statistics import NodeStatistics, node_statistics

# The largest number of elements that wait if the size of the buffer is left to us.
_LARGEST_BUFFER = 512


class PrefetchDataset(Dataset):
    """The elements of a dataset, made by a thread."""

    def __init__(
        self, source: Dataset, buffer_size: int, types: Any, component_shapes: Any
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.buffer_size = buffer_size

    @property
    def is_noop(self) -> bool:
        return self.buffer_size == 0

    def iterate(self, context: IteratorContext) -> ElementIterator:
        if self.buffer_size == 0:
            return input_iterator(self.inputs[0], context)
        return _PrefetchIterator(self, context)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _PrefetchIterator(ElementIterator):
    def __init__(self, dataset: PrefetchDataset, context: IteratorContext) -> None:
        elements = input_iterator(dataset.inputs[0], context)
        self._elements = elements
        self._grows = dataset.buffer_size == AUTOTUNE
        self._source = Source(lambda: elements, 1 if self._grows else dataset.buffer_size)
        self._source.iterator = elements
        self._pool = SourcePool(context, 1)
        self._started = False
        self._statistics = node_statistics(dataset, context)

    def next(self) -> Element | None:
        source = self._source
        if not self._started:
            self._started = True
            self._pool.add(source)
        elif self._grows and not source.items and source.limit < _LARGEST_BUFFER:
            # The thread was not fast enough for so small a buffer.
            source.limit *= 2
        if self._statistics is not None:
            self._note(self._statistics)
        item = self._pool.take(source)
        return None if item is None else element_of(item)

    def _note(self, statistics: NodeStatistics) -> None:
        """Adds how full the buffer is when an element is taken."""
        waiting, limit = self._pool.waiting(self._source), self._source.limit
        if waiting:
            statistics.add("buffer_utilization", [waiting / limit])
            statistics.set("buffer_capacity", limit)
            statistics.set("buffer_size", waiting)
            statistics.elements += 1

    def save(self, state: SavedState, prefix: str) -> None:
        with self._pool.paused():
            self._elements.save(state, f"{prefix}/input")
            save_items(state, f"{prefix}/buffer", self._source.single_items())

    def restore(self, state: SavedState, prefix: str) -> None:
        self._elements.restore(state, f"{prefix}/input")
        self._source.items.extend(restored_items(state, f"{prefix}/buffer"))

    def close(self) -> None:
        self._pool.close()
        if not self._started:
            self._elements.close()


def kernel_prefetch_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    buffer_size: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    size = int(scalar_of(buffer_size, "buffer_size"))
    if size < AUTOTUNE:
        fail("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
    return variant_of(PrefetchDataset(dataset_of(input_dataset), size, output_types, output_shapes))


register_op(
    "PrefetchDataset",
    inputs="input_dataset: variant, buffer_size: int64",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1, "
    "slack_period: int = 0, legacy_autotune: bool = true",
    shape=shapes.scalar,
    kernel=kernel_prefetch_dataset,
    runs_on=RunsOn.HOST,
)
