"""ShardDataset and AutoShardDataset: every nth element, or those of every nth file."""

from __future__ import annotations

from typing import Any

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
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
    rows_to_element,
    scalar_inputs,
    scalar_of,
    skip_some,
    variant_of,
)

# The rows of the input that are taken at a time, of which one in `num_shards` is kept.
_MOST_ROWS = 65536


class ShardDataset(Dataset):
    """The elements whose number modulo `num_shards` is `index`."""

    makes_early = True

    def __init__(
        self,
        source: Dataset,
        num_shards: int,
        index: int,
        require_non_empty: bool,
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.num_shards = num_shards
        self.index = index
        self.require_non_empty = require_non_empty

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _ShardIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count in (INFINITE, UNKNOWN):
            return count
        whole, rest = divmod(count, self.num_shards)
        return whole + (self.index < rest)


class _ShardIterator(InputIterator):
    def __init__(self, dataset: ShardDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._num_shards = dataset.num_shards
        self._index = dataset.index
        self._require_non_empty = dataset.require_non_empty
        # The number of the next element of the input.
        self._position = 0

    def next(self) -> Element | None:
        rows = self.next_rows(1)
        return None if rows is None else rows_to_element(rows, 0)

    def next_rows(self, count: int) -> Rows | None:
        if not self._skip((self._index - self._position) % self._num_shards):
            return None
        wanted = min((count - 1) * self._num_shards + 1, _MOST_ROWS)
        first = self._position < self._num_shards
        rows = self._input.next_rows(1 if first and self._require_non_empty else wanted)
        if rows is None:
            return None
        self._position += len(rows[0])
        if first and self._require_non_empty and not self._skip(self._num_shards - self._position):
            self._fail_empty()
        return [array[:: self._num_shards] for array in rows]

    def _skip(self, count: int) -> bool:
        """Leaves out elements of the input; returns whether there are so many."""
        while count:
            skipped = skip_some(self._input, count)
            if not skipped:
                return False
            self._position += skipped
            count -= skipped
        return True

    def _fail_empty(self) -> None:
        fail(
            "There aren't enough elements in this dataset for each shard to have at least one "
            f"element (# elems = {self._position}, # shards = {self._num_shards}). If you are "
            "using datasets with distribution strategy, consider turning dataset autosharding off "
            "with `tf.data.Options`."
        )

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/position"] = self._position

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._position = int(state[f"{prefix}/position"])


def kernel_shard_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    num_shards: Array,
    index: Array,
    *,
    require_non_empty: bool,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    number, place = int(scalar_of(num_shards, "num_shards")), int(scalar_of(index, "index"))
    if number <= 0:
        fail(f"Number of shards must be greater than zero (currently num_shards = {number}).")
    if not 0 <= place < number:
        fail(f"Index must be between 0 and {number - 1} (currently index = {place}).")
    source = dataset_of(input_dataset)
    return variant_of(
        ShardDataset(source, number, place, require_non_empty, output_types, output_shapes)
    )


def kernel_auto_shard_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    num_workers: Array,
    index: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    workers, place = int(scalar_of(num_workers, "num_workers")), int(scalar_of(index, "index"))
    if workers <= 0:
        fail("num_workers must be greater than zero.")
    if not 0 <= place < workers:
        fail(f"index must be between 0 and {workers - 1}")

    def shard(dataset: Dataset) -> Dataset:
        return ShardDataset(dataset, workers, place, False, dataset.types, dataset.shapes)

    source = dataset_of(input_dataset)
    return variant_of(source.shard_of_files(shard) or shard(source))


register_op(
    "ShardDataset",
    inputs="input_dataset: variant, num_shards: int64, index: int64",
    outputs="handle: variant",
    attrs="require_non_empty: bool = false, output_types: list(type) >= 1, "
    "output_shapes: list(shape) >= 1",
    shape=scalar_inputs("num_shards", "index"),
    kernel=kernel_shard_dataset,
    runs_on=RunsOn.HOST,
)


def _register_auto_shard(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, num_workers: int64, index: int64",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_auto_shard_dataset,
        runs_on=RunsOn.HOST,
    )


_register_auto_shard("AutoShardDataset")
_register_auto_shard("ExperimentalAutoShardDataset")
