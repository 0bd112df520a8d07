"""The linear model of columns of version 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base import dtypes
from headwater.graph import Tensor, name_scope
from headwater.model.feature_column import linear
from headwater.model.feature_column.base import CategoricalColumn, DenseColumn
from headwater.model.feature_column.checks import normalized_columns_v2
from headwater.model.feature_column.layer import (
    ColumnLayer,
    require_features,
    unique_layer_name,
)
from headwater.model.feature_column.state import LayerStateManager
from headwater.model.feature_column.transformation import FeatureTransformationCache
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import pure_variable_scope


class _LinearModelLayer(ColumnLayer):
    """The weighted sums of columns and a bias; see `LinearModel` for the arguments."""

    def __init__(
        self,
        feature_columns: Any,
        units: int = 1,
        sparse_combiner: str = "sum",
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, trainable, **kwargs)
        self._feature_columns = normalized_columns_v2(feature_columns)
        for column in self._feature_columns:
            if not isinstance(column, (DenseColumn, CategoricalColumn)):
                raise ValueError(
                    "Items of feature_columns must be either a DenseColumn or CategoricalColumn. "
                    f"Given: {column}"
                )
        self._units = units
        self._sparse_combiner = sparse_combiner
        self.state_manager = LayerStateManager(self, self.trainable)
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the weights and the bias.

        Args:
            input_shape: ignored.
        """
        with pure_variable_scope(self.name):
            for column in self._feature_columns:
                with pure_variable_scope(column.name):
                    column.create_state(self.state_manager)
                    if isinstance(column, CategoricalColumn):
                        rows = column.num_buckets
                    else:
                        rows = column.variable_shape.num_elements()
                    self.state_manager.create_variable(
                        column,
                        name="weights",
                        dtype=dtypes.float32,
                        shape=(rows, self._units),
                        initializer=Zeros(),
                        trainable=self.trainable,
                    )
            self.bias = self.make_variable(
                "bias_weights",
                dtype=dtypes.float32,
                shape=[self._units],
                initializer=Zeros(),
                trainable=self.trainable,
                use_resource=True,
            )
        super().build(None)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """Computes the sums.

        Args:
            inputs: {name: tensor or SparseTensor}.
            *args: none.
            **kwargs: none.

        Returns:
            A matrix [batch, units].

        Raises:
            ValueError: if `inputs` is no dict.
        """
        require_features(inputs)
        with name_scope(self.name):
            cache = FeatureTransformationCache(inputs)
            sums = []
            for column in self._feature_columns:
                with name_scope(column.name):
                    sums.append(self._weighted_sum(column, cache))
            return linear.with_bias(linear.total(sums), self.bias)

    def _weighted_sum(self, column: Any, cache: FeatureTransformationCache) -> Tensor:
        manager = self.state_manager
        weights = manager.get_variable(column, "weights")
        if isinstance(column, CategoricalColumn):
            pair = column.get_sparse_tensors(cache, manager)
            return linear.categorical_weighted_sum(pair, self._sparse_combiner, weights)
        tensor = column.get_dense_tensor(cache, manager)
        return linear.dense_weighted_sum(tensor, column.variable_shape.num_elements(), weights)


class LinearModel:
    """A linear model of columns whose calls share the variables.

    Args:
        feature_columns: an iterable of dense and categorical columns of version 2.
        units: the number of sums per example.
        sparse_combiner: how the weights of the ids of a column are combined: "sum", "mean" or
            "sqrtn".
        trainable: whether optimizers change the variables by default.
        name: the name, part of the names of the variables.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if an item is no such column.
    """

    def __init__(
        self,
        feature_columns: Any,
        units: int = 1,
        sparse_combiner: str = "sum",
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.name = name or unique_layer_name("linear_model")
        self.trainable = trainable
        self.layer = _LinearModelLayer(
            feature_columns, units, sparse_combiner, trainable, name=self.name, **kwargs
        )

    def __call__(self, features: Mapping[str, Any]) -> Tensor:
        """Makes the matrix [batch, units] of sums of features."""
        with name_scope(self.name):
            return self.call(features)

    def call(self, features: Mapping[str, Any]) -> Tensor:
        """Computes the sums; see the class.

        Args:
            features: {name: tensor or SparseTensor}.

        Returns:
            A matrix [batch, units].
        """
        return self.layer(features)

    @property
    def bias(self) -> Any:
        """The bias."""
        return self.layer.bias

    @property
    def variables(self) -> list[Any]:
        """All variables."""
        return self.layer.variables

    @property
    def weights(self) -> list[Any]:
        """`variables`."""
        return self.layer.weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that optimizers change."""
        return self.layer.trainable_variables

    @property
    def trainable_weights(self) -> list[Any]:
        """`trainable_variables`."""
        return self.layer.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The other variables."""
        return self.layer.non_trainable_variables
