"""Ragged tensors in other forms: RaggedTensorToSparse, RaggedTensorToTensor."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.ragged.splits import check_splits, row_of_each

_ENDS = "Final value of ragged splits must match the length the corresponding ragged values."


def kernel_to_sparse(
    xp: ArrayModule, splits: list[np.ndarray], values: np.ndarray
) -> tuple[Array, ...]:
    for part in splits:
        check_splits(part)
    for outer, inner in itertools.pairwise(splits):
        if outer[-1] != len(inner) - 1:
            fail(_ENDS)
    if splits[-1][-1] != len(values):
        fail(_ENDS)
    # The row of each value at every level, from the innermost level out.
    owners = [row_of_each(splits[-1])]
    for part in reversed(splits[:-1]):
        owners.insert(0, row_of_each(part)[owners[0]])
    columns = [owners[0]]
    for outer, rows in zip(splits, owners[1:]):
        columns.append(rows - outer[row_of_each(outer)[rows]])
    sizes = [len(splits[0]) - 1, *(int(np.diff(part).max(initial=0)) for part in splits)]
    last = np.arange(len(values)) - splits[-1][row_of_each(splits[-1])]
    columns.append(last)
    sizes_within = values.shape[1:]
    places = np.stack(columns, 1).astype(np.int64).reshape(len(values), len(columns))
    if sizes_within:
        grid = np.indices(sizes_within).reshape(len(sizes_within), -1).T
        places = np.concatenate(
            [np.repeat(places, len(grid), 0), np.tile(grid, (len(places), 1))], 1
        )
    shape = np.array([*sizes, *sizes_within], np.int64)
    return places, values.reshape(-1), shape


def kernel_to_tensor(
    xp: ArrayModule,
    shape: np.ndarray,
    values: np.ndarray,
    default_value: np.ndarray,
    partitions: list[np.ndarray],
    *,
    row_partition_types: list[str],
) -> np.ndarray:
    """Puts rows into a tensor, filled up with the default value and cut to the shape."""
    kinds = list(row_partition_types)
    partitions = list(partitions)
    first: int | None = None
    if kinds and kinds[0] == "FIRST_DIM_SIZE":
        first = int(partitions.pop(0))
        kinds.pop(0)
    splits: list[np.ndarray] = []
    for i, (kind, part) in enumerate(zip(kinds, partitions)):
        if kind == "ROW_SPLITS":
            splits.append(part)
        elif kind == "VALUE_ROWIDS":
            if splits:
                rows = int(splits[-1][-1])
            else:
                rows = int(part[-1]) + 1 if first is None else first
            if first is not None and i == 0:
                rows = first
            counts = np.bincount(part, minlength=rows)
            splits.append(np.concatenate([[0], np.cumsum(counts)]))
        else:
            fail(f"Unknown string for partition info type: {kind}")
    for part in splits:
        check_splits(part)
    sizes = [len(splits[0]) - 1, *(int(np.diff(p).max(initial=0)) for p in splits)]
    sizes += values.shape[1:]
    wanted = [] if shape.ndim == 0 else shape.tolist()
    target = [s if w < 0 else w for s, w in zip(sizes, wanted)] if wanted else sizes
    result = np.empty(target, values.dtype)
    result[...] = default_value
    places, elements, _ = kernel_to_sparse(xp, splits, values)
    inside = (places < np.array(target)).all(1)
    result[tuple(places[inside].T)] = elements[inside]
    return result


def shape_to_sparse(c: shapes.ShapeContext) -> list[Shape]:
    values = c.shape("rt_dense_values")
    rank = None if values is None else len(values) + c.attr("RAGGED_RANK")
    count = shapes.number_of_elements(values)
    return [(count, rank), (count,), (rank,)]


def shape_to_tensor(c: shapes.ShapeContext) -> Shape:
    values, shape = c.shape("values"), c.value_as_shape("shape")
    kinds = c.attr("row_partition_types")
    count = len(kinds) - (1 if kinds and kinds[0] == "FIRST_DIM_SIZE" else 0)
    if values is None:
        return shape if shape else None
    own = (*[None] * (count + 1), *values[1:])
    return c.merge(own, shape) if shape and len(shape) == len(own) else own


def gradient_to_sparse(
    op: Operation, _: Tensor | None, grad: TensorLike, __: Tensor | None
) -> list[Tensor | None]:
    return [*[None] * (len(op.inputs) - 1), build.Reshape(grad, shape_tensor(op.inputs[-1]))]


_SPLITS = np.array([0, 2, 2, 5])
_VALUES = np.arange(5, dtype=np.float32)


def samples_to_sparse() -> Iterator[Sample]:
    yield Sample([_SPLITS], _VALUES)
    yield Sample([np.array([0, 1, 3]), _SPLITS], np.arange(10.0).reshape(5, 2))


def samples_to_tensor() -> Iterator[Sample]:
    types: dict[str, Any] = {"row_partition_types": ["ROW_SPLITS"]}
    yield Sample(np.array([-1, -1]), _VALUES, np.float32(9), [_SPLITS], **types)
    yield Sample(np.array([4, 2]), _VALUES, np.float32(9), [_SPLITS], **types)


register_op(
    "RaggedTensorToSparse",
    inputs="rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T",
    outputs="sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64",
    attrs="RAGGED_RANK: int >= 1, T: type, Tsplits: {int32, int64} = int64",
    shape=shape_to_sparse,
    kernel=kernel_to_sparse,
    gradient=gradient_to_sparse,
    samples=samples_to_sparse,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "RaggedTensorToTensor",
    inputs="shape: Tshape, values: T, default_value: T, "
    "row_partition_tensors: num_row_partition_tensors * Tindex",
    outputs="result: T",
    attrs="T: type, Tindex: {int64, int32}, Tshape: {int64, int32}, "
    "num_row_partition_tensors: int >= 1, row_partition_types: list(string)",
    shape=shape_to_tensor,
    kernel=kernel_to_tensor,
    samples=samples_to_tensor,
    concrete=("shape",),
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
