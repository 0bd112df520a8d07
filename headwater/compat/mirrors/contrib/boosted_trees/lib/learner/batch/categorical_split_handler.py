"""Mirror of tensorflow.contrib.boosted_trees.lib.learner.batch.categorical_split_handler."""

from __future__ import annotations

from headwater.contrib.boosted_trees.split_handlers import EqualitySplitHandler

__all__ = ["EqualitySplitHandler"]
