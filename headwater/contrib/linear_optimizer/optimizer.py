"""SDCAOptimizer: trains linear models of tf.contrib.learn by dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.layers.feature_columns.crossed import _CrossedColumn
from headwater.contrib.layers.feature_columns.real_valued import (
    _BucketizedColumn,
    _RealValuedColumn,
)
from headwater.contrib.layers.feature_columns.sparse import _SparseColumn
from headwater.contrib.layers.feature_columns.weighted import _WeightedSparseColumn
from headwater.contrib.linear_optimizer.model import SdcaModel
from headwater.estimator.sdca.sparse_ids import SparseFeature, pruned_and_unique
from headwater.graph import Operation, Tensor, convert_to_tensor
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast


@export("contrib.linear_optimizer.SDCAOptimizer")
class SDCAOptimizer:
    """Trains linear models of `tf.contrib.learn` by stochastic dual coordinate ascent.

    Args:
        example_id_column: the name of the feature with the ids of examples, strings.
        num_loss_partitions: how many workers train at once.
        num_table_shards: the number of tables that keep the states of the examples; or None.
        symmetric_l1_regularization: the L1 regularization.
        symmetric_l2_regularization: the L2 regularization; at least 1 is used.
        adaptive: whether examples are drawn by how far their dual variables are off.
        partitioner: the partitioner of the variables; or None.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: int | None = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = True,
        partitioner: Callable[..., Any] | None = None,
    ) -> None:
        self._example_id_column = example_id_column
        self._num_loss_partitions = num_loss_partitions
        self._num_table_shards = num_table_shards
        self._symmetric_l1_regularization = symmetric_l1_regularization
        self._symmetric_l2_regularization = symmetric_l2_regularization
        self._adaptive = adaptive
        self._partitioner = partitioner

    def get_name(self) -> str:
        """Returns "SDCAOptimizer"."""
        return "SDCAOptimizer"

    @property
    def example_id_column(self) -> str:
        """The name of the feature with the ids of examples."""
        return self._example_id_column

    @property
    def num_loss_partitions(self) -> int:
        """How many workers train at once."""
        return self._num_loss_partitions

    @property
    def num_table_shards(self) -> int | None:
        """The number of tables that keep the states of the examples."""
        return self._num_table_shards

    @property
    def symmetric_l1_regularization(self) -> float:
        """The L1 regularization."""
        return self._symmetric_l1_regularization

    @property
    def symmetric_l2_regularization(self) -> float:
        """The L2 regularization."""
        return self._symmetric_l2_regularization

    @property
    def adaptive(self) -> bool:
        """Whether examples are drawn by how far their dual variables are off."""
        return self._adaptive

    @property
    def partitioner(self) -> Callable[..., Any] | None:
        """The partitioner of the variables."""
        return self._partitioner

    def get_train_step(
        self,
        columns_to_variables: Mapping[Any, Sequence[Any]],
        weight_column_name: str | None,
        loss_type: str,
        features: Mapping[Any, Any],
        targets: TensorLike,
        global_step: Any,
    ) -> tuple[SdcaModel, Operation]:
        """Makes the model of some columns, and the op of a training step.

        Args:
            columns_to_variables: for each column of `tf.contrib.layers` the list of its variables.
            weight_column_name: the name of the weights of examples; or None.
            loss_type: the loss, as in SdcaModel.
            features: the features by name, and the transformed ones by column.
            targets: the labels.
            global_step: the variable that counts the steps.

        Returns:
            The SdcaModel and the op.

        Raises:
            ValueError: if a column is of a type that this way of training does not support.
        """
        sparse: list[SparseFeature] = []
        dense: list[Tensor] = []
        sparse_weights: list[Any] = []
        dense_weights: list[Any] = []
        for column in sorted(columns_to_variables, key=lambda column: str(column.key)):
            tensor = features[column]
            variables = list(columns_to_variables[column])
            if isinstance(column, _RealValuedColumn):
                dense.append(_matrix(tensor))
                dense_weights.extend(variables)
            else:
                sparse.extend(_sparse_features(column, tensor))
                sparse_weights.append(variables if len(variables) > 1 else variables[0])
        rows = shape(targets)[0]
        if weight_column_name:
            weights = reshape(convert_to_tensor(features[weight_column_name]), shape=[-1])
        else:
            weights = ones([rows])
        model = SdcaModel(
            examples={
                "sparse_features": sparse,
                "dense_features": dense,
                "example_labels": cast(reshape(targets, shape=[-1]), dtypes.float32),
                "example_weights": weights,
                "example_ids": features[self._example_id_column],
            },
            variables={
                "sparse_features_weights": sparse_weights,
                "dense_features_weights": dense_weights,
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


def _matrix(tensor: Any) -> Tensor:
    """A real-valued feature as a matrix with a row for each example."""
    tensor = convert_to_tensor(tensor)
    if tensor.get_shape().ndims == 1:
        return reshape(tensor, [-1, 1])
    return tensor


def _sparse_features(column: Any, tensor: Any) -> list[SparseFeature]:
    """The ids of a column."""
    if isinstance(column, _BucketizedColumn):
        ids = column.to_sparse_tensor(tensor)
        return [pruned_and_unique(ids, None)]
    if isinstance(column, (_SparseColumn, _CrossedColumn, _WeightedSparseColumn)):
        return [pruned_and_unique(column.id_tensor(tensor), column.weight_tensor(tensor))]
    raise ValueError(f"SDCAOptimizer does not support column type {type(column).__name__}.")
