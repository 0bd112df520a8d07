"""UniqueDataset: each value once."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    SavedState,
    dataset_of,
    variant_of,
)


class UniqueDataset(Dataset):
    """The elements of the input that have not come before."""

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _UniqueIterator(self.inputs[0], context)


class _UniqueIterator(InputIterator):
    def __init__(self, source: Dataset, context: IteratorContext) -> None:
        super().__init__(source, context)
        self._seen: dict[Any, Array] = {}

    def next(self) -> Element | None:
        while (element := self._input.next()) is not None:
            value = element[0]
            key = value.item() if value.ndim == 0 else (value.shape, str(value.tolist()))
            if key not in self._seen:
                self._seen[key] = value
                return element
        return None

    def save(self, state: SavedState, prefix: str) -> None:
        super().save(state, prefix)
        state[f"{prefix}/count"] = len(self._seen)
        for i, value in enumerate(self._seen.values()):
            state[f"{prefix}/seen/{i}"] = value

    def restore(self, state: SavedState, prefix: str) -> None:
        super().restore(state, prefix)
        for i in range(int(state[f"{prefix}/count"])):
            value = np.asarray(state[f"{prefix}/seen/{i}"])
            key = value.item() if value.ndim == 0 else (value.shape, str(value.tolist()))
            self._seen[key] = value


def kernel_unique_dataset(
    xp: ArrayModule, input_dataset: Array, *, output_types: Any, output_shapes: Any
) -> Array:
    source = dataset_of(input_dataset)
    if [t.name for t in output_types] not in (["int32"], ["int64"], ["string"]):
        fail("UniqueDataset only supports inputs with a single `int32`, `int64` or `string`.")
    return variant_of(UniqueDataset(output_types, output_shapes, [source]))


def _register_unique(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=shapes.scalar,
        kernel=kernel_unique_dataset,
        runs_on=RunsOn.HOST,
    )


_register_unique("UniqueDataset")
_register_unique("ExperimentalUniqueDataset")
