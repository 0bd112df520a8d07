"""Conversions of image tensors and shapes between the layouts NHWC, NCHW and NCHW_VECT_C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose

_LAST_TO_FIRST = {4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}
_FIRST_TO_LAST = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}
_GROUPS_TO_FIRST = {5: (0, 3, 1, 2, 4), 6: (0, 4, 1, 2, 3, 5)}
_GROUPS_TO_LAST = {5: (0, 2, 3, 1, 4), 6: (0, 2, 3, 4, 1, 5)}
_GROUP = 4


def _shape_of(value: Any) -> list[Any]:
    return value.shape.as_list() if isinstance(value, Tensor) else list(value)


def _transposed(value: TensorLike, orders: Mapping[int, Sequence[int]]) -> Any:
    """A tensor or list of dimensions with its axes in the order that belongs to its rank."""
    order = orders[len(_shape_of(value))]
    if isinstance(value, Tensor):
        return transpose(value, list(order))
    return [value[axis] for axis in order]


def NHWCToNCHW(input_tensor: TensorLike) -> Any:
    """Puts the channels, which are the last axis, before height and width.

    Args:
      input_tensor: a tensor of rank 4 or 5, or a list of its dimensions.

    Returns:
      The tensor or list in the new order.
    """
    return _transposed(input_tensor, _LAST_TO_FIRST)


def NCHWToNHWC(input_tensor: TensorLike) -> Any:
    """Puts the channels, which are the second axis, last.

    Args:
      input_tensor: a tensor of rank 4 or 5, or a list of its dimensions.

    Returns:
      The tensor or list in the new order.
    """
    return _transposed(input_tensor, _FIRST_TO_LAST)


def NHWCToNCHW_VECT_C(input_shape_or_tensor: TensorLike) -> Any:
    """Splits the channels, the last axis, into groups of four (NHWC to NCHW_VECT_C).

    Args:
      input_shape_or_tensor: a tensor of rank 4 or 5, or a list of its dimensions.

    Returns:
      The tensor or list with one axis more.

    Raises:
      ValueError: if the number of channels is not a multiple of four.
    """
    shape = _shape_of(input_shape_or_tensor)
    if shape[-1] % _GROUP:
        raise ValueError(
            "Last dimension of input must be evenly divisible by 4 to convert to NCHW_VECT_C."
        )
    grouped = [*shape[:-1], shape[-1] // _GROUP, _GROUP]
    if isinstance(input_shape_or_tensor, Tensor):
        return _transposed(reshape(input_shape_or_tensor, grouped), _GROUPS_TO_FIRST)
    return _transposed(grouped, _GROUPS_TO_FIRST)


def NCHW_VECT_CToNHWC(input_shape_or_tensor: TensorLike) -> Any:
    """Joins groups of four channels, of which the groups are the second axis, into the last axis.

    Args:
      input_shape_or_tensor: a tensor of rank 5 or 6, or a list of its dimensions.

    Returns:
      The tensor or list with one axis less.

    Raises:
      ValueError: if the last dimension is not four.
    """
    if _shape_of(input_shape_or_tensor)[-1] != _GROUP:
        raise ValueError("Last dimension of NCHW_VECT_C must be 4.")
    value = _transposed(input_shape_or_tensor, _GROUPS_TO_LAST)
    *outer, groups, size = _shape_of(value)
    joined = [*outer, groups * size]
    return reshape(value, joined) if isinstance(value, Tensor) else joined
