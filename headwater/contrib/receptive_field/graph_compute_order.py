"""The order in which the nodes of a GraphDef can be computed, and the sizes of their images."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from headwater.contrib.receptive_field.parse_layer_parameters import get_layer_params
from headwater.graph import Graph, export

_Size = list[int | None] | None


class NodeInfo(NamedTuple):
    """What is known of a node: its order, and the sizes (height, width) that go in and out."""

    order: int | None
    node: Any
    input_size: Any
    output_size: Any


def parse_graph_nodes(graph_def: Any) -> dict[str, Any]:
    """Returns {name: NodeDef} of a graph.

    Args:
        graph_def: a GraphDef.
    """
    return {node.name: node for node in graph_def.node}


@export(
    "contrib.receptive_field.get_compute_order",
    "contrib.receptive_field.receptive_field_api.get_compute_order",
)
def get_compute_order(
    graph_def: Any, input_node_name: str = "", input_node_size: Sequence[int] | None = None
) -> tuple[dict[str, NodeInfo], dict[str, Any]]:
    """Returns the order in which nodes can be computed.

    Args:
        graph_def: a GraphDef, or a graph.
        input_node_name: the node of the images; its order is 0.
        input_node_size: their height and width.

    Returns:
        {name: NodeInfo}, and {name: NodeDef}.
    """
    if isinstance(graph_def, Graph):
        graph_def = graph_def.as_graph_def()
    name_to_node = parse_graph_nodes(graph_def)
    info: dict[str, NodeInfo] = defaultdict(lambda: NodeInfo(None, None, None, None))
    for name in name_to_node:
        _visit(name, name_to_node, info, input_node_name, input_node_size)
    return info, name_to_node


def _visit(
    last: str,
    name_to_node: dict[str, Any],
    info: dict[str, NodeInfo],
    input_node_name: str,
    input_node_size: Sequence[int] | None,
) -> None:
    """Finds the order of a node after those of its inputs."""
    stack, open_nodes = [last], set()
    while stack:
        name = stack[-1]
        if name in info:
            stack.pop()
            continue
        node = name_to_node[name]
        if name == input_node_name:
            info[stack.pop()] = NodeInfo(0, node, None, input_node_size)
            continue
        sources = [_node_of(each) for each in node.input]
        waiting = [each for each in sources if each not in info and each not in open_nodes]
        if waiting:
            open_nodes.add(name)
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        # The edge back to the head of a loop is left out.
        before = [info[each] for each in sources if each in info]
        order = max((each.order or 0 for each in before), default=-1) + 1
        size = before[0].output_size if before else None
        info[name] = NodeInfo(order, node, size, _output_size(node, name_to_node, size))


def _node_of(name: str) -> str:
    return name.lstrip("^").partition(":")[0]


def _output_size(node: Any, name_to_node: dict[str, Any], size: _Size) -> _Size:
    if size is None:
        return None
    params = get_layer_params(node, name_to_node, size, force=True)
    # As in TensorFlow, the window along x counts for the first number and the one along y for the
    # second.
    windows = (
        (params.kernel_size_x, params.stride_x, params.total_padding_x),
        (params.kernel_size_y, params.stride_y, params.total_padding_y),
    )
    found: list[int | None] = []
    for length, (kernel, stride, padding) in zip(size, windows):
        if length is None or kernel is None or stride is None or padding is None:
            found.append(None)
        else:
            found.append(-(-(length - kernel + padding + 1) // stride))
    return found
