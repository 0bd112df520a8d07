"""Sets in the last dimension of tensors: sizes, unions, intersections and differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor_or_sparse_tensor,
    export,
    register_op,
    shapes,
)
from headwater.ops.sparse.index_checks import listed, require_ordered, strides_of

_TYPES = "{int8, int16, int32, int64, uint8, uint16, string}"
_ELEMENT_TYPES = (
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.string,
)

Groups = dict[int, set[Any]]


def _dense_sets(x: np.ndarray) -> tuple[tuple[int, ...], Groups]:
    """The leading dimensions, and the set of each row."""
    if x.ndim < 2:
        fail(f"Shape {listed(x.shape)} has rank {x.ndim} < 2")
    rows = x.reshape(-1, x.shape[-1])
    return x.shape[:-1], {i: set(row.tolist()) for i, row in enumerate(rows)}


def _sparse_sets(
    indices: np.ndarray, values: np.ndarray, shape: np.ndarray, validate: bool
) -> tuple[tuple[int, ...], Groups]:
    """The leading dimensions, and the sets of the rows that have elements."""
    if shape.size < 2:
        fail(f"Shape {listed(shape)} has rank {shape.size} < 2")
    places = (indices * strides_of(shape)).sum(1)
    if validate or np.any(places[1:] < places[:-1]):
        require_ordered(np, indices, shape)
    outer = shape[:-1]
    groups: Groups = {}
    numbers = (indices[:, :-1] * strides_of(outer)).sum(1)
    for number, value in zip(numbers.tolist(), values.tolist()):
        groups.setdefault(number, set()).add(value)
    return tuple(outer.tolist()), groups


def _combined(
    first: tuple[tuple[int, ...], Groups],
    second: tuple[tuple[int, ...], Groups],
    operation: str,
    dtype: np.dtype,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A sparse tensor of the sets that an operation makes of each pair of sets."""
    outer, left = first
    if outer != second[0]:
        fail(f"Mismatched shapes {listed(outer)} vs {listed(second[0])}")
    right = second[1]
    combine = _OPERATIONS.get(operation.lower())
    if combine is None:
        fail(f"Invalid set_operation {operation}.")
    rows: list[tuple[int, ...]] = []
    values: list[Any] = []
    longest = 0
    for number in sorted(left.keys() | right.keys()):
        found = sorted(combine(left.get(number, set()), right.get(number, set())))
        row = tuple(int(i) for i in np.unravel_index(number, outer))
        rows += [(*row, i) for i in range(len(found))]
        values += found
        longest = max(longest, len(found))
    indices = np.array(rows, np.int64).reshape(len(rows), len(outer) + 1)
    return indices, np.array(values, dtype), np.array([*outer, longest], np.int64)


_OPERATIONS: dict[str, Any] = {
    "a-b": set.difference,
    "b-a": lambda a, b: b - a,
    "intersection": set.intersection,
    "union": set.union,
}


def kernel_set_size(
    xp: ArrayModule,
    set_indices: np.ndarray,
    set_values: np.ndarray,
    set_shape: np.ndarray,
    *,
    validate_indices: bool,
) -> Array:
    outer, groups = _sparse_sets(set_indices, set_values, set_shape, validate_indices)
    sizes = np.zeros(outer, np.int32)
    for number, group in groups.items():
        sizes.reshape(-1)[number] = len(group)
    return sizes


def kernel_dense_to_dense(
    xp: ArrayModule,
    set1: np.ndarray,
    set2: np.ndarray,
    *,
    set_operation: str,
    validate_indices: bool,
) -> tuple[Array, ...]:
    return _combined(_dense_sets(set1), _dense_sets(set2), set_operation, set1.dtype)


def kernel_dense_to_sparse(
    xp: ArrayModule,
    set1: np.ndarray,
    set2_indices: np.ndarray,
    set2_values: np.ndarray,
    set2_shape: np.ndarray,
    *,
    set_operation: str,
    validate_indices: bool,
) -> tuple[Array, ...]:
    second = _sparse_sets(set2_indices, set2_values, set2_shape, validate_indices)
    return _combined(_dense_sets(set1), second, set_operation, set1.dtype)


def kernel_sparse_to_sparse(
    xp: ArrayModule,
    set1_indices: np.ndarray,
    set1_values: np.ndarray,
    set1_shape: np.ndarray,
    set2_indices: np.ndarray,
    set2_values: np.ndarray,
    set2_shape: np.ndarray,
    *,
    set_operation: str,
    validate_indices: bool,
) -> tuple[Array, ...]:
    first = _sparse_sets(set1_indices, set1_values, set1_shape, validate_indices)
    second = _sparse_sets(set2_indices, set2_values, set2_shape, validate_indices)
    return _combined(first, second, set_operation, set1_values.dtype)


def _result_shapes(rank: int | None) -> list[shapes.Shape]:
    return [(None, rank), (None,), (rank,)]


