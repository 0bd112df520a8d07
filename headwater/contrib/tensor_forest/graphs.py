"""RandomForestGraphs: the graphs that train a forest and predict with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.tensor_forest.features import (
    TensorForestDataSpec,
    parse_data,
    parse_labels,
)
from headwater.contrib.tensor_forest.params import ForestHParams, build_params_proto
from headwater.contrib.tensor_forest.variables import fertile_stats_variable, tree_variable
from headwater.graph import Operation, SparseTensor, Tensor, build, group
from headwater.graph.default_graph import control_dependencies, device
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.array.concat import concat
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import squeeze
from headwater.ops.array.shape import shape
from headwater.ops.array.split import split
from headwater.ops.array.stack import stack
from headwater.ops.math.arithmetic import negative
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import less
from headwater.ops.math.extrema import maximum
from headwater.ops.math.reduce_functions import reduce_mean, reduce_sum
from headwater.ops.math.select import where
from headwater.ops.random.uniform import random_uniform

_MODULE = "contrib.tensor_forest.tensor_forest"


@export(f"{_MODULE}.get_epoch_variable")
def get_epoch_variable() -> Any:
    """Returns a variable for the number of passes over the data."""
    return get_variable("epoch", shape=[1], dtype=dtypes.int32, trainable=False, initializer=None)


@export(f"{_MODULE}.TreeVariables")
class TreeVariables:
    """The variables of a tree: its statistics (in training) and the tree.

    Args:
        params: the parameters of the forest.
        tree_num: the number of the tree.
        training: whether the tree grows.
        tree_config: a serialized tree to begin with; "" for a new one.
        tree_stat: serialized statistics to begin with; "" for new ones.
    """

    def __init__(
        self,
        params: ForestHParams,
        tree_num: int,
        training: bool,
        tree_config: TensorLike = "",
        tree_stat: TensorLike = "",
    ) -> None:
        if not hasattr(params, "params_proto"):
            params.params_proto = build_params_proto(params)
            params.serialized_params_proto = params.params_proto.SerializeToString()
        self.stats = None
        if training:
            self.stats = fertile_stats_variable(
                params, tree_stat, self.get_tree_name("stats", tree_num)
            )
        self.tree = tree_variable(
            params, tree_config, self.stats, self.get_tree_name("tree", tree_num)
        )

    def get_tree_name(self, name: str, num: int) -> str:
        """Returns the name of a variable of a tree."""
        return f"{name}-{num}"


@export(f"{_MODULE}.ForestVariables")
class ForestVariables:
    """The variables of all trees.

    Args:
        params: the parameters of the forest.
        device_assigner: an object whose `get_device` or `assign_device` places variables.
        training: whether the trees grow.
        tree_variables_class: the class of the variables of a tree.
        tree_configs: serialized trees to begin with; or None.
        tree_stats: serialized statistics to begin with; or None.
    """

    def __init__(
        self,
        params: ForestHParams,
        device_assigner: Any,
        training: bool = True,
        tree_variables_class: Any = TreeVariables,
        tree_configs: Sequence[TensorLike] | None = None,
        tree_stats: Sequence[TensorLike] | None = None,
    ) -> None:
        self.variables = []
        # A variable for each tree, whose device says where the resources of the tree live.
        with device(device_assigner):
            dummies = [
                get_variable(name=f"device_dummy_{number}", shape=0)
                for number in range(params.num_trees)
            ]
        for number, dummy in enumerate(dummies):
            with device(dummy.device):
                options = {}
                if tree_configs is not None:
                    options["tree_config"] = tree_configs[number]
                if tree_stats is not None:
                    options["tree_stat"] = tree_stats[number]
                self.variables.append(tree_variables_class(params, number, training, **options))

    def __setitem__(self, t: int, val: Any) -> None:
        self.variables[t] = val

    def __getitem__(self, t: int) -> Any:
        return self.variables[t]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.variables)


def _sparse_inputs(sparse: SparseTensor | None) -> tuple[Any, Any, Any]:
    if sparse is None:
        return [], [], []
    return sparse.indices, sparse.values, sparse.dense_shape


@export(f"{_MODULE}.RandomForestGraphs")
class RandomForestGraphs:
    """The graphs that train a forest and predict with it.

    Args:
        params: the parameters of the forest, filled.
        tree_configs: serialized trees to begin with; or None.
        tree_stats: serialized statistics to begin with; or None.
        device_assigner: a function that places the variables; or None.
        variables: the variables of the trees; new ones by default.
        tree_variables_class: the class of the variables of a tree.
        tree_graphs: the class of the graphs of a tree; RandomTreeGraphs by default.
        training: whether the trees grow.
    """

    def __init__(
        self,
        params: ForestHParams,
        tree_configs: Sequence[TensorLike] | None = None,
        tree_stats: Sequence[TensorLike] | None = None,
        device_assigner: Any = None,
        variables: Any = None,
        tree_variables_class: Any = TreeVariables,
        tree_graphs: Any = None,
        training: bool = True,
    ) -> None:
        self.params = params
        self.device_assigner = device_assigner
        self.variables = variables or ForestVariables(
            params, device_assigner, training, tree_variables_class, tree_configs, tree_stats
        )
        make = tree_graphs or RandomTreeGraphs
        self.trees = [
            make(self.variables[number], params, number) for number in range(params.num_trees)
        ]

    def _bag_features(self, tree_num: int, input_data: Tensor) -> Tensor:
        columns = split(value=input_data, num_or_size_splits=self.params.num_features, axis=1)
        return concat([columns[i] for i in self.params.bagged_features[tree_num]], 1)

    def training_graph(
        self,
        input_data: Any,
        input_labels: Any,
        num_trainers: int = 1,
        trainer_id: int = 0,
        **tree_kwargs: Any,
    ) -> Operation:
        """Makes the op of a training step.

        Args:
            input_data: a matrix, a SparseTensor, or a dictionary of them.
            input_labels: the labels.
            num_trainers: how many workers train.
            trainer_id: the number of this worker, which trains its share of the trees.
            **tree_kwargs: arguments of the graphs of trees, such as `input_weights`.

        Returns:
            The operation "train".
        """
        data, sparse, spec = parse_data(input_data)
        labels = parse_labels(input_labels)
        share = self.params.num_trees // num_trainers
        first = share * trainer_id
        grown = []
        for number in range(first, first + share):
            with device(self.variables[number].tree.device):
                grown.append(self._grown(number, data, sparse, labels, spec, dict(tree_kwargs)))
        return group(*grown, name="train")

    def _grown(
        self, number: int, data: Any, sparse: Any, labels: Any, spec: Any, kwargs: dict[str, Any]
    ) -> Operation:
        """A training step of a tree, with its share of examples and features."""
        seed = self.params.base_random_seed
        if seed:
            seed += number
        if self.params.bagging_fraction < 1.0:
            if sparse is not None:
                raise NotImplementedError("Bagging does not work with sparse features.")
            rows = shape(data)[0]
            drawn = random_uniform([rows], seed=seed)
            chosen = squeeze(where(less(drawn, self.params.bagging_fraction)), axis=[1])
            data, labels = gather(data, chosen), gather(labels, chosen)
            if kwargs.get("input_weights") is not None:
                kwargs["input_weights"] = gather(kwargs["input_weights"], chosen)
        if self.params.bagged_features:
            if sparse is not None:
                raise NotImplementedError("Feature bagging not supported with sparse features.")
            data = self._bag_features(number, data)
        return self.trees[number].training_graph(
            data, labels, seed, data_spec=spec, sparse_features=sparse, **kwargs
        )

    def inference_graph(
        self, input_data: Any, **inference_args: Any
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Makes the predictions of the forest.

        Args:
            input_data: a matrix, a SparseTensor, or a dictionary of them.
            **inference_args: arguments of the graphs of trees.

        Returns:
            The means of the predictions of trees, the paths to the leaves [examples, trees] (empty
            unless the parameters ask for them), and the variances of the predictions.
        """
        data, sparse, spec = parse_data(input_data)
        predictions, paths = [], []
        for number, tree in enumerate(self.trees):
            with device(self.variables[number].tree.device):
                own = data
                if self.params.bagged_features:
                    if sparse is not None:
                        raise NotImplementedError(
                            "Feature bagging not supported with sparse features."
                        )
                    own = self._bag_features(number, data)
                found = tree.inference_graph(own, spec, sparse_features=sparse, **inference_args)
                predictions.append(found[0])
                paths.append(found[1])
        every = stack(predictions)
        count = float(self.params.num_trees)
        mean = build.RealDiv(reduce_sum(every, 0), count, name="probabilities")
        tree_paths = stack(paths, 1)
        squares = build.RealDiv(reduce_sum(every * every, 0), count, name="div")
        return mean, tree_paths, maximum(0.0, squares - mean * mean)

    def average_size(self) -> Tensor:
        """Returns the mean number of nodes of the trees."""
        return reduce_mean(cast(stack([tree.size() for tree in self.trees]), dtypes.float32))

    def training_loss(self, features: Any, labels: Any, name: str = "training_loss") -> Tensor:
        """Returns the loss of training: less, the more nodes there are.

        Args:
            features: ignored.
            labels: ignored.
            name: the name of the node.
        """
        return negative(self.average_size(), name=name)

    def validation_loss(self, features: Any, labels: Any) -> Tensor:
        """Returns the loss of validation; see `training_loss`."""
        return negative(self.average_size())

    def feature_importances(self) -> Tensor:
        """Returns the share of the splits that test each feature."""
        counts = [tree.feature_usage_counts() for tree in self.trees]
        total = reduce_sum(stack(counts, 0), 0)
        return total / reduce_sum(total)


