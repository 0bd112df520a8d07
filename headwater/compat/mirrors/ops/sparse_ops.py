"""tensorflow.python.ops.sparse_ops: what has no public name."""

from __future__ import annotations

from headwater.ops.sparse.serialize import deserialize_sparse

__all__ = ["deserialize_sparse"]
