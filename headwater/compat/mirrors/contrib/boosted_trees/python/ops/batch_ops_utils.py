"""tensorflow.contrib.boosted_trees.python.ops.batch_ops_utils: ops of many handlers."""

from __future__ import annotations

from headwater.contrib.boosted_trees.scheduling import (
    ScheduledOp,
    ScheduledStampedResourceOp,
    run_handler_scheduled_ops,
)

__all__ = ["ScheduledOp", "ScheduledStampedResourceOp", "run_handler_scheduled_ops"]
