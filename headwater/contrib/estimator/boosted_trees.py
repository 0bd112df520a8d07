"""Boosted trees whose examples are one batch that is kept in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.data.datasets.dataset import DatasetV2
from headwater.estimator.canned.boosted_trees import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
)

_DEFAULT: Any = object()


def _repeated(input_fn: Callable[[], Any]) -> Callable[[], Any]:
    """An input function whose Dataset does not end after its only batch."""

    def repeated_input_fn() -> Any:
        result = input_fn()
        return result.repeat() if isinstance(result, DatasetV2) else result

    return repeated_input_fn


@export("contrib.estimator.boosted_trees_classifier_train_in_memory")
def boosted_trees_classifier_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Sequence[Any],
    model_dir: str | None = None,
    n_classes: int = _DEFAULT,
    weight_column: Any = None,
    label_vocabulary: Sequence[str] | None = None,
    n_trees: int = 100,
    max_depth: int = 6,
    learning_rate: float = 0.1,
    l1_regularization: float = 0.0,
    l2_regularization: float = 0.0,
    tree_complexity: float = 0.0,
    min_node_weight: float = 0.0,
    config: Any = None,
    train_hooks: Sequence[Any] | None = None,
    center_bias: bool = False,
    pruning_mode: str = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesClassifier:
    """Trains a classifier by boosted trees on one batch of all examples.

    Args:
        train_input_fn: a function that returns features and labels, or a Dataset of one batch.
        feature_columns: bucketized, numeric and indicator columns.
        model_dir: the folder of checkpoints and event files; or None.
        n_classes: the number of classes, 2.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        n_trees: the number of trees.
        max_depth: their depth.
        learning_rate: the factor of what a tree adds.
        l1_regularization: the L1 regularization of leaves.
        l2_regularization: the L2 regularization of leaves.
        tree_complexity: what each leaf costs; needs pruning.
        min_node_weight: the least sum of hessians of a node that is split.
        config: a RunConfig; or None.
        train_hooks: SessionRunHooks; or None.
        center_bias: whether the mean of the labels is learned before the trees.
        pruning_mode: "none", "pre" or "post".
        quantile_sketch_epsilon: the error of the boundaries of buckets of numeric columns.

    Returns:
        The trained BoostedTreesClassifier.

    Raises:
        ValueError: if an argument is wrong.
    """
    classes = {} if n_classes is _DEFAULT else {"n_classes": n_classes}
    classifier = BoostedTreesClassifier(
        feature_columns,
        1,
        model_dir=model_dir,
        weight_column=weight_column,
        label_vocabulary=label_vocabulary,
        n_trees=n_trees,
        max_depth=max_depth,
        learning_rate=learning_rate,
        l1_regularization=l1_regularization,
        l2_regularization=l2_regularization,
        tree_complexity=tree_complexity,
        min_node_weight=min_node_weight,
        config=config,
        center_bias=center_bias,
        pruning_mode=pruning_mode,
        quantile_sketch_epsilon=quantile_sketch_epsilon,
        train_in_memory=True,
        **classes,
    )
    classifier.train(_repeated(train_input_fn), hooks=train_hooks)
    return classifier


@export("contrib.estimator.boosted_trees_regressor_train_in_memory")
def boosted_trees_regressor_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Sequence[Any],
    model_dir: str | None = None,
    label_dimension: int = _DEFAULT,
    weight_column: Any = None,
    n_trees: int = 100,
    max_depth: int = 6,
    learning_rate: float = 0.1,
    l1_regularization: float = 0.0,
    l2_regularization: float = 0.0,
    tree_complexity: float = 0.0,
    min_node_weight: float = 0.0,
    config: Any = None,
    train_hooks: Sequence[Any] | None = None,
    center_bias: bool = False,
    pruning_mode: str = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesRegressor:
    """Trains a regression by boosted trees on one batch of all examples.

    Args:
        train_input_fn: a function that returns features and labels, or a Dataset of one batch.
        feature_columns: bucketized, numeric and indicator columns.
        model_dir: the folder of checkpoints and event files; or None.
        label_dimension: how many numbers a label has, 1.
        weight_column: the name or column of the weights of examples; or None.
        n_trees: the number of trees.
        max_depth: their depth.
        learning_rate: the factor of what a tree adds.
        l1_regularization: the L1 regularization of leaves.
        l2_regularization: the L2 regularization of leaves.
        tree_complexity: what each leaf costs; needs pruning.
        min_node_weight: the least sum of hessians of a node that is split.
        config: a RunConfig; or None.
        train_hooks: SessionRunHooks; or None.
        center_bias: whether the mean of the labels is learned before the trees.
        pruning_mode: "none", "pre" or "post".
        quantile_sketch_epsilon: the error of the boundaries of buckets of numeric columns.

    Returns:
        The trained BoostedTreesRegressor.

    Raises:
        ValueError: if an argument is wrong.
    """
    labels = {} if label_dimension is _DEFAULT else {"label_dimension": label_dimension}
    regressor = BoostedTreesRegressor(
        feature_columns,
        1,
        model_dir=model_dir,
        weight_column=weight_column,
        n_trees=n_trees,
        max_depth=max_depth,
        learning_rate=learning_rate,
        l1_regularization=l1_regularization,
        l2_regularization=l2_regularization,
        tree_complexity=tree_complexity,
        min_node_weight=min_node_weight,
        config=config,
        center_bias=center_bias,
        pruning_mode=pruning_mode,
        quantile_sketch_epsilon=quantile_sketch_epsilon,
        train_in_memory=True,
        **labels,
    )
    regressor.train(_repeated(train_input_fn), hooks=train_hooks)
    return regressor
