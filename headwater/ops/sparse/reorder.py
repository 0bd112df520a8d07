"""Sparse tensors with their elements in row-major order: SparseReorder."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    SparseTensor,
    Tensor,
    build,
    export,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.sparse.index_checks import check_parts, checked_sparse, row_major


def kernel_sparse_reorder(
    xp: ArrayModule, input_indices: Array, input_values: Array, input_shape: np.ndarray
) -> tuple[Array, ...]:
    check_parts(input_indices, input_values, input_shape)
    order = row_major(xp, input_indices)
    # A traced order cannot index an array of NumPy, which a constant is.
    return xp.asarray(input_indices)[order], xp.asarray(input_values)[order]


def reference_sparse_reorder(
    input_indices: np.ndarray, input_values: np.ndarray, input_shape: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    order = sorted(range(len(input_indices)), key=lambda i: tuple(input_indices[i]))
    return input_indices[order], input_values[order]


def gradient_sparse_reorder(
    op: Operation, indices_grad: Tensor | None, values_grad: TensorLike
) -> tuple[Tensor | None, ...]:
    indices, _, shape = op.inputs
    count = shape_tensor(indices)[0]
    numbers = build.Range(0, count, 1, name="range")
    order = sparse_reorder(SparseTensor(indices, numbers, shape)).values
    return None, build.GatherV2(values_grad, build.InvertPermutation(order), 0), None


def shape_sparse_reorder(c: shapes.ShapeContext) -> list[Shape]:
    indices = c.with_rank("input_indices", 2)
    values = c.with_rank("input_values", 1)
    c.with_rank("input_shape", 1)
    return [indices, values]


def samples_sparse_reorder() -> Iterator[Sample]:
    rows = np.array([[1, 2], [0, 3], [1, 0], [0, 0]])
    shape = np.array([2, 4])
    yield Sample(rows, np.array([1.0, 2.0, 3.0, 4.0], np.float32), shape)
    yield Sample(rows, np.array([b"a", b"b", b"c", b"d"], object), shape)
    yield Sample(np.zeros([0, 2], np.int64), np.zeros([0], np.int32), shape)


register_op(
    "SparseReorder",
    inputs="input_indices: int64, input_values: T, input_shape: int64",
    outputs="output_indices: int64, output_values: T",
    attrs="T: type",
    shape=shape_sparse_reorder,
    kernel=kernel_sparse_reorder,
    gradient=gradient_sparse_reorder,
    reference=reference_sparse_reorder,
    samples=samples_sparse_reorder,
)


@export("sparse_reorder", "sparse.reorder")
def sparse_reorder(sp_input: TensorLike | SparseTensor, name: str | None = None) -> SparseTensor:
    """Puts the elements of a sparse tensor into row-major order.

    Args:
        sp_input: a SparseTensor.
        name: the name of the node.

    Returns:
        A SparseTensor of the same shape and values.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    indices, values = build.SparseReorder(
        sparse.indices, sparse.values, sparse.dense_shape, name=name
    )
    static = sparse.shape
    if static.is_fully_defined():
        return SparseTensor(indices, values, np.array(static.as_list(), np.int64))
    return SparseTensor(indices, values, build.Identity(sparse.dense_shape))
