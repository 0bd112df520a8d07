"""`tf.keras.layers.Layer`, the base of all layers: variables, losses, updates, calls."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

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
    Tensor,
    build,
    convert_to_tensor,
    export,
    get_default_graph,
    name_scope,
    shape_tensor,
)
from headwater.graph.type_spec import TensorSpec
from headwater.model.layers.connections import LayerConnections
from headwater.model.layers.input_spec import check_inputs
from headwater.model.layers.names import snake_case, unique_object_name
from headwater.model.layers.node import call_context, has_history, history_makers, record_call
from headwater.model.layers.reachable import depends_on_placeholder, reachable
from headwater.model.layers.weights import LayerWeights
from headwater.model.trackable.base import Trackable, no_automatic_dependency_tracking
from headwater.model.trackable.containers import sticky_attribute_assignment
from headwater.model.trackable.layer_weights import filter_empty_layer_containers, is_layer
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.model.variables.variable import Variable

_KEYWORDS = ("input_shape", "batch_input_shape", "batch_size", "weights", "activity_regularizer")


@export("keras.layers.Layer")
class Layer(LayerConnections, LayerWeights, Trackable):
    """A function of tensors with variables that are made at its first call.

    Subclasses make variables in `build` with `add_weight` and compute in `call`. Layers and
    variables that are set as attributes belong to the layer.

    Args:
        trainable: whether optimizers change its variables.
        name: the name; by default that of the class in snake case, numbered.
        dtype: the type of the variables; that of the first input if None.
        dynamic: whether `call` must run as Python, which graphs cannot do.
        **kwargs: `input_shape`, `batch_input_shape`, `batch_size`: the shape of the inputs, for a
            first layer of a model; `weights`: initial values; `activity_regularizer`: a function
            from the output to a loss.

    Raises:
        TypeError: if a keyword is unknown.
    """

    _is_layer = True
    _tracks_attributes = True

    @no_automatic_dependency_tracking
    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        for keyword in kwargs:
            if keyword not in _KEYWORDS:
                raise TypeError("Keyword argument not understood:", keyword)
        self._trainable = trainable
        self._dynamic = dynamic
        self.built = False
        self.stateful = False
        self.supports_masking = False
        self.input_spec: Any = None
        self._activity_regularizer = kwargs.get("activity_regularizer")
        self._dtype = None if dtype is None else as_dtype(dtype).base_dtype.name
        self._graph = get_default_graph()
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._losses: list[Any] = []
        self._callable_losses: list[Callable[[], Any]] = []
        self._unconditional: set[int] = set()
        self._updates: list[Any] = []
        self._metrics: list[Any] = []
        self._layers: list[Any] = []
        self._inbound_nodes: list[Any] = []
        self._outbound_nodes: list[Any] = []
        self._initial_weights = kwargs.get("weights")
        self._init_name(name)
        self._init_input_shape(kwargs)

    def _init_name(self, name: str | None) -> None:
        self._name = name or unique_object_name(snake_case(type(self).__name__), zero_based=True)

    def _init_input_shape(self, kwargs: dict[str, Any]) -> None:
        shape = kwargs.get("batch_input_shape")
        if shape is None and kwargs.get("input_shape") is not None:
            shape = (kwargs.get("batch_size"), *kwargs["input_shape"])
        if shape is not None:
            self._batch_input_shape = tuple(shape)

    # Attributes

    def __setattr__(self, name: str, value: Any) -> None:
        tracked = self._tracks_attributes and self._self_setattr_tracking
        if tracked and not name.startswith("_self_"):
            value = sticky_attribute_assignment(self, name, value)
            for item in nest.flatten(value):
                self._track_attribute(item)
        super().__setattr__(name, value)

    def _track_attribute(self, item: Any) -> None:
        if is_layer(item) or (hasattr(item, "layers") and hasattr(item, "trainable_weights")):
            if not hasattr(self, "_layers"):
                self._layers = []
            if not any(layer is item for layer in self._layers):
                self._layers.append(item)
        elif isinstance(item, Variable) and hasattr(self, "_trainable_weights"):
            known = self._trainable_weights + self._non_trainable_weights
            if not any(variable is item for variable in known):
                kept = self._trainable_weights if item.trainable else self._non_trainable_weights
                kept.append(item)

    def __delattr__(self, name: str) -> None:
        value = getattr(self, name, None)
        for held in (self._layers, self._trainable_weights, self._non_trainable_weights):
            held[:] = [item for item in held if item is not value]
        super().__delattr__(name)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dtype(self) -> str | None:
        """The name of the type of the variables; None before it is known."""
        return self._dtype

    @property
    def trainable(self) -> bool:
        """Whether optimizers change the variables."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = value
        for layer in self._inner_layers():
            layer.trainable = value

    @property
    def dynamic(self) -> bool:
        """Whether `call` must run as Python."""
        return self._dynamic

    def _inner_layers(self) -> list[Any]:
        return filter_empty_layer_containers(self._layers)

    def _name_scope(self) -> str:
        return self.name

    # Variables

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables; subclasses override it.

        Args:
            input_shape: the TensorShape of the input, or a list of them.
        """
        self.built = True

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
            self.add_loss(self._weight_loss(variable, name, regularizer))
        kept = variable.trainable if trainable is None else trainable
        (self._trainable_weights if kept else self._non_trainable_weights).append(variable)
        return variable

    @staticmethod
    def _resolved(value: Any, kind: str) -> Any:
        """What a name or a configuration stands for."""
        if isinstance(value, (str, dict)):
            return resolvers[kind](value)
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

    def _weight_loss(
        self, variable: Any, name: str | None, regularizer: Callable[..., Any]
    ) -> Callable[[], Any]:
        def loss() -> Any:
            with name_scope(f"{name}/Regularizer"):
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
        return _unique(self._trainable_weights + self._gathered("trainable_weights"))

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables."""
        if self.trainable:
            return _unique(self._non_trainable_weights + self._gathered("non_trainable_weights"))
        own = self._trainable_weights + self._non_trainable_weights
        return _unique(own + self._gathered("weights"))

    @property
    def weights(self) -> list[Any]:
        """All variables, trainable ones first."""
        return _unique(self.trainable_weights + self.non_trainable_weights)

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

    # Losses, updates and metrics

    @property
    def activity_regularizer(self) -> Regularizer | None:
        """A function from the output to a loss, or None."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Regularizer) -> None:
        self._activity_regularizer = regularizer

    @property
    def losses(self) -> list[Any]:
        """The losses that were added, and those of variables."""
        made = [loss() for loss in self._callable_losses]
        made = [loss for loss in made if loss is not None]
        self._unconditional.update(map(id, made))
        return self._losses + made + self._gathered("losses")

    @property
    def updates(self) -> list[Any]:
        """The updates that were added; none if the layer is not trainable."""
        if not self.trainable and not self.stateful:
            return []
        return self._updates + self._gathered("updates")

    @property
    def metrics(self) -> list[Any]:
        """The metrics that were added."""
        return self._metrics + self._gathered("metrics")

    def add_loss(self, losses: Any, inputs: TensorLike | bool | None = None) -> None:
        """Adds losses.

        Args:
            losses: a tensor, a function without arguments that makes one, or a list of them.
            inputs: what the losses depend on; None if on no input.
        """
        for loss in nest.flatten(losses):
            if callable(loss):
                self._callable_losses.append(loss)
                continue
            if loss is None:
                continue
            loss = convert_to_tensor(loss)
            self._losses.append(loss)
            if inputs is None and not call_context.layers:
                self._unconditional.add(id(loss))

    def add_update(self, updates: Any, inputs: TensorLike | bool | None = None) -> None:
        """Adds ops that are to run with every training step.

        Args:
            updates: an op, a function without arguments that makes one, or a list of them.
            inputs: what the updates depend on; None if on no input.
        """
        updates = updates if isinstance(updates, (list, tuple)) else [updates]
        for update in updates:
            made = update() if callable(update) else update
            op = getattr(made, "op", made)
            if op is not None:
                self._updates.append(op)
                if inputs is None and not call_context.layers:
                    self._unconditional.add(id(op))

    def add_metric(
        self, value: TensorLike, aggregation: str | None = None, name: Any = None
    ) -> None:
        """Adds a metric of the outputs.

        Args:
            value: a tensor, or the result of a Metric.
            aggregation: "mean" for the mean over batches; None if `value` is a metric's result.
            name: the name of the metric.

        Raises:
            ValueError: if the aggregation is unknown or the name is missing.
        """
        if aggregation is not None and aggregation != "mean":
            raise ValueError(
                "We currently support only `mean` sample-wise metric aggregation. You provided "
                f"aggregation=`{aggregation}`"
            )
        metric = getattr(value, "_metric_obj", None)
        if aggregation is None and metric is None:
            raise ValueError(
                "Using the result of calling a `Metric` object when calling `add_metric` requires "
                "the `aggregation` argument to be `None`."
                if hasattr(value, "_metric_obj")
                else "When passing a tensor to `add_metric`, specify the aggregation type as "
                "`mean`."
            )
        if metric is None:
            if name is None:
                raise ValueError(
                    "Please provide a name for your metric like "
                    "`self.add_metric(tf.reduce_sum(inputs), name='mean_activation', "
                    "aggregation='mean')`"
                )
            metric = next((m for m in self._metrics if m.name == name), None)
            if metric is None:
                metric = resolvers["mean_metric"](name)
            metric(value)
        if not any(m is metric for m in self._metrics):
            self._metrics.append(metric)

    def _related(self, items: list[Any], inputs: TensorLike | None, op_of: Any) -> list[Any]:
        if inputs is None:
            return [item for item in items if id(item) in self._all_unconditional()]
        reached = reachable(nest.flatten(inputs))
        rest = [item for item in items if id(item) not in self._all_unconditional()]
        return [item for item in rest if op_of(item) in reached]

    def _all_unconditional(self) -> set[int]:
        return self._unconditional.union(*(x._all_unconditional() for x in self._inner_layers()))

    def get_losses_for(self, inputs: TensorLike | None) -> list[Any]:
        """The losses that depend on given inputs.

        Args:
            inputs: a tensor or a list of tensors; None asks for losses that depend on no input.

        Returns:
            A list of tensors.
        """
        return self._related(self.losses, inputs, lambda loss: loss.op)

    def get_updates_for(self, inputs: TensorLike | None) -> list[Any]:
        """The updates that depend on given inputs.

        Args:
            inputs: a tensor or a list of tensors; None asks for updates that depend on no input.

        Returns:
            A list of ops.
        """
        if inputs is None:
            return [op for op in self.updates if not depends_on_placeholder(op)]
        reached = reachable(nest.flatten(inputs))
        return [op for op in self.updates if op in reached]

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
            **kwargs: further arguments of `call`.

        Returns:
            What `call` returns.

        Raises:
            ValueError: if the inputs do not fit `input_spec`.
        """
        inputs = nest.map_structure(_as_tensor, inputs)
        in_model = not call_context.layers
        if in_model and not has_history(inputs):
            for make in history_makers:
                make(inputs)
        in_model = in_model and has_history(inputs)
        given = {**dict(zip(_positional(self.call), args)), **kwargs}
        kwargs = dict(kwargs)
        masks = self._input_masks(inputs)
        if masks is not None and self._call_takes("mask") and "mask" not in given:
            kwargs["mask"] = masks
        training = given.get("training")
        if training is None and self._call_takes("training") and "training" not in given:
            training = call_context.training
            if training is not None:
                kwargs["training"] = training
        outer = call_context.training
        call_context.layers.append(self)
        call_context.training = training if training is not None else outer
        try:
            with name_scope(self._name_scope()):
                if not self.built:
                    self._build_for(inputs)
                check_inputs(self.input_spec, inputs, self.name)
                outputs = self.call(inputs, *args, **kwargs)
                if outputs is None:
                    raise ValueError(
                        "A layer's `call` method should return a Tensor or a list of Tensors, not "
                        f"None (layer: {self.name})."
                    )
                if in_model:
                    outputs = _distinct(outputs, inputs)
                if self._activity_regularizer is not None:
                    self._regularize_activity(outputs, inputs)
                self._set_masks(inputs, outputs, given.get("mask", masks))
        finally:
            call_context.layers.pop()
            call_context.training = outer
        if in_model:
            shown = {key: value for key, value in given.items() if key != "mask"}
            record_call(self, inputs, outputs, shown)
        self._called_with(inputs, outputs, in_model)
        return outputs

    def _called_with(self, inputs: NestedTensors, outputs: NestedTensors, in_model: bool) -> None:
        """Runs after each call; models of a subclass learn their inputs."""

    def _call_arguments(self) -> list[str]:
        return _argument_names(getattr(self.call, "__func__", self.call))

    def _call_takes(self, argument: str) -> bool:
        return argument in self._call_arguments()

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
        initial = self.__dict__.pop("_initial_weights", None)
        if initial is not None:
            self.set_weights(initial)

    def _input_masks(self, inputs: NestedTensors) -> Any:
        masks = [getattr(x, "_keras_mask", None) for x in nest.flatten(inputs)]
        if all(mask is None for mask in masks):
            return None
        return nest.pack_sequence_as(inputs, masks)

    def _set_masks(self, inputs: NestedTensors, outputs: NestedTensors, masks: Any) -> None:
        flat = nest.flatten(outputs)
        if all(hasattr(x, "_keras_mask") for x in flat):
            return
        if type(self).compute_mask is Layer.compute_mask and masks is None:
            return
        found = self.compute_mask(inputs, masks)
        found = [None] * len(flat) if found is None else nest.flatten(found)
        for output, mask in zip(flat, found):
            output._keras_mask = mask

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Any:
        """The mask of the output: that of the inputs if the layer supports masks.

        Args:
            inputs: the inputs.
            mask: the mask of the inputs.

        Returns:
            A mask, or None.

        Raises:
            TypeError: if there is a mask and the layer does not support masks.
        """
        if not self.supports_masking:
            if any(m is not None for m in nest.flatten(mask)):
                raise TypeError(
                    f"Layer {self.name} does not support masking, but was passed an input_mask: "
                    f"{mask}"
                )
            return None
        return mask

    def _regularize_activity(self, outputs: NestedTensors, inputs: NestedTensors) -> None:
        regularizer: Any = self._activity_regularizer
        with name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss: Tensor = regularizer(output)
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

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
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

    # Configuration

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor, for `from_config`.

        Raises:
            NotImplementedError: if the class has arguments and does not override the method.
        """
        names = list(inspect.signature(type(self).__init__).parameters)[1:]
        config: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        if hasattr(self, "_batch_input_shape"):
            config["batch_input_shape"] = self._batch_input_shape
        config["dtype"] = self.dtype
        if self.dynamic:
            config["dynamic"] = True
        known = {*config, "kwargs", "args", "dynamic", "batch_input_shape", "autocast"}
        overridden = type(self).get_config is not Layer.get_config
        if not overridden and any(name not in known for name in names):
            raise NotImplementedError(
                "Layers with arguments in `__init__` must override `get_config`."
            )
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes a layer from what `get_config` of another one has returned.

        Args:
            config: the arguments of the constructor.

        Returns:
            A layer without the values of the variables.
        """
        return cls(**config)


# Functions of tf.keras by what they find: those that know names of initializers and others, and the
# one that makes the metric of a mean. They are set when tf.keras is loaded.
resolvers: dict[str, Callable[[Any], Any]] = {}


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
    if "track_variable" in resolvers:
        resolvers["track_variable"](variable)
    return variable


@functools.lru_cache(maxsize=1024)
def _argument_names(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def _positional(call: Callable[..., Any]) -> list[str]:
    """The names of the arguments of `call` after the inputs."""
    return _argument_names(getattr(call, "__func__", call))[1 + hasattr(call, "__func__") :]


def _unique(items: Iterable[Any]) -> list[Any]:
    return list({id(item): item for item in items}.values())


def _as_tensor(value: TensorLike) -> Tensor:
    if isinstance(value, (np.ndarray, np.generic, float, int)):
        return convert_to_tensor(value)
    return value


def _distinct(outputs: NestedTensors, inputs: NestedTensors) -> NestedTensors:
    """The outputs, with identities of those that are inputs: each tensor has one origin."""
    given = set(map(id, nest.flatten(inputs)))
    return nest.map_structure(
        lambda x: build.Identity(x, name="Identity") if id(x) in given else x, outputs
    )
