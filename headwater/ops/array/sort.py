"""Sorted rows: `tf.sort` and `tf.argsort`, made of TopKV2."""

from __future__ import annotations

import numpy as np

from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    shape_tensor,
)

_DIRECTIONS = ("ASCENDING", "DESCENDING")


@export("sort", "contrib.framework.sort")
def sort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """Sorts along one dimension.

    Args:
        values: a numeric tensor of rank 1 or more.
        axis: the dimension.
        direction: ``"ASCENDING"`` or ``"DESCENDING"``.
        name: the name scope.

    Returns:
        A tensor like `values`.
    """
    with name_scope(name, "sort"):
        _check_direction(direction)
        axis = _known_axis(axis)
        values = convert_to_tensor(values, name="values")
        if direction == "DESCENDING":
            return _descending(values, axis, 0)
        return -_descending(-values, axis, 0)


@export("argsort", "contrib.framework.argsort")
def argsort(
    values: TensorLike,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the indices that sort along one dimension.

    Args:
        values: a numeric tensor of rank 1 or more.
        axis: the dimension.
        direction: ``"ASCENDING"`` or ``"DESCENDING"``.
        stable: whether equal elements stay in order; they always do.
        name: the name scope.

    Returns:
        An int32 tensor of the shape of `values`.
    """
    del stable
    with name_scope(name, "argsort"):
        _check_direction(direction)
        axis = _known_axis(axis)
        values = convert_to_tensor(values, name="values")
        return _descending(values if direction == "DESCENDING" else -values, axis, 1)


def _check_direction(direction: str) -> None:
    if direction not in _DIRECTIONS:
        raise ValueError(f"{direction} should be one of {', '.join(_DIRECTIONS)}")


def _known_axis(axis: TensorLike) -> int:
    axis = convert_to_tensor(axis, name="axis")
    known = constant_value(axis)
    if axis._rank() != 0 or known is None:
        raise ValueError("axis must be a constant scalar")
    return int(known)


def _descending(values: Tensor, axis: int, output: int) -> Tensor:
    """An output of TopKV2 along a dimension: 0 are the values, 1 the indices."""
    size = shape_tensor(values)[axis]
    rank = rank_tensor(values)
    known_rank = values._rank()
    if axis == -1 or axis + 1 == known_rank:
        return build.TopKV2(values, size)[output]
    swap = _swap_with_last(axis, rank if known_rank is None else known_rank)
    result = build.TopKV2(build.Transpose(values, swap, name="transpose"), size)[output]
    return build.Transpose(result, swap, name="transpose")


def _swap_with_last(axis: int, rank: TensorLike) -> Tensor:
    """The permutation that swaps a dimension with the last; the rank may be a tensor."""
    if axis < 0:
        axis = axis + rank
    if not isinstance(rank, Tensor):
        order = np.r_[np.arange(axis), [rank - 1], np.arange(axis + 1, rank - 1), [axis]]
        return constant_node(order, name="transposition")
    before = build.Range(0, axis, 1, name="range")
    last = rank - 1
    between = build.Range(axis + 1, rank - 1, 1, name="range")
    return build.ConcatV2([before, [last], between, [axis]], 0, name="concat")
