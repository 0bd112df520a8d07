"""tensorflow.python.ops.sparse_ops: what has no public name."""

from __future__ import annotations

from headwater.ops.sparse.serialize import deserialize_sparse
from headwater.ops.sparse.tensors_map import (
    add_many_sparse_to_tensors_map as _add_many_sparse_to_tensors_map,
)
from headwater.ops.sparse.tensors_map import add_sparse_to_tensors_map as _add_sparse_to_tensors_map
from headwater.ops.sparse.tensors_map import (
    take_many_sparse_from_tensors_map as _take_many_sparse_from_tensors_map,
)

__all__ = [
    "_add_many_sparse_to_tensors_map",
    "_add_sparse_to_tensors_map",
    "_take_many_sparse_from_tensors_map",
    "deserialize_sparse",
]
