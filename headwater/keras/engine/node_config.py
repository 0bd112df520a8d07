"""Models as configurations: layers and how they are connected."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.graph import Tensor
from headwater.keras.backend.graph_state import get_session
from headwater.keras.engine.hdf5 import json_value
from headwater.keras.engine.registry import deserialize
from headwater.keras.settings import KERAS_VERSION


def _node_key(layer: Any, index: int) -> str:
    return f"{layer.name}_ib-{index}"


def _argument(value: Any, indices: dict[str, int]) -> Any:
    """An argument of a call for a configuration: tensors are named by their origin."""
    if hasattr(value, "_keras_history"):
        layer, node, tensor = value._keras_history
        return [layer.name, indices[_node_key(layer, node)], tensor]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Tensor):
        return get_session([value]).run(value).tolist()
    return value


def network_config(network: Any) -> dict[str, Any]:
    """The configuration of a model of connected layers.

    Args:
        network: the model.

    Returns:
        Names, configurations and connections of its layers.
    """
    inside = network._topology.nodes
    indices: dict[str, int] = {}
    for layer in network.layers:
        # The first node of a model is not a call.
        number = int(getattr(layer, "_is_graph_network", False))
        for i, node in enumerate(layer._inbound_nodes):
            if node in inside:
                indices[_node_key(layer, i)] = number
                number += 1
    layers = []
    for layer in network.layers:
        calls = []
        for node in layer._inbound_nodes:
            if node not in inside or not node.inbound_layers:
                continue
            arguments = {k: _argument(v, indices) for k, v in node.arguments.items()}
            places = [
                [source.name, indices[_node_key(source, index)], output, arguments]
                for source, index, output, _ in node.iterate_inbound()
            ]
            by_name = isinstance(node.input_tensors, Mapping)
            calls.append(nest.pack_sequence_as(node.input_tensors, places) if by_name else places)
        layers.append(
            {
                "name": layer.name,
                "class_name": type(layer).__name__,
                "config": layer.get_config(),
                "inbound_nodes": calls,
            }
        )
    return copy.deepcopy(
        {
            "name": network.name,
            "layers": layers,
            "input_layers": _places(network._nested_inputs, indices),
            "output_layers": _places(network._nested_outputs, indices),
        }
    )


def _places(tensors: Any, indices: dict[str, int]) -> Any:
    found = []
    for x in nest.flatten(tensors):
        layer, node, tensor = x._keras_history
        found.append([layer.name, indices[_node_key(layer, node)], tensor])
    return nest.pack_sequence_as(tensors, found) if isinstance(tensors, Mapping) else found


def tensors_of_config(
    config: dict[str, Any],
    custom_objects: dict[str, Any] | None = None,
    layers: dict[str, Any] | None = None,
) -> tuple[Any, Any, list[Any]]:
    """Makes the layers of a configuration and connects them.

    Args:
        config: what `network_config` has returned.
        custom_objects: {name: class or function} that the configuration names.
        layers: {name: layer} of layers to be connected instead of new ones.

    Returns:
        The inputs and the outputs of the model, and the losses and metrics that it adds.
    """
    made: dict[str, Any] = {}
    waiting: list[tuple[Any, Any]] = []
    for entry in config["layers"]:
        given = (layers or {}).get(entry["name"])
        layer = deserialize(entry, custom_objects) if given is None else given
        made[entry["name"]] = layer
        waiting.extend((layer, call) for call in entry["inbound_nodes"])
    first = {name: _first_node(layer) for name, layer in made.items()}
    while waiting:
        rest = [each for each in waiting if not _call(made, first, *each)]
        if len(rest) == len(waiting):
            raise ValueError(f"The layers of the configuration are not connected: {rest}")
        waiting = rest

    def tensors(places: Any) -> Any:
        if isinstance(places, Mapping):
            return {key: tensor(place) for key, place in places.items()}
        return [tensor(place) for place in places]

    def tensor(place: list[Any]) -> Any:
        layer, node, index = made[place[0]], place[1], place[2]
        nodes = layer._inbound_nodes[first[place[0]] :]
        return nest.flatten(nodes[node].output_tensors)[index]

    inserted = [
        x
        for layer in made.values()
        if type(layer).__name__ in ("AddLoss", "AddMetric")
        for node in layer._inbound_nodes
        for x in nest.flatten(node.output_tensors)
    ]
    return tensors(config["input_layers"]), tensors(config["output_layers"]), inserted


def _first_node(layer: Any) -> int:
    """The number of calls that a layer has had when it was made; an input has its own."""
    of_inputs = type(layer).__name__ == "InputLayer" or hasattr(layer, "_is_graph_network")
    return 0 if of_inputs else len(layer._inbound_nodes)


def _call(made: dict[str, Any], first: dict[str, int], layer: Any, call: Any) -> bool:
    """Calls a layer if its inputs exist; returns whether they did."""
    arguments: dict[str, Any] = {}

    def found(place: Any) -> Any:
        if isinstance(place, Mapping):
            return {key: found(item) for key, item in place.items()}
        name, node, index = place[:3]
        arguments.update(place[3] if len(place) > 3 else {})
        nodes = made[name]._inbound_nodes[first[name] :]
        return nest.flatten(nodes[node].output_tensors)[index] if node < len(nodes) else None

    inputs = found(call) if isinstance(call, Mapping) else [found(place) for place in call]
    if any(x is None for x in nest.flatten(inputs)):
        return False
    single = isinstance(inputs, list) and len(inputs) == 1
    layer(inputs[0] if single else inputs, **arguments)
    return True


def model_config(model: Any) -> dict[str, Any]:
    """The configuration of a model with its class."""
    return {
        "class_name": type(model).__name__,
        "config": model.get_config(),
        "keras_version": KERAS_VERSION,
        "backend": "tensorflow",
    }


def to_json(model: Any, **kwargs: Any) -> str:
    """The configuration of a model as JSON."""
    return json.dumps(model_config(model), default=json_value, **kwargs)


def to_yaml(model: Any, **kwargs: Any) -> str:
    """The configuration of a model as YAML.

    Raises:
        ImportError: if PyYAML is not installed.
    """
    try:
        # PyYAML is optional.
        import yaml
    except ImportError:
        raise ImportError("Requires yaml module installed (`pip install pyyaml`).") from None
    text: str = yaml.dump(json.loads(to_json(model)), **kwargs)
    return text
