"""The base of layers of feature columns."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.graph import Graph, Tensor, build, get_default_graph, shape_tensor
from headwater.model.feature_column.checks import check_batch_sizes, normalized_columns_v2
from headwater.model.feature_column.serialization import (
    deserialize_feature_columns,
    serialize_feature_columns,
)
from headwater.model.feature_column.state import LayerStateManager
from headwater.model.layers.layer import Layer
from headwater.model.layers.names import snake_case
from headwater.model.layers.resolvers import resolver
from headwater.model.variables.variable_scope import get_variable, pure_variable_scope
from headwater.ops.array.concat import concat

_counts: weakref.WeakKeyDictionary[Graph, dict[str, int]] = weakref.WeakKeyDictionary()


def unique_layer_name(base_name: str) -> str:
    """A name that no other layer of the graph has: the base name, then with _1, _2, ...

    Args:
        base_name: the name without a number.

    Returns:
        The name.
    """
    counts = _counts.setdefault(get_default_graph(), {})
    count = counts.get(base_name, 0)
    counts[base_name] = count + 1
    return f"{base_name}_{count}" if count else base_name


class ColumnLayer(Layer):
    """A layer of features by name.

    Args:
        name: the name; None for that of the class, made unique.
        trainable: whether optimizers change the variables by default.
        **kwargs: further arguments of Layer.
    """

    def __init__(self, name: str | None, trainable: bool, **kwargs: Any) -> None:
        name = name or unique_layer_name(snake_case(type(self).__name__))
        super().__init__(trainable=trainable, name=name, **kwargs)

    def make_variable(self, name: str, **options: Any) -> Any:
        """Makes a variable of the layer in the current variable scope.

        Args:
            name: the name below the scope.
            **options: further arguments of `tf.get_variable`.

        Returns:
            The variable.
        """
        variable = get_variable(name, **options)
        resolver("track_variable")(variable)
        trained = options.get("trainable", True)
        (self._trainable_weights if trained else self._non_trainable_weights).append(variable)
        return variable


def require_features(features: Any) -> None:
    """Checks that features are given by name.

    Raises:
        ValueError: if they are not.
    """
    if not isinstance(features, Mapping):
        raise ValueError("We expected a dictionary here. Instead we got: ", features)


class _BaseFeaturesLayer(ColumnLayer):
    """A layer that puts the values of columns side by side.

    Args:
        feature_columns: the columns.
        expected_column_type: the class that they must have.
        trainable: whether optimizers change the variables by default.
        name: the name.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if a column is of another class.
    """

    def __init__(
        self,
        feature_columns: Any,
        expected_column_type: type,
        trainable: bool,
        name: str | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, trainable, **kwargs)
        self._feature_columns = normalized_columns_v2(feature_columns)
        self._state_manager = LayerStateManager(self, self.trainable)
        for column in self._feature_columns:
            if not isinstance(column, expected_column_type):
                raise ValueError(
                    f"Items of feature_columns must be a {expected_column_type}. You can wrap a "
                    "categorical column with an embedding_column or indicator_column. "
                    f"Given: {column}"
                )

    def build(self, input_shape: Any) -> None:
        """Makes the variables of the columns.

        Args:
            input_shape: ignored.
        """
        for column in self._feature_columns:
            with self._scope_of(column):
                column.create_state(self._state_manager)
        super().build(None)

    @contextmanager
    def _scope_of(self, column: Any) -> Iterator[None]:
        with pure_variable_scope(self.name), pure_variable_scope(column.name):
            yield

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor, the columns as configurations."""
        columns = serialize_feature_columns(self._feature_columns)
        return {**super().get_config(), "feature_columns": columns}

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Makes a layer from what `get_config` of another one has returned.

        Args:
            config: the arguments of the constructor.
            custom_objects: functions and classes of the program by their names.

        Returns:
            A layer without the values of the variables.
        """
        columns = deserialize_feature_columns(config["feature_columns"], custom_objects)
        return cls(**{**config, "feature_columns": columns})

    def _target_shape(self, input_shape: Any, num_elements: int) -> Any:
        """The shape of a column's values as part of the output."""
        raise NotImplementedError("Calling an abstract method.")

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the output for a shape of the input.

        Args:
            input_shape: a shape with the batch size.

        Returns:
            A TensorShape.
        """
        total = sum(column.variable_shape.num_elements() for column in self._feature_columns)
        return self._target_shape(input_shape, total)

    def _process_dense_tensor(self, column: Any, tensor: Tensor) -> Tensor:
        num_elements = column.variable_shape.num_elements()
        target = self._target_shape(shape_tensor(tensor), num_elements)
        return build.Reshape(tensor, target)

    def _verify_and_concat_tensors(self, output_tensors: Sequence[Tensor]) -> Tensor:
        check_batch_sizes(output_tensors, self._feature_columns)
        return concat(output_tensors, -1)
