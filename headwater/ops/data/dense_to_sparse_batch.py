"""DenseToSparseBatchDataset: dense elements of different sizes as sparse batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.io.tensor_proto import make_tensor_proto
from headwater.ops.data.dataset import (
    INFINITE,
    UNKNOWN,
    Dataset,
    Element,
    ElementIterator,
    InputIterator,
    IteratorContext,
    dataset_of,
    scalar_inputs,
    scalar_of,
    variant_of,
)


class DenseToSparseBatchDataset(Dataset):
    """Batches of elements as sparse tensors that have all their values.

    Args:
        source: the input, whose elements have one component.
        batch_size: the number of elements.
        row_shape: the dense shape of a row; -1 for the largest size of the batch.
    """

    def __init__(
        self,
        source: Dataset,
        batch_size: int,
        row_shape: list[int],
        types: Any,
        component_shapes: Any,
    ) -> None:
        super().__init__(types, component_shapes, [source])
        self.batch_size = batch_size
        self.row_shape = row_shape

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _DenseToSparseIterator(self, context)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return count if count in (INFINITE, UNKNOWN) else -(-count // self.batch_size)


class _DenseToSparseIterator(InputIterator):
    def __init__(self, dataset: DenseToSparseBatchDataset, context: IteratorContext) -> None:
        super().__init__(dataset.inputs[0], context)
        self._size = dataset.batch_size
        self._row_shape = dataset.row_shape

    def next(self) -> Element | None:
        values: list[Array] = []
        while len(values) < self._size:
            element = self._input.next()
            if element is None:
                break
            self._check(element[0].shape)
            values.append(element[0])
        return self._sparse(values) if values else None

    def _check(self, found: tuple[int, ...]) -> None:
        """Raises an error if an element does not fit the shape of a row."""
        if len(found) != len(self._row_shape):
            fail(
                f"Input element had shape ({shapes.show(found)}) that is incompatible with the "
                f"row shape ({_text(self._row_shape)})."
            )
        if any(dim != -1 and size > dim for size, dim in zip(found, self._row_shape)):
            raise errors.DataLossError(
                None,
                None,
                f"Input element had shape ({shapes.show(found)}) that is larger than the row "
                f"shape ({_text(self._row_shape)}).",
            )

    def _sparse(self, values: list[Array]) -> list[Array]:
        """The serialized sparse tensor of a batch: indices, values and dense shape."""
        rank = len(self._row_shape)
        indices = np.empty((sum(value.size for value in values), rank + 1), np.int64)
        start = 0
        for i, value in enumerate(values):
            part = indices[start : start + value.size]
            part[:, 0] = i
            part[:, 1:] = np.indices(value.shape).reshape(rank, value.size).T
            start += value.size
        largest = [max(dims) for dims in zip(*[value.shape for value in values])]
        dense = [most if dim == -1 else dim for dim, most in zip(self._row_shape, largest)]
        parts = [
            indices,
            np.concatenate([value.reshape(-1) for value in values]),
            np.array([len(values), *dense], np.int64),
        ]
        sparse = np.empty(3, object)
        for i, part in enumerate(parts):
            sparse[i] = make_tensor_proto(part).SerializeToString()
        return [sparse]


def _text(row_shape: list[int]) -> str:
    return "[" + ",".join("?" if dim == -1 else str(dim) for dim in row_shape) + "]"


def kernel_dense_to_sparse_batch_dataset(
    xp: ArrayModule,
    input_dataset: Array,
    batch_size: Array,
    row_shape: Array,
    *,
    output_types: Any,
    output_shapes: Any,
) -> Array:
    size = int(scalar_of(batch_size, "batch_size"))
    if size <= 0:
        fail("Batch size must be greater than zero.")
    if np.ndim(row_shape) != 1:
        fail("row_shape must be a vector")
    source = dataset_of(input_dataset)
    if len(source.shapes) != 1:
        fail("DenseToSparseBatchDataset only supports inputs with a single component.")
    return variant_of(
        DenseToSparseBatchDataset(source, size, row_shape.tolist(), output_types, output_shapes)
    )


def _register_dense_to_sparse_batch(name: str) -> None:
    register_op(
        name,
        inputs="input_dataset: variant, batch_size: int64, row_shape: int64",
        outputs="handle: variant",
        attrs="output_types: list(type) >= 1, output_shapes: list(shape) >= 1",
        shape=scalar_inputs("batch_size"),
        kernel=kernel_dense_to_sparse_batch_dataset,
        runs_on=RunsOn.HOST,
    )


_register_dense_to_sparse_batch("DenseToSparseBatchDataset")
_register_dense_to_sparse_batch("ExperimentalDenseToSparseBatchDataset")
