"""The variables of the columns of a layer."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from headwater.base.typing import DTypeLike, InitializerLike, ShapeLike


class StateManager:
    """Makes and finds the variables and other resources of columns."""

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: InitializerLike | None = None,
    ) -> Any:
        """Makes a variable of a column."""
        raise NotImplementedError("StateManager.create_variable")

    def add_variable(self, feature_column: Any, var: Any) -> None:
        """Adds a variable that exists."""
        raise NotImplementedError("StateManager.add_variable")

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """A variable of a column."""
        raise NotImplementedError("StateManager.get_var")

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Adds a resource, such as a table."""
        raise NotImplementedError("StateManager.add_resource")

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """A resource of a column."""
        raise NotImplementedError("StateManager.get_resource")


class LayerStateManager(StateManager):
    """Variables that belong to a layer.

    Args:
        layer: the layer.
        trainable: whether optimizers change its variables by default.
    """

    def __init__(self, layer: Any, trainable: bool) -> None:
        self._layer = layer
        self._trainable = trainable
        self._variables: dict[Any, dict[str, Any]] = defaultdict(dict)
        self._resources: dict[Any, dict[str, Any]] = defaultdict(dict)

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: InitializerLike | None = None,
    ) -> Any:
        """Makes a variable of a column in the current variable scope.

        Args:
            feature_column: the column.
            name: the name below the scope.
            shape: the shape.
            dtype: the type.
            trainable: whether optimizers change it by default.
            use_resource: whether it is a resource variable.
            initializer: the initializer.

        Returns:
            The variable.

        Raises:
            ValueError: if the column has such a variable.
        """
        if name in self._variables[feature_column]:
            raise ValueError("Variable already exists.")
        variable = self._layer.make_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=self._trainable and trainable,
            use_resource=use_resource,
        )
        self._variables[feature_column][name] = variable
        return variable

    def add_variable(self, feature_column: Any, var: Any) -> None:
        """Adds a variable that exists."""
        self._variables[feature_column][var.op.name] = var

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """A variable of a column.

        Args:
            feature_column: the column.
            name: the name that it was made with.

        Returns:
            The variable.

        Raises:
            ValueError: if there is none.
        """
        if name in self._variables[feature_column]:
            return self._variables[feature_column][name]
        raise ValueError("Variable does not exist.")

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Adds a resource, such as a table."""
        self._resources[feature_column][name] = resource

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """A resource of a column.

        Args:
            feature_column: the column.
            name: its name.

        Returns:
            The resource.

        Raises:
            ValueError: if there is none.
        """
        if name in self._resources[feature_column]:
            return self._resources[feature_column][name]
        raise ValueError("Resource does not exist.")
