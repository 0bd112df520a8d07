"""Copies of models with new variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import nest
from headwater.graph import export
from headwater.keras.engine.input_layer import Input, InputLayer
from headwater.keras.engine.node_config import network_config, tensors_of_config
from headwater.keras.engine.sequential import Sequential
from headwater.keras.engine.training import Model


def _copied(layer: Any) -> Any:
    return type(layer).from_config(layer.get_config())


@export("keras.models.clone_model")
def clone_model(model: Any, input_tensors: Any = None, clone_function: Any = None) -> Any:
    """Makes a model of the same layers with new variables.

    Args:
        model: a Sequential or functional model.
        input_tensors: tensors to be used as inputs; new ones if None.
        clone_function: a function from a layer to the layer that takes its place; a new layer of
            the same configuration if None.

    Returns:
        A model.

    Raises:
        ValueError: if the model is a subclass, or `clone_function` is not callable.
    """
    if clone_function is not None and not callable(clone_function):
        raise ValueError("Expected `layer_fn` argument to be a callable.")
    copy = clone_function or _copied
    if isinstance(model, Sequential):
        return _clone_sequential(model, input_tensors, copy)
    if not isinstance(model, Model):
        raise ValueError("Expected `model` argument to be a `Model` instance, got ", model)
    if not model._is_graph_network:
        raise ValueError(
            "Expected `model` argument to be a functional `Model` instance, but got a subclass "
            "model instead."
        )
    return _clone_functional(model, input_tensors, copy)


def _clone_sequential(
    model: Sequential, input_tensors: Any, copy: Callable[[Any], Any]
) -> Sequential:
    layers = [copy(layer) for layer in model._inner_layers() if not isinstance(layer, InputLayer)]
    if input_tensors is None:
        first = [_copied(layer) for layer in model._layers[:1] if isinstance(layer, InputLayer)]
        return Sequential(layers=[*first, *layers], name=model.name)
    tensors = nest.flatten(input_tensors)
    if len(tensors) != 1:
        raise ValueError("To clone a `Sequential` model, we expect at most one tensor.")
    return Sequential(layers=[_input_layer(tensors[0]), *layers], name=model.name)


def _input_layer(tensor: Any, name: str | None = None) -> Any:
    history = getattr(tensor, "_keras_history", None)
    if history is not None and isinstance(history.layer, InputLayer):
        return history.layer
    return Input(tensor=tensor, name=name)._keras_history.layer


def _clone_functional(model: Any, input_tensors: Any, copy: Callable[[Any], Any]) -> Any:
    given: Sequence[Any] = [] if input_tensors is None else nest.flatten(input_tensors)
    layers = {}
    for layer in model.layers:
        if isinstance(layer, InputLayer):
            if not given or layer not in model._input_layers:
                layers[layer.name] = _copied(layer)
        else:
            layers[layer.name] = _clone_any(layer, copy)
    for layer, tensor in zip(model._input_layers, given):
        layers[layer.name] = _input_layer(tensor, f"input_wrapper_for_{layer.name}")
    inputs, outputs, inserted = tensors_of_config(network_config(model), layers=layers)
    made = Model(inputs, outputs, name=model.name)
    if inserted:
        made._insert(inserted)
    return made


def _clone_any(layer: Any, copy: Callable[[Any], Any]) -> Any:
    """A copy of a layer; of a model, with copies of its layers if the program copies them."""
    if copy is not _copied and isinstance(layer, Model) and layer._is_graph_network:
        return clone_model(layer, clone_function=copy)
    return copy(layer)
