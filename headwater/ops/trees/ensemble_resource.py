"""An ensemble of boosted trees, which a session keeps between runs under its handle."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.ops.trees.stamped_state import StampedState
from headwater.protos.lazy import boosted_trees_pb2

_F = np.float32
# How a split divides: buckets up to the threshold go left, or those equal to it.
INEQUALITY, EQUALITY = 0, 1


def _check_parsed(serialized: bytes) -> Any:
    """The ensemble that a string holds; an error if it holds none."""
    # Protobuf is loaded at first use.
    from google.protobuf.message import DecodeError

    try:
        return boosted_trees_pb2.TreeEnsemble.FromString(serialized)
    except DecodeError:
        fail("Unable to parse tree ensemble proto.")


def leaf_value(leaf: Any) -> list[float]:
    """The logits of a leaf: a scalar, or the values of a vector."""
    if leaf.WhichOneof("leaf") == "vector":
        return list(leaf.vector.value)
    return [leaf.scalar]


def set_leaf(leaf: Any, values: np.ndarray) -> None:
    """Stores logits in a leaf, as a scalar if there is one."""
    if len(values) == 1:
        leaf.scalar = values[0]
    else:
        leaf.vector.value[:] = values.tolist()


class TreeTable:
    """The nodes of a tree as arrays.

    Args:
        tree: the Tree message.
        logits: the number of logits.

    Attributes:
        leaf: whether nodes are leaves.
        feature: the features that nodes split on.
        kind: INEQUALITY or EQUALITY.
        threshold: the largest bucket on the left, or the bucket on the left.
        left: the nodes on the left.
        right: the nodes on the right.
        missing_left: whether examples without the feature go to the left.
        values: the logits of leaves, and of splits before they were split.
    """

    def __init__(self, tree: Any, logits: int) -> None:
        rows = [self._row(node, i) for i, node in enumerate(tree.nodes)]
        columns = np.array([row[:-1] for row in rows], np.int64).reshape(-1, 7).T
        self.leaf = columns[0].astype(bool)
        self.feature, self.kind, self.threshold, self.left, self.right = columns[1:6]
        self.missing_left = columns[6].astype(bool)
        self.values = np.zeros((len(rows), logits), _F)
        for target, row in zip(self.values, rows):
            values = row[-1]
            target[: len(values)] = values[:logits]

    @staticmethod
    def _row(node: Any, index: int) -> tuple[Any, ...]:
        which = node.WhichOneof("node")
        if which == "bucketized_split":
            split = node.bucketized_split
            kind, threshold = INEQUALITY, split.threshold
            missing_left = (
                split.default_direction == boosted_trees_pb2.DefaultDirection.DEFAULT_LEFT
            )
        elif which == "categorical_split":
            split, missing_left = node.categorical_split, False
            kind, threshold = EQUALITY, split.value
        elif which in ("leaf", None):
            return True, 0, 0, 0, index, index, False, leaf_value(node.leaf)
        else:
            fail(f"Node type {which} is not supported")
        values = leaf_value(node.metadata.original_leaf)
        place = split.feature_id, kind, threshold, split.left_id, split.right_id
        return False, *place, missing_left, values

    def next_nodes(self, nodes: np.ndarray, features: list[np.ndarray]) -> np.ndarray:
        """The nodes after these, for examples whose buckets are given; leaves stay.

        Args:
            nodes: a node for each example.
            features: for each feature, the bucket of each example.
        """
        feature = self.feature[nodes]
        if len(feature) and feature.max() >= len(features):
            fail(
                f"The tree splits on feature {feature.max()}, but there are {len(features)} "
                "features."
            )
        buckets = np.empty(len(nodes), np.int64)
        for f in np.unique(feature).tolist():
            chosen = feature == f
            buckets[chosen] = features[f][chosen]
        threshold = self.threshold[nodes]
        equal = self.kind[nodes] == EQUALITY
        goes_left = np.where(equal, buckets == threshold, buckets <= threshold)
        goes_left = np.where(buckets < 0, self.missing_left[nodes], goes_left)
        return np.where(goes_left, self.left[nodes], self.right[nodes])


class TreeEnsemble(StampedState):
    """An ensemble of trees; the last one may still grow.

    Args:
        name: the shared name, for errors.

    Attributes:
        stamp: a number that changes with the trees; None before the ensemble is created.
        proto: the TreeEnsemble message.
        lock: held while the ensemble is used.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.proto: Any = None
        self._tables: dict[tuple[int, int], TreeTable] = {}

    def __repr__(self) -> str:
        trees = len(self.proto.trees) if self.proto is not None else 0
        return f"<TreeEnsemble: {trees} trees>"

    def load(self, stamp: int, serialized: bytes) -> None:
        """Replaces all trees by those of a serialized message."""
        self.proto = _check_parsed(serialized)
        self.stamp = stamp
        self._tables.clear()

    # What is there

    @property
    def latest(self) -> int:
        """The index of the last tree, -1 if there is none."""
        return len(self.proto.trees) - 1

    def is_finalized(self, tree: int) -> bool:
        """Whether a tree has stopped growing."""
        return bool(self.proto.tree_metadata[tree].is_finalized)

    def states(self) -> list[np.ndarray]:
        """Stamp, trees, finalized trees, layers attempted, and nodes of the last layer."""
        trees = len(self.proto.trees)
        growing = trees and not self.is_finalized(trees - 1)
        grown = self.proto.growing_metadata
        last = [grown.last_layer_node_start, grown.last_layer_node_end]
        if not grown.last_layer_node_end:
            last[1] = 1
        return [
            np.array(self.stamp, np.int64),
            np.array(trees, np.int32),
            np.array(trees - 1 if growing else trees, np.int32),
            np.array(grown.num_layers_attempted, np.int32),
            np.array(last, np.int32),
        ]

    def table(self, tree: int, logits: int) -> TreeTable:
        """The nodes of a tree as arrays."""
        found = self._tables.get((tree, logits))
        if found is None:
            found = TreeTable(self.proto.trees[tree], logits)
            self._tables[tree, logits] = found
        return found

    def pruned(self, tree: int, logits: int) -> tuple[np.ndarray, np.ndarray] | None:
        """What became of the nodes of a tree that was pruned after it was grown.

        Returns:
            For each node its new id, and the change of its logits; None if none was pruned.
        """
        updates = self.proto.tree_metadata[tree].post_pruned_nodes_meta
        if not updates:
            return None
        ids = np.array([u.new_node_id for u in updates], np.int64)
        changes = np.zeros((len(updates), logits), _F)
        for row, update in zip(changes, updates):
            row[: len(update.logit_change)] = update.logit_change[:logits]
        return ids, changes

    # Growing

    def add_tree(self, weight: float, logits: np.ndarray | None = None) -> int:
        """Adds a tree of one leaf; returns its index."""
        leaf = self.proto.trees.add().nodes.add().leaf
        leaf.SetInParent()
        if logits is not None:
            set_leaf(leaf, logits)
        self.proto.tree_weights.append(weight)
        self.proto.tree_metadata.add()
        return self.latest

    def changed(self, tree: int) -> None:
        """Forgets the arrays of a tree that was changed."""
        for key in [key for key in self._tables if key[0] == tree]:
            del self._tables[key]