@export(f"{_MODULE}.RandomTreeGraphs")
class RandomTreeGraphs:
    """The graphs that grow a tree and predict with it.

    Args:
        variables: the variables of the tree.
        params: the parameters of the forest.
        tree_num: the number of the tree.
    """

    def __init__(self, variables: Any, params: ForestHParams, tree_num: int) -> None:
        self.variables = variables
        self.params = params
        self.tree_num = tree_num

    def training_graph(
        self,
        input_data: Any,
        input_labels: Tensor,
        random_seed: int,
        data_spec: TensorForestDataSpec,
        sparse_features: SparseTensor | None = None,
        input_weights: Any = None,
    ) -> Operation:
        """Makes the op of a training step of the tree.

        Args:
            input_data: a matrix; None if all features are sparse.
            input_labels: the labels.
            random_seed: the seed; 0 for a random one.
            data_spec: what the features are.
            sparse_features: the sparse features; or None.
            input_weights: the weights of the examples; or None.

        Returns:
            The operation.
        """
        data = [] if input_data is None else input_data
        weights = [] if input_weights is None else input_weights
        sparse = _sparse_inputs(sparse_features)
        own: dict[str, Any] = {
            "input_spec": data_spec.SerializeToString(),
            "params": self.params.serialized_params_proto,
        }
        tree, stats = self.variables.tree, self.variables.stats
        leaves = build.TraverseTreeV4(tree, data, *sparse, **own)
        update = build.UpdateModelV4(
            tree, leaves, input_labels, weights, params=self.params.serialized_params_proto
        )
        finished = build.ProcessInputV4(
            tree,
            stats,
            data,
            *sparse,
            input_labels,
            weights,
            leaves,
            random_seed=random_seed,
            **own,
        )
        with control_dependencies([update]):
            return build.GrowTreeV4(
                tree, stats, finished, params=self.params.serialized_params_proto
            )

    def inference_graph(
        self,
        input_data: Any,
        data_spec: TensorForestDataSpec,
        sparse_features: SparseTensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Makes the predictions of the tree.

        Args:
            input_data: a matrix; None if all features are sparse.
            data_spec: what the features are.
            sparse_features: the sparse features; or None.

        Returns:
            The outputs [examples, outputs], and the paths to the leaves.
        """
        predictions, paths = build.TreePredictionsV4(
            self.variables.tree,
            [] if input_data is None else input_data,
            *_sparse_inputs(sparse_features),
            input_spec=data_spec.SerializeToString(),
            params=self.params.serialized_params_proto,
        )
        return predictions, paths

    def size(self) -> Tensor:
        """Returns the number of nodes."""
        return build.TreeSize(self.variables.tree)

    def feature_usage_counts(self) -> Tensor:
        """Returns how many splits test each feature."""
        return build.FeatureUsageCounts(
            self.variables.tree, params=self.params.serialized_params_proto
        )
