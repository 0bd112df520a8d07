"""tensorflow.python.ops.sparse_ops: what has no public name."""

from __future__ import annotations

from headwater.ops.sparse.cross import DEFAULT_KEY as _DEFAULT_HASH_KEY
from headwater.ops.sparse.cross import sparse_cross as _sparse_cross
from headwater.ops.sparse.cross import sparse_cross_hashed as _sparse_cross_hashed
from headwater.ops.sparse.serialize import deserialize_sparse
from headwater.ops.sparse.tensors_map import (
    add_many_sparse_to_tensors_map as _add_many_sparse_to_tensors_map,
)
from headwater.ops.sparse.tensors_map import add_sparse_to_tensors_map as _add_sparse_to_tensors_map
from headwater.ops.sparse.tensors_map import (
    take_many_sparse_from_tensors_map as _take_many_sparse_from_tensors_map,
)

__all__ = [
    "_DEFAULT_HASH_KEY",
    "_add_many_sparse_to_tensors_map",
    "_add_sparse_to_tensors_map",
    "_sparse_cross",
    "_sparse_cross_hashed",
    "_take_many_sparse_from_tensors_map",
    "deserialize_sparse",
]
