"""Mirror of tensorflow.contrib.boosted_trees.lib.learner.batch.ordinal_split_handler."""

from __future__ import annotations

from headwater.contrib.boosted_trees.split_handlers import (
    DenseSplitHandler,
    InequalitySplitHandler,
    SparseSplitHandler,
)

__all__ = ["DenseSplitHandler", "InequalitySplitHandler", "SparseSplitHandler"]
