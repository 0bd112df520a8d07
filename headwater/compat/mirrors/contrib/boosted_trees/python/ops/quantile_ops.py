"""tensorflow.contrib.boosted_trees.python.ops.quantile_ops: accumulators of quantiles."""

from __future__ import annotations

from headwater.contrib.boosted_trees.accumulators import (
    QuantileAccumulator,
    QuantileAccumulatorSaveable,
)

__all__ = ["QuantileAccumulator", "QuantileAccumulatorSaveable"]
