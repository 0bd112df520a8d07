"""BoostedTreesClassifier, BoostedTreesRegressor and BoostedTreesEstimator."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.estimator.canned.boosted_trees_model import (
    DEBUG_KEY,
    SCOPE,
    Derivatives,
    boosted_trees_model_fn,
)
from headwater.estimator.canned.heads import check_features, classifier_head
from headwater.estimator.canned.tree_features import feature_names, sorted_columns
from headwater.estimator.canned.tree_growers import TreeParams
from headwater.estimator.canned.tree_resources import PruningMode
from headwater.estimator.estimator import Estimator
from headwater.estimator.head.base import _Head
from headwater.estimator.head.regression import mean_squared_error_head
from headwater.estimator.model_fn import EstimatorSpec
from headwater.estimator.run_config import RunConfig
from headwater.graph import Tensor, build
from headwater.model.losses.weighting import Reduction
from headwater.ops.array.shape import size
from headwater.ops.math.cast import cast
from headwater.protos.lazy import boosted_trees_pb2

# The number of classes, or of numbers in a label, if it is not given.
_DEFAULT: Any = object()


def _params(
    n_trees: int,
    max_depth: int,
    learning_rate: float,
    l1: float,
    l2: float,
    tree_complexity: float,
    min_node_weight: float,
    center_bias: bool,
    pruning_mode: str,
    quantile_sketch_epsilon: float,
) -> TreeParams:
    """The checked parameters."""
    mode = PruningMode.from_str(pruning_mode)
    if mode != PruningMode.NO_PRUNING and tree_complexity <= 0:
        raise ValueError("For pruning, tree_complexity must be positive.")
    if mode == PruningMode.NO_PRUNING and tree_complexity > 0:
        raise ValueError("Tree complexity have no effect unless pruning mode is chosen.")
    return TreeParams(
        n_trees,
        max_depth,
        learning_rate,
        l1,
        l2,
        tree_complexity,
        min_node_weight,
        center_bias,
        mode,
        quantile_sketch_epsilon,
    )


def _mean_of(values: Tensor, like: Tensor) -> Tensor:
    count: Tensor = cast(size(like), values.dtype)
    return build.Mul(values, build.Reciprocal(count))


def _logistic_derivatives(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The derivatives of the mean sigmoid cross entropy."""
    predicted = build.Reciprocal(build.Exp(-logits) + 1.0)
    labels = cast(labels, predicted.dtype)
    gradient = _mean_of(predicted - labels, labels)
    return gradient, _mean_of(predicted * (1.0 - predicted), labels)


