"""The base of tf.layers: layers with variable scopes and collections."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.dtypes import as_dtype
from headwater.base.typing import (
    Constraint,
    DTypeLike,
    InitializerLike,
    NestedTensors,
    Partitioner,
    Regularizer,
    ShapeLike,
    TensorLike,
)
from headwater.graph import Graph, colocate_with, export, get_default_graph, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.model.layers.keras_style import is_keras_style
from headwater.model.layers.layer import Layer as KerasLayer
from headwater.model.layers.names import snake_case, unique_object_name
from headwater.model.layers.resolvers import resolver
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.variable_lists import global_variables
from headwater.model.variables.variable_scope import VariableScope, get_variable, variable_scope

if TYPE_CHECKING:
    from headwater.model.variables.ref_variable import RefVariable
    from headwater.model.variables.resource_variable import ResourceVariable
    from headwater.model.variables.variable_scope_object import ScopeLike


@export("layers.Layer")
class Layer(KerasLayer):
    """A function of tensors with variables that are made at its first call.

    Subclasses make variables in `build` with `add_weight` and compute in `call`.

    Args:
        trainable: whether optimizers change its variables by default.
        name: the name, which is also that of its variable scope.
        dtype: the type of the variables; that of the first input if None.

    Raises:
        TypeError: if a keyword is unknown.
    """

    _tracks_attributes = False

    def __init__(
        self,
        trainable: bool = True,
        name: Any = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        scope = kwargs.pop("_scope", None)
        self._reuse = kwargs.pop("_reuse", None)
        self._keras_style = is_keras_style()
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        self._reusing_scope: variable_scope | None = None
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        if self._keras_style:
            for argument, given in (("scope", scope), ("reuse", self._reuse)):
                if given is not None:
                    raise ValueError(
                        f"{argument} argument not allowed when keras style layers are enabled, "
                        f"but saw: {given}"
                    )
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    # Names and scopes

    def _init_name(self, name: Any) -> None:
        if isinstance(name, VariableScope):
            self._name = unique_object_name(snake_case(type(self).__name__))
            self._base_name = name.name
        elif name:
            self._name = self._base_name = name
        else:
            self._base_name = snake_case(type(self).__name__)
            self._name = unique_object_name(self._base_name)

    @property
    def graph(self) -> Graph:
        """The graph in which the layer was made."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """The name of the variable scope.

        Raises:
            ValueError: before the first call.
        """
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been '
                "used yet. The scope name  is determined the first time the layer instance is "
                "called. You must therefore call the layer before querying `scope_name`."
            )
        return self._scope.name

    def _set_scope(self, scope: ScopeLike | None = None) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            with variable_scope(scope if scope is not None else self._base_name) as captured:
                self._scope = captured
        else:
            with variable_scope(scope, default_name=self._base_name) as captured:
                self._scope = captured

    def _name_scope(self) -> str:
        if self._keras_style:
            return super()._name_scope()
        assert self._current_scope is not None
        return self._current_scope.original_name_scope

    # Variables

    def add_weight(  # type: ignore[override]  # a name is needed here
        self,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Regularizer | None = None,
        trainable: bool | None = None,
        constraint: Constraint | None = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        partitioner: Partitioner | None = None,
        **kwargs: Any,
    ) -> PartitionedVariable | RefVariable | ResourceVariable:
        """Makes a variable of the layer, or finds it if the layer reuses variables.

        Args:
            name: the name below the layer's scope.
            shape: the shape.
            dtype: the type; that of the layer (or float32) if None.
            initializer: the initializer; that of the scope or Glorot's if None.
            regularizer: a function from the variable to a loss.
            trainable: whether optimizers change it by default.
            constraint: a function from the new value to the value that is kept.
            use_resource: whether it is a resource variable.
            synchronization: a VariableSynchronization.
            aggregation: a VariableAggregation.
            partitioner: a function from shape and type to the number of parts per axis.
            **kwargs: further arguments of tf.get_variable.

        Returns:
            The variable.
        """
        for keyword in kwargs:
            if keyword not in ("getter", "collections", "experimental_autocast"):
                raise TypeError("Unknown keyword argument:", keyword)
        if self._keras_style:
            return super().add_weight(
                name,
                shape=shape,
                dtype=dtype,
                initializer=initializer,
                regularizer=regularizer,
                trainable=trainable,
                constraint=constraint,
                use_resource=use_resource,
                synchronization=synchronization,
                aggregation=aggregation,
                **kwargs,
            )
        getter = kwargs.pop("getter", None) or get_variable
        kwargs.pop("experimental_autocast", None)
        dtype = as_dtype(dtype if dtype is not None else self._dtype or dtypes.float32)
        if self._dtype is None:
            self._dtype = dtype.base_dtype.name
        trainable = True if trainable is None else trainable
        for key, value in (("synchronization", synchronization), ("aggregation", aggregation)):
            if value is not None:
                kwargs[key] = value
        self._set_scope()
        assert self._scope is not None
        existing = set(map(id, global_variables())) if regularizer is not None else set()
        with variable_scope(
            self._scope, reuse=self.built or self._reuse, auxiliary_name_scope=False
        ) as scope:
            self._current_scope = scope
            with name_scope(self._name_scope()):
                variable = self._add_variable_with_custom_getter(
                    name,
                    getter=getter,
                    # Keras allows several variables of one name; the last is saved.
                    overwrite=True,
                    shape=() if shape is None else shape,
                    dtype=dtype,
                    initializer=initializer,
                    trainable=trainable and self.trainable,
                    constraint=constraint,
                    partitioner=partitioner,
                    use_resource=use_resource,
                    **kwargs,
                )
                if regularizer is not None and _is_new(variable, existing):
                    self._regularize(name, variable, regularizer)
        resolver("track_variable")(variable)
        # A custom getter may have decided that the variable is not to be trained.
        overruled = trainable and self.trainable and not getattr(variable, "_trainable", True)
        trained = trainable and not overruled
        (self._trainable_weights if trained else self._non_trainable_weights).append(variable)
        return variable

    def _regularize(self, name: str, variable: TensorLike, regularizer: Callable[..., Any]) -> None:
        parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
        for part in parts:
            with colocate_with(part), name_scope(f"{name}/Regularizer"):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    # Losses

    def add_loss(self, losses: TensorLike, inputs: TensorLike | None = None) -> None:
        """Adds losses to the layer and to the collection REGULARIZATION_LOSSES.

        Args:
            losses: a tensor, a function without arguments that makes one, or a list of them.
            inputs: what the losses depend on; None if on no input.
        """
        made = [loss() if callable(loss) else loss for loss in nest.flatten(losses)]
        made = [loss for loss in made if loss is not None]
        self._losses.extend(made)
        if inputs is None:
            self._unconditional.update(map(id, made))
        _add_to_collection(made, GraphKeys.REGULARIZATION_LOSSES)

    # Calling

    def __call__(self, inputs: NestedTensors, *args: Any, **kwargs: Any) -> NestedTensors:
        """Applies the layer; the first call makes the variables.

        Args:
            inputs: a tensor or a structure of tensors.
            *args: further arguments of `call`.
            **kwargs: further arguments of `call`; `scope` names the variable scope.

        Returns:
            What `call` returns.

        Raises:
            ValueError: if the inputs do not fit `input_spec`.
        """
        if self._keras_style:
            if kwargs.pop("scope", None) is not None:
                raise ValueError("scope argument not allowed when keras style layers are enabled")
            return super().__call__(inputs, *args, **kwargs)
        self._set_scope(kwargs.pop("scope", None))
        with self._entered_scope() as scope:
            self._current_scope = scope
            if self._call_takes("scope"):
                kwargs["scope"] = scope
            outputs = super().__call__(inputs, *args, **kwargs)
        _add_to_collection(self.updates, GraphKeys.UPDATE_OPS)
        return outputs

    def _entered_scope(self) -> variable_scope:
        assert self._scope is not None
        if not self.built:
            return variable_scope(self._scope, reuse=self._reuse, auxiliary_name_scope=False)
        if self._reusing_scope is None:
            self._reusing_scope = variable_scope(
                self._scope, reuse=True, auxiliary_name_scope=False
            )
        return self._reusing_scope

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer:
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        for key, value in self.__dict__.items():
            kept = key in ("_graph", "_scope", "_current_scope", "_reusing_scope")
            setattr(result, key, value if kept else copy.deepcopy(value, memo))
        return result


def _is_new(variable: TensorLike, existing: set[int]) -> bool:
    parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
    return not any(id(part) in existing for part in parts)


def _add_to_collection(items: list[Any], key: str) -> None:
    collection = get_default_graph().get_collection_ref(key)
    present = set(map(id, collection))
    collection.extend(item for item in items if id(item) not in present)
