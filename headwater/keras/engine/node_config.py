"""Models as configurations: layers and how they are connected."""

from __future__ import annotations

import copy
import json
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
            calls.append(
                [
                    [source.name, indices[_node_key(source, index)], output, arguments]
                    for source, index, output, _ in node.iterate_inbound()
                ]
            )
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
            "input_layers": _places(network.inputs, indices),
            "output_layers": _places(network.outputs, indices),
        }
    )


def _places(tensors: Any, indices: dict[str, int]) -> list[Any]:
    found = []
    for x in tensors:
        layer, node, tensor = x._keras_history
        found.append([layer.name, indices[_node_key(layer, node)], tensor])
    return found


def tensors_of_config(
    config: dict[str, Any],
    custom_objects: dict[str, Any] | None = None,
    layers: dict[str, Any] | None = None,
) -> tuple[list[Any], list[Any], list[Any]]:
    """Makes the layers of a configuration and connects them.

    Args:
        config: what `network_config` has returned.
        custom_objects: {name: class or function} that the configuration names.
        layers: {name: layer} of layers to be connected instead of new ones.

    Returns:
        The inputs and the outputs of the model, and the losses and metrics that it adds.
    """
    made: dict[str, Any] = {}
    waiting: list[tuple[Any, list[Any]]] = []
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
    inputs = [tensor(place) for place in config["input_layers"]]
    return inputs, [tensor(place) for place in config["output_layers"]], inserted


def _first_node(layer: Any) -> int:
    """The number of calls that a layer has had when it was made; an input has its own."""
    of_inputs = type(layer).__name__ == "InputLayer" or hasattr(layer, "_is_graph_network")
    return 0 if of_inputs else len(layer._inbound_nodes)


def _call(made: dict[str, Any], first: dict[str, int], layer: Any, call: list[Any]) -> bool:
    """Calls a layer if its inputs exist; returns whether they did."""
    inputs = []
    arguments: dict[str, Any] = {}
    for item in call:
        name, node, index = item[:3]
        arguments = item[3] if len(item) > 3 else {}
        nodes = made[name]._inbound_nodes[first[name] :]
        if len(nodes) <= node:
            return False
        inputs.append(nest.flatten(nodes[node].output_tensors)[index])
    layer(inputs[0] if len(inputs) == 1 else inputs, **arguments)
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
