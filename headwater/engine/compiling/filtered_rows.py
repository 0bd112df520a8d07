"""Rows that a mask keeps as one call each, when nodes are interpreted.

`tf.boolean_mask`, `tf.sparse_retain` and what follows from them are three ops: the positions at
which the mask is true, as a matrix, as a vector, and the rows at these positions. Mostly all rows
are kept, so that nothing has to be computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headwater.engine.nodes.node import Node


class FilteredRows:
    """The ops as one function of the rows and the mask.

    Args:
        nodes: the ops in order: a Where, perhaps a Reshape, and a gather.
        places: the place of each of their values.

    Attributes:
        nodes: the ops.
        inputs: the places of the rows and of the mask.
        output: the place of the rows that are kept.
    """

    def __init__(self, nodes: Sequence[Node], places: Mapping[int, int]) -> None:
        self.nodes = list(nodes)
        where, gather = nodes[0], nodes[-1]
        self.inputs: tuple[int, ...] = (places[gather.inputs[0]], places[where.inputs[0]])
        self.output = places[gather.outputs[0]]

    def __call__(self, rows: np.ndarray, mask: np.ndarray) -> np.ndarray:
        if rows.shape[: mask.ndim] != mask.shape:
            return self._computed(rows, mask)
        if mask.all():
            return rows if mask.ndim == 1 else rows.reshape(-1, *rows.shape[mask.ndim :])
        kept: np.ndarray = rows[mask]
        return kept

    def _computed(self, rows: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The rows at the positions, which may be out of range."""
        found = mask
        for node in self.nodes[:-1]:
            found = node.call(found, *_constants(node))
        result: np.ndarray = self.nodes[-1].call(rows, found, *_constants(self.nodes[-1]))
        return result


def _constants(node: Node) -> list[np.ndarray]:
    """The constant inputs of a node."""
    template = node.layout.template
    return [template[i] for i in node.inputs if template[i] is not None]


def filtered_rows(nodes: Sequence[Node], places: Mapping[int, int]) -> dict[Node, FilteredRows]:
    """Finds the ops that keep the rows of a mask.

    Args:
        nodes: the nodes that are interpreted, in order.
        places: where their values stand, by index.

    Returns:
        The rows by the last of the ops.
    """
    made: dict[int, Node] = {}
    found = {}
    for node in nodes:
        if node.record.name in ("GatherV2", "Gather", "GatherNd"):
            group = _ops_before(node, made, places)
            if group and not _depends_on_more([*group, node]):
                found[node] = FilteredRows([*group, node], places)
        made.update((places[i], node) for i in node.outputs)
    return found


def _depends_on_more(nodes: Sequence[Node]) -> bool:
    """Whether ops stand on a branch, or what they hand on may be in a variable."""
    slots = nodes[0].layout.slots
    return any(
        n.guards or n.alive or n.updates or not slots.keys().isdisjoint(n.inputs) for n in nodes
    )


def _ops_before(gather: Node, made: Mapping[int, Node], places: Mapping[int, int]) -> list[Node]:
    """The ops that make the positions for a gather; none if they are not those of a mask."""
    template = gather.layout.template
    maker = made.get(places[gather.inputs[1]])
    if maker is None or template[gather.inputs[0]] is not None:
        return []
    if gather.record.name == "GatherNd":
        return [maker] if _finds_true(maker) else []
    axis = template[gather.inputs[2]] if gather.record.name == "GatherV2" else np.zeros((), int)
    if axis is None or axis.shape or axis.item() or gather.op._attrs.get("batch_dims"):
        return []
    if maker.record.name != "Reshape":
        return []
    shape = template[maker.inputs[1]]
    where = made.get(places[maker.inputs[0]])
    if where is None or shape is None or shape.tolist() != [-1]:
        return []
    return [where, maker] if _finds_true(where, rank=1) else []


def _finds_true(node: Node, rank: int | None = None) -> bool:
    """Whether a node is the Where of a mask of known rank."""
    if node.record.name != "Where":
        return False
    mask = node.op._inputs[0]
    is_constant = node.layout.template[node.inputs[0]] is not None
    if not mask._dtype.is_bool or not mask._shape or is_constant:
        return False
    return rank is None or len(mask._shape) == rank
