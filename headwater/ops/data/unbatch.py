"""UnbatchDataset: the rows of each element."""

from __future__ import annotations

from typing import Any

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    Rows,
    SavedState,
    dataset_of,
    restore_elements,
    rows_to_element,
    save_elements,
    variant_of,
)


class UnbatchDataset(Dataset):
    """The rows of the elements, which are batches."""

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _UnbatchIterator(self.inputs[0], context)


class _UnbatchIterator(InputIterator):
    def __init__(self, source: Dataset, context: IteratorContext) -> None:
        super().__init__(source, context)
        self._batch: Element | None = None
        self._size = 0
        self._position = 0

    def _has_rows(self) -> bool:
        """Goes to the next batch if this one has ended; returns whether there is one."""
        while self._position == self._size:
            self._batch = None
            self._position = self._size = 0
            batch = self._input.next()
            if batch is None:
                return False
            for i, component in enumerate(batch):
                if component.ndim == 0:
                    fail("Input element must have a non-scalar value in each component.")
                if len(component) != len(batch[0]):
                    fail(
                        "Input element must have the same batch size in each component. Component "
                        f"0 had size {len(batch[0])} but component {i} had size, "
                        f"{len(component)}."
                    )
            self._batch, self._size = batch, len(batch[0])
        return True

    def next(self) -> Element | None:
        if not self._has_rows():
            return None
        assert self._batch is not None
        self._position += 1
        return rows_to_element(self._batch, self._position - 1)

    def next_rows(self, count: int) -> Rows | None:
        if not self._has_rows():
            return None
        assert self._batch is not None
        start, stop = self._position, min(self._position + count, self._size)
        self._position = stop
        return [array[start:stop] for array in self._batch]

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/position"] = self._position
        save_elements(state, f"{prefix}/batch", [] if self._batch is None else [self._batch])

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        self._position = int(state[f"{prefix}/position"])
        batches = restore_elements(state, f"{prefix}/batch")
        self._batch = batches[0] if batches else None
        self._size = len(batches[0][0]) if batches else 0


def kernel_unbatch_dataset(
    xp: ArrayModule, input_dataset: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    return variant_of(UnbatchDataset(output_types, output_shapes, [dataset_of(input_dataset)]))


def _register_unbatch(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_unbatch_dataset,
        runs_on=RunsOn.HOST,
    )


_register_unbatch("UnbatchDataset")
_register_unbatch("ExperimentalUnbatchDataset")
