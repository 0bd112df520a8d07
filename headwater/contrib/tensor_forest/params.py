"""ForestHParams: the parameters of a forest."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

from headwater.base.export import export, export_value
from headwater.protos.lazy import tensor_forest_params_pb2

_MODULE = "contrib.tensor_forest.tensor_forest"
# The type of leaves and the type of statistics.
CLASSIFICATION_LEAF_MODEL_TYPES = {
    "all_dense": (0, 0),
    "all_sparse": (1, 1),
    "sparse_then_dense": (3, 3),
}
REGRESSION_MODEL_TYPE = (2, 2, 0)
FINISH_TYPES = {"basic": 0, "hoeffding": 2, "bootstrap": 3}
PRUNING_TYPES = {"none": 0, "half": 1, "quarter": 2, "10_percent": 3, "hoeffding": 4}
SPLIT_TYPES = {"less_or_equal": 0, "less": 1}

for _name, _value in (
    ("CLASSIFICATION_LEAF_MODEL_TYPES", CLASSIFICATION_LEAF_MODEL_TYPES),
    ("REGRESSION_MODEL_TYPE", REGRESSION_MODEL_TYPE),
    ("FINISH_TYPES", FINISH_TYPES),
    ("PRUNING_TYPES", PRUNING_TYPES),
    ("SPLIT_TYPES", SPLIT_TYPES),
):
    export_value(f"{_MODULE}.{_name}", _value)


@export(f"{_MODULE}.ForestHParams")
class ForestHParams:
    """The parameters of a forest. `fill` computes those that depend on others.

    Args:
        num_trees: the number of trees.
        max_nodes: the largest number of nodes of a tree.
        bagging_fraction: the share of examples that a tree gets.
        num_splits_to_consider: how many candidates a leaf has; by default the square root of the
            number of features, and at least 10. A number, or a DepthDependentParam as text.
        feature_bagging_fraction: the share of features that a tree gets.
        max_fertile_nodes: has no effect.
        split_after_samples: the weight of examples after which a leaf splits.
        valid_leaf_threshold: the least weight on a side of a split.
        dominate_method: has no effect; see `split_finish_name`.
        dominate_fraction: how sure it must be that the best candidate is the best.
        model_name: how leaves keep classes: "all_dense", "all_sparse" or "sparse_then_dense".
        split_finish_name: when a leaf splits: "basic", "hoeffding" or "bootstrap".
        split_pruning_name: which candidates are dropped: "none", "half", "quarter", "10_percent"
            or "hoeffding".
        prune_every_samples: after which weight of examples candidates are dropped.
        early_finish_check_every_samples: after which weight of examples it is checked whether the
            best candidate is sure.
        collate_examples: has no effect.
        checkpoint_stats: whether checkpoints have the statistics of the leaves.
        use_running_stats_method: has no effect.
        initialize_average_splits: has no effect.
        inference_tree_paths: whether predictions come with the paths to the leaves.
        param_file: the path of a TensorForestParams as text, which replaces all of this; or None.
        split_name: "less_or_equal" or "less": what goes left.
        **kwargs: further parameters: `num_classes`, `num_features`, `regression`,
            `base_random_seed`.

    Example:
        >>> forest = tf.contrib.tensor_forest.tensor_forest
        >>> params = forest.ForestHParams(num_classes=3, num_features=4, num_trees=2).fill()
        >>> print(params.num_splits_to_consider)
        10
    """

    def __init__(
        self,
        num_trees: int = 100,
        max_nodes: int = 10000,
        bagging_fraction: float = 1.0,
        num_splits_to_consider: Any = 0,
        feature_bagging_fraction: float = 1.0,
        max_fertile_nodes: int = 0,
        split_after_samples: Any = 250,
        valid_leaf_threshold: int = 1,
        dominate_method: str = "bootstrap",
        dominate_fraction: Any = 0.99,
        model_name: str = "all_dense",
        split_finish_name: str = "basic",
        split_pruning_name: str = "none",
        prune_every_samples: Any = 0,
        early_finish_check_every_samples: Any = 0,
        collate_examples: bool = False,
        checkpoint_stats: bool = False,
        use_running_stats_method: bool = False,
        initialize_average_splits: bool = False,
        inference_tree_paths: bool = False,
        param_file: str | None = None,
        split_name: str = "less_or_equal",
        **kwargs: Any,
    ) -> None:
        given = dict(locals())
        for name in ("self", "kwargs"):
            given.pop(name)
        self.num_splits_to_consider = num_splits_to_consider
        self.num_features: int
        self.num_classes: int
        self.num_trees: int
        self.feature_bagging_fraction: float
        self.params_proto: Any
        self.serialized_params_proto: bytes
        self.bagged_features: Any
        self.__dict__.update(given, **kwargs)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'ForestHParams' object has no attribute '{name}'")

    def values(self) -> dict[str, Any]:
        """The parameters by name."""
        return self.__dict__

    def fill(self) -> ForestHParams:
        """Computes the parameters that depend on others, and returns `self`.

        Raises:
            AttributeError: if `num_classes` or `num_features` is missing.
            ValueError: if a regression uses hoeffding or bootstrap.
        """
        self.bagged_num_features = int(self.feature_bagging_fraction * self.num_features)
        self.bagged_features = None
        if self.feature_bagging_fraction < 1.0:
            self.bagged_features = [self._some_features() for _ in range(self.num_trees)]
        self.regression = getattr(self, "regression", False)
        # Column 0 counts all examples.
        self.num_output_columns = self.num_classes + 1
        self.num_outputs = self.num_classes if self.regression else 1
        if not self.num_splits_to_consider:
            self.num_splits_to_consider = max(10, math.floor(math.sqrt(self.num_features)))
        if self.regression:
            self.leaf_model_type, self.stats_model_type = REGRESSION_MODEL_TYPE[:2]
        else:
            types = CLASSIFICATION_LEAF_MODEL_TYPES[self.model_name]
            self.leaf_model_type, self.stats_model_type = types
        self.finish_type = (
            REGRESSION_MODEL_TYPE[2] if self.regression else FINISH_TYPES[self.split_finish_name]
        )
        self.pruning_type = PRUNING_TYPES[self.split_pruning_name]
        self.split_type = SPLIT_TYPES[self.split_name]
        self.base_random_seed = getattr(self, "base_random_seed", 0)
        return self

    def _some_features(self) -> list[int]:
        return sorted(random.sample(range(self.num_features), self.bagged_num_features))


@export(f"{_MODULE}.parse_number_or_string_to_proto")
def parse_number_or_string_to_proto(proto: Any, param: Any) -> None:
    """Sets a DepthDependentParam.

    Args:
        proto: the message.
        param: a number, or the message as text.
    """
    from google.protobuf import text_format  # The runtime takes long to load.

    if isinstance(param, (int, float)):
        proto.constant_value = param
        return
    text_format.Merge(param, proto)


@export(f"{_MODULE}.build_params_proto")
def build_params_proto(params: ForestHParams) -> Any:
    """Makes a TensorForestParams of parameters.

    Args:
        params: the parameters, filled.

    Returns:
        The message.
    """
    from google.protobuf import text_format  # The runtime takes long to load.

    proto = tensor_forest_params_pb2.TensorForestParams()
    if params.param_file:
        text_format.Merge(Path(params.param_file).read_text(), proto)
        return proto
    proto.num_trees = params.num_trees
    proto.max_nodes = params.max_nodes
    proto.is_regression = params.regression
    proto.num_outputs = params.num_classes
    proto.num_features = params.num_features
    proto.leaf_type = params.leaf_model_type
    proto.stats_type = params.stats_model_type
    proto.collection_type = 0
    proto.pruning_type.type = params.pruning_type
    proto.finish_type.type = params.finish_type
    proto.inequality_test_type = params.split_type
    proto.drop_final_class = False
    proto.collate_examples = params.collate_examples
    proto.checkpoint_stats = params.checkpoint_stats
    proto.use_running_stats_method = params.use_running_stats_method
    proto.initialize_average_splits = params.initialize_average_splits
    proto.inference_tree_paths = params.inference_tree_paths
    for message, value in (
        (proto.pruning_type.prune_every_samples, params.prune_every_samples),
        (proto.finish_type.check_every_steps, params.early_finish_check_every_samples),
        (proto.split_after_samples, params.split_after_samples),
        (proto.num_splits_to_consider, params.num_splits_to_consider),
        (proto.dominate_fraction, params.dominate_fraction),
    ):
        parse_number_or_string_to_proto(message, value)
    return proto
