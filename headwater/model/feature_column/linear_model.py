"""`tf.feature_column.linear_model`: a linear model of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.graph import Tensor, export, get_default_graph, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.model.feature_column import linear
from headwater.model.feature_column.base import _CategoricalColumn, _DenseColumn
from headwater.model.feature_column.checks import normalized_columns
from headwater.model.feature_column.input_layer import variables_of_scope, with_model_variables
from headwater.model.feature_column.layer import require_features
from headwater.model.feature_column.transformation import _LazyBuilder
from headwater.model.layers.base import Layer
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope


@export("feature_column.linear_model")
def linear_model(
    features: Mapping[str, Any],
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
) -> Tensor:
    """Returns the weighted sums of columns and a bias.

    Args:
        features: {name: tensor or SparseTensor, batch first}.
        feature_columns: an iterable of dense and categorical columns.
        units: the number of sums per example.
        sparse_combiner: how the weights of the ids of a column are combined: "sum", "mean" or
            "sqrtn".
        weight_collections: further collections of the variables.
        trainable: whether optimizers change the variables by default.
        cols_to_vars: a dict that gets the list of variables of each column, and of "bias".

    Returns:
        A float32 matrix [batch, units].

    Raises:
        ValueError: if an item is no column, or two have the same name.

    Example:
        >>> price = tf.feature_column.numeric_column("price")
        >>> y = tf.feature_column.linear_model({"price": [[1.0], [5.0]]}, [price])
        >>> session.run(tf.global_variables_initializer())
        >>> print(session.run(y).tolist())
        [[0.0], [0.0]]
    """
    with variable_scope(None, "linear_model") as scope:
        model_name = _last_part(scope.name)
    model = _LinearModel(
        feature_columns=feature_columns,
        units=units,
        sparse_combiner=sparse_combiner,
        weight_collections=weight_collections,
        trainable=trainable,
        name=model_name,
    )
    result = model(features)
    if cols_to_vars is not None:
        cols_to_vars.update(model.cols_to_vars())
    return result


def _last_part(scope_name: str) -> str:
    return scope_name.rsplit("/", 1)[-1]


def expanded(variable: Any) -> list[Any]:
    """The parts of a variable, or the variable, as a list.

    Args:
        variable: a variable, which may have parts.

    Returns:
        A list of variables.
    """
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def _add_to_collections(variable: Any, weight_collections: Sequence[str]) -> None:
    for key in weight_collections:
        # Variables join the collection of global ones when they are made.
        if key != GraphKeys.GLOBAL_VARIABLES:
            for part in expanded(variable):
                get_default_graph().add_to_collection(key, part)


class _Weighted(Layer):
    """The weighted sum of one column.

    Args:
        feature_column: the column.
        units: the number of sums per example.
        sparse_combiner: how the weights of ids are combined.
        weight_collections: the collections of the variables.
        trainable: whether optimizers change the variables by default.
        name: the name.
    """

    def __init__(
        self,
        feature_column: Any,
        units: int,
        sparse_combiner: str,
        weight_collections: Sequence[str],
        trainable: bool,
        name: str,
    ) -> None:
        super().__init__(trainable=trainable, name=name)
        self._feature_column = feature_column
        self._units = units
        self._sparse_combiner = sparse_combiner
        self._weight_collections = weight_collections

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Args:
            input_shape: ignored.
        """
        column = self._feature_column
        if isinstance(column, _CategoricalColumn):
            rows = column._num_buckets
        else:
            rows = column._variable_shape.num_elements()
        self._weights = self.add_weight(
            name="weights",
            shape=(rows, self._units),
            initializer=Zeros(),
            trainable=self.trainable,
            use_resource=True,
        )
        _add_to_collections(self._weights, self._weight_collections)
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """Computes the sums.

        Args:
            inputs: a `_LazyBuilder`.
            *args: none.
            **kwargs: none.

        Returns:
            A matrix [batch, units].
        """
        column = self._feature_column
        options: dict[str, Any] = {
            "weight_collections": self._weight_collections,
            "trainable": self.trainable,
        }
        if isinstance(column, _CategoricalColumn):
            pair = column._get_sparse_tensors(inputs, **options)
            return linear.categorical_weighted_sum(pair, self._sparse_combiner, self._weights)
        tensor = column._get_dense_tensor(inputs, **options)
        return linear.dense_weighted_sum(
            tensor, column._variable_shape.num_elements(), self._weights
        )


