"""BatchDataset: several elements in a row, stacked."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from headwater.base import cancellation
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, DTypeLike, ShapeLike
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
    joined_rows,
    restore_elements,
    save_elements,
    scalar_inputs,
    scalar_of,
    variant_of,
    without_noops,
)


class BatchDataset(Dataset):
    """Stacks `batch_size` elements; the last batch may be smaller unless it is dropped."""

    makes_early = True

    def __init__(
        self,
        source: Dataset,
        batch_size: int,
        drop_remainder: bool,
        types: Any,
        component_shapes: ShapeLike,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.batch_size = batch_size
        self.drop_remainder = drop_remainder

    def replacement(self, context: IteratorContext) -> Dataset:
        if "map_and_batch_fusion" not in context.optimizations:
            return self
        return without_noops(self.inputs[0], context).fused_batch(self) or self

    def iterate(self, context: IteratorContext) -> ElementIterator:
        fused = self.replacement(context)
        if fused is not self:
            return fused.iterate(context.renamed(fused.transformation))
        return _BatchIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count in (INFINITE, UNKNOWN):
            return count
        whole, rest = divmod(count, self.batch_size)
        return whole + (rest > 0 and not self.drop_remainder)


class _BatchIterator(InputIterator):
    def __init__(self, dataset: BatchDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._size = dataset.batch_size
        self._drop_remainder = dataset.drop_remainder
        # Rows that `next_rows` has taken and that are not part of a batch yet.
        self._taken: deque[Rows] = deque()

    def next(self) -> Element | None:
        parts: list[Rows] = []
        missing = self._size
        while missing:
            cancellation.check()
            rows = self._next_part(missing)
            if rows is None:
                break
            parts.append(rows)
            missing -= len(rows[0])
        if not parts or (missing and self._drop_remainder):
            return None
        return joined_rows(parts)

    def _next_part(self, count: int) -> Rows | None:
        """Some of the next elements."""
        if not self._taken:
            return self._input.next_rows(count)
        rows = self._taken.popleft()
        if len(rows[0]) <= count:
            return rows
        self._taken.appendleft([array[count:] for array in rows])
        return [array[:count] for array in rows]

    def next_rows(self, count: int) -> Rows | None:
        size, taken = self._size, self._taken
        have = sum(len(rows[0]) for rows in taken)
        if count > 1 and have < size:
            cancellation.check()
            try:
                rows = self._input.next_rows(count * size - have)
            except BaseException:
                # An error costs the batch.
                taken.clear()
                raise
            if rows is not None:
                taken.append(rows)
                have += len(rows[0])
        batches = min(have // size, count)
        if batches < 2 or not _have_equal_shapes(taken):
            return super().next_rows(1)
        joined, whole = joined_rows(taken), batches * size
        taken.clear()
        if whole < have:
            taken.append([array[whole:] for array in joined])
        return [a[:whole].reshape(batches, size, *a.shape[1:]) for a in joined]

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        save_elements(state, f"{prefix}/taken", self._taken)

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._taken.extend(restore_elements(state, f"{prefix}/taken"))


def _have_equal_shapes(parts: Sequence[Rows]) -> bool:
    first = [array.shape[1:] for array in parts[0]]
    return all([array.shape[1:] for array in rows] == first for rows in parts)


def kernel_batch_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    batch_size: Array,
    drop_remainder: Array = False,
    *,
    output_types: DTypeLike | Sequence[DTypeLike],
    output_shapes: Sequence[ShapeLike],
) -> Array:
    size = int(scalar_of(batch_size, "batch_size"))
    if size <= 0:
        fail("Batch size must be greater than zero.")
    drop = bool(scalar_of(drop_remainder, "drop_remainder"))
    source = dataset_of(input_dataset)
    return variant_of(BatchDataset(source, size, drop, output_types, output_shapes))


register_op(
    "BatchDataset",
    inputs="input_dataset: variant, batch_size: int64",
    outputs="handle: variant",
    attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=scalar_inputs("batch_size"),
    kernel=kernel_batch_dataset,
    runs_on=RunsOn.HOST,
)

register_op(
    "BatchDatasetV2",
    inputs="input_dataset: variant, batch_size: int64, drop_remainder: bool",
    outputs="handle: variant",
    attrs="parallel_copy: bool = false, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1",
    shape=scalar_inputs("batch_size", "drop_remainder"),
    kernel=kernel_batch_dataset,
    runs_on=RunsOn.HOST,
)
