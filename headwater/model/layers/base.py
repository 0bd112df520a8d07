"""The base of all layers: names, scopes, variables, losses and updates."""

from __future__ import annotations

import copy
import inspect
import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes, nest
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
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
from headwater.graph import (
    Graph,
    Tensor,
    build,
    colocate_with,
    convert_to_tensor,
    export,
    get_default_graph,
    name_scope,
    shape_tensor,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.type_spec import TensorSpec
from headwater.model.layers.input_spec import InputSpec, check_inputs
from headwater.model.layers.weights import LayerWeights
from headwater.model.trackable.base import Trackable
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.variable_lists import global_variables
from headwater.model.variables.variable_scope import VariableScope, get_variable, variable_scope

if TYPE_CHECKING:
    from headwater.model.variables.ref_variable import RefVariable
    from headwater.model.variables.resource_variable import ResourceVariable
    from headwater.model.variables.variable_scope_object import ScopeLike

_name_counts: weakref.WeakKeyDictionary[Graph, dict[str, int]] = weakref.WeakKeyDictionary()


def snake_case(class_name: str) -> str:
    """The name of a class as layers are named: MaxPooling2D becomes max_pooling2d."""
    parted = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", class_name)
    name = re.sub("([a-z])([A-Z])", r"\1_\2", parted).lower()
    return f"private{name}" if name.startswith("_") else name


def _numbered(base_name: str) -> str:
    counts = _name_counts.setdefault(get_default_graph(), {})
    counts[base_name] = counts.get(base_name, 0) + 1
    return f"{base_name}_{counts[base_name]}"


@export("layers.Layer")
class Layer(LayerWeights, Trackable):
    """A function of tensors with variables that are made at its first call.

    Subclasses make variables in `build` with `add_weight` and compute in `call`.

    Args:
        trainable: whether optimizers change its variables by default.
        name: the name, which is also that of its variable scope.
        dtype: the type of the variables; that of the first input if None.

    Raises:
        TypeError: if a keyword is unknown.
    """

    _is_layer = True

    def __init__(
        self,
        trainable: bool = True,
        name: Any = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        scope = kwargs.pop("_scope", None)
        reuse = kwargs.pop("_reuse", None)
        activity_regularizer = kwargs.pop("activity_regularizer", None)
        for ignored in ("input_shape", "batch_input_shape", "batch_size", "weights"):
            kwargs.pop(ignored, None)
        for keyword in kwargs:
            raise TypeError("Keyword argument not understood:", keyword)
        self.built = False
        self.stateful = False
        self.supports_masking = False
        self.trainable = trainable
        self.input_spec: InputSpec | None = None
        self._activity_regularizer = activity_regularizer
        self._dtype = None if dtype is None else as_dtype(dtype).base_dtype.name
        self._graph = get_default_graph()
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._losses: list[Any] = []
        self._unconditional_losses: list[Any] = []
        self._updates: list[Any] = []
        self._reuse = reuse
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        self._reusing_scope: variable_scope | None = None
        if isinstance(name, VariableScope):
            self._name = _numbered(snake_case(type(self).__name__))
            self._base_name = name.name
        elif name:
            self._name = self._base_name = name
        else:
            self._base_name = snake_case(type(self).__name__)
            self._name = _numbered(self._base_name)
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    # Names and scopes

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dtype(self) -> str | None:
        """The name of the type of the variables; None before it is known."""
        return self._dtype

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
        assert self._current_scope is not None
        return self._current_scope.original_name_scope

    # Variables

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables; subclasses override it.

        Args:
            input_shape: the TensorShape of the input, or a list of them.
        """
        self.built = True

    def add_weight(
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
        getter = kwargs.pop("getter", None) or get_variable
        kwargs.pop("experimental_autocast", None)
        dtype = as_dtype(dtype if dtype is not None else self._dtype or dtypes.float32)
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
        # A custom getter may have decided that the variable is not to be trained.
        overruled = trainable and self.trainable and not getattr(variable, "_trainable", True)
        trained = trainable and not overruled
        (self._trainable_weights if trained else self._non_trainable_weights).append(variable)
        return variable

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """`add_weight` under its older name.

        Args:
            *args: those of `add_weight`.
            **kwargs: those of `add_weight`.

        Returns:
            The variable.
        """
        return self.add_weight(*args, **kwargs)

    def _regularize(self, name: str, variable: TensorLike, regularizer: Callable[..., Any]) -> None:
        parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
        for part in parts:
            with colocate_with(part), name_scope(f"{name}/Regularizer"):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that optimizers change."""
        return _unique(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables."""
        if self.trainable:
            return _unique(self._non_trainable_weights)
        return _unique(self._trainable_weights + self._non_trainable_weights)

    @property
    def weights(self) -> list[Any]:
        """All variables, trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

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

    # Losses and updates

    @property
    def activity_regularizer(self) -> Regularizer | None:
        """A function from the output to a loss, or None."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Regularizer) -> None:
        self._activity_regularizer = regularizer

    @property
    def losses(self) -> list[Any]:
        """The losses that were added."""
        return list(self._losses)

    @property
    def updates(self) -> list[Any]:
        """The updates that were added; none if the layer is not trainable."""
        return list(self._updates) if self.trainable or self.stateful else []

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
            self._unconditional_losses.extend(made)
        _add_to_collection(made, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates: TensorLike, inputs: TensorLike | None = None) -> None:
        """Adds ops that are to run with every training step.

        Args:
            updates: an op or a list of ops.
            inputs: ignored.
        """
        updates = updates if isinstance(updates, (list, tuple)) else [updates]
        made = [update() if callable(update) else update for update in updates]
        self._updates.extend(getattr(update, "op", update) for update in made)

    def get_losses_for(self, inputs: TensorLike | None) -> list[Any]:
        """The losses that depend on given inputs.

        Args:
            inputs: a tensor or a list of tensors; None asks for losses that depend on no input.

        Returns:
            A list of tensors.
        """
        unconditional = set(map(id, self._unconditional_losses))
        if inputs is None:
            return [loss for loss in self._losses if id(loss) in unconditional]
        found = [loss for loss in self._losses if id(loss) not in unconditional]
        reached = _reachable(nest.flatten(inputs))
        return [loss for loss in found if loss.op in reached]

    def get_updates_for(self, inputs: TensorLike) -> list[Any]:
        """The updates that depend on given inputs.

        Args:
            inputs: a tensor or a list of tensors; None asks for updates that depend on no input.

        Returns:
            A list of ops.
        """
        if inputs is not None:
            reached = _reachable(nest.flatten(inputs))
            return [u for u in self.updates if u in reached]
        return [u for u in self.updates if not _depends_on_placeholder(u)]

    # Calling

    def call(self, inputs: NestedTensors, *args: Any, **kwargs: Any) -> NestedTensors:
        """Computes the outputs; subclasses override it.

        Args:
            inputs: a tensor or a structure of tensors.
            *args: further arguments.
            **kwargs: further arguments.

        Returns:
            A tensor or a structure of tensors.
        """
        return inputs

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
        self._set_scope(kwargs.pop("scope", None))
        with self._entered_scope() as scope:
            self._current_scope = scope
            if self._call_takes("scope"):
                kwargs["scope"] = scope
            outputs = self._called(inputs, args, kwargs)
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

    def _call_takes(self, argument: str) -> bool:
        return argument in inspect.signature(self.call).parameters

    def _called(
        self, inputs: NestedTensors, args: Sequence[NestedTensors | None], kwargs: dict[str, Any]
    ) -> NestedTensors:
        inputs = nest.map_structure(_as_tensor, inputs)
        with name_scope(self._name_scope()):
            if not self.built:
                self._build_for(inputs)
            check_inputs(self.input_spec, inputs, self.name)
            outputs = self.call(inputs, *args, **kwargs)
            if self._activity_regularizer is not None:
                self._regularize_activity(outputs, inputs)
        return outputs

    def _build_for(self, inputs: NestedTensors) -> None:
        check_inputs(self.input_spec, inputs, self.name)
        flat = nest.flatten(inputs)
        if self._dtype is None and flat and hasattr(flat[0], "dtype"):
            self._dtype = flat[0].dtype.base_dtype.name
        if all(hasattr(x, "shape") for x in flat):
            shapes = nest.map_structure(lambda x: x.shape, inputs)
        else:
            shapes = None
        self.build(shapes)
        self.built = True

    def _regularize_activity(self, outputs: Tensor, inputs: Tensor) -> None:
        with name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss: Tensor = self._activity_regularizer(output)
                shape: Tensor = shape_tensor(output)
                batch_size = build.Cast(shape[0], DstT=loss.dtype.base_dtype)
                self.add_loss(loss / batch_size, inputs=inputs)

    def apply(self, inputs: TensorLike, *args: Any, **kwargs: Any) -> Tensor:
        """Calls the layer.

        Args:
            inputs: a tensor or a structure of tensors.
            *args: further arguments of `call`.
            **kwargs: further arguments of `call`.

        Returns:
            What `call` returns.
        """
        return self(inputs, *args, **kwargs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output for a shape of the input; subclasses override it.

        Args:
            input_shape: the shape of the input.

        Raises:
            NotImplementedError: if the layer cannot tell.
        """
        raise NotImplementedError

    def compute_output_signature(self, input_signature: TensorSpec) -> TensorSpec:
        """The shapes and the type of the outputs.

        Args:
            input_signature: a TensorSpec, or a structure of them.

        Returns:
            A TensorSpec for each output; its type is that of the layer, or of the first input.
        """
        shapes = nest.map_structure(lambda spec: spec.shape, input_signature)
        specs = nest.flatten(input_signature)
        if not specs:
            raise IndexError("list index out of range\nHint: input_signature has no TensorSpec")
        dtype = self.dtype or specs[0].dtype
        output_shape = self.compute_output_shape(shapes)
        if isinstance(output_shape, TensorShape):
            return TensorSpec(output_shape, dtype)
        return nest.map_structure(lambda shape: TensorSpec(shape, dtype), output_shape)

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Any:
        """The mask of the output: none.

        Args:
            inputs: the inputs.
            mask: the mask of the inputs.

        Returns:
            None.
        """
        return None

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer:
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        for key, value in self.__dict__.items():
            kept = key in ("_graph", "_scope", "_current_scope", "_reusing_scope")
            setattr(result, key, value if kept else copy.deepcopy(value, memo))
        return result


def _unique(items: list[Any]) -> list[Any]:
    return list({id(item): item for item in items}.values())


def _is_new(variable: TensorLike, existing: set[int]) -> bool:
    parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
    return not any(id(part) in existing for part in parts)


def _as_tensor(value: TensorLike) -> Tensor:
    if isinstance(value, (np.ndarray, np.generic, float, int)):
        return convert_to_tensor(value)
    return value


def _add_to_collection(items: list[Any], key: str) -> None:
    collection = get_default_graph().get_collection_ref(key)
    present = set(map(id, collection))
    collection.extend(item for item in items if id(item) not in present)


def _reachable(tensors: list[Any]) -> set[Any]:
    """The ops that depend on tensors."""
    reached: set[Any] = set()
    stack = [c for t in tensors if isinstance(t, Tensor) for c in t.consumers()]
    while stack:
        op = stack.pop()
        if op not in reached:
            reached.add(op)
            stack.extend(c for t in op.outputs for c in t.consumers())
    return reached


def _depends_on_placeholder(op: Any) -> bool:
    return any(source.type.startswith("Placeholder") for source in _sources(op))


def _sources(op: Any) -> Iterator[Any]:
    seen: set[Any] = set()
    stack = [op]
    while stack:
        op = stack.pop()
        if op not in seen:
            seen.add(op)
            yield op
            stack.extend(t.op for t in op.inputs)
