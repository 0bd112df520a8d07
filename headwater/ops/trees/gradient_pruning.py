"""Removes the splits of a finished gradient boosted tree that lose."""

from __future__ import annotations

from typing import Any

_LEAVES = ("leaf", None)


def _split(node: Any) -> Any:
    """The message that holds the children of a node; None for a leaf."""
    which = node.WhichOneof("node")
    if which in _LEAVES:
        return None
    split = getattr(node, which)
    return split.split if which.startswith("sparse_float") else split


def prune(tree: Any) -> None:
    """Replaces splits of two leaves with a negative gain by the leaves that they were.

    Args:
        tree: the DecisionTreeConfig message; its nodes are numbered anew.
    """
    nodes = tree.nodes
    removed: set[int] = set()
    # Children have larger ids than their parents.
    for number in reversed(range(len(nodes))):
        node = nodes[number]
        split = _split(node)
        if split is None:
            continue
        children = (split.left_id, split.right_id)
        leaves = all(nodes[child].WhichOneof("node") in _LEAVES for child in children)
        if leaves and node.node_metadata.gain < 0:
            removed.update(children)
            original = type(node.leaf).FromString(
                node.node_metadata.original_leaf.SerializeToString()
            )
            node.Clear()
            node.leaf.CopyFrom(original)
            node.leaf.SetInParent()
        else:
            node.node_metadata.ClearField("original_leaf")
    kept = [number for number in range(len(nodes)) if number not in removed]
    places = {number: place for place, number in enumerate(kept)}
    for number in kept:
        split = _split(nodes[number])
        if split is not None:
            split.left_id = places[split.left_id]
            split.right_id = places[split.right_id]
    for number in sorted(removed, reverse=True):
        del nodes[number]
