"""tensorflow.python.ops.boosted_trees_ops and its estimators: names that are not public."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.estimator.canned import boosted_trees_model, tree_resources

_INTERNALS: dict[str, Any] = {
    "estimator.canned.boosted_trees.GrowerInitializationHook": (
        boosted_trees_model.GrowerInitializationHook
    ),
    "estimator.canned.boosted_trees._StopAtAttemptsHook": boosted_trees_model.StopAtAttemptsHook,
    "ops.boosted_trees_ops.PruningMode": tree_resources.PruningMode,
    "ops.boosted_trees_ops.QuantileAccumulator": tree_resources.QuantileAccumulator,
    "ops.boosted_trees_ops.QuantileAccumulatorSaveable": (
        tree_resources.QuantileAccumulatorSaveable
    ),
    "ops.boosted_trees_ops.TreeEnsemble": tree_resources.TreeEnsemble,
    "ops.boosted_trees_ops._TreeEnsembleSavable": tree_resources.TreeEnsembleSaveable,
}
for _path, _target in _INTERNALS.items():
    internal(_path)(_target)
