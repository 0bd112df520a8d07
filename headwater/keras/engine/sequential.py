"""`tf.keras.Sequential`: layers, each applied to the output of the one before."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, ShapeLike
from headwater.graph import export
from headwater.keras.engine.input_layer import Input, InputLayer
from headwater.keras.engine.registry import deserialize
from headwater.keras.engine.training import Model
from headwater.model.layers.layer import Layer
from headwater.model.trackable.base import no_automatic_dependency_tracking
from headwater.model.trackable.layer_weights import filter_empty_layer_containers, is_layer


@export("keras.Sequential", "keras.models.Sequential")
class Sequential(Model):
    """A model of layers, each applied to the output of the one before.

    Args:
        layers: the layers.
        name: the name.
    """

    @no_automatic_dependency_tracking
    def __init__(self, layers: Sequence[Any] | None = None, name: str | None = None) -> None:
        super().__init__(name=name)
        self._build_input_shape: Any = None
        for layer in layers or ():
            self.add(layer)

    @property
    def layers(self) -> list[Any]:
        """The layers without the one of the input."""
        layers = self._inner_layers()
        return layers[1:] if layers and isinstance(layers[0], InputLayer) else layers

    def _inner_layers(self) -> list[Any]:
        # A layer can be added twice.
        found: list[Any] = []
        for item in self._layers:
            found.extend([item] if is_layer(item) else filter_empty_layer_containers([item]))
        return found

    @no_automatic_dependency_tracking
    def add(self, layer: Any) -> None:
        """Adds a layer at the end.

        Args:
            layer: the layer, or an Input.

        Raises:
            TypeError: if it is neither.
            ValueError: if it has more than one output.
        """
        origin = getattr(getattr(layer, "_keras_history", None), "layer", None)
        if isinstance(origin, InputLayer):
            layer = origin
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
        self.built = False
        if not self._layers:
            self._add_first(layer)
            return
        self._layers.append(layer)
        if self.outputs:
            self.outputs = [_single(layer(self.outputs[0]))]
            self._connect()

    def _add_first(self, layer: Any) -> None:
        if isinstance(layer, InputLayer):
            self._layers.append(layer)
            self.outputs = nest.flatten(layer._inbound_nodes[-1].output_tensors)
            self._connect()
            return
        first = layer
        while hasattr(first, "_is_graph_network") and first.layers:
            first = first._layers[0]
        shape = getattr(first, "_batch_input_shape", None)
        if shape is None:
            self._layers.append(layer)
            return
        x = Input(batch_shape=shape, dtype=first.dtype, name=f"{first.name}_input")
        self._layers.append(x._keras_history.layer)
        self._layers.append(layer)
        self.outputs = [_single(layer(x))]
        self._connect()

    @no_automatic_dependency_tracking
    def _connect(self) -> None:
        layers = self._layers
        first = nest.flatten(layers[0]._inbound_nodes[0].output_tensors)
        self._set_graph(first[0], self.outputs[0])
        self._layers = layers
        self.built = True

    @no_automatic_dependency_tracking
    def pop(self) -> None:
        """Removes the last layer.

        Raises:
            TypeError: if there is none.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        self._layers.pop()
        if not self.layers:
            self.outputs, self.inputs, self.built = [], [], False
        elif self._is_graph_network:
            last = self._layers[-1]
            last._outbound_nodes = []
            self.outputs = [_single(last._inbound_nodes[-1].output_tensors)]
            self._connect()

    def build(self, input_shape: ShapeLike | None = None) -> None:
        """Makes the variables.

        Args:
            input_shape: the shape of the input, with the number of examples.

        Raises:
            ValueError: if the shape is missing.
        """
        if self._is_graph_network:
            self.built = True
            return
        if input_shape is None:
            raise ValueError("You must provide an `input_shape` argument.")
        # Features by name have one shape each.
        by_name = isinstance(input_shape, dict)
        self._build_input_shape = None if by_name else tuple(TensorShape(input_shape).as_list())
        super().build(input_shape)

    def call(self, inputs: NestedTensors, training: Any = None, mask: Any = None) -> NestedTensors:
        """Applies the layers.

        Args:
            inputs: a tensor.
            training: whether layers behave as in training.
            mask: the mask of the input.

        Returns:
            The output of the last layer.
        """
        if self._is_graph_network:
            return super().call(inputs, training=training, mask=mask)
        x = inputs
        for layer in self.layers:
            arguments: dict[str, Any] = {}
            if layer._call_takes("mask") and mask is not None:
                arguments["mask"] = mask
            if layer._call_takes("training") and training is not None:
                arguments["training"] = training
            x = layer(x, **arguments)
            mask = getattr(x, "_keras_mask", None)
        return x

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the output.

        Args:
            input_shape: the shape of the input.
        """
        shape: Any = input_shape
        for layer in self.layers:
            shape = layer.compute_output_shape(shape)
        return shape

    def predict_proba(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """Computes probabilities; see `predict`.

        Args:
            x: the inputs.
            batch_size: the number of examples at a time.
            verbose: 1 shows the progress.

        Returns:
            An array.
        """
        return self.predict(x, batch_size, verbose)

    def predict_classes(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """Computes the class of each example.

        Args:
            x: the inputs.
            batch_size: the number of examples at a time.
            verbose: 1 shows the progress.

        Returns:
            An array of integers.
        """
        proba = self.predict(x, batch_size=batch_size, verbose=verbose)
        return proba.argmax(axis=-1) if proba.shape[-1] > 1 else (proba > 0.5).astype("int32")

    @property
    def _object_identifier(self) -> str:
        return "_tf_keras_sequential"

    def get_weights(self) -> list[np.ndarray]:
        """The values of all variables.

        Returns:
            A list of arrays.

        Raises:
            ValueError: before the variables exist.
        """
        if not self.built:
            raise ValueError(
                f"Weights for model {self.name} have not yet been created. Weights are created "
                "when the Model is first called on inputs or `build()` is called with an "
                "`input_shape`."
            )
        return super().get_weights()

    def get_config(self) -> dict[str, Any]:
        """The configurations of the layers."""
        layers = [
            {"class_name": type(layer).__name__, "config": layer.get_config()}
            for layer in self.layers
        ]
        config = {"name": self.name, "layers": copy.deepcopy(layers)}
        if self._build_input_shape:
            config["build_input_shape"] = self._build_input_shape
        return config

    @classmethod
    def from_config(cls, config: Any, custom_objects: dict[str, Any] | None = None) -> Sequential:
        """Makes a model from what `get_config` of another one has returned.

        Args:
            config: the configurations of the layers.
            custom_objects: {name: class or function} that the configurations name.

        Returns:
            A model without the values of the variables.
        """
        named = isinstance(config, dict)
        model = cls(name=config["name"] if named else None)
        for each in config["layers"] if named else config:
            model.add(deserialize(each, custom_objects))
        shape = config.get("build_input_shape") if named else None
        if not model.inputs and shape:
            model.build(shape)
        return model


def _single(outputs: Any) -> Any:
    flat = nest.flatten(outputs)
    if len(flat) != 1:
        raise ValueError(
            "All layers in a Sequential model should have a single output tensor. For multi-output "
            "layers, use the functional API."
        )
    return flat[0]