def shape_dense_to_dense(c: shapes.ShapeContext) -> list[Shape]:
    first = c.with_rank_at_least("set1", 2)
    if first is None:
        second = c.with_rank_at_least("set2", 2)
        return _result_shapes(None if second is None else len(second))
    if c.shape("set2") is not None:
        c.merge(first[:-1], c.with_rank("set2", len(first))[:-1])
    return _result_shapes(len(first))


def _sparse_rank(c: shapes.ShapeContext, name: str) -> int | None:
    """The rank of a sparse input, if the shapes of its parts give it."""
    rows = c.with_rank(f"{name}_indices", 2)
    c.with_rank(f"{name}_values", 1)
    shape = c.with_rank(f"{name}_shape", 1)
    return rows[1] if shape[0] is None else shape[0]


def shape_dense_to_sparse(c: shapes.ShapeContext) -> list[Shape]:
    rank = _sparse_rank(c, "set2")
    first = c.with_rank_at_least("set1", 2)
    if first is None:
        return _result_shapes(rank)
    if rank is not None and rank != len(first):
        c.fail(f"Shape must be rank {rank} but is rank {len(first)}")
    return _result_shapes(len(first))


def shape_sparse_to_sparse(c: shapes.ShapeContext) -> list[Shape]:
    ranks = _sparse_rank(c, "set1"), _sparse_rank(c, "set2")
    if ranks[0] is not None and ranks[1] is not None and ranks[0] != ranks[1]:
        c.fail(f"Dimension must be {ranks[0]} but is {ranks[1]}")
    return _result_shapes(ranks[1] if ranks[0] is None else ranks[0])


def _rows_of(x: np.ndarray) -> np.ndarray:
    return x.reshape(-1, x.shape[-1])


