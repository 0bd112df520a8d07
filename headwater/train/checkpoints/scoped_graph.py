"""The part of a graph inside one name scope, as a graph of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef

# The prefix of the names of inputs from outside the scope, and the collection that lists them.
UNBOUND_PREFIX = "$unbound_inputs_"
UNBOUND_KEY = "unbound_inputs"


def inside(name: str, scope: str) -> bool:
    """Whether a node, an input string or a tensor name is in a scope."""
    return name.removeprefix("^").startswith(scope.rstrip("/") + "/")


def stripped(name: str, scope: str) -> str:
    """A name without its scope."""
    return name.replace(scope.rstrip("/") + "/", "", 1) if scope else name


def scoped_graph_def(graph_def: GraphDef, scope: str) -> tuple[Any, list[str]]:
    """Cuts a name scope out of a graph.

    Args:
        graph_def: the whole GraphDef.
        scope: the name scope.

    Returns:
        A GraphDef of the nodes in the scope under their names without it, and the sorted new names
        of the inputs that come from outside.
    """
    result = type(graph_def)()
    result.versions.CopyFrom(graph_def.versions)
    result.library.CopyFrom(graph_def.library)
    unbound: set[str] = set()
    for node in graph_def.node:
        if not inside(node.name, scope):
            continue
        copy = result.node.add()
        copy.CopyFrom(node)
        copy.name = stripped(node.name, scope)
        for i, text in enumerate(node.input):
            if inside(text, scope):
                copy.input[i] = stripped(text, scope)
                continue
            control, source = ("^", text[1:]) if text.startswith("^") else ("", text)
            copy.input[i] = f"{control}{UNBOUND_PREFIX}{source}"
            unbound.add(f"{UNBOUND_PREFIX}{source}")
        if node.op in ("Enter", "RefEnter"):
            frame = node.attr["frame_name"].s.decode()
            copy.attr["frame_name"].s = stripped(frame, scope).encode()
        if "_class" in node.attr:
            groups = [g.decode() for g in node.attr["_class"].list.s]
            copy.attr["_class"].list.s[:] = [
                f"loc:@{stripped(g[5:], scope)}".encode()
                for g in groups
                if not g.startswith("loc:@") or inside(g[5:], scope)
            ]
    return result, sorted(unbound)
