"""Removes the splits of a finished tree that gain nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.ops.trees.ensemble_resource import leaf_value, set_leaf

_F = np.float32


def _split(node: Any) -> Any:
    """The split of a node; None for a leaf."""
    which = node.WhichOneof("node")
    return None if which in ("leaf", None) else getattr(node, which)


def _ancestors(nodes: list[Any]) -> np.ndarray:
    """For each node the node that it becomes a part of: itself, if it stays."""
    becomes = np.arange(len(nodes))
    # Children come after their parents, so those of a node are settled before it.
    leaf = [_split(node) is None for node in nodes]
    for i in reversed(range(len(nodes))):
        split = _split(nodes[i])
        if split is None or nodes[i].metadata.gain >= 0:
            continue
        if leaf[split.left_id] and leaf[split.right_id]:
            becomes[[split.left_id, split.right_id]] = i
            leaf[i] = True
    for i in range(len(nodes)):
        becomes[i] = becomes[becomes[i]]
    return becomes


def post_prune(tree: Any, metadata: Any) -> None:
    """Removes, from below, splits into two leaves with a negative gain.

    Args:
        tree: a Tree message, changed in place.
        metadata: its TreeMetadata; notes what became of each node, for logits that were cached.
    """
    nodes = list(tree.nodes)
    becomes = _ancestors(nodes)
    stays = becomes == np.arange(len(nodes))
    if stays.all():
        return
    new_ids = np.cumsum(stays) - 1
    values = [
        np.array(leaf_value(node.leaf if _split(node) is None else node.metadata.original_leaf), _F)
        for node in nodes
    ]
    del metadata.post_pruned_nodes_meta[:]
    for i, target in enumerate(becomes.tolist()):
        metadata.post_pruned_nodes_meta.add(
            new_node_id=new_ids[target], logit_change=(values[target] - values[i]).tolist()
        )
    pruned = set(becomes[~stays].tolist())
    kept = []
    for i in np.flatnonzero(stays).tolist():
        node, split = type(nodes[i])(), _split(nodes[i])
        if split is not None and i in pruned:
            node.leaf.SetInParent()
            set_leaf(node.leaf, values[i])
        else:
            node.CopyFrom(nodes[i])
            if split is not None:
                moved = _split(node)
                moved.left_id = new_ids[split.left_id]
                moved.right_id = new_ids[split.right_id]
        kept.append(node)
    del tree.nodes[:]
    tree.nodes.extend(kept)
