"""The order in which the nodes of a graph can be run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base.errors import InvalidArgumentError
from headwater.serving.graph_tools.transforms.context import Context
from headwater.serving.graph_tools.transforms.node_names import graph_of, node_of, users_of

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef


def execution_order(graph_def: GraphDef) -> list[NodeDef]:
    """Returns the nodes of a graph, each after those that it depends on.

    The users of a node come directly after it, the last one first. A Merge waits for one input
    only, so loops have an order, too.

    Raises:
        InvalidArgumentError: if an input does not exist.
    """
    nodes = {node.name: node for node in graph_def.node}
    users = users_of(graph_def)
    pending = {}
    for node in graph_def.node:
        for text in node.input:
            if node_of(text) not in nodes:
                raise InvalidArgumentError(
                    None, None, f"Node '{node.name}': Unknown input node '{text}'"
                )
        pending[node.name] = len(node.input)
        if node.op in ("Merge", "RefMerge"):
            controls = sum(text.startswith("^") for text in node.input)
            pending[node.name] = controls + 1
    ready = [node for node in graph_def.node if not pending[node.name]]
    ordered = []
    while ready:
        node = ready.pop()
        ordered.append(node)
        for user in users[node.name]:
            pending[user.name] -= 1
            if not pending[user.name]:
                ready.append(user)
    return ordered


def sort_by_execution_order(graph_def: GraphDef, context: Context) -> GraphDef:
    """Orders the nodes so that each comes after those that it depends on."""
    return graph_of(execution_order(graph_def), graph_def)
