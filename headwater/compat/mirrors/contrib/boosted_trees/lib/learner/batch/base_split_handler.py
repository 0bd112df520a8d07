"""tensorflow.contrib.boosted_trees.lib.learner.batch.base_split_handler: the base of handlers."""

from __future__ import annotations

from headwater.contrib.boosted_trees.split_handlers import BaseSplitHandler

__all__ = ["BaseSplitHandler"]
