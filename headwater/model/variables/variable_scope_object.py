"""The variable scope as an object: a prefix of names with defaults for the variables below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.typing import (
    Constraint,
    CustomGetter,
    DeviceLike,
    DTypeLike,
    InitializerLike,
    NestedTensors,
    Partitioner,
    Regularizer,
    ShapeLike,
    TensorLike,
)
from headwater.graph import convert_to_tensor, name_scope
from headwater.graph.default_graph import get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization
from headwater.model.variables.variable_store import Reuse, VariableStore


@export("VariableScope")
class VariableScope:
    """A prefix of variable names, with defaults for the variables that are made below it.

    Args:
        reuse: True: variables are only looked up; False: only made; AUTO_REUSE: either.
        name: the prefix.
        initializer: the default initializer.
        regularizer: the default regularizer.
        caching_device: the default caching device.
        partitioner: the default partitioner.
        custom_getter: a function around the making of variables.
        name_scope: the name scope of the ops made in it.
        dtype: the default type.
        use_resource: whether resource variables are made.
        constraint: the default constraint.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: InitializerLike = None,
        regularizer: Regularizer | None = None,
        caching_device: DeviceLike | None = None,
        partitioner: Partitioner | None = None,
        custom_getter: CustomGetter | None = None,
        name_scope: str = "",
        dtype: DTypeLike = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Constraint | None = None,
    ) -> None:
        self._reuse = reuse
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self) -> str:
        """The prefix of variable names."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope that the scope had when it was made, with a slash."""
        return self._name_scope

    @property
    def reuse(self) -> Reuse:
        """Whether variables are looked up, made, or either."""
        return self._reuse

    @property
    def initializer(self) -> InitializerLike:
        """The default initializer."""
        return self._initializer

    @property
    def dtype(self) -> DType:
        """The default type."""
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        """Whether resource variables are made."""
        return self._use_resource

    @property
    def regularizer(self) -> Callable[..., Any] | None:
        """The default regularizer."""
        return self._regularizer

    @property
    def caching_device(self) -> DeviceLike:
        """The default caching device."""
        return self._caching_device

    @property
    def partitioner(self) -> Callable[..., Any] | None:
        """The default partitioner."""
        return self._partitioner

    @property
    def custom_getter(self) -> Callable[..., Any] | None:
        """The custom getter."""
        return self._custom_getter

    @property
    def constraint(self) -> Constraint | None:
        """The default constraint."""
        return self._constraint

    def reuse_variables(self) -> None:
        """From now on variables are only looked up."""
        self._reuse = True

    def set_initializer(self, initializer: InitializerLike) -> None:
        """Sets the default initializer."""
        self._initializer = initializer

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Sets the default type."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets whether resource variables are made."""
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Regularizer | None) -> None:
        """Sets the default regularizer."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: DeviceLike | None) -> None:
        """Sets the default caching device."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Partitioner | None) -> None:
        """Sets the default partitioner."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: CustomGetter | None) -> None:
        """Sets the custom getter."""
        self._custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
        """The part of a collection that belongs to this scope."""
        return get_collection(name, self._name + "/" if self._name else "")

    def trainable_variables(self) -> list[Any]:
        """The trainable variables of this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The global variables of this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The local variables of this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        var_store: VariableStore,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: TensorLike | None = None,
        regularizer: Regularizer | None = None,
        reuse: Reuse = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        caching_device: DeviceLike | None = None,
        partitioner: Partitioner | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: CustomGetter | None = None,
        constraint: Constraint | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> NestedTensors:
        """`tf.get_variable` in this scope.

        Args:
            var_store: the store of the graph.
            name: the name below the prefix.
            shape: as in `tf.get_variable`, like all others.

        Returns:
            The variable.
        """
        # Names of variables depend on variable scopes alone.
        with name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                found = convert_to_tensor(initializer).dtype.base_dtype
                if found is not as_dtype(dtype).base_dtype:
                    raise ValueError(
                        f"Initializer type '{found}' and explicit dtype '{as_dtype(dtype)}' "
                        "don't match."
                    )
            return var_store.get_variable(
                self._name + "/" + name if self._name else name,
                shape=shape,
                dtype=first(dtype, self._dtype),
                initializer=first(initializer, self._initializer),
                regularizer=first(regularizer, self._regularizer),
                reuse=first(reuse, self._reuse),
                trainable=trainable,
                collections=collections,
                caching_device=first(caching_device, self._caching_device),
                partitioner=first(partitioner, self._partitioner),
                validate_shape=validate_shape,
                use_resource=first(use_resource, self._use_resource),
                custom_getter=first(custom_getter, self._custom_getter),
                constraint=first(constraint, self._constraint),
                synchronization=synchronization,
                aggregation=aggregation,
            )


def first(value: Any, default: Any) -> Any:
    return default if value is None else value


# A variable scope, or the name of one.
ScopeLike: TypeAlias = str | VariableScope
