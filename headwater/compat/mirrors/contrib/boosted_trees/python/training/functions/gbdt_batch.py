"""tensorflow.contrib.boosted_trees.python.training.functions.gbdt_batch: training from batches."""

from __future__ import annotations

from headwater.contrib.boosted_trees.extracted_features import extract_features
from headwater.contrib.boosted_trees.gbdt_batch import (
    ENSEMBLE_STAMP,
    LEAF_INDEX,
    NUM_LAYERS_ATTEMPTED,
    NUM_TREES_ATTEMPTED,
    NUM_USED_HANDLERS,
    PARTITION_IDS,
    PREDICTIONS,
    USED_HANDLERS_MASK,
    GBDTTrainingState,
    GradientBoostedDecisionTreeModel,
)

__all__ = [
    "ENSEMBLE_STAMP",
    "LEAF_INDEX",
    "NUM_LAYERS_ATTEMPTED",
    "NUM_TREES_ATTEMPTED",
    "NUM_USED_HANDLERS",
    "PARTITION_IDS",
    "PREDICTIONS",
    "USED_HANDLERS_MASK",
    "GBDTTrainingState",
    "GradientBoostedDecisionTreeModel",
    "extract_features",
]
