"""Elements of sparse tensors that are kept, and rows that get a first element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors, native
from headwater.base.checks import fail, in_range, is_range, require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.sparse.index_checks import checked_sparse, listed
from headwater.ops.state.scatter_kernels import UPDATES


def kernel_fill_empty_rows(
    xp: ArrayModule,
    indices: np.ndarray,
    values: np.ndarray,
    dense_shape: np.ndarray,
    default_value: np.ndarray,
) -> tuple[Array, ...]:
    if dense_shape.ndim != 1:
        fail(f"dense_shape must be a vector, saw: {listed(dense_shape.shape)}")
    if indices.ndim != 2:
        fail(f"indices must be a matrix, saw: {listed(indices.shape)}")
    if values.ndim != 1:
        fail(f"values must be a vector, saw: {listed(values.shape)}")
    if default_value.ndim:
        fail(f"default_value must be a scalar, saw: {listed(default_value.shape)}")
    count, rows = len(indices), int(dense_shape[0])
    if not rows and count:
        fail(f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {count}")
    if native.host().has_all_rows(indices, rows):
        return indices, values, np.zeros(rows, bool), np.arange(count)
    given = indices[:, 0]
    if not in_range(given, rows):
        i = np.flatnonzero((given < 0) | (given >= rows))[0]
        fail(f"indices({i}, 0) is invalid: {given[i]} >= {rows}")
    if is_range(given, rows):
        return indices, values, np.zeros(rows, bool), np.arange(count)
    empty = np.bincount(given, minlength=rows) == 0
    if not empty.any() and (given[1:] >= given[:-1]).all():
        return indices, values, empty, np.arange(count)
    added = np.zeros((int(empty.sum()), indices.shape[1]), np.int64)
    added[:, 0] = np.flatnonzero(empty)
    all_indices = np.concatenate([indices, added])
    fill = np.full(len(added), default_value[()], values.dtype)
    order = np.argsort(all_indices[:, 0], kind="stable")
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return all_indices[order], np.concatenate([values, fill])[order], empty, places[:count]


def reference_fill_empty_rows(
    indices: np.ndarray, values: np.ndarray, dense_shape: np.ndarray, default_value: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rows: list[Any] = []
    filled: list[Any] = []
    empty: list[bool] = []
    places = np.zeros(len(indices), np.int64)
    for row in range(int(dense_shape[0])):
        mine = [i for i in range(len(indices)) if indices[i, 0] == row]
        empty.append(not mine)
        for i in mine:
            places[i] = len(rows)
            rows.append(indices[i])
            filled.append(values[i])
        if not mine:
            rows.append([row] + [0] * (indices.shape[1] - 1))
            filled.append(default_value[()])
    return (
        np.array(rows, np.int64).reshape(len(rows), indices.shape[1]),
        np.array(filled, values.dtype),
        np.array(empty, bool),
        places,
    )


def shape_fill_empty_rows(c: shapes.ShapeContext) -> list[Shape]:
    indices = c.with_rank("indices", 2)
    values = c.with_rank("values", 1)
    shape = c.with_rank("dense_shape", 1)
    c.with_rank("default_value", 0)
    count = c.merge_dims(indices[0], values[0])
    rank = c.merge_dims(indices[1], shape[0])
    known = c.value_as_shape("dense_shape")
    rows = known[0] if known else None
    return [(None, rank), (None,), (rows,), (count,)]


def gradient_fill_empty_rows(op: Operation, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
    values, default = build.SparseFillEmptyRowsGrad(op.outputs[3], grads[1])
    return None, values, None, default


def samples_fill_empty_rows() -> Iterator[Sample]:
    rows = np.array([[2, 0], [0, 1], [2, 1]])
    floats = np.array([1.0, 2.0, 3.0], np.float32)
    yield Sample(rows, floats, np.array([4, 5]), np.float32(9))
    words = np.array([b"a"], object)
    yield Sample(np.array([[1]]), words, np.array([2]), np.array(b"b", object))
    none = np.zeros([0, 2], np.int64), np.zeros([0], np.float32)
    yield Sample(*none, np.array([0, 5]), np.float32(9))
    yield Sample(*none, np.array([2, 5]), np.float32(9))


register_op(
    "SparseFillEmptyRows",
    inputs="indices: int64, values: T, dense_shape: int64, default_value: T",
    outputs="output_indices: int64, output_values: T, empty_row_indicator: bool, "
    "reverse_index_map: int64",
    attrs="T: type",
    shape=shape_fill_empty_rows,
    kernel=kernel_fill_empty_rows,
    gradient=gradient_fill_empty_rows,
    dynamic_shape=True,
    reference=reference_fill_empty_rows,
    samples=samples_fill_empty_rows,
)


def kernel_fill_empty_rows_grad(
    xp: ArrayModule, reverse_index_map: Array, grad_values: Array
) -> tuple[Array, ...]:
    count = len(grad_values)
    inside = (reverse_index_map >= 0) & (reverse_index_map < count)

    def outside() -> errors.InvalidArgumentError:
        wrong = np.asarray(reverse_index_map)[~np.asarray(inside)][0]
        return errors.InvalidArgumentError(
            None, None, f"Elements in reverse index must be in [0, {count}) but got {wrong}"
        )

    require(xp, inside, outside)
    kept = xp.zeros(count, bool)
    kept = UPDATES["Update"](xp, kept, reverse_index_map, xp.ones(len(reverse_index_map), bool))
    zero = xp.zeros((), grad_values.dtype)
    rest = xp.sum(xp.where(kept, zero, grad_values), dtype=grad_values.dtype)
    return xp.asarray(grad_values)[reverse_index_map], rest


def reference_fill_empty_rows_grad(
    reverse_index_map: np.ndarray, grad_values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    kept = set(reverse_index_map.tolist())
    rest = sum(value for i, value in enumerate(grad_values) if i not in kept)
    return grad_values[reverse_index_map], np.array(rest, grad_values.dtype)


def shape_fill_empty_rows_grad(c: shapes.ShapeContext) -> list[Shape]:
    count = c.with_rank("reverse_index_map", 1)[0]
    c.with_rank("grad_values", 1)
    return [(count,), ()]


def samples_fill_empty_rows_grad() -> Iterator[Sample]:
    grads = np.array([1.0, 2.0, 3.0, 4.0, 5.0], np.float32)
    yield Sample(np.array([2, 0, 3]), grads)
    yield Sample(np.zeros([0], np.int64), grads.astype(np.float64))


register_op(
    "SparseFillEmptyRowsGrad",
    inputs="reverse_index_map: int64, grad_values: T",
    outputs="d_values: T, d_default_value: T",
    attrs="T: type",
    shape=shape_fill_empty_rows_grad,
    kernel=kernel_fill_empty_rows_grad,
    reference=reference_fill_empty_rows_grad,
    samples=samples_fill_empty_rows_grad,
)


@export("sparse_fill_empty_rows", "sparse.fill_empty_rows")
def sparse_fill_empty_rows(
    sp_input: TensorLike | SparseTensor, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Adds an element at the beginning of each row that has none.

    Args:
        sp_input: a SparseTensor.
        default_value: the value of these elements.
        name: the name scope.

    Returns:
        A SparseTensor of the same shape, and a vector that tells which rows were empty.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    with name_scope(name, "SparseFillEmptyRows", [sparse]):
        default = convert_to_tensor(default_value, dtype=sparse.values.dtype.base_dtype)
        indices, values, empty, _ = build.SparseFillEmptyRows(
            sparse.indices, sparse.values, sparse.dense_shape, default
        )
        return SparseTensor(indices, values, sparse.dense_shape), empty


@export("sparse_retain", "sparse.retain")
def sparse_retain(sp_input: SparseTensor | TensorLike, to_retain: TensorLike) -> SparseTensor:
    """Keeps some elements of a sparse tensor.

    Args:
        sp_input: a SparseTensor.
        to_retain: booleans, one for each element.

    Returns:
        A SparseTensor of the same shape with the elements that are kept.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
        ValueError: if there are more or fewer booleans than elements.
    """
    sparse = checked_sparse(sp_input)
    kept = convert_to_tensor(to_retain)
    kept.shape.assert_has_rank(1)
    sparse.values.shape[0].merge_with(kept.shape[0])
    places = build.Reshape(build.Where(kept), [-1])
    return SparseTensor(
        build.GatherV2(sparse.indices, places, 0),
        build.GatherV2(sparse.values, places, 0),
        build.Identity(sparse.dense_shape),
    )
