"""LinearSDCA: trains linear estimators by stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.estimator.head.base import _Head
from headwater.estimator.head.binary import BinaryKind
from headwater.estimator.head.multi_class import MultiClassKind
from headwater.estimator.head.regression import RegressionKind
from headwater.estimator.sdca.model import SdcaModel
from headwater.estimator.sdca.sparse_ids import SparseFeature, pruned_and_unique
from headwater.estimator.sdca.update_hook import SdcaUpdateWeightsHook
from headwater.graph import Operation, Tensor, convert_to_tensor
from headwater.model.feature_column.base import CategoricalColumn
from headwater.model.feature_column.state import StateManager
from headwater.model.feature_column.transformation import FeatureTransformationCache
from headwater.model.global_step import get_global_step
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast


@export("estimator.experimental.LinearSDCA")
class LinearSDCA:
    """Trains linear estimators by stochastic dual coordinate ascent.

    It is given as `optimizer` to LinearClassifier of two classes or to LinearRegressor of
    one-dimensional labels, and needs no learning rate.

    Args:
        example_id_column: the name of the feature with the ids of examples, strings.
        num_loss_partitions: how many workers train at once.
        num_table_shards: the number of tables that keep the states of the examples; or None.
        symmetric_l1_regularization: the L1 regularization.
        symmetric_l2_regularization: the L2 regularization; at least 1 is used.
        adaptive: whether examples are drawn by how far their dual variables are off.

    Example:
        >>> x = tf.feature_column.numeric_column("x")
        >>> features = {"x": [[-1.0], [1.0]], "id": ["a", "b"]}
        >>> data = lambda: tf.data.Dataset.from_tensors((features, [0, 1])).repeat(9)
        >>> sdca = tf.estimator.experimental.LinearSDCA("id")
        >>> classifier = tf.estimator.LinearClassifier([x], tempfile.mkdtemp(), optimizer=sdca)
        >>> print(classifier.train(data).evaluate(data)["accuracy"])
        1.0
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: int | None = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = False,
    ) -> None:
        self._example_id_column = example_id_column
        self._num_loss_partitions = num_loss_partitions
        self._num_table_shards = num_table_shards
        self._symmetric_l1_regularization = symmetric_l1_regularization
        self._symmetric_l2_regularization = symmetric_l2_regularization
        self._adaptive = adaptive

    def get_train_step(
        self,
        state_manager: StateManager,
        weight_column_name: str | None,
        loss_type: str,
        feature_columns: Sequence[Any],
        features: Mapping[str, Any],
        targets: TensorLike,
        bias_var: Any,
        global_step: Any,
    ) -> tuple[SdcaModel, Operation]:
        """Makes the model of a linear estimator, and the op of a training step.

        Args:
            state_manager: the manager of the weights of the columns.
            weight_column_name: the name of the weights of examples; or None.
            loss_type: the loss, as in `tf.contrib.linear_optimizer.SdcaModel`.
            feature_columns: dense and categorical columns.
            features: the features by name.
            targets: the labels.
            bias_var: the bias; or None.
            global_step: the variable that counts the steps.

        Returns:
            The SdcaModel and the op.
        """
        batch_size = shape(targets)[0]
        cache = FeatureTransformationCache(features)
        sparse: list[SparseFeature] = []
        dense: list[Tensor] = []
        weights: dict[str, list[Any]] = {"sparse": [], "dense": []}
        for column in sorted(feature_columns, key=lambda column: str(column.name)):
            weight = state_manager.get_variable(column, "weights")
            if isinstance(column, CategoricalColumn):
                pair = column.get_sparse_tensors(cache, state_manager)
                sparse.append(pruned_and_unique(pair.id_tensor, pair.weight_tensor))
                weights["sparse"].append(weight)
            else:
                dense.append(column.get_dense_tensor(cache, state_manager))
                weights["dense"].append(weight)
        if bias_var is not None:
            dense.append(ones([batch_size, 1]))
            weights["dense"].append(bias_var)
        if weight_column_name:
            example_weights = reshape(convert_to_tensor(features[weight_column_name]), shape=[-1])
        else:
            example_weights = ones([batch_size])
        model = SdcaModel(
            examples={
                "sparse_features": sparse,
                "dense_features": dense,
                "example_labels": cast(
                    reshape(targets, shape=[-1]), dtypes.float32, name="ToFloat"
                ),
                "example_weights": example_weights,
                "example_ids": features[self._example_id_column],
            },
            variables={
                "sparse_features_weights": weights["sparse"],
                "dense_features_weights": weights["dense"],
            },
            options={
                "symmetric_l1_regularization": self._symmetric_l1_regularization,
                "symmetric_l2_regularization": self._symmetric_l2_regularization,
                "adaptive": self._adaptive,
                "num_loss_partitions": self._num_loss_partitions,
                "num_table_shards": self._num_table_shards,
                "loss_type": loss_type,
            },
        )
        return model, model.minimize(global_step=global_step)


def loss_type_of(head: _Head) -> str:
    """The loss of a head.

    Args:
        head: a head.

    Returns:
        A `loss_type` of SdcaModel.

    Raises:
        ValueError: if the head is not one for two classes or a number.
    """
    if isinstance(head, BinaryKind):
        return "logistic_loss"
    if isinstance(head, RegressionKind):
        if head.logits_dimension != 1:
            raise ValueError("LinearSDCA can only be used with one-dimensional label.")
        return "squared_loss"
    if isinstance(head, MultiClassKind):
        raise ValueError("LinearSDCA cannot be used in a multi-class setting.")
    raise ValueError(f"Unsupported head type: {head}")


def train_step(
    optimizer: LinearSDCA,
    head: Any,
    state_manager: StateManager,
    feature_columns: Sequence[Any],
    features: Mapping[str, Any],
    labels: TensorLike,
    bias: Any,
) -> tuple[Operation, SdcaUpdateWeightsHook]:
    """Makes the op that trains a linear model, and the hook that belongs to it.

    Args:
        optimizer: a LinearSDCA.
        head: the head of the model.
        state_manager: the manager of the weights of the columns.
        feature_columns: the columns.
        features: the features by name.
        labels: the labels.
        bias: the bias of the model.

    Returns:
        The op and the hook.

    Raises:
        ValueError: if the head is not one for two classes or a number.
    """
    model, train_op = optimizer.get_train_step(
        state_manager,
        head._weight_column,
        loss_type_of(head),
        feature_columns,
        features,
        labels,
        bias,
        get_global_step(),
    )
    return train_op, SdcaUpdateWeightsHook(model, train_op)
