"""tensorflow.contrib.boosted_trees.python.ops.stats_accumulator_ops: accumulators of gradients."""

from __future__ import annotations

from headwater.contrib.boosted_trees.accumulators import StatsAccumulator, StatsAccumulatorSaveable

__all__ = ["StatsAccumulator", "StatsAccumulatorSaveable"]
