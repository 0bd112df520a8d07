"""tensorflow.contrib.boosted_trees.python.ops.model_ops: ensembles as variables."""

from __future__ import annotations

from headwater.contrib.boosted_trees.ensemble_variable import (
    TreeEnsembleVariable,
    TreeEnsembleVariableSavable,
    tree_ensemble_variable,
)

__all__ = ["TreeEnsembleVariable", "TreeEnsembleVariableSavable", "tree_ensemble_variable"]
