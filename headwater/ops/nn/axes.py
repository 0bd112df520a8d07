"""Moves any axis to the end, for ops that work on the last one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import errors
from headwater.base.typing import AxisLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, rank_tensor


def along_axis(
    op: Callable[..., Tensor], logits: TensorLike, axis: AxisLike, dim: int | None, name: str | None
) -> Tensor:
    """Applies an op of the last axis along another one.

    Args:
        op: function ``(tensor, name)``.
        logits: the tensor.
        axis: the axis; None is the last one.
        dim: older name of `axis`.
        name: the name of the last node.

    Returns:
        The result, in the shape of `logits`.

    Raises:
        ValueError: if both `axis` and `dim` are given.
        TypeError: if the axis is not the last one and the rank is unknown.
        InvalidArgumentError: if the axis is out of range.
    """
    axis = one_of("axis", axis, "dim", dim, -1)
    logits = convert_to_tensor(logits)
    static = logits.shape.ndims
    if not isinstance(axis, Tensor) and axis == -1:
        return op(logits, name=name)
    if static is None:
        raise TypeError(
            "unsupported operand type(s) for -: 'NoneType' and 'int'\nHint: an axis other than "
            "the last one needs a tensor of known rank; give it a shape with set_shape."
        )
    if isinstance(axis, Tensor):
        rank = rank_tensor(logits)
        negative = build.Less(axis, 0)
        position: Tensor = build.Select(negative, build.AddV2(axis, rank, name="add"), axis)
        rank = rank_tensor(logits)
        position = build.FloorMod(position, static, name="mod")
    else:
        if axis == static - 1:
            return op(logits, name=name)
        if not -static <= axis < static:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Dimension ({axis}) must be in the range [{-static}, {static}) where {static} is "
                "the number of dimensions in the input.",
            )
        rank = rank_tensor(logits)
        position = axis
        if axis < 0:
            position = build.AddV2(axis, rank, name="add")
        rank = rank_tensor(logits)
        if axis < 0:
            position = build.FloorMod(position, static, name="mod")
    moved = _swapped(logits, position, rank)
    result = _swapped(op(moved, name=None), position, rank, name)
    result.set_shape(logits.shape)
    return result


def _swapped(x: Tensor, axis: TensorLike, rank: Tensor, name: str | None = None) -> Tensor:
    """`x` with an axis and the last one exchanged."""
    last = build.Sub(rank, 1)
    before = build.Range(0, axis, 1, name="range")
    after_axis = build.AddV2(axis, 1, name="add") if isinstance(axis, Tensor) else axis + 1
    between = build.Range(after_axis, last, 1, name="range")
    order = build.ConcatV2([before, [last], between, [axis]], 0, name="concat")
    return build.Transpose(x, order, name=name or "transpose")


def one_of(
    new_name: str,
    new: TensorLike | None,
    old_name: str,
    old: TensorLike | None,
    default: Any = None,
) -> NestedTensors | None:
    """The value of an argument that has two names.

    Raises:
        ValueError: if both are given.
    """
    if old is not None:
        if new is not None:
            raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
        return old
    return default if new is None else new
