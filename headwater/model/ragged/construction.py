"""Ragged constants, placeholders and ranges; functions of the values alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.array_errors import fail_nested
from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import Array, DTypeLike, ShapeLike, TensorLike
from headwater.graph import Tensor, build, constant_node, convert_to_tensor, name_scope
from headwater.model.ragged.tensor import RaggedTensor
from headwater.model.ragged.value import RaggedTensorValue
from headwater.ops.array.constant import placeholder as placeholder_of


def _depths(value: TensorLike) -> tuple[int | None, int]:
    """The nesting of the scalars (None without any) and of all lists."""
    if isinstance(value, np.ndarray):
        return (value.ndim if value.size else None), value.ndim
    if not isinstance(value, (list, tuple)):
        return 0, 0
    scalars: int | None = None
    deepest = 1
    for item in value:
        inner, all_lists = _depths(item)
        if inner is not None:
            if scalars is not None and scalars != inner + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalars = inner + 1
        deepest = max(deepest, all_lists + 1)
    return scalars, deepest


def _parts(
    pylist: Any, ragged_rank: int | None, inner_shape: ShapeLike
) -> tuple[list[list[int]], Any, tuple[int, ...]]:
    """The ends of the rows of each level, and the flat values with their inner shape."""
    try:
        scalars, deepest = _depths(pylist)
    except RecursionError:
        fail_nested()
    if scalars is not None and deepest > scalars:
        raise ValueError(
            f"Invalid pylist={pylist}: empty list nesting is greater than scalar value nesting"
        )
    depth = deepest if scalars is None else scalars
    if inner_shape is None:
        inner_shape = _uniform(pylist, depth, ragged_rank) if ragged_rank is not None else ()
    if ragged_rank is None:
        ragged_rank = max(0, depth - 1 - len(inner_shape))
    elif not 0 <= ragged_rank < max(depth, 2):
        raise ValueError(f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}")
    rows, splits = list(pylist), []
    for _ in range(ragged_rank):
        ends = [0]
        for row in rows:
            ends.append(ends[-1] + len(row))
        splits.append(ends)
        rows = [item for row in rows for item in row]
    return splits, rows, tuple(inner_shape)


def _uniform(pylist: Sequence[Sequence[Any]], depth: int, ragged_rank: int) -> tuple[int, ...]:
    """The shape of the lists below the ragged levels, which must be equal."""
    rows = list(pylist)
    for _ in range(ragged_rank):
        rows = [item for row in rows for item in row]
    shape: list[int] = []
    for _ in range(depth - 1 - ragged_rank):
        sizes = {len(row) for row in rows}
        if len(sizes) > 1:
            raise ValueError("inner values have inconsistent shape")
        shape.append(sizes.pop() if sizes else 0)
        rows = [item for row in rows for item in row]
    return tuple(shape)


@export("ragged.constant")
def constant(
    pylist: Sequence[TensorLike],
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: ShapeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Tensor | RaggedTensor:
    """Makes a ragged tensor of nested lists.

    Args:
        pylist: nested lists; those of one level may have different lengths.
        dtype: the type of the values; taken from them by default.
        ragged_rank: the number of levels with rows of different lengths.
        inner_shape: the shape of what stands in the innermost rows.
        name: the name scope.
        row_splits_dtype: the type of the splits.

    Returns:
        A RaggedTensor; a tensor if there are no rows in rows.

    Raises:
        ValueError: if scalars stand at different depths, or the other arguments do not fit.
    """
    with name_scope(name, "RaggedConstant"):
        if not isinstance(pylist, (list, tuple, np.ndarray)):
            return constant_node(pylist, None if dtype is None else as_dtype(dtype))
        splits, values, inner = _parts(pylist, ragged_rank, inner_shape)
        kind = None if dtype is None else as_dtype(dtype)
        shape = (len(values), *inner)
        if not splits:
            return constant_node(values, kind, None, shape)
        result: TensorLike = constant_node(
            values if values else np.zeros(shape, np.float32), kind, "values", shape
        )
        for ends in reversed(splits):
            rows = constant_node(ends, as_dtype(row_splits_dtype))
            result = RaggedTensor.from_row_splits(result, rows, validate=False)
        return result


@export("ragged.constant_value")
def constant_value(
    pylist: TensorLike,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: ShapeLike | None = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """Makes the value of a ragged tensor of nested lists.

    Args:
        pylist: nested lists; those of one level may have different lengths.
        dtype: the NumPy dtype of the values; taken from them by default.
        ragged_rank: the number of levels with rows of different lengths.
        inner_shape: the shape of what stands in the innermost rows.
        row_splits_dtype: the type of the splits.

    Returns:
        A RaggedTensorValue; an array if there are no rows in rows.

    Raises:
        ValueError: if scalars stand at different depths, or the other arguments do not fit.
    """
    if dtype is not None and isinstance(dtype, dtypes.DType):
        dtype = dtype.as_numpy_dtype
    if not isinstance(pylist, (list, tuple, np.ndarray)):
        return np.array(pylist, dtype)
    splits, values, inner = _parts(pylist, ragged_rank, inner_shape)
    result: Array = np.array(values, dtype).reshape(len(values), *inner)
    kind = as_dtype(row_splits_dtype).as_numpy_dtype
    for ends in reversed(splits):
        result = RaggedTensorValue(result, np.array(ends, kind))
    return result


@export("ragged.placeholder")
def placeholder(
    dtype: DTypeLike, ragged_rank: int, value_shape: ShapeLike = None, name: str | None = None
) -> Tensor | RaggedTensor:
    """Makes a ragged tensor to be fed with RaggedTensorValues.

    Args:
        dtype: the type of the values.
        ragged_rank: the number of levels.
        value_shape: the static shape of one value in the innermost rows.
        name: the name scope.

    Returns:
        A RaggedTensor; a tensor if `ragged_rank` is 0.
    """
    if not ragged_rank:
        return placeholder_of(dtype, value_shape, name)
    with name_scope(name, "RaggedPlaceholder"):
        shape = None if value_shape is None else [None, *value_shape]
        result: TensorLike = placeholder_of(dtype, shape, "flat_values")
        for i in reversed(range(ragged_rank)):
            splits = placeholder_of(dtypes.int64, [None], f"row_splits_{i}")
            result = RaggedTensor.from_row_splits(result, splits, validate=False)
        return result


@export("ragged.range")
def ragged_range(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> RaggedTensor:
    """Makes rows of numbers in equal steps.

    Args:
        starts: the first number of each row, a vector or a scalar for all rows; the limits, where
            all rows begin with 0, if `limits` is None.
        limits: the ends of the rows, which are not part of them.
        deltas: the steps.
        dtype: the type of the numbers.
        name: the name scope.
        row_splits_dtype: the type of the splits.

    Returns:
        A RaggedTensor.
    """
    if limits is None:
        starts, limits = 0, starts
    kind = None if dtype is None else as_dtype(dtype)
    with name_scope(name, "RaggedRange", [starts, limits, deltas]):
        parts = [
            convert_to_tensor(x, kind, name=n)
            for x, n in ((starts, "starts"), (limits, "limits"), (deltas, "deltas"))
        ]
        if kind is None:
            order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
            kind = max((p.dtype.base_dtype for p in parts), key=order.index)
            parts = [p if p.dtype == kind else build.Cast(p, DstT=kind) for p in parts]
        found = build.RaggedRange(*parts, Tsplits=as_dtype(row_splits_dtype))
        return RaggedTensor.from_row_splits(found[1], found[0], validate=False)
