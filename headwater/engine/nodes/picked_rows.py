"""Which nodes copy rows of a variable, so that they keep nothing of its array."""

from __future__ import annotations

from headwater.engine.nodes.node import Node

_PICK = frozenset(("Gather", "GatherV2", "ResourceGather"))
_MEASURE = frozenset(("Rank", "Shape", "Size", "VariableShape"))


def picks_rows(node: Node, index: int) -> bool:
    """Whether a node takes nothing of a variable but copies of rows, or its shape.

    Args:
        node: a node that reads the variable.
        index: the index of the variable.
    """
    if node.record is not node.op._record or node.inputs.count(index) != 1:
        return False
    name = node.record.name
    return name in _MEASURE or (name in _PICK and node.inputs[0] == index)
