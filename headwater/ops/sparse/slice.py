"""Parts of sparse tensors: SparseSlice and its gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    export,
    register_op,
    shapes,
)
from headwater.ops.sparse.index_checks import checked_sparse, listed


def kernel_sparse_slice(
    xp: ArrayModule,
    indices: np.ndarray,
    values: np.ndarray,
    shape: np.ndarray,
    start: np.ndarray,
    size: np.ndarray,
) -> tuple[Array, ...]:
    for name, vector in (("shape", shape), ("start", start), ("size", size)):
        if vector.ndim != 1:
            fail(f"Input {name} should be a vector but received shape {listed(vector.shape)}")
    rank = len(shape)
    for name, vector in (("start", start), ("size", size)):
        if len(vector) != rank:
            fail(f"Expected {name} to be a vector of length {rank} but got length {len(vector)}")
    if (size < 0).any():
        fail(f"Expected size to have no negative elements but got {listed(size)}")
    end = start + size
    inside = np.all((indices >= start) & (indices < end), axis=1)
    left = np.maximum(np.minimum(shape - start, size), 0)
    return indices[inside] - start, values[inside], left


def reference_sparse_slice(
    indices: np.ndarray, values: np.ndarray, shape: np.ndarray, start: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows, kept = [], []
    for row, value in zip(indices, values):
        if all(a <= i < a + n for i, a, n in zip(row, start, size)):
            rows.append([i - a for i, a in zip(row, start)])
            kept.append(value)
    left = [max(min(d - a, n), 0) for d, a, n in zip(shape, start, size)]
    return (
        np.array(rows, np.int64).reshape(len(rows), len(shape)),
        np.array(kept, values.dtype),
        np.array(left, np.int64),
    )


def gradient_sparse_slice(op: Operation, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
    indices, _, _, start, _ = op.inputs
    to_values = build.SparseSliceGrad(grads[1], indices, start, op.outputs[0])
    return None, to_values, None, None, None


def shape_sparse_slice(c: shapes.ShapeContext) -> list[Shape]:
    whole = c.shape("shape")
    rank = whole[0] if whole is not None and len(whole) == 1 else None
    return [(None, rank), (None,), whole]


def samples_sparse_slice() -> Iterator[Sample]:
    rows = np.array([[0, 1], [1, 3], [1, 6]])
    values = np.array([1.0, 2.0, 3.0], np.float32)
    for start, size in (([0, 2], [2, 3]), ([0, 2], [5, 30]), ([1, 7], [1, 1])):
        yield Sample(rows, values, np.array([2, 7]), np.array(start), np.array(size))
    words = np.array([b"a", b"b", b"c"], object)
    yield Sample(rows, words, np.array([2, 7]), np.array([0, 0]), np.array([2, 7]))


register_op(
    "SparseSlice",
    inputs="indices: int64, values: T, shape: int64, start: int64, size: int64",
    outputs="output_indices: int64, output_values: T, output_shape: int64",
    attrs="T: type",
    shape=shape_sparse_slice,
    kernel=kernel_sparse_slice,
    gradient=gradient_sparse_slice,
    reference=reference_sparse_slice,
    samples=samples_sparse_slice,
    dynamic_shape=True,
)


def kernel_sparse_slice_grad(
    xp: ArrayModule,
    backprop_val_grad: np.ndarray,
    input_indices: np.ndarray,
    input_start: np.ndarray,
    output_indices: np.ndarray,
) -> np.ndarray:
    if len(backprop_val_grad) != len(output_indices):
        fail(
            "# elements in backprop_val_grad and # rows in output_indices should match "
            f"(#elements, #rows) = ({len(backprop_val_grad)}, {len(output_indices)})"
        )
    result = np.zeros(len(input_indices), backprop_val_grad.dtype)
    # The elements of the slice are in the order of the input.
    kept = {tuple(row): i for i, row in enumerate((output_indices + input_start).tolist())}
    for i, row in enumerate(input_indices.tolist()):
        place = kept.get(tuple(row))
        if place is not None:
            result[i] = backprop_val_grad[place]
    return result


def shape_sparse_slice_grad(c: shapes.ShapeContext) -> Shape:
    c.with_rank("backprop_val_grad", 1)
    return (c.with_rank("input_indices", 2)[0],)


def samples_sparse_slice_grad() -> Iterator[Sample]:
    rows = np.array([[0, 1], [1, 3], [1, 6]])
    yield Sample(np.array([5.0], np.float32), rows, np.array([0, 2]), np.array([[1, 1]]))


register_op(
    "SparseSliceGrad",
    inputs="backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64",
    outputs="val_grad: T",
    attrs="T: numbertype",
    shape=shape_sparse_slice_grad,
    kernel=kernel_sparse_slice_grad,
    samples=samples_sparse_slice_grad,
    dynamic_shape=True,
)


@export("sparse_slice", "sparse.slice")
def sparse_slice(
    sp_input: SparseTensor, start: TensorLike, size: TensorLike, name: str | None = None
) -> SparseTensor:
    """Cuts a part out of a sparse tensor.

    Args:
        sp_input: a SparseTensor.
        start: where the part begins in each dimension.
        size: how long it is in each dimension, at most.
        name: the name of the node.

    Returns:
        A SparseTensor.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    begin = convert_to_tensor(start, dtypes.int64)
    length = convert_to_tensor(size, dtypes.int64)
    parts = build.SparseSlice(
        sparse.indices, sparse.values, sparse.dense_shape, begin, length, name=name
    )
    return SparseTensor(*parts)
