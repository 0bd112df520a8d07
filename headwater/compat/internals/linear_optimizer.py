"""Classes of tf.contrib.linear_optimizer that tests take from their modules."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.estimator.sdca.sharded_table import ShardedMutableDenseHashTable

_OPS = "tensorflow.contrib.linear_optimizer.python.ops"
internal(
    f"{_OPS}.sharded_mutable_dense_hashtable.ShardedMutableDenseHashTable",
    f"{_OPS}.sdca_ops.ShardedMutableDenseHashTable",
)(ShardedMutableDenseHashTable)
