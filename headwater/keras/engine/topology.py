"""The graph of layers between the inputs and the outputs of a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from headwater.base import nest
from headwater.model.layers.node import Node


class Topology:
    """The nodes and layers that make outputs of inputs.

    Args:
        inputs: the inputs of a model.
        outputs: its outputs.

    Attributes:
        nodes_by_depth: nodes by their distance to the outputs.
        layers: the layers, from inputs to outputs; in this order their weights are saved.
        layers_by_depth: the layers by their distance.

    Raises:
        ValueError: if an output depends on other inputs, or two layers have the same name.
    """

    def __init__(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        ordered, first_seen = _walk(outputs)
        node_depths: dict[Node, int] = {}
        depths: dict[Any, int] = {}
        for node in reversed(ordered):
            depth = max(node_depths.get(node, 0), depths.get(node.outbound_layer, 0))
            depths[node.outbound_layer] = node_depths[node] = depth
            for layer, index, _, _ in node.iterate_inbound():
                before = layer._inbound_nodes[index]
                node_depths[before] = max(depth + 1, node_depths.get(before, 0))
        for tensor in inputs:
            layer = tensor._keras_history.layer
            if layer not in depths:
                depths[layer] = 0
                first_seen[layer] = -1
                node_depths[layer._inbound_nodes[0]] = 0
        self.nodes_by_depth: dict[int, list[Node]] = defaultdict(list)
        for node, depth in node_depths.items():
            self.nodes_by_depth[depth].append(node)
        self.layers_by_depth: dict[int, list[Any]] = defaultdict(list)
        for layer, depth in depths.items():
            self.layers_by_depth[depth].append(layer)
        self.layers: list[Any] = []
        for depth in sorted(self.layers_by_depth, reverse=True):
            self.layers_by_depth[depth].sort(key=lambda layer: first_seen[layer])
            self.layers.extend(self.layers_by_depth[depth])
        self._check_connected(inputs)
        self._check_names()
        self.nodes = set(node_depths)

    def _check_connected(self, inputs: Sequence[Any]) -> None:
        known = set(map(id, inputs))
        visited: list[str] = []
        for depth in sorted(self.nodes_by_depth, reverse=True):
            for node in self.nodes_by_depth[depth]:
                layer = node.outbound_layer
                # An InputLayer has what it is given itself.
                needed = node.input_tensors if node.inbound_layers else node.output_tensors
                for tensor in nest.flatten(needed):
                    if id(tensor) not in known:
                        raise ValueError(
                            "Graph disconnected: cannot obtain value for tensor "
                            f'{tensor} at layer "{layer.name}". The following previous layers '
                            f"were accessed without issue: {visited}"
                        )
                if node.inbound_layers:
                    visited.append(layer.name)
                    known.update(map(id, nest.flatten(node.output_tensors)))

    def _check_names(self) -> None:
        names = [layer.name for layer in self.layers]
        for name in names:
            if names.count(name) != 1:
                raise ValueError(
                    f'The name "{name}" is used {names.count(name)} times in the model. All layer '
                    "names should be unique."
                )

    def ordered_nodes(self) -> list[Node]:
        """The nodes from inputs to outputs."""
        depths = sorted(self.nodes_by_depth, reverse=True)
        return [node for depth in depths for node in self.nodes_by_depth[depth]]


def _walk(outputs: Sequence[Any]) -> tuple[list[Node], dict[Any, int]]:
    """The nodes before outputs, each after its inputs, and the order in which layers are met."""
    ordered: list[Node] = []
    finished: set[Node] = set()
    first_seen: dict[Any, int] = {}
    entered: set[Node] = set()
    for output in outputs:
        history = output._keras_history
        stack = [history.layer._inbound_nodes[history.node_index]]
        while stack:
            node = stack[-1]
            if node in finished:
                stack.pop()
                continue
            if node not in entered:
                entered.add(node)
                first_seen.setdefault(node.outbound_layer, len(first_seen))
                before = [
                    layer._inbound_nodes[index] for layer, index, _, _ in node.iterate_inbound()
                ]
                stack.extend(each for each in reversed(before) if each not in finished)
                continue
            stack.pop()
            finished.add(node)
            ordered.append(node)
    return ordered, first_seen
