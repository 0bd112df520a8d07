"""DecisionTree: the tree of a random forest in arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.protos.lazy import fertile_stats_pb2, generic_tree_model_pb2

_F = np.float32
# Types of tests in InequalityTest.
_LESS_OR_EQUAL, _LESS = 0, 1


class Features:
    """The features of a batch of examples, dense ones before sparse ones.

    Args:
        dense: a matrix.
        indices: the places of sparse features, [entries, 2].
        values: the values of sparse features.
        shape: the dense shape of the sparse features.
    """

    def __init__(
        self, dense: np.ndarray, indices: np.ndarray, values: np.ndarray, shape: np.ndarray
    ) -> None:
        self.dense = dense if dense.ndim == 2 else np.zeros((0, 0), _F)
        self._indices, self._values = indices, values
        sparse_rows = int(shape[0]) if shape.size else 0
        self.rows = len(self.dense) if self.dense.size else sparse_rows
        self.dense_count = self.dense.shape[1] if self.dense.size else 0
        self._keys = np.zeros(0, np.int64)
        self._width = int(shape[1]) if shape.size > 1 else 0
        if indices.size:
            if (indices < 0).any() or indices[:, 0].max() >= max(self.rows, 1):
                fail("Sparse indices are out of range of the batch.")
            self._width = max(self._width, int(indices[:, 1].max()) + 1)
            keys = indices[:, 0] * self._width + indices[:, 1]
            order = np.argsort(keys, kind="stable")
            self._keys, self._sorted = keys[order], values[order]

    def at(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """The values of features of rows; missing sparse features are 0."""
        dense = features < self.dense_count
        result = np.zeros(np.broadcast(rows, features).shape, _F)
        rows, features, dense = np.broadcast_arrays(rows, features, dense)
        if self.dense_count:
            result[dense] = self.dense[rows[dense], features[dense]]
        if len(self._keys) and not dense.all():
            wanted = rows[~dense] * self._width + features[~dense] - self.dense_count
            places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
            found = (self._keys[places] == wanted) & (
                features[~dense] - self.dense_count < self._width
            )
            result[~dense] = np.where(found, self._sorted[places], 0)
        return result

    def sparse_of(self, row: int) -> np.ndarray:
        """The sparse features that an example has."""
        if not len(self._keys):
            return np.zeros(0, np.int64)
        first = np.searchsorted(self._keys, row * self._width)
        last = np.searchsorted(self._keys, (row + 1) * self._width)
        return self._keys[first:last] - row * self._width + self.dense_count


class DecisionTree:
    """A binary tree whose leaves have a vector of outputs.

    Attributes:
        feature: for each node, the feature that its split tests; -1 for leaves.
        threshold: for each node, what the feature is compared with.
        strict: for each node, whether equal values go right.
        children: for each node, the left and the right child.
        values: for each node, the outputs of the leaf.
        size: the number of nodes.
    """

    def __init__(self) -> None:
        self.created = False

    def create(self, config: bytes, outputs: int) -> None:
        """Makes the tree anew.

        Args:
            config: a serialized Model; empty for a tree of one leaf.
            outputs: the number of outputs.
        """
        self.size = 0
        self.outputs = outputs
        self._reserve(16)
        if config:
            self._parse(config)
        else:
            self.size = 1
        self.created = True

    def checked(self) -> DecisionTree:
        """The tree; raises FailedPreconditionError if it was not made yet."""
        if not self.created:
            raise errors.FailedPreconditionError(None, None, "Tree variable is not initialized.")
        return self

    def _reserve(self, count: int) -> None:
        self.feature = np.full(count, -1, np.int64)
        self.threshold = np.zeros(count, _F)
        self.strict = np.zeros(count, bool)
        self.children = np.zeros((count, 2), np.int64)
        self.values = np.zeros((count, self.outputs), _F)
        self.weights = np.zeros(count, np.float64)

    def _grow(self, count: int) -> None:
        if count <= len(self.feature):
            return
        more = max(count, 2 * len(self.feature)) - len(self.feature)
        self.feature = np.concatenate([self.feature, np.full(more, -1, np.int64)])
        self.threshold = np.concatenate([self.threshold, np.zeros(more, _F)])
        self.strict = np.concatenate([self.strict, np.zeros(more, bool)])
        self.children = np.concatenate([self.children, np.zeros((more, 2), np.int64)])
        self.values = np.concatenate([self.values, np.zeros((more, self.outputs), _F)])
        self.weights = np.concatenate([self.weights, np.zeros(more)])

    def split(self, node: int, feature: int, threshold: float, strict: bool) -> tuple[int, int]:
        """Makes a leaf the parent of two new leaves.

        Args:
            node: the leaf.
            feature: the feature to test.
            threshold: what it is compared with.
            strict: whether equal values go right.

        Returns:
            The left and the right leaf.
        """
        left, right = self.size, self.size + 1
        self._grow(right + 1)
        self.feature[node], self.threshold[node], self.strict[node] = feature, threshold, strict
        self.children[node] = left, right
        self.size += 2
        return left, right

    def traverse(self, features: Features) -> np.ndarray:
        """Finds the leaf of each example."""
        nodes = np.zeros(features.rows, np.int64)
        moving = np.arange(features.rows)
        while moving.size:
            at = nodes[moving]
            moving = moving[self.feature[at] >= 0]
            if not moving.size:
                break
            nodes[moving] = self._children_of(nodes[moving], moving, features)
        return nodes

    def _children_of(self, at: np.ndarray, rows: np.ndarray, features: Features) -> np.ndarray:
        tested = features.at(rows, self.feature[at])
        limit = self.threshold[at]
        left = np.where(self.strict[at], tested < limit, tested <= limit)
        return self.children[at, np.where(left, 0, 1)]

    def predict(self, features: Features, normalize: bool) -> tuple[np.ndarray, np.ndarray]:
        """Finds the outputs of examples.

        Args:
            features: the examples.
            normalize: whether outputs are divided by their sum.

        Returns:
            The outputs, and the leaves.
        """
        leaves = self.traverse(features)
        values = self.values[leaves]
        if normalize:
            total = values.sum(1, keepdims=True)
            values = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
        return values, leaves

    def paths(self, features: Features) -> np.ndarray:
        """The path of each example from the root to its leaf, a serialized TreePath."""
        found: dict[int, bytes] = {}
        parents = {
            int(c): n for n in range(self.size) if self.feature[n] >= 0 for c in self.children[n]
        }
        result = np.empty(features.rows, object)
        for row, leaf in enumerate(self.traverse(features).tolist()):
            if leaf not in found:
                nodes = [leaf]
                while nodes[-1] in parents:
                    nodes.append(parents[nodes[-1]])
                path = fertile_stats_pb2.TreePath()
                for node in reversed(nodes):
                    self._write(node, path.nodes_visited.add())
                found[leaf] = path.SerializeToString()
            result[row] = found[leaf]
        return result

    def add(self, leaf: int, sums: np.ndarray, regression: bool) -> None:
        """Adds what is known of examples to a leaf.

        Args:
            leaf: the leaf.
            sums: the weights of the classes; for regression, the weight and the sums of outputs,
                and possibly more.
            regression: whether the outputs are means, not sums.
        """
        if not regression:
            self.values[leaf] += sums
            return
        total = self.weights[leaf] + sums[0]
        if total > 0:
            before = self.values[leaf] * self.weights[leaf]
            self.values[leaf] = (before + sums[1 : 1 + self.outputs]) / total
            self.weights[leaf] = total

    def update(self, leaves: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> None:
        """Adds examples of classes to their leaves.

        Args:
            leaves: the leaf of each example.
            targets: the classes.
            weights: the weights of the examples.
        """
        np.add.at(self.values, (leaves, targets), weights)

    def update_means(self, leaves: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> None:
        """Adds examples of regression to their leaves.

        Args:
            leaves: the leaf of each example.
            targets: a matrix of outputs.
            weights: the weights of the examples.
        """
        rows = np.concatenate([np.ones((len(targets), 1)), targets], 1) * weights[:, None]
        for leaf in np.unique(leaves).tolist():
            self.add(leaf, rows[leaves == leaf].sum(0), regression=True)

    def feature_counts(self, features: int) -> np.ndarray:
        """How many splits test each feature."""
        used = self.feature[: self.size]
        return np.bincount(used[used >= 0], minlength=features).astype(np.int32)

    def serialize(self) -> bytes:
        """The tree as a Model."""
        model = generic_tree_model_pb2.Model()
        for node in range(self.size):
            self._write(node, model.decision_tree.nodes.add())
        return bytes(model.SerializeToString(deterministic=True))

    def _write(self, node: int, message: Any) -> None:
        if node:
            message.node_id.value = node
        if self.feature[node] < 0:
            for value in self.values[node].tolist():
                message.leaf.vector.value.add().float_value = value
            return
        binary = message.binary_node
        binary.left_child_id.value, binary.right_child_id.value = self.children[node].tolist()
        test = binary.inequality_left_child_test
        test.feature_id.id.value = str(self.feature[node])
        test.threshold.float_value = float(self.threshold[node])
        test.type = _LESS if self.strict[node] else _LESS_OR_EQUAL

    def _parse(self, config: bytes) -> None:
        model = generic_tree_model_pb2.Model()
        try:
            model.ParseFromString(config)
        except Exception as error:
            fail(f"Unable to parse tree configuration: {error}")
        nodes = model.decision_tree.nodes
        self._reserve(max(16, len(nodes)))
        self.size = len(nodes)
        for number, node in enumerate(nodes):
            if node.WhichOneof("node_type") == "binary_node":
                self._parse_split(number, node.binary_node)
            else:
                self._parse_leaf(number, node.leaf)

    def _parse_split(self, number: int, node: Any) -> None:
        children = node.left_child_id.value, node.right_child_id.value
        if not all(number < child < self.size for child in children):
            fail(f"Node {number} of the tree has wrong children: {children}")
        test = node.inequality_left_child_test
        if node.WhichOneof("left_child_test") != "inequality_left_child_test" or test.type > _LESS:
            fail(f"Node {number} of the tree has a test of an unsupported type.")
        self.children[number] = children
        self.feature[number] = int(test.feature_id.id.value or 0)
        self.threshold[number] = getattr(test.threshold, test.threshold.WhichOneof("value"))
        self.strict[number] = test.type == _LESS

    def _parse_leaf(self, number: int, leaf: Any) -> None:
        if leaf.WhichOneof("leaf") == "sparse_vector":
            for key, value in leaf.sparse_vector.sparse_value.items():
                if 0 <= key < self.outputs:
                    self.values[number, key] = value.float_value
            return
        for place, value in enumerate(leaf.vector.value[: self.outputs]):
            self.values[number, place] = value.float_value
