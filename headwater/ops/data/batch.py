"""BatchDataset: several elements in a row, stacked."""

from __future__ import annotations

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

    def iterate(self, context: IteratorContext) -> ElementIterator:
        if "map_and_batch_fusion" in context.optimizations:
            fused = without_noops(self.inputs[0], context).fused_batch(self)
            if fused is not None:
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
        # The first elements of a batch, which `next_rows` has taken.
        self._begun: Rows | None = None

    def next(self) -> Element | None:
        parts: list[Rows] = []
        missing = self._size
        if self._begun is not None:
            parts.append(self._begun)
            missing -= len(self._begun[0])
            self._begun = None
        while missing:
            cancellation.check()
            rows = self._input.next_rows(missing)
            if rows is None:
                break
            parts.append(rows)
            missing -= len(rows[0])
        if not parts or (missing and self._drop_remainder):
            return None
        return joined_rows(parts)

    def next_rows(self, count: int) -> Rows | None:
        size = self._size
        if self._begun is None and count > 1:
            cancellation.check()
            rows = self._input.next_rows(count * size)
            if rows is None:
                return None
            batches, rest = divmod(len(rows[0]), size)
            whole = batches * size
            if rest:
                self._begun = [array[whole:] for array in rows] if whole else rows
            if batches:
                return [a[:whole].reshape(batches, size, *a.shape[1:]) for a in rows]
        return super().next_rows(count)

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        save_elements(state, f"{prefix}/begun", [] if self._begun is None else [self._begun])

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        begun = restore_elements(state, f"{prefix}/begun")
        self._begun = begun[0] if begun else None


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
