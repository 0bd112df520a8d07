"""Graphs with debug nodes: their structure, and the graphs without these nodes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

_COPY_PREFIX = "__copy_"
_DEBUG_PREFIX = "__dbg_"
# Their first input is a reference that they change.
_REF_ARGUMENTS = ("Assign", "AssignAdd", "AssignSub", "ScatterUpdate", "ScatterAdd", "ScatterSub")


def parse_node_or_tensor_name(name: str) -> tuple[str, int | None]:
    """The node and the output in a name; the output of a node's name is None."""
    if ":" in name and not name.endswith(":"):
        node, _, slot = name.rpartition(":")
        return node, int(slot)
    return name, None


def get_node_name(element_name: str) -> str:
    """The name of the node in the name of a node or tensor."""
    return parse_node_or_tensor_name(element_name)[0]


def get_output_slot(element_name: str) -> int:
    """The output in the name of a node or tensor; 0 for a node."""
    return parse_node_or_tensor_name(element_name)[1] or 0


def is_copy_node(node_name: str) -> bool:
    """Whether a node copies a watched tensor for its debug nodes."""
    return node_name.startswith(_COPY_PREFIX)


def is_debug_node(node_name: str) -> bool:
    """Whether a node is a debug op that a watch has added."""
    return node_name.startswith(_DEBUG_PREFIX)


def parse_debug_node_name(node_name: str) -> tuple[str, int, int, str]:
    """What the name of a debug node says.

    Args:
        node_name: such as ``__dbg_ns_a/ns_b/node_c:1_0_DebugIdentity``.

    Returns:
        The name of the watched node, its output, the number of the debug op among those of the
        tensor, and its type: ``("ns_a/ns_b/node_c", 1, 0, "DebugIdentity")``.

    Raises:
        ValueError: if it is not the name of a debug node.
    """
    if not is_debug_node(node_name):
        raise ValueError(f"Invalid prefix in debug node name: '{node_name}'")
    name = node_name.removeprefix(_DEBUG_PREFIX)
    if name.count("_") < 2:
        raise ValueError(f"Invalid debug node name: '{node_name}'")
    rest, number, debug_op = name.rsplit("_", 2)
    watched, colon, slot = rest.rpartition(":")
    index = int(number)
    if not colon:
        raise ValueError(f"Invalid tensor name in debug node name: '{node_name}'")
    return watched, int(slot), index, debug_op


class GraphTracingReachedDestination(Exception):
    """A `DFSGraphTracer` has come to the node that it was to find."""


class DFSGraphTracer:
    """Goes from nodes to their inputs, depth first.

    Args:
        input_lists: dicts of the inputs of each node.
        skip_node_names: nodes whose inputs are not followed.
        destination_node_name: the node at which the walk ends.
    """

    def __init__(
        self,
        input_lists: list[dict[str, list[str]]],
        skip_node_names: Collection[str] | None = None,
        destination_node_name: str | None = None,
    ) -> None:
        self._input_lists = input_lists
        self._skip_node_names = skip_node_names or ()
        self._destination = destination_node_name
        self._inputs: list[str] = []
        self._depths: list[int] = []
        self._path: list[str] = []

    def trace(self, graph_element_name: str) -> None:
        """Walks from a node or tensor.

        Raises:
            GraphTracingReachedDestination: if it comes to the destination.
        """
        visited: set[str] = set()
        # The elements on the way, each with those of its inputs that have not been followed.
        way: list[tuple[str, list[str]]] = []

        def enter(element: str) -> None:
            node = get_node_name(element)
            way.append((element, []))
            if node == self._destination:
                self._path = [name for name, _ in way]
                raise GraphTracingReachedDestination()
            if node in visited or node in self._skip_node_names:
                return
            visited.add(node)
            for inputs in self._input_lists:
                way[-1][1].extend(inputs.get(node, ()))
            way[-1][1].reverse()

        enter(graph_element_name)
        while way:
            rest = way[-1][1]
            if not rest:
                way.pop()
                continue
            element = rest.pop()
            if get_node_name(element) not in visited:
                self._inputs.append(element)
                self._depths.append(len(way))
                enter(element)

    def inputs(self) -> list[str]:
        """The elements that the walk has come to, in order."""
        return self._inputs

    def depth_list(self) -> list[int]:
        """How many edges each of them is away from the start, on the way that was taken."""
        return self._depths

    def path(self) -> list[str]:
        """The elements from the start to the destination."""
        return self._path


