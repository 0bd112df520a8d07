"""`tf.feature_column.input_layer`: dense columns side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.graph import Tensor, build, export, get_default_graph, shape_tensor
from headwater.graph.graph_keys import GraphKeys
from headwater.model.feature_column.base import _DenseColumn
from headwater.model.feature_column.checks import check_batch_sizes, normalized_columns
from headwater.model.feature_column.transformation import _LazyBuilder
from headwater.model.template import make_template
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope
from headwater.ops.array.concat import concat


@export("feature_column.input_layer")
def input_layer(
    features: Mapping[str, Any],
    feature_columns: Any,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Tensor] | None = None,
) -> Tensor:
    """Makes a matrix [batch, values of all columns] of features; columns are sorted by name.

    Args:
        features: {name: tensor or SparseTensor, batch first}.
        feature_columns: an iterable of dense columns.
        weight_collections: further collections of the variables.
        trainable: whether optimizers change the variables by default.
        cols_to_vars: a dict that gets the list of variables of each column.
        cols_to_output_tensors: a dict that gets the part of each column.

    Returns:
        A float32 matrix.

    Raises:
        ValueError: if an item is no dense column, or two have the same name.

    Example:
        >>> price = tf.feature_column.numeric_column("price")
        >>> net = tf.feature_column.input_layer({"price": [[1.0], [5.0]]}, [price])
        >>> print(net.eval().tolist())
        [[1.0], [5.0]]
    """
    columns = _dense_columns(feature_columns)
    collections = with_model_variables(weight_collections)
    with variable_scope(None, default_name="input_layer", values=list(features.values())):
        return _side_by_side(
            features, columns, collections, trainable, cols_to_vars, cols_to_output_tensors
        )


def with_model_variables(weight_collections: Sequence[str] | None) -> list[str]:
    """The collections of the variables of columns.

    Args:
        weight_collections: those that the caller wants.

    Returns:
        A list that has those of global and model variables too.
    """
    collections = list(weight_collections or [])
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES):
        if key not in collections:
            collections.append(key)
    return collections


def _dense_columns(feature_columns: Any) -> list[Any]:
    columns = normalized_columns(feature_columns)
    for column in columns:
        if not isinstance(column, _DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical "
                f"column with an embedding_column or indicator_column. Given: {column}"
            )
    return columns


def _side_by_side(
    features: Mapping[str, Any],
    columns: list[Any],
    collections: list[str],
    trainable: bool,
    cols_to_vars: dict[Any, Any] | None,
    cols_to_output_tensors: dict[Any, Tensor] | None = None,
) -> Tensor:
    builder = _LazyBuilder(features)
    parts = []
    columns = sorted(columns, key=lambda column: column.name)
    for column in columns:
        with variable_scope(None, default_name=column._var_scope_name):
            tensor = column._get_dense_tensor(
                builder, weight_collections=collections, trainable=trainable
            )
            num_elements = column._variable_shape.num_elements()
            part = build.Reshape(tensor, (shape_tensor(tensor)[0], num_elements))
            parts.append(part)
            if cols_to_vars is not None:
                cols_to_vars[column] = variables_of_scope(get_variable_scope().name)
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = part
    check_batch_sizes(parts, columns)
    return concat(parts, 1)


def variables_of_scope(scope_name: str) -> list[Any]:
    """The variables whose names begin with that of a scope.

    Args:
        scope_name: the name of the scope.

    Returns:
        A list of variables.
    """
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope_name)


class InputLayer:
    """`input_layer` as an object whose calls share the variables.

    Args:
        feature_columns: an iterable of dense columns.
        weight_collections: further collections of the variables.
        trainable: whether optimizers change the variables by default.
        cols_to_vars: a dict that gets the list of variables of each column.
        name: the name of the variable scope.
        create_scope_now: whether the scope is made now and not in the first call.
    """

    def __init__(
        self,
        feature_columns: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool = True,
        cols_to_vars: dict[Any, Any] | None = None,
        name: str = "feature_column_input_layer",
        create_scope_now: bool = True,
    ) -> None:
        self._columns = feature_columns
        self._collections = weight_collections
        self._trainable = trainable
        self._cols_to_vars = cols_to_vars
        self._name = name
        self._template = make_template(name, self._built, create_scope_now_=create_scope_now)
        self._scope = self._template.variable_scope

    def _built(self, features: Mapping[str, Any]) -> Tensor:
        return _side_by_side(
            features,
            _dense_columns(self._columns),
            with_model_variables(self._collections),
            self._trainable,
            self._cols_to_vars,
        )

    def __call__(self, features: Mapping[str, Any]) -> Any:
        """Makes the matrix of features."""
        return self._template(features)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that optimizers do not change."""
        return self._template.non_trainable_variables

    @property
    def non_trainable_weights(self) -> list[Any]:
        """`non_trainable_variables`."""
        return self._template.non_trainable_weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that optimizers change."""
        return self._template.trainable_variables

    @property
    def trainable_weights(self) -> list[Any]:
        """`trainable_variables`."""
        return self._template.trainable_weights

    @property
    def variables(self) -> list[Any]:
        """All variables."""
        return self._template.variables

    @property
    def weights(self) -> list[Any]:
        """`variables`."""
        return self._template.weights
