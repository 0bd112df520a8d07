"""All axes of a tensor as nodes, as the reductions take them."""

from __future__ import annotations

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, constant_node, rank_tensor


def all_axes(x: TensorLike) -> Tensor:
    """The axes of a tensor: a constant if the rank is known, else a range."""
    rank = x._rank() if isinstance(x, Tensor) else None
    if rank is not None:
        return constant_node(np.arange(rank, dtype=np.int32), dtypes.int32)
    return build.Range(0, rank_tensor(x), 1, name="range")