def _square_derivatives(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The derivatives of the mean squared error."""
    labels = cast(labels, logits.dtype)
    gradient = _mean_of(2.0 * (logits - labels), labels)
    return gradient, _mean_of(build.Fill(build.Shape(logits), 2.0), labels)


class _BoostedTrees(Estimator):
    """An Estimator whose model function is `boosted_trees_model_fn` with given arguments."""

    def __init__(
        self,
        model_dir: str | None,
        config: RunConfig | None,
        feature_columns: Sequence[Any],
        n_batches_per_layer: int,
        head: _Head,
        params: TreeParams,
        weight_column: Any,
        derivatives: Derivatives | None = None,
        train_in_memory: bool = False,
    ) -> None:
        if train_in_memory and n_batches_per_layer != 1:
            raise AssertionError(
                "When train_in_memory is enabled, input_fn should return the entire dataset as a "
                "single batch, and n_batches_per_layer should be set as 1."
            )
        self._columns = sorted_columns(feature_columns)

        def model_fn(features: Any, labels: Any, mode: str, explain: bool = False) -> EstimatorSpec:
            check_features(features)
            return boosted_trees_model_fn(
                features,
                labels,
                mode,
                head,
                self._columns,
                params,
                n_batches_per_layer,
                derivatives if weight_column is None else None,
                weight_column,
                train_in_memory,
                explain,
            )

        def _model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return model_fn(features, labels, mode)

        self._explaining: Callable[..., EstimatorSpec] = model_fn
        self._center_bias = params.center_bias
        super().__init__(model_fn=_model_fn, model_dir=model_dir, config=config)

    def experimental_feature_importances(self, normalize: bool = False) -> OrderedDict[str, float]:
        """Tells how much splits on each feature gained.

        Args:
            normalize: whether the numbers sum up to 1.

        Returns:
            {the name of a column: the sum of its gains}, the most important first.

        Raises:
            ValueError: if the estimator was not trained, or a gain is negative.
        """
        serialized = self.get_variable_value(f"{SCOPE}:0_serialized")
        if isinstance(serialized, np.ndarray):
            serialized = serialized.item()
        ensemble = boosted_trees_pb2.TreeEnsemble.FromString(serialized)
        if not ensemble.trees:
            raise ValueError("Found empty serialized string for TreeEnsemble.")
        gains = _gains(ensemble, len(feature_names(self._columns)))
        if normalize and gains.sum() > 0:
            gains = gains / gains.sum()
        return _by_column(gains, feature_names(self._columns))

    def experimental_predict_with_explanations(
        self,
        input_fn: Callable[[], Any],
        predict_keys: Sequence[str] | None = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: str | None = None,
    ) -> Iterator[Mapping[str, Any]]:
        """Yields predictions and how much each feature contributed to them.

        Args:
            input_fn: a function that returns features, or a Dataset of them.
            predict_keys: names of predictions; None for all.
            hooks: SessionRunHooks; or None.
            checkpoint_path: the path of the checkpoint; the latest one by default.

        Yields:
            The predictions by name, with "bias", the prediction without features, and "dfc",
            {the name of a column: its contribution to the logit}, the largest first.

        Raises:
            ValueError: if the trees were trained without a bias.
        """
        if not self._center_bias:
            raise ValueError("center_bias must be enabled during estimator instantiation.")

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return self._explaining(features, labels, mode, explain=True)

        explaining = Estimator(model_fn, model_dir=self.model_dir, config=self.config)
        keys = None if predict_keys is None else [*predict_keys, DEBUG_KEY]
        names = feature_names(self._columns)
        for prediction in explaining.predict(input_fn, keys, hooks, checkpoint_path):
            path = boosted_trees_pb2.DebugOutput.FromString(prediction.pop(DEBUG_KEY))
            steps = np.diff(path.logits_path)
            sums = np.zeros(len(names))
            np.add.at(sums, list(path.feature_ids), steps[: len(path.feature_ids)])
            used = {names[i] for i in path.feature_ids}
            bias = path.logits_path[0] if path.logits_path else 0.0
            dfc = OrderedDict((n, v) for n, v in _by_column(sums, names).items() if n in used)
            yield {**prediction, "bias": bias, "dfc": dfc}


def _gains(ensemble: Any, features: int) -> np.ndarray:
    """For each feature the sum of the gains of its splits."""
    total = np.zeros(features)
    for tree, weight in zip(ensemble.trees, ensemble.tree_weights):
        for node in tree.nodes:
            which = node.WhichOneof("node")
            if which in ("leaf", None):
                continue
            if node.metadata.gain < 0:
                raise ValueError(
                    "Feature importances are not defined for splits with a negative gain. Please "
                    "use a pruning_mode."
                )
            total[getattr(node, which).feature_id] += weight * node.metadata.gain
    return total


def _by_column(values: np.ndarray, names: Sequence[str]) -> OrderedDict[str, float]:
    """The sums of the values of each column, the largest absolute value first."""
    sums: dict[str, float] = {}
    for name, value in zip(names, values.tolist()):
        sums[name] = sums.get(name, 0.0) + value
    return OrderedDict(sorted(sums.items(), key=lambda item: -abs(item[1])))


@export("estimator.BoostedTreesClassifier")
class BoostedTreesClassifier(_BoostedTrees):
    """A classifier by boosted trees, for two classes.

    Args:
        feature_columns: bucketized, numeric and indicator columns.
        n_batches_per_layer: how many batches are seen before a layer is added.
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
        center_bias: whether the mean of the labels is learned before the trees.
        pruning_mode: "none", "pre" or "post".
        quantile_sketch_epsilon: the error of the boundaries of buckets of numeric columns.
        train_in_memory: whether the only batch, all examples, is kept in memory.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        n_batches_per_layer: int,
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
        config: RunConfig | None = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        if n_classes is not _DEFAULT and n_classes > 2:
            raise ValueError("For now pruning is not supported with multi class.")
        params = _params(
            n_trees,
            max_depth,
            learning_rate,
            l1_regularization,
            l2_regularization,
            tree_complexity,
            min_node_weight,
            center_bias,
            pruning_mode,
            quantile_sketch_epsilon,
        )
        head = classifier_head(2, weight_column, label_vocabulary, Reduction.SUM_OVER_BATCH_SIZE)
        super().__init__(
            model_dir,
            config,
            feature_columns,
            n_batches_per_layer,
            head,
            params,
            weight_column,
            _logistic_derivatives,
            train_in_memory,
        )


@export("estimator.BoostedTreesRegressor")
class BoostedTreesRegressor(_BoostedTrees):
    """A regression by boosted trees.

    Args:
        feature_columns: bucketized, numeric and indicator columns.
        n_batches_per_layer: how many batches are seen before a layer is added.
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
        center_bias: whether the mean of the labels is learned before the trees.
        pruning_mode: "none", "pre" or "post".
        quantile_sketch_epsilon: the error of the boundaries of buckets of numeric columns.
        train_in_memory: whether the only batch, all examples, is kept in memory.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        n_batches_per_layer: int,
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
        config: RunConfig | None = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        if label_dimension is not _DEFAULT and label_dimension > 1:
            raise ValueError("For now pruning is not supported with multi-dimensionregression.")
        params = _params(
            n_trees,
            max_depth,
            learning_rate,
            l1_regularization,
            l2_regularization,
            tree_complexity,
            min_node_weight,
            center_bias,
            pruning_mode,
            quantile_sketch_epsilon,
        )
        head = mean_squared_error_head(
            weight_column=weight_column, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE
        )
        super().__init__(
            model_dir,
            config,
            feature_columns,
            n_batches_per_layer,
            head,
            params,
            weight_column,
            _square_derivatives,
            train_in_memory,
        )


@export("estimator.BoostedTreesEstimator")
class BoostedTreesEstimator(_BoostedTrees):
    """Boosted trees with a given head, of one logit.

    Args:
        feature_columns: bucketized, numeric and indicator columns.
        n_batches_per_layer: how many batches are seen before a layer is added.
        head: the head; its loss is differentiated twice.
        model_dir: the folder of checkpoints and event files; or None.
        weight_column: the name or column of the weights of examples; or None.
        n_trees: the number of trees.
        max_depth: their depth.
        learning_rate: the factor of what a tree adds.
        l1_regularization: the L1 regularization of leaves.
        l2_regularization: the L2 regularization of leaves.
        tree_complexity: what each leaf costs; needs pruning.
        min_node_weight: the least sum of hessians of a node that is split.
        config: a RunConfig; or None.
        center_bias: whether the mean of the labels is learned before the trees.
        pruning_mode: "none", "pre" or "post".
        quantile_sketch_epsilon: the error of the boundaries of buckets of numeric columns.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        n_batches_per_layer: int,
        head: _Head,
        model_dir: str | None = None,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: RunConfig | None = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
    ) -> None:
        params = _params(
            n_trees,
            max_depth,
            learning_rate,
            l1_regularization,
            l2_regularization,
            tree_complexity,
            min_node_weight,
            center_bias,
            pruning_mode,
            quantile_sketch_epsilon,
        )
        super().__init__(
            model_dir, config, feature_columns, n_batches_per_layer, head, params, weight_column
        )
