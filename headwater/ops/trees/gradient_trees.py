"""An ensemble of gradient boosted trees of tf.contrib, which a session keeps between runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.ops.random import philox
from headwater.ops.random.words import Words
from headwater.ops.trees.gradient_features import Features
from headwater.ops.trees.stamped_state import StampedState
from headwater.protos.lazy import learner_pb2, tree_config_pb2

_F = np.float32
# Split kinds that a table of nodes knows, by the field of the message.
_KINDS = {
    "dense_float_binary_split": "dense",
    "oblivious_dense_float_binary_split": "dense",
    "sparse_float_binary_split_default_left": "missing_left",
    "sparse_float_binary_split_default_right": "missing_right",
    "categorical_id_binary_split": "id",
    "oblivious_categorical_id_binary_split": "id",
    "categorical_id_set_membership_binary_split": "id_set",
}


def parsed_learner(serialized: bytes | str) -> Any:
    """The LearnerConfig message of an attr; an error if it cannot be parsed."""
    # Protobuf is loaded at first use.
    from google.protobuf.message import DecodeError

    text = serialized if isinstance(serialized, bytes) else serialized.encode("latin-1")
    try:
        return learner_pb2.LearnerConfig.FromString(text)
    except DecodeError:
        fail("Unable to parse learner config config.")


def parsed_ensemble(serialized: bytes) -> Any:
    """The DecisionTreeEnsembleConfig message of a string; an error if it cannot be parsed."""
    from google.protobuf.message import DecodeError

    try:
        return tree_config_pb2.DecisionTreeEnsembleConfig.FromString(serialized)
    except DecodeError:
        fail("Unable to parse tree ensemble config.")


def leaf_entries(leaf: Any) -> list[tuple[int, float]]:
    """The logits of a leaf that are given, as (index, value)."""
    if leaf.WhichOneof("leaf") == "sparse_vector":
        return list(zip(leaf.sparse_vector.index, leaf.sparse_vector.value))
    return list(enumerate(leaf.vector.value))


def is_oblivious(node: Any) -> bool:
    """Whether all nodes of a layer split like this one."""
    return str(node.WhichOneof("node")).startswith("oblivious")


class NodeTable:
    """The nodes of a tree as arrays.

    Args:
        tree: the DecisionTreeConfig message.
        logits: the number of logits.
    """

    def __init__(self, tree: Any, logits: int) -> None:
        self._nodes = [(node.WhichOneof("node"), node) for node in tree.nodes]
        self._layers = sum(is_oblivious(node) for _, node in self._nodes)
        self.values = np.zeros((len(self._nodes), logits), _F)
        self._is_leaf = np.array([kind in ("leaf", None) for kind, _ in self._nodes])
        for row, (kind, node) in zip(self.values, self._nodes):
            for index, value in leaf_entries(node.leaf) if kind == "leaf" else ():
                if index < logits:
                    row[index] = value

    def leaves(self, features: Features) -> np.ndarray:
        """The leaf that each example reaches."""
        if self._layers:
            return self._oblivious_leaves(features)
        places = np.zeros(features.examples, np.int64)
        # Examples by node; children have larger ids than their parents.
        waiting = {0: np.arange(features.examples)} if not self._is_leaf[0] else {}
        while waiting:
            number = min(waiting)
            rows = waiting.pop(number)
            left = self._goes_left(number, rows, features)
            split = self._split(number)
            for child, chosen in ((split.left_id, rows[left]), (split.right_id, rows[~left])):
                if not number < child < len(self._nodes):
                    fail(f"Node {number} of a tree has the child {child}.")
                places[chosen] = child
                if len(chosen) and not self._is_leaf[child]:
                    before = waiting.get(child)
                    waiting[child] = chosen if before is None else np.append(before, chosen)
        return places

    def _oblivious_leaves(self, features: Features) -> np.ndarray:
        rows = np.arange(features.examples)
        bits = np.zeros(features.examples, np.int64)
        for number in range(self._layers):
            bits = bits * 2 + ~self._goes_left(number, rows, features)
        return self._layers + bits

    def _split(self, number: int) -> Any:
        kind, node = self._nodes[number]
        split = getattr(node, kind)
        return split.split if _KINDS[kind].startswith("missing") else split

    def _goes_left(self, number: int, rows: np.ndarray, features: Features) -> np.ndarray:
        kind = _KINDS[self._nodes[number][0]]
        split = self._split(number)
        column = split.feature_column
        if kind == "dense":
            return features.dense(column)[rows] <= _F(split.threshold)
        if kind == "id":
            return features.has_id(column, [split.feature_id])[rows]
        if kind == "id_set":
            return features.has_id(column, split.feature_ids)[rows]
        values, present = features.sparse(column, split.dimension_id)
        below = values[rows] <= _F(split.threshold)
        return np.where(present[rows], below, kind == "missing_left")


class GradientTrees(StampedState):
    """An ensemble of trees; the last one may still grow.

    Args:
        name: the shared name, for errors.

    Attributes:
        stamp: a number that changes with the trees; None before the ensemble is created.
        proto: the DecisionTreeEnsembleConfig message.
        lock: held while the ensemble is used.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.proto: Any = None
        self._tables: dict[tuple[int, int], NodeTable] = {}

    def __repr__(self) -> str:
        trees = len(self.proto.trees) if self.proto is not None else 0
        return f"<GradientTrees: {trees} trees>"

    def load(self, stamp: int, serialized: bytes) -> None:
        """Replaces all trees by those of a serialized message."""
        self.proto = parsed_ensemble(serialized)
        self.stamp = stamp
        self._tables.clear()

    def check_stamp(self, stamp: int) -> None:
        """Raises an error if the ensemble has another stamp."""
        if stamp != self.created().stamp:
            fail(f"The stamp of the tree ensemble is {self.stamp}, not {stamp}.")

    @property
    def is_growing(self) -> bool:
        """Whether there is a last tree that may still grow."""
        metadata = self.proto.tree_metadata
        return bool(metadata) and not metadata[-1].is_finalized

    @property
    def finalized(self) -> int:
        """How many trees have stopped growing."""
        return len(self.proto.trees) - self.is_growing

    def table(self, tree: int, logits: int) -> NodeTable:
        """The nodes of a tree as arrays."""
        found = self._tables.get((tree, logits))
        if found is None:
            found = self._tables[tree, logits] = NodeTable(self.proto.trees[tree], logits)
        return found

    def changed(self, tree: int) -> None:
        """Forgets the arrays of a tree that was changed."""
        for key in [key for key in self._tables if key[0] == tree]:
            del self._tables[key]

    def dropped(self, learner: Any, seed: int, center_bias: bool) -> list[int]:
        """The finished trees that are left out for a seed; never the bias.

        Source: Vinayak, Gilad-Bachrach, "DART: dropouts meet multiple additive regression trees",
        AISTATS 2015.
        """
        if learner.learning_rate_tuner.WhichOneof("tuner") != "dropout":
            return []
        options = learner.learning_rate_tuner.dropout
        for probability in (options.dropout_probability, options.probability_of_skipping_dropout):
            if not 0 <= probability <= 1:
                fail("Dropout probability must be in [0,1] range")
        first = 1 if center_bias else 0
        skipping = options.probability_of_skipping_dropout
        is_drawn = int(skipping > 0)
        words = Words(philox.make_stream(seed & philox.LOW_64, 0))
        drawn = words.fractions(is_drawn + max(0, self.finalized - first)).tolist()
        if is_drawn and drawn[0] < skipping:
            return []
        chances = enumerate(drawn[is_drawn:], first)
        return [tree for tree, chance in chances if chance < options.dropout_probability]
