"""RebatchDataset: batches for several replicas."""

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
    SavedState,
    dataset_of,
    restore_elements,
    save_elements,
    scalar_of,
    variant_of,
)


class RebatchDataset(Dataset):
    """Each batch as `num_replicas` smaller ones; the last of them may be smaller or empty."""

    def __init__(
        self, source: Dataset, num_replicas: int, types: Any, component_shapes: Any
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.num_replicas = num_replicas

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _RebatchIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return count if count in (INFINITE, UNKNOWN) else count * self.num_replicas


class _RebatchIterator(InputIterator):
    def __init__(self, dataset: RebatchDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._num_replicas = dataset.num_replicas
        self._batch: Element = []
        self._replica = dataset.num_replicas

    def next(self) -> Element | None:
        if self._replica == self._num_replicas:
            batch = self._input.next()
            if batch is None:
                return None
            _check_batch(batch)
            self._batch, self._replica = batch, 0
        size = -(-len(self._batch[0]) // self._num_replicas)
        start = self._replica * size
        self._replica += 1
        return [component[start : start + size] for component in self._batch]

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/replica"] = self._replica
        save_elements(state, f"{prefix}/batch", [self._batch])

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._replica = int(state[f"{prefix}/replica"])
        (self._batch,) = restore_elements(state, f"{prefix}/batch")


def _check_batch(batch: Element) -> None:
    for i, component in enumerate(batch):
        if component.ndim == 0:
            fail(
                "Cannot rebatch dataset: All components must have at least one dimension. Perhaps "
                f"your input dataset is not batched? Component {i} is scalar."
            )
        if len(component) != len(batch[0]):
            fail(
                "Cannot use rebatching fallback: 0th dimensions of dataset components don't match. "
                f"Component {i} has batch dimension: {len(component)} while previous components "
                f"have batch dimension: {len(batch[0])}"
            )


def kernel_rebatch_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    num_replicas: Array,
    *,
    use_fallback: bool,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    number = int(scalar_of(num_replicas, "num_replicas"))
    if number <= 0:
        fail("num_replicas must be greater than zero.")
    source = dataset_of(input_dataset)
    return variant_of(RebatchDataset(source, number, output_types, output_shapes))


def _register_rebatch(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, num_replicas: int64",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1, "
        "use_fallback: bool = true",
        shape=shapes.scalar,
        kernel=kernel_rebatch_dataset,
        runs_on=RunsOn.HOST,
    )


_register_rebatch("RebatchDataset")
_register_rebatch("ExperimentalRebatchDataset")
