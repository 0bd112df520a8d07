"""Finds parts of a graph that have a pattern, and replaces them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from headwater.serving.graph_tools.transforms.node_names import (
    data_inputs,
    graph_of,
    node_of,
    users_of,
)
from headwater.serving.graph_tools.transforms.ordering import execution_order

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef


class Pattern(NamedTuple):
    """A node of an op type ("A|B" allows two, "*" all); without `inputs`, it may have any."""

    op: str
    inputs: tuple[Pattern, ...] = ()


ANYTHING = Pattern("*")
CONSTANT = Pattern("Const")


class Match(NamedTuple):
    """A node that matches a pattern, with the matches of its inputs."""

    node: NodeDef
    inputs: list[Match]

    def nodes(self) -> Iterator[NodeDef]:
        """Yields the node, then those of its inputs."""
        yield self.node
        for match in self.inputs:
            yield from match.nodes()


def find_matches(graph_def: GraphDef, pattern: Pattern) -> list[Match]:
    """Returns the matches of a pattern in execution order; a node belongs to one match at most.

    Args:
        graph_def: a GraphDef.
        pattern: the pattern of the last node and of what it depends on.
    """
    nodes = {node.name: node for node in graph_def.node}
    taken: set[str] = set()
    matches = []
    for node in execution_order(graph_def):
        match = _match(node, pattern, nodes, taken)
        if match is not None:
            taken.update(part.name for part in match.nodes())
            matches.append(match)
    return matches


def _match(
    node: NodeDef, pattern: Pattern, nodes: dict[str, NodeDef], taken: Collection[str]
) -> Match | None:
    if node.name in taken:
        return None
    if pattern.op != "*" and node.op not in pattern.op.split("|"):
        return None
    if not pattern.inputs:
        return Match(node, [])
    texts = data_inputs(node)
    if len(texts) != len(pattern.inputs):
        return None
    inputs = []
    for text, wanted in zip(texts, pattern.inputs):
        source = nodes.get(node_of(text))
        match = None if source is None else _match(source, wanted, nodes, taken)
        if match is None:
            return None
        inputs.append(match)
    return Match(node, inputs)


Replace = Callable[[Match], Sequence["NodeDef"] | None]


def replace_matches(
    graph_def: GraphDef, pattern: Pattern, replace: Replace, outputs: Collection[str] = ()
) -> GraphDef:
    """Replaces the matches of a pattern.

    A match stays if a node inside it, which its replacement lacks or changes, has users outside.

    Args:
        graph_def: a GraphDef.
        pattern: a pattern.
        replace: returns the nodes that take the place of a match, or None if it stays.
        outputs: names of nodes that have users outside the graph.

    Returns:
        A GraphDef.
    """
    users = users_of(graph_def)
    matches = {match.node.name: match for match in find_matches(graph_def, pattern)}
    inner = {node.name for match in matches.values() for node in match.nodes()}
    result: list[NodeDef] = []
    for node in graph_def.node:
        match = matches.get(node.name)
        if match is None:
            if node.name not in inner:
                result.append(node)
            continue
        new = replace(match)
        if new is None or not _replaceable(match, new, users, outputs):
            new = list(match.nodes())
        result += {part.name: part for part in new}.values()
    return graph_of(result, graph_def)


def _replaceable(
    match: Match,
    new: Sequence[NodeDef],
    users: dict[str, list[NodeDef]],
    outputs: Collection[str],
) -> bool:
    """Whether all that is needed outside a match is the same in its replacement."""
    inside = {node.name for node in match.nodes()}
    by_name = {node.name: node for node in new}
    changed: set[str] = set()
    for node in reversed(list(match.nodes())):
        if by_name.get(node.name) != node or any(node_of(text) in changed for text in node.input):
            changed.add(node.name)
    return not any(
        name in outputs or any(user.name not in inside for user in users[name])
        for name in changed - {match.node.name}
    )
