"""The op types that a GraphDef uses."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.graph import graph_def as _graph_def
from headwater.graph.registry import is_registered, lookup
from headwater.protos.lazy import op_def_pb2


@export("contrib.util.ops_used_by_graph_def")
def ops_used_by_graph_def(graph_def: Any) -> list[str]:
    """The op types of the nodes of a graph, and of the functions that it calls.

    Args:
        graph_def: a GraphDef; its op types need not be known.

    Returns:
        The names of the op types, sorted; the graph's own functions are not among them.
    """
    functions = {f.signature.name: f for f in graph_def.library.function}
    used: set[str] = set()
    called: list[str] = []

    def use(name: str) -> None:
        if name not in used:
            used.add(name)
            if name in functions:
                called.append(name)

    for node in graph_def.node:
        use(node.op)
    while called:
        for node in functions[called.pop()].node_def:
            use(node.op)
    return sorted(used - functions.keys())


@export("contrib.util.stripped_op_list_for_graph")
def stripped_op_list_for_graph(graph_def: Any) -> Any:
    """The definitions of the ops that a graph uses.

    Args:
        graph_def: a GraphDef.

    Returns:
        An OpList proto, sorted by name.

    Raises:
        ValueError: if an op type is not known.
    """
    ops = op_def_pb2.OpList()
    for name in ops_used_by_graph_def(graph_def):
        if not is_registered(name):
            raise ValueError(f"Op {name} is used by the graph, but is not registered")
        ops.op.add().CopyFrom(_graph_def.op_def(lookup(name)))
    return ops
