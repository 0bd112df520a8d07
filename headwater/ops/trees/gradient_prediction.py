"""Predictions of gradient boosted trees of tf.contrib: GradientTreesPrediction,
GradientTreesPredictionVerbose, GradientTreesPartitionExamples.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.trees.gradient_features import Features
from headwater.ops.trees.gradient_trees import GradientTrees, parsed_learner
from headwater.protos.lazy import learner_pb2

_F = np.float32
_Arrays = list[np.ndarray]


def kernel_prediction(
    xp: ArrayModule,
    trees: GradientTrees,
    seed: np.ndarray,
    *features: _Arrays,
    learner_config: bytes,
    apply_dropout: bool,
    apply_averaging: bool,
    center_bias: bool,
    reduce_dim: bool,
) -> _Arrays:
    learner = _checked(learner_config)
    with trees.created().lock:
        dropped = trees.dropped(learner, int(seed), center_bias) if apply_dropout else []
        count = _trees_used(trees, learner)
        weights = np.array(trees.proto.tree_weights, _F)[:count]
        dropout = np.array([dropped, weights[dropped]], _F).reshape(2, -1)
        if apply_averaging:
            weights = weights * _averaging(learner, count)
        weights[dropped] = 0
        batch = Features(*features)
        predictions = np.zeros((batch.examples, learner.num_classes - reduce_dim), _F)
        leaves = np.zeros((batch.examples, count), np.int32)
        for tree in range(count):
            table = trees.table(tree, predictions.shape[1])
            leaves[:, tree] = table.leaves(batch)
            if weights[tree]:
                predictions += weights[tree] * table.values[leaves[:, tree]]
    return [predictions, dropout, leaves]


def _checked(learner_config: bytes) -> Any:
    learner = parsed_learner(learner_config)
    if learner.num_classes < 2:
        fail("Number of classes must be >=2")
    return learner


def _trees_used(trees: GradientTrees, learner: Any) -> int:
    """The number of trees that predict: a tree that grows as a whole does not until it is done."""
    whole = learner.growing_mode == learner_pb2.LearnerConfig.WHOLE_TREE
    return trees.finalized if whole else len(trees.proto.trees)


def _averaging(learner: Any, count: int) -> np.ndarray:
    """The factors of weights that average the ensembles of the last steps."""
    config = learner.averaging_config
    which = config.WhichOneof("config")
    if which is None or not count:
        return np.ones(count, _F)
    if which == "average_last_n_trees":
        last = config.average_last_n_trees
        if last <= 0:
            fail("Average last n trees must be a positive number")
    else:
        percent = config.average_last_percent_trees
        if not 0 < percent <= 1:
            fail("Average last percent must be in (0,1] interval")
        last = count * percent
    averaged = min(max(math.ceil(last), 1), count)
    numbers = np.arange(count, 0, -1).astype(_F)
    return np.minimum(numbers, averaged) / _F(averaged)


def kernel_prediction_short(
    xp: ArrayModule,
    *inputs: Any,
    learner_config: bytes,
    apply_dropout: bool,
    apply_averaging: bool,
    center_bias: bool,
    reduce_dim: bool,
) -> _Arrays:
    predicted = kernel_prediction(
        xp,
        *inputs,
        learner_config=learner_config,
        apply_dropout=apply_dropout,
        apply_averaging=apply_averaging,
        center_bias=center_bias,
        reduce_dim=reduce_dim,
    )
    return predicted[:2]


def kernel_partition(xp: ArrayModule, trees: GradientTrees, *features: _Arrays) -> np.ndarray:
    with trees.created().lock:
        batch = Features(*features)
        if not trees.is_growing:
            return np.zeros(batch.examples, np.int32)
        last = len(trees.proto.trees) - 1
        return trees.table(last, 1).leaves(batch).astype(np.int32)


def shape_prediction(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("seed", 0)
    learner = parsed_learner(c.attr("learner_config"))
    return [(None, learner.num_classes - c.attr("reduce_dim")), None]


def shape_verbose(c: shapes.ShapeContext) -> list[Shape]:
    return [*shape_prediction(c), (None, None)]


_HANDLE = "tree_ensemble_handle: resource"
_FEATURES = (
    "dense_float_features: num_dense_float_features * float, "
    "sparse_float_feature_indices: num_sparse_float_features * int64, "
    "sparse_float_feature_values: num_sparse_float_features * float, "
    "sparse_float_feature_shapes: num_sparse_float_features * int64, "
    "sparse_int_feature_indices: num_sparse_int_features * int64, "
    "sparse_int_feature_values: num_sparse_int_features * int64, "
    "sparse_int_feature_shapes: num_sparse_int_features * int64"
)
_COUNTS = (
    "num_dense_float_features: int >= 0, num_sparse_float_features: int >= 0, "
    "num_sparse_int_features: int >= 0, use_locking: bool = false"
)
_OPTIONS = "apply_dropout: bool, apply_averaging: bool, center_bias: bool, reduce_dim: bool"
_PREDICTIONS = "predictions: float, drop_out_tree_indices_weights: float"

register_op(
    "GradientTreesPrediction",
    inputs=f"{_HANDLE}, seed: int64, {_FEATURES}",
    outputs=_PREDICTIONS,
    attrs=f"learner_config: string, {_COUNTS}, {_OPTIONS}",
    shape=shape_prediction,
    kernel=kernel_prediction_short,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "GradientTreesPredictionVerbose",
    inputs=f"{_HANDLE}, seed: int64, {_FEATURES}",
    outputs=f"{_PREDICTIONS}, leaf_index: int32",
    attrs=f"learner_config: string, {_COUNTS}, {_OPTIONS}",
    shape=shape_verbose,
    kernel=kernel_prediction,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "GradientTreesPartitionExamples",
    inputs=f"{_HANDLE}, {_FEATURES}",
    outputs="partition_ids: int32",
    attrs=_COUNTS,
    shape=lambda c: (None,),
    kernel=kernel_partition,
    stateful=True,
    runs_on=RunsOn.HOST,
)