def reference_dense_to_dense(
    set1: np.ndarray, set2: np.ndarray, *, set_operation: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found: dict[str, Any] = {
        "a-b": np.setdiff1d,
        "b-a": lambda a, b: np.setdiff1d(b, a),
        "intersection": np.intersect1d,
        "union": np.union1d,
    }
    operation = found[set_operation]
    sets = [operation(a, b) for a, b in zip(_rows_of(set1), _rows_of(set2))]
    indices = [
        (*place, j)
        for place, row in zip(np.ndindex(set1.shape[:-1]), sets)
        for j in range(len(row))
    ]
    longest = max((len(row) for row in sets), default=0)
    return (
        np.array(indices, np.int64).reshape(-1, set1.ndim),
        np.concatenate(sets).astype(set1.dtype),
        np.array([*set1.shape[:-1], longest], np.int64),
    )


def _to_dense_rows(indices: np.ndarray, values: np.ndarray, shape: np.ndarray) -> list[Any]:
    rows: list[Any] = [[] for _ in range(int(np.prod(shape[:-1])))]
    for row, value in zip(indices, values):
        rows[int(np.ravel_multi_index(tuple(row[:-1]), tuple(shape[:-1])))].append(value)
    return rows


def reference_set_size(
    set_indices: np.ndarray, set_values: np.ndarray, set_shape: np.ndarray, **attrs: Any
) -> np.ndarray:
    rows = _to_dense_rows(set_indices, set_values, set_shape)
    return np.array([len(set(row)) for row in rows], np.int32).reshape(tuple(set_shape[:-1]))


def _samples(operation: str) -> Iterator[Sample]:
    first = np.array([[1, 2, 2], [3, 1, 7]])
    second = np.array([[2, 9], [7, 7]])
    yield Sample(first, second, set_operation=operation)
    yield Sample(
        np.arange(24, dtype=np.int32).reshape(2, 3, 4) % 5,
        np.arange(12, dtype=np.int32).reshape(2, 3, 2),
        set_operation=operation,
    )


def samples_dense_to_dense() -> Iterator[Sample]:
    for operation in _OPERATIONS:
        yield from _samples(operation)


_SPARSE = (np.array([[0, 0], [0, 1], [2, 1], [2, 3]]), np.array([5, 5, 6, 9]), np.array([3, 4]))


def samples_dense_to_sparse() -> Iterator[Sample]:
    for operation in _OPERATIONS:
        yield Sample(np.array([[5, 1], [2, 3], [9, 8]]), *_SPARSE, set_operation=operation)


def samples_sparse_to_sparse() -> Iterator[Sample]:
    other = np.array([[0, 0], [1, 0], [2, 0]]), np.array([5, 2, 3]), np.array([3, 1])
    for operation in _OPERATIONS:
        yield Sample(*_SPARSE, *other, set_operation=operation)


def samples_set_size() -> Iterator[Sample]:
    yield Sample(*_SPARSE)
    words = np.array([b"a", b"a", b"b"], object)
    yield Sample(np.array([[0, 0], [0, 1], [0, 2]]), words, np.array([2, 3]))


register_op(
    "SetSize",
    inputs="set_indices: int64, set_values: T, set_shape: int64",
    outputs="size: int32",
    attrs=f"validate_indices: bool = true, T: {_TYPES}",
    shape=shapes.unknown,
    kernel=kernel_set_size,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
    reference=reference_set_size,
    samples=samples_set_size,
)
register_op(
    "DenseToDenseSetOperation",
    inputs="set1: T, set2: T",
    outputs="result_indices: int64, result_values: T, result_shape: int64",
    attrs=f"set_operation: string, validate_indices: bool = true, T: {_TYPES}",
    shape=shape_dense_to_dense,
    kernel=kernel_dense_to_dense,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
    reference=reference_dense_to_dense,
    samples=samples_dense_to_dense,
)
register_op(
    "DenseToSparseSetOperation",
    inputs="set1: T, set2_indices: int64, set2_values: T, set2_shape: int64",
    outputs="result_indices: int64, result_values: T, result_shape: int64",
    attrs=f"set_operation: string, validate_indices: bool = true, T: {_TYPES}",
    shape=shape_dense_to_sparse,
    kernel=kernel_dense_to_sparse,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
    samples=samples_dense_to_sparse,
)
register_op(
    "SparseToSparseSetOperation",
    inputs="set1_indices: int64, set1_values: T, set1_shape: int64, "
    "set2_indices: int64, set2_values: T, set2_shape: int64",
    outputs="result_indices: int64, result_values: T, result_shape: int64",
    attrs=f"set_operation: string, validate_indices: bool = true, T: {_TYPES}",
    shape=shape_sparse_to_sparse,
    kernel=kernel_sparse_to_sparse,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
    samples=samples_sparse_to_sparse,
)


@export("sets.set_size", "sets.size", "contrib.metrics.set_size")
def set_size(a: TensorLike | SparseTensor, validate_indices: bool = True) -> Tensor:
    """Counts the distinct elements of each row of a sparse tensor.

    Args:
        a: a SparseTensor of integers or strings with sorted indices.
        validate_indices: whether indices are checked.

    Returns:
        A tensor of type int32 with all dimensions but the last one.

    Raises:
        TypeError: if `a` is not a SparseTensor of these types.
    """
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    if a.values.dtype.base_dtype not in _ELEMENT_TYPES:
        raise TypeError(f"Invalid dtype {a.values.dtype}.")
    return build.SetSize(a.indices, a.values, a.dense_shape, validate_indices)


def _set_operation(
    a: Tensor | SparseTensor, b: TensorLike, operation: str, validate_indices: bool
) -> SparseTensor:
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    if a.dtype.base_dtype not in _ELEMENT_TYPES:
        raise TypeError(f"'a' invalid dtype {a.dtype}.")
    b = convert_to_tensor_or_sparse_tensor(b, name="b")
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        a, b = b, a
        operation = {"a-b": "b-a", "b-a": "a-b"}.get(operation, operation)
    attrs: dict[str, Any] = {"set_operation": operation, "validate_indices": validate_indices}
    if isinstance(a, SparseTensor):
        parts = [a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape]
        result = build.SparseToSparseSetOperation(*parts, **attrs)
    elif isinstance(b, SparseTensor):
        parts = [a, b.indices, b.values, b.dense_shape]
        result = build.DenseToSparseSetOperation(*parts, **attrs)
    else:
        result = build.DenseToDenseSetOperation(a, b, **attrs)
    return SparseTensor(*result)


@export("sets.set_intersection", "sets.intersection", "contrib.metrics.set_intersection")
def set_intersection(
    a: TensorLike | SparseTensor, b: TensorLike | SparseTensor, validate_indices: bool = True
) -> SparseTensor:
    """Finds the elements that are in two sets, row by row.

    Args:
        a: a tensor or SparseTensor of integers or strings; the last dimension holds sets.
        b: another one with the same leading dimensions.
        validate_indices: whether indices of sparse tensors are checked.

    Returns:
        A SparseTensor with sorted elements in its last dimension.

    Raises:
        TypeError: if the types differ or are of another kind.
    """
    return _set_operation(a, b, "intersection", validate_indices)


@export("sets.set_difference", "sets.difference", "contrib.metrics.set_difference")
def set_difference(
    a: TensorLike | SparseTensor,
    b: TensorLike | SparseTensor,
    aminusb: bool = True,
    validate_indices: bool = True,
) -> SparseTensor:
    """Finds the elements that are in one set but not in another, row by row.

    Args:
        a: a tensor or SparseTensor of integers or strings; the last dimension holds sets.
        b: another one with the same leading dimensions.
        aminusb: whether elements of `b` are taken from `a`; else it is the other way round.
        validate_indices: whether indices of sparse tensors are checked.

    Returns:
        A SparseTensor with sorted elements in its last dimension.

    Raises:
        TypeError: if the types differ or are of another kind.
    """
    return _set_operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


@export("sets.set_union", "sets.union", "contrib.metrics.set_union")
def set_union(
    a: TensorLike | SparseTensor, b: TensorLike | SparseTensor, validate_indices: bool = True
) -> SparseTensor:
    """Finds the elements that are in at least one of two sets, row by row.

    Args:
        a: a tensor or SparseTensor of integers or strings; the last dimension holds sets.
        b: another one with the same leading dimensions.
        validate_indices: whether indices of sparse tensors are checked.

    Returns:
        A SparseTensor with sorted elements in its last dimension.

    Raises:
        TypeError: if the types differ or are of another kind.
    """
    return _set_operation(a, b, "union", validate_indices)
