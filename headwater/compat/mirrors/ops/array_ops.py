"""tensorflow.python.ops.array_ops: what has no public name."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, rank_tensor, shape_tensor, size_tensor
from headwater.ops.array.getitem import SLICE_TYPE_ERROR

newaxis = None
_SLICE_TYPE_ERROR = SLICE_TYPE_ERROR


def shape_internal(
    input: TensorLike, name: str | None = None, optimize: bool = True, out_type: Any = dtypes.int32
) -> Tensor:
    """Returns the shape of a tensor; with `optimize` a known one is a constant."""
    return shape_tensor(input, name, out_type, optimize)


def size_internal(
    input: TensorLike,
    name: str | None = None,
    optimize: bool = True,
    out_type: DTypeLike = dtypes.int32,
) -> Tensor:
    """Returns the number of elements of a tensor; with `optimize` a known one is a constant."""
    if optimize:
        return size_tensor(input, name, out_type)
    return build.Size(input, out_type=out_type, name=name)


def rank_internal(input: TensorLike, name: str | None = None, optimize: bool = True) -> Tensor:
    """Returns the rank of a tensor; with `optimize` a known one is a constant."""
    return rank_tensor(input, name) if optimize else build.Rank(input, name=name)
