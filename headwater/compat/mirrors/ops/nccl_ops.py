"""tensorflow.python.ops.nccl_ops."""

from __future__ import annotations

from headwater.contrib.nccl.collectives import (
    all_max,
    all_min,
    all_prod,
    all_sum,
    broadcast,
    reduce_sum,
)

__all__ = ["all_max", "all_min", "all_prod", "all_sum", "broadcast", "reduce_sum"]