class DebugGraph:
    """The structure of a graph with debug nodes, which are left out of it.

    Args:
        debug_graph_def: the GraphDef.
        device_name: the device that it runs on; None to take it from its nodes.

    Raises:
        ValueError: if two nodes have the same name.
    """

    def __init__(self, debug_graph_def: Any, device_name: str | None = None) -> None:
        self._debug_graph_def = debug_graph_def
        self._non_debug_graph_def: Any = None
        self._node_attributes: dict[str, Any] = {}
        self._node_inputs: dict[str, list[str]] = {}
        self._node_ctrl_inputs: dict[str, list[str]] = {}
        self._node_reversed_ref_inputs: dict[str, list[str]] = {}
        self._node_devices: dict[str, set[str]] = {}
        self._node_op_types: dict[str, str] = {}
        self._copies: dict[str, str] = {}
        for node in debug_graph_def.node:
            if is_copy_node(node.name) and node.input:
                self._copies[node.name] = node.input[0]
        self._device_name = device_name or _infer_device_name(debug_graph_def)
        for node in debug_graph_def.node:
            self._add(node)
        self._node_recipients = self._recipients(self._node_inputs)
        self._node_ctrl_recipients = self._recipients(self._node_ctrl_inputs)

    def _add(self, node: Any) -> None:
        if is_debug_node(node.name) or is_copy_node(node.name):
            return
        if node.name in self._node_inputs:
            raise ValueError(f"Duplicate node name on device {self._device_name}: '{node.name}'")
        self._node_attributes[node.name] = node.attr
        self._node_op_types[node.name] = node.op
        device = node.device or self._device_name or ""
        self._node_devices.setdefault(node.name, set()).add(device)
        inputs = self._node_inputs[node.name] = []
        controls = self._node_ctrl_inputs[node.name] = []
        self._node_reversed_ref_inputs.setdefault(node.name, [])
        for name in node.input:
            if name.startswith("^"):
                if not is_debug_node(name[1:]) and not is_copy_node(name[1:]):
                    controls.append(name[1:])
            else:
                inputs.append(self._copies.get(name, name))
        if node.op in _REF_ARGUMENTS and inputs:
            target = get_node_name(inputs[0])
            self._node_reversed_ref_inputs.setdefault(target, []).append(node.name)

    def _recipients(self, inputs: dict[str, list[str]]) -> dict[str, list[str]]:
        recipients: dict[str, list[str]] = {name: [] for name in inputs}
        for name, sources in inputs.items():
            for source in sources:
                recipients.setdefault(get_node_name(source), []).append(name)
        return recipients

    @property
    def device_name(self) -> str | None:
        """The device that the graph runs on."""
        return self._device_name

    @property
    def debug_graph_def(self) -> Any:
        """The GraphDef with the debug nodes."""
        return self._debug_graph_def

    @property
    def non_debug_graph_def(self) -> Any:
        """The GraphDef without the debug nodes."""
        if self._non_debug_graph_def is None:
            self._non_debug_graph_def = self._without_debug_nodes()
        return self._non_debug_graph_def

    def _without_debug_nodes(self) -> Any:
        graph_def = type(self._debug_graph_def)()
        graph_def.library.CopyFrom(self._debug_graph_def.library)
        graph_def.versions.CopyFrom(self._debug_graph_def.versions)
        for node in self._debug_graph_def.node:
            if is_debug_node(node.name) or is_copy_node(node.name):
                continue
            new = graph_def.node.add()
            new.CopyFrom(node)
            del new.input[:]
            new.input.extend(self._node_inputs[node.name])
            new.input.extend(f"^{name}" for name in self._node_ctrl_inputs[node.name])
        return graph_def

    @property
    def node_devices(self) -> dict[str, set[str]]:
        """The devices of each node."""
        return self._node_devices

    @property
    def node_op_types(self) -> dict[str, str]:
        """The op type of each node."""
        return self._node_op_types

    @property
    def node_attributes(self) -> dict[str, Any]:
        """The attrs of each node."""
        return self._node_attributes

    @property
    def node_inputs(self) -> dict[str, list[str]]:
        """The tensors that each node takes."""
        return self._node_inputs

    @property
    def node_ctrl_inputs(self) -> dict[str, list[str]]:
        """The nodes that each node waits for."""
        return self._node_ctrl_inputs

    @property
    def node_reversed_ref_inputs(self) -> dict[str, list[str]]:
        """The nodes that change the value of each node, through a reference."""
        return self._node_reversed_ref_inputs

    @property
    def node_recipients(self) -> dict[str, list[str]]:
        """The nodes that take the outputs of each node."""
        return self._node_recipients

    @property
    def node_ctrl_recipients(self) -> dict[str, list[str]]:
        """The nodes that wait for each node."""
        return self._node_ctrl_recipients


def _infer_device_name(graph_def: Any) -> str | None:
    """The device of the first node that has one."""
    for node in graph_def.node:
        if node.device:
            return str(node.device)
    return None


def reconstruct_non_debug_graph_def(debug_graph_def: Any) -> Any:
    """The graph without the nodes that watches have added.

    Args:
        debug_graph_def: a GraphDef with Copy and debug nodes.

    Returns:
        A new GraphDef.
    """
    return DebugGraph(debug_graph_def).non_debug_graph_def
