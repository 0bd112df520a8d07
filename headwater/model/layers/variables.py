"""The variables of a layer: how they are made, and which of them are trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.typing import (
    Constraint,
    DTypeLike,
    InitializerLike,
    Partitioner,
    Regularizer,
    ShapeLike,
)
from headwater.graph import name_scope
from headwater.model.layers.resolvers import resolver
from headwater.model.layers.weights import LayerWeights
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.model.variables.variable import Variable


class LayerVariables(LayerWeights):
    """The variables of a layer and of the layers inside of it."""

    trainable: bool
    built: bool
    _dtype: str | None
    _trainable_weights: list[Any]
    _non_trainable_weights: list[Any]
    add_loss: Callable[..., None]
    _add_variable_with_custom_getter: Callable[..., Any]
    _inner_layers: Callable[[], list[Any]]

    def add_weight(
        self,
        name: str | None = None,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Regularizer | None = None,
        trainable: bool | None = None,
        constraint: Constraint | None = None,
        partitioner: Partitioner | None = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Makes a variable of the layer.

        Args:
            name: the name.
            shape: the shape; that of a scalar if None.
            dtype: the type; that of the layer (or float32) if None.
            initializer: the initializer, or its name; Glorot's for floats and zeros for other
                types if None.
            regularizer: a function from the variable to a loss.
            trainable: whether optimizers change it.
            constraint: a function from the new value to the value that is kept.
            partitioner: None; Keras has no partitioned variables.
            use_resource: whether it is a resource variable; it is by default.
            synchronization: a VariableSynchronization.
            aggregation: a VariableAggregation.
            **kwargs: `getter`: a function that makes the variable; `collections`.

        Returns:
            The variable.

        Raises:
            TypeError: if a keyword is unknown.
            ValueError: if there is no default initializer for the type.
        """
        for keyword in kwargs:
            if keyword not in ("getter", "collections", "experimental_autocast"):
                raise TypeError("Unknown keyword argument:", keyword)
        if dtype is None:
            dtype = self._dtype or dtypes.float32
        dtype = as_dtype(dtype)
        if self._dtype is None:
            self._dtype = dtype.base_dtype.name
        if initializer is None:
            initializer = self._default_initializer(name, dtype)
        settings = {"synchronization": synchronization, "aggregation": aggregation}
        variable = self._add_variable_with_custom_getter(
            name or "Variable",
            shape=() if shape is None else shape,
            dtype=dtype,
            initializer=self._resolved(initializer, "initializers"),
            getter=kwargs.get("getter") or make_variable,
            overwrite=True,
            trainable=True if trainable is None else trainable,
            constraint=self._resolved(constraint, "constraints"),
            use_resource=True if use_resource is None else use_resource,
            collections=kwargs.get("collections"),
            **{key: value for key, value in settings.items() if value is not None},
        )
        regularizer = self._resolved(regularizer, "regularizers")
        if regularizer is not None:
            self.add_loss(self._weight_loss(variable, regularizer))
        kept = variable.trainable if trainable is None else trainable
        (self._trainable_weights if kept else self._non_trainable_weights).append(variable)
        return variable

    @staticmethod
    def _resolved(value: Any, kind: str) -> Any:
        """What a name or a configuration stands for."""
        if isinstance(value, (str, dict)):
            return resolver(kind)(value)
        return value() if isinstance(value, type) else value

    def _default_initializer(self, name: str | None, dtype: Any) -> Any:
        if dtype.is_floating:
            return GlorotUniform()
        if dtype.is_integer or dtype.is_unsigned or dtype.is_bool:
            return Zeros()
        raise ValueError(
            f"An initializer for variable {name} of type {dtype.base_dtype} is required for layer "
            f"{self.name}"
        )

    def _weight_loss(self, variable: Any, regularizer: Callable[..., Any]) -> Callable[[], Any]:
        def loss() -> Any:
            with name_scope(f"{variable.name.partition(':')[0]}/Regularizer"):
                return regularizer(variable)

        return loss

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """`add_weight` under its older name.

        Args:
            *args: those of `add_weight`.
            **kwargs: those of `add_weight`.

        Returns:
            The variable.
        """
        return self.add_weight(*args, **kwargs)

    def _gathered(self, attribute: str) -> list[Any]:
        return [item for layer in self._inner_layers() for item in getattr(layer, attribute)]

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that optimizers change."""
        if not self.trainable:
            return []
        return unique(self._trainable_weights + self._gathered("trainable_weights"))

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables."""
        if self.trainable:
            return unique(self._non_trainable_weights + self._gathered("non_trainable_weights"))
        own = self._trainable_weights + self._non_trainable_weights
        return unique(own + self._gathered("weights"))

    @property
    def weights(self) -> list[Any]:
        """All variables, trainable ones first."""
        return unique(self.trainable_weights + self.non_trainable_weights)

    @property
    def trainable_variables(self) -> list[Any]:
        """`trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """`non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """`weights`."""
        return self.weights

    def count_params(self) -> int:
        """The number of elements of all variables.

        Raises:
            ValueError: before the variables exist.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You "
                f"can build it manually via: `{self.name}.build(batch_input_shape)`."
            )
        return sum(int(np.prod(w.shape.as_list(), dtype=np.int64)) for w in self.weights)


def make_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    initializer: Any = None,
    **kwargs: Any,
) -> Any:
    """Makes a variable below the present name scope.

    Args:
        name: the name.
        shape: the shape.
        dtype: the type.
        initializer: an initializer, or an initial value.
        **kwargs: further arguments of tf.Variable.

    Returns:
        The variable.
    """
    value = initializer
    if callable(initializer):

        def value() -> Any:
            return initializer(shape, dtype=dtype)

    variable = Variable(value, name=name, dtype=dtype, **kwargs)
    resolver("track_variable")(variable)
    return variable


def unique(items: Iterable[Any]) -> list[Any]:
    """The items, each once, in the order in which they come first."""
    return list({id(item): item for item in items}.values())
