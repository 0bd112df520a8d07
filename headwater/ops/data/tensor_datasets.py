"""TensorDataset and TensorSliceDataset: one element, or the slices of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    ElementIterator,
    IteratorContext,
    Rows,
    variant_of,
)
from headwater.ops.data.rows import RowsIterator


class TensorDataset(Dataset):
    """One element."""

    makes_early = True

    def __init__(self, components: Sequence[Array], types: Any) -> None:
        super().__init__(types, [value.shape for value in components])
        self.rows = [value[np.newaxis] for value in components]

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return RowsIterator(self.rows, 1)

    def cardinality(self) -> int:
        return 1


class TensorSliceDataset(Dataset):
    """The slices of tensors along their first dimension."""

    makes_early = True

    def __init__(self, rows: Rows, types: Any) -> None:
        super().__init__(types, [array.shape[1:] for array in rows])
        self.rows = rows
        self.count = len(rows[0])

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return RowsIterator(self.rows, self.count)

    def cardinality(self) -> int:
        return self.count


def kernel_tensor_dataset(
    xp: ArrayModule, components: Sequence[Array], *, Toutput_types: Any, output_shapes: Any
) -> Array:
    return variant_of(TensorDataset(components, Toutput_types))


def kernel_tensor_slice_dataset(
    xp: ArrayModule, components: Sequence[Array], *, Toutput_types: Any, output_shapes: Any
) -> Array:
    if any(array.ndim == 0 for array in components):
        fail("All components must be at least 1-dimensional")
    if any(len(array) != len(components[0]) for array in components):
        fail("All components must have the same size in the 0th dimension")
    return variant_of(TensorSliceDataset(components, Toutput_types))


register_op(
    "TensorDataset",
    inputs="components: Toutput_types",
    outputs="handle: variant",
    attrs="Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_tensor_dataset,
    runs_on=RunsOn.HOST,
    stateful=True,
)

register_op(
    "TensorSliceDataset",
    inputs="components: Toutput_types",
    outputs="handle: variant",
    attrs="Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    shape=shapes.scalar,
    kernel=kernel_tensor_slice_dataset,
    runs_on=RunsOn.HOST,
    stateful=True,
)
