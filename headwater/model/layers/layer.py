"""`tf.keras.layers.Layer`, the base of all layers: construction, calls and configuration."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import errors, nest
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import (
    DTypeLike,
    NestedTensors,
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
)
from headwater.graph.type_spec import TensorSpec
from headwater.model.autograph.calls import convert
from headwater.model.layers.connections import LayerConnections
from headwater.model.layers.input_spec import check_inputs
from headwater.model.layers.losses import LayerLosses
from headwater.model.layers.names import snake_case, unique_object_name
from headwater.model.layers.node import call_context, has_history, history_makers, record_call
from headwater.model.layers.variables import LayerVariables
from headwater.model.module import Module
from headwater.model.trackable.auto import AutoTrackable
from headwater.model.trackable.base import Trackable, no_automatic_dependency_tracking
from headwater.model.trackable.containers import sticky_attribute_assignment
from headwater.model.trackable.layer_weights import (
    filter_empty_layer_containers,
    has_weights,
    is_layer,
)
from headwater.model.variables.variable import Variable

_KEYWORDS = (
    "input_shape",
    "batch_input_shape",
    "batch_size",
    "weights",
    "activity_regularizer",
    "autocast",
)


def _type_name(dtype: Any) -> str | None:
    """The name of the type of a layer's variables, of a type or a policy of mixed precision."""
    if hasattr(dtype, "should_cast_variables"):
        if dtype.should_cast_variables:
            raise errors.UnimplementedError(
                None,
                None,
                f"Layers with the policy {dtype.name} are not supported",
                hint="cast the inputs of the layer, and give it a type of its own",
            )
        dtype = dtype.variable_dtype
    return None if dtype is None else as_dtype(dtype).base_dtype.name


@export("keras.layers.Layer")
class Layer(LayerConnections, LayerLosses, LayerVariables, Module):
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
        self._autocast = kwargs.get("autocast", False)
        self.built = False
        self.stateful = False
        self.supports_masking = False
        self._input_spec: Any = None
        self._activity_regularizer = kwargs.get("activity_regularizer")
        self._dtype = _type_name(dtype)
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
        self._inner_inputs: list[Any] = []
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
        # The setters of properties decide themselves.
        if tracked and not name.startswith("_self_") and not hasattr(type(self), name):
            self._forget_attribute(name)
            value = sticky_attribute_assignment(self, name, value)
            self._track_attribute(value)
        # What AutoTrackable does is done.
        super(AutoTrackable, self).__setattr__(name, value)

    def _track_attribute(self, value: Any) -> None:
        # A list or dict counts as a layer: those that it gets later belong to this one, too.
        if is_layer(value) or has_weights(value):
            layers = vars(self).setdefault("_layers", [])
            if not any(layer is value for layer in layers):
                layers.append(value)
        if not hasattr(self, "_trainable_weights"):
            return
        trained, others = self._trainable_weights, self._non_trainable_weights
        for item in nest.flatten(value):
            if isinstance(item, Variable) and not any(v is item for v in trained + others):
                (trained if item.trainable else others).append(item)

    def _forget_attribute(self, name: str) -> None:
        """Lets an attribute that is replaced or deleted no longer belong to the layer."""
        value = vars(self).get(name)
        if not (isinstance(value, Variable) or is_layer(value) or has_weights(value)):
            return
        if any(other is value for key, other in vars(self).items() if key != name):
            return
        for kept in ("_layers", "_trainable_weights", "_non_trainable_weights"):
            held = vars(self).get(kept)
            if held is not None:
                held[:] = [item for item in held if item is not value]

    def __delattr__(self, name: str) -> None:
        self._forget_attribute(name)
        super(AutoTrackable, self).__delattr__(name)

    @property
    def input_spec(self) -> Any:
        """An InputSpec or one for each input, which the inputs must fit; None for any inputs."""
        return self._input_spec

    @input_spec.setter
    @no_automatic_dependency_tracking
    def input_spec(self, value: Any) -> None:
        self._input_spec = value

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
        # Subclasses of programs may not call the constructor.
        return filter_empty_layer_containers(getattr(self, "_layers", ()))

    @property
    def name_scope(self) -> Any:
        """The name scope of the layer, to enter in a with block."""
        return name_scope(self.name)

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Makes a method that runs in the name scope of its layer.

        Args:
            method: a method of a layer.

        Returns:
            The method.
        """

        @functools.wraps(method)
        def scoped(self: Layer, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped

    def _name_scope(self) -> str:
        return self.name

    # Variables

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables; subclasses override it.

        Args:
            input_shape: the TensorShape of the input, or a list of them.
        """
        self.built = True

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
        training = given.get("training")
        if "training" in kwargs and not self._call_takes_keyword("training"):
            # It is for the layers inside only.
            del given["training"], kwargs["training"]
        masks = self._input_masks(inputs)
        if masks is not None and self._call_takes("mask") and "mask" not in given:
            kwargs["mask"] = masks
        if training is None and self._call_takes("training") and "training" not in given:
            training = call_context.training
            if training is not None:
                kwargs["training"] = training
        outer = call_context.training
        call_context.layers.append(self)
        call_context.inputs.append(inputs)
        call_context.training = training if training is not None else outer
        try:
            with name_scope(self._name_scope()):
                if not self.built:
                    self._build_for(inputs)
                check_inputs(self.input_spec, inputs, self.name)
                outputs = convert(self.call)(inputs, *args, **kwargs)
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
            call_context.inputs.pop()
            call_context.training = outer
        if in_model:
            shown = {key: value for key, value in given.items() if key != "mask"}
            record_call(self, inputs, outputs, shown)
        elif has_history(inputs):
            self._inner_inputs.append(inputs)
        self._called_with(inputs, outputs, in_model)
        return outputs

    def _called_with(self, inputs: NestedTensors, outputs: NestedTensors, in_model: bool) -> None:
        """Runs after each call; models of a subclass learn their inputs."""

    def _call_arguments(self) -> list[str]:
        return _argument_names(getattr(self.call, "__func__", self.call))

    def _call_takes(self, argument: str) -> bool:
        return argument in self._call_arguments()

    def _call_takes_keyword(self, name: str) -> bool:
        parameters = inspect.signature(self.call).parameters
        return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())

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
            if isinstance(output, Tensor):
                output._keras_mask = mask  # type: ignore[attr-defined]

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

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        # Reading all attributes would make the ops of losses.
        return Trackable._list_functions_for_serialization(self, serialization_cache)

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


@functools.lru_cache(maxsize=1024)
def _argument_names(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def _positional(call: Callable[..., Any]) -> list[str]:
    """The names of the arguments of `call` after the inputs."""
    return _argument_names(getattr(call, "__func__", call))[1 + hasattr(call, "__func__") :]


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
