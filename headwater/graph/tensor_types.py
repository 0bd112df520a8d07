"""What counts as a tensor."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.graph.convert import is_tensor_like
from headwater.graph.indexed_slices import IndexedSlices
from headwater.graph.sparse_tensor import SparseTensor


@export("is_tensor", "contrib.framework.is_tensor")
def is_tensor(x: Any) -> bool:
    """Whether an object is a tensor, dense or sparse, or a variable.

    Args:
        x: anything.

    Returns:
        True or False.
    """
    return isinstance(x, SparseTensor | IndexedSlices) or is_tensor_like(x)