class _Bias(Layer):
    """The bias of a linear model.

    Args:
        units: its length.
        trainable: whether optimizers change it by default.
        weight_collections: its collections.
        name: the name.
    """

    def __init__(
        self, units: int, trainable: bool, weight_collections: Sequence[str], name: str
    ) -> None:
        super().__init__(trainable=trainable, name=name)
        self._units = units
        self._weight_collections = weight_collections

    def build(self, input_shape: Any) -> None:
        """Makes the bias.

        Args:
            input_shape: ignored.
        """
        self._bias = self.add_weight(
            "bias_weights",
            shape=[self._units],
            initializer=Zeros(),
            trainable=self.trainable,
            use_resource=True,
        )
        _add_to_collections(self._bias, self._weight_collections)
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The bias.

        Args:
            inputs: ignored.
            *args: none.
            **kwargs: none.

        Returns:
            The variable.
        """
        return self._bias


class _LinearModel:
    """A linear model of columns; see `linear_model` for the arguments."""

    def __init__(
        self,
        feature_columns: Any,
        units: int = 1,
        sparse_combiner: str = "sum",
        weight_collections: Sequence[str] | None = None,
        trainable: bool = True,
        name: str = "linear_model",
        **kwargs: Any,
    ) -> None:
        self.name = name
        self._feature_columns = normalized_columns(feature_columns)
        collections = with_model_variables(weight_collections)
        self._column_layers: list[_Weighted] = []
        for column in sorted(self._feature_columns, key=lambda column: column.name):
            with variable_scope(None, default_name=column._var_scope_name) as scope:
                column_name = _last_part(scope.name)
            self._column_layers.append(
                _Weighted(column, units, sparse_combiner, collections, trainable, column_name)
            )
        self._bias_layer = _Bias(units, trainable, collections, name="bias_layer")
        self._cols_to_vars: dict[Any, list[Any]] = {}

    def cols_to_vars(self) -> dict[Any, list[Any]]:
        """{column: its variables, "bias": the bias} after the first call."""
        return self._cols_to_vars

    @property
    def bias(self) -> Any:
        """The bias."""
        return self._bias_layer._bias

    @property
    def variables(self) -> list[Any]:
        """The weights of the columns, and the bias."""
        layers: list[Layer] = [*self._column_layers, self._bias_layer]
        return [variable for layer in layers for variable in layer.variables]

    def __call__(self, features: Mapping[str, Any]) -> Tensor:
        """Makes the sums of features."""
        require_features(features)
        with name_scope(self.name):
            return self._called(features)

    def _called(self, features: Mapping[str, Any]) -> Tensor:
        for column in self._feature_columns:
            if not isinstance(column, (_DenseColumn, _CategoricalColumn)):
                raise ValueError(
                    "Items of feature_columns must be either a _DenseColumn or "
                    f"_CategoricalColumn. Given: {column}"
                )
        builder: Any = _LazyBuilder(features)
        sums: list[Any] = []
        with variable_scope(self.name):
            for layer in sorted(self._column_layers, key=lambda layer: layer.name):
                sums.append(layer(builder))
                self._cols_to_vars[layer._feature_column] = variables_of_scope(layer.scope_name)
            without_bias = linear.total(sums)
            bias = self._bias_layer(builder, scope=get_variable_scope())
            predictions = linear.with_bias(without_bias, bias)
            self._cols_to_vars["bias"] = expanded(bias)
        return predictions
