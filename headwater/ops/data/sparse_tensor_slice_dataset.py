"""SparseTensorSliceDataset: the slices of a sparse tensor along its first dimension."""

from __future__ import annotations

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.data.dataset import (
    Dataset,
    Element,
    ElementIterator,
    IteratorContext,
    SavedState,
    variant_of,
)


class SparseTensorSliceDataset(Dataset):
    """The slices of a sparse tensor: the indices, values and dense shape of each."""

    def __init__(self, indices: Array, values: Array, dense_shape: Array, dtype: DType) -> None:
        rank = len(dense_shape) - 1
        super().__init__([dtypes.int64, dtype, dtypes.int64], [(None, rank), (None,), (rank,)])
        self.count = int(dense_shape[0])
        self.indices = indices[:, 1:]
        self.values = values
        self.dense_shape = dense_shape[1:]
        # Slice i has the values from starts[i] to starts[i + 1].
        self.starts = np.searchsorted(indices[:, 0], np.arange(self.count + 1))

    def iterate(self, context: IteratorContext) -> ElementIterator:
        return _SparseSliceIterator(self)

    def cardinality(self) -> int:
        return self.count


class _SparseSliceIterator(ElementIterator):
    def __init__(self, dataset: SparseTensorSliceDataset) -> None:
        self._dataset = dataset
        self._position = 0

    def next(self) -> Element | None:
        dataset = self._dataset
        if self._position >= dataset.count:
            return None
        part = slice(*dataset.starts[self._position : self._position + 2])
        self._position += 1
        return [dataset.indices[part], dataset.values[part], dataset.dense_shape]

    def skip(self, count: int) -> int:
        skipped = min(count, self._dataset.count - self._position)
        self._position += skipped
        return skipped

    def save(self, state: SavedState, prefix: str) -> None:
        state[f"{prefix}/position"] = self._position

    def restore(self, state: SavedState, prefix: str) -> None:
        self._position = int(state[f"{prefix}/position"])


def kernel_sparse_tensor_slice_dataset(
    xp: ArrayModule, indices: Array, values: Array, dense_shape: Array, *, Tvalues: DType
) -> Array:
    if np.ndim(indices) != 2:
        fail(f"Input indices should be a matrix but received shape {shapes.show(indices.shape)}")
    if np.ndim(values) != 1:
        fail(f"Input values should be a vector but received shape {shapes.show(values.shape)}")
    if np.ndim(dense_shape) != 1:
        text = "Input shape should be a vector but received shape"
        fail(f"{text} {shapes.show(dense_shape.shape)}")
    if len(indices) != len(values):
        fail(
            "indices and values rows (indexing dimension) must match. (indices = "
            f"{len(indices)}, values = {len(values)})"
        )
    if indices.shape[1] != len(dense_shape):
        fail("Order length must be SparseTensor rank.")
    if not len(dense_shape) or dense_shape[0] < 0:
        fail(f"Dense shape must have a first dimension, got {dense_shape.tolist()}")
    if np.any(np.diff(indices[:, 0]) < 0):
        raise errors.UnimplementedError(
            None,
            None,
            "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered "
            "input is not currently supported.",
        )
    return variant_of(SparseTensorSliceDataset(indices, values, dense_shape, Tvalues))


register_op(
    "SparseTensorSliceDataset",
    inputs="indices: int64, values: Tvalues, dense_shape: int64",
    outputs="handle: variant",
    attrs="Tvalues: type",
    shape=shapes.scalar,
    kernel=kernel_sparse_tensor_slice_dataset,
    runs_on=RunsOn.HOST,
    stateful=True,
)
