"""tensorflow.python.framework.sparse_tensor."""

from headwater.graph.sparse_tensor import is_sparse

__all__ = ["is_sparse"]
