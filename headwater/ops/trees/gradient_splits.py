"""The best splits for gradient boosted trees of tf.contrib: BuildDenseInequalitySplits,
BuildSparseInequalitySplits, BuildCategoricalEqualitySplits.

Source: Chen, Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016, sections 2.2 and 3.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.trees.leaf_weights import weights_and_gains
from headwater.protos.lazy import learner_pb2, split_info_pb2

_F = np.float32
_Result = tuple[np.ndarray, np.ndarray, np.ndarray]


class _Options(NamedTuple):
    """The scalar inputs of the ops."""

    class_id: np.ndarray
    column: np.ndarray
    l1: np.ndarray
    l2: np.ndarray
    tree_complexity: np.ndarray
    min_node_weight: np.ndarray


class _Partition(NamedTuple):
    """What an accumulator holds of a feature for one node, by rows.

    Attributes:
        number: the id of the node.
        ids: the feature id of each row, a bucket or a category, in ascending order.
        dimensions: the dimension of the feature of each row.
        sums: gradients and hessians of each row, means over batches, [rows, sums].
        total: the mean of the sum of all rows, [sums]; differs from the sum of the means by
            rounding, which decides between equal splits.
    """

    number: int
    ids: np.ndarray
    dimensions: np.ndarray
    sums: np.ndarray
    total: np.ndarray

    def without_bias(self, bias: int) -> tuple[np.ndarray, _Partition] | None:
        """The sums of the whole node, and the other rows; None if one of the two is missing."""
        if len(self.ids) < 2 or self.ids[0] != bias:
            return None
        rest = slice(1, None)
        columns = self.ids[rest], self.dimensions[rest], self.sums[rest]
        return self.sums[0], _Partition(self.number, *columns, self.sums[0])


class _Nodes(NamedTuple):
    """Nodes with their logits and gains; too small ones predict nothing."""

    weights: np.ndarray
    gains: np.ndarray
    empty: np.ndarray

    def fill(self, leaf: Any, place: Any, class_id: int) -> None:
        """Writes the logits of one node to a leaf."""
        values = self.weights[place].tolist()
        if class_id >= 0:
            leaf.sparse_vector.index.append(class_id)
            leaf.sparse_vector.value.extend(values)
        elif len(values) == 1 or not self.empty[place]:
            leaf.vector.value.extend(values)
        leaf.SetInParent()


class _Search:
    """Finds the best splits of nodes.

    Args:
        batches: the number of batches that the sums are of.
        partitions: the node of each row, in ascending order.
        feature_ids: feature id and dimension of each row.
        gradients: sums of gradients of each row.
        hessians: sums of hessians of each row.
        options: the other inputs.
    """

    def __init__(
        self,
        batches: np.ndarray,
        partitions: np.ndarray,
        feature_ids: np.ndarray,
        gradients: np.ndarray,
        hessians: np.ndarray,
        options: _Options,
    ) -> None:
        self.options = options
        self.class_id = int(options.class_id)
        count = len(partitions)
        self.logits = int(np.prod(gradients.shape[1:]))
        hessian_size = int(np.prod(hessians.shape[1:]))
        columns = [gradients.reshape(count, self.logits), hessians.reshape(count, hessian_size)]
        with np.errstate(all="ignore"):
            ratio = _F(1) / _F(batches)
            sums = np.concatenate(columns, 1)
            means = sums * ratio
        starts = np.flatnonzero(np.diff(partitions, prepend=partitions[:1] - 1)).tolist()
        self.partitions = [
            _Partition(
                int(partitions[start]),
                feature_ids[start:end, 0],
                feature_ids[start:end, 1],
                means[start:end],
                _cumulated(sums[start:end])[-1] * ratio,
            )
            for start, end in zip(starts, [*starts[1:], count])
        ]
        self._found: list[tuple[int, float, bytes]] = []

    def _nodes(self, sums: np.ndarray) -> _Nodes:
        options = self.options
        hessians = sums[..., self.logits :]
        weights, gains = weights_and_gains(
            sums[..., : self.logits], hessians, options.l1, options.l2, tiny=0.0
        )
        norm = hessians[..., 0] if self.logits == 1 else np.sqrt((hessians**2).sum(-1))
        empty = norm <= options.min_node_weight
        return _Nodes(
            np.where(empty[..., None], _F(0), weights), np.where(empty, _F(0), gains), empty
        )

    def choose(
        self,
        partition: _Partition,
        left: np.ndarray,
        right: np.ndarray,
        root: np.ndarray,
        describe: Callable[[Any, int], None],
    ) -> None:
        """Adds the best split of a node.

        Args:
            partition: the node.
            left: sums on the left for each candidate.
            right: sums on the right for each candidate.
            root: sums of the node.
            describe: writes the split of a candidate to a TreeNode message.
        """
        sides = self._nodes(np.stack([left, right]))
        gains = sides.gains[0] + sides.gains[1] - self._nodes(root).gains
        best = int(gains.argmax())
        split = split_info_pb2.SplitInfo()
        describe(split.split_node, best)
        sides.fill(split.left_child, (0, best), self.class_id)
        sides.fill(split.right_child, (1, best), self.class_id)
        gain = gains[best] - self.options.tree_complexity
        self._found.append((partition.number, float(gain), split.SerializeToString()))

    def choose_for_layer(
        self,
        left: list[np.ndarray],
        roots: list[np.ndarray],
        describe: Callable[[Any, int], None],
    ) -> _Result:
        """The best split that all nodes share.

        Args:
            left: for each node, sums on the left for each candidate.
            roots: for each node, its sums.
            describe: writes the split of a candidate to a TreeNode message.
        """
        if not left:
            return self.result()
        sides = self._nodes(np.stack([np.stack(left), np.stack(roots)[:, None] - np.stack(left)]))
        gains = (sides.gains[0] + sides.gains[1]).sum(0) - self._nodes(np.stack(roots)).gains.sum()
        best = int(gains.argmax())
        split = split_info_pb2.ObliviousSplitInfo()
        describe(split.split_node, best)
        numbers = [partition.number for partition in self.partitions]
        for place in range(len(left)):
            for side in (0, 1):
                sides.fill(split.children.add(), (side, place, best), self.class_id)
        split.children_parent_id.extend(numbers)
        gain = gains[best] - self.options.tree_complexity * _F(len(left))
        texts = np.array([split.SerializeToString()], object)
        return np.array(numbers, np.int32), np.array([gain], _F), texts

    def result(self) -> _Result:
        """The nodes, gains and serialized splits that were found."""
        texts = np.empty(len(self._found), object)
        texts[:] = [text for _, _, text in self._found]
        numbers = np.array([number for number, _, _ in self._found], np.int32)
        return numbers, np.array([gain for _, gain, _ in self._found], _F), texts


def _is_oblivious(weak_learner_type: np.ndarray) -> bool:
    return bool(weak_learner_type == learner_pb2.LearnerConfig.OBLIVIOUS_DECISION_TREE)


def _cumulated(sums: np.ndarray) -> np.ndarray:
    return np.cumsum(sums, 0, dtype=_F)


def kernel_dense(
    xp: ArrayModule,
    num_minibatches: np.ndarray,
    partition_ids: np.ndarray,
    bucket_ids: np.ndarray,
    gradients: np.ndarray,
    hessians: np.ndarray,
    bucket_boundaries: np.ndarray,
    class_id: np.ndarray,
    feature_column_group_id: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    tree_complexity: np.ndarray,
    min_node_weight: np.ndarray,
    multiclass_strategy: np.ndarray,
    weak_learner_type: np.ndarray,
) -> _Result:
    options = _Options(class_id, feature_column_group_id, l1, l2, tree_complexity, min_node_weight)
    search = _Search(num_minibatches, partition_ids, bucket_ids, gradients, hessians, options)
    if not len(bucket_boundaries):
        # The feature was not used when the buckets were computed.
        return search.result()
    cumulated = [_cumulated(partition.sums) for partition in search.partitions]

    if _is_oblivious(weak_learner_type):
        buckets = np.unique(bucket_ids[:, 0])
        left = []
        for partition, sums in zip(search.partitions, cumulated):
            padded = np.concatenate([np.zeros_like(sums[:1]), sums])
            left.append(padded[np.searchsorted(partition.ids, buckets, "right")])

        def describe_layer(node: Any, best: int) -> None:
            split = node.oblivious_dense_float_binary_split
            split.feature_column = int(feature_column_group_id)
            split.threshold = bucket_boundaries[buckets[best]]

        roots = [partition.total for partition in search.partitions]
        return search.choose_for_layer(left, roots, describe_layer)

    for partition, sums in zip(search.partitions, cumulated):

        def describe(node: Any, best: int, ids: np.ndarray = partition.ids) -> None:
            split = node.dense_float_binary_split
            split.feature_column = int(feature_column_group_id)
            split.threshold = bucket_boundaries[ids[best]]

        search.choose(partition, sums, partition.total - sums, partition.total, describe)
    return search.result()


def kernel_sparse(
    xp: ArrayModule,
    num_minibatches: np.ndarray,
    partition_ids: np.ndarray,
    bucket_ids: np.ndarray,
    gradients: np.ndarray,
    hessians: np.ndarray,
    bucket_boundaries: np.ndarray,
    class_id: np.ndarray,
    feature_column_group_id: np.ndarray,
    bias_feature_id: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    tree_complexity: np.ndarray,
    min_node_weight: np.ndarray,
    multiclass_strategy: np.ndarray,
) -> _Result:
    options = _Options(class_id, feature_column_group_id, l1, l2, tree_complexity, min_node_weight)
    search = _Search(num_minibatches, partition_ids, bucket_ids, gradients, hessians, options)
    for partition in search.partitions:
        parts = partition.without_bias(int(bias_feature_id))
        if parts is None or not len(bucket_boundaries):
            continue
        root, rest = parts
        # Candidates: each row, with the examples that lack the feature on the left, then right.
        order = np.argsort(rest.dimensions, kind="stable")
        left, right = [], []
        for dimension in np.unique(rest.dimensions).tolist():
            below = _cumulated(rest.sums[rest.dimensions == dimension])
            above = below[-1] - below
            left.append(np.stack([root - above, below], 1))
            right.append(np.stack([above, root - below], 1))

        def describe(
            node: Any, best: int, rows: _Partition = rest, order: np.ndarray = order
        ) -> None:
            row = order[best // 2]
            if best % 2:
                split = node.sparse_float_binary_split_default_right.split
            else:
                split = node.sparse_float_binary_split_default_left.split
            split.feature_column = int(feature_column_group_id)
            split.threshold = bucket_boundaries[rows.ids[row]]
            split.dimension_id = int(rows.dimensions[row])

        width = len(root)
        search.choose(
            partition,
            np.concatenate(left).reshape(-1, width),
            np.concatenate(right).reshape(-1, width),
            root,
            describe,
        )
    return search.result()


def kernel_categorical(
    xp: ArrayModule,
    num_minibatches: np.ndarray,
    partition_ids: np.ndarray,
    feature_ids: np.ndarray,
    gradients: np.ndarray,
    hessians: np.ndarray,
    class_id: np.ndarray,
    feature_column_group_id: np.ndarray,
    bias_feature_id: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    tree_complexity: np.ndarray,
    min_node_weight: np.ndarray,
    multiclass_strategy: np.ndarray,
    weak_learner_type: np.ndarray,
) -> _Result:
    options = _Options(class_id, feature_column_group_id, l1, l2, tree_complexity, min_node_weight)
    search = _Search(num_minibatches, partition_ids, feature_ids, gradients, hessians, options)
    bias = int(bias_feature_id)
    parts = [(p, split) for p in search.partitions if (split := p.without_bias(bias)) is not None]

    if _is_oblivious(weak_learner_type):
        search.partitions = [partition for partition, _ in parts]
        ids = np.unique(
            np.concatenate([rest.ids for _, (_, rest) in parts] or [feature_ids[:0, 0]])
        )
        left = []
        for _, (root, rest) in parts:
            sums = np.zeros((len(ids), len(root)), _F)
            sums[np.searchsorted(ids, rest.ids)] = rest.sums
            left.append(sums)

        def describe_layer(node: Any, best: int) -> None:
            split = node.oblivious_categorical_id_binary_split
            split.feature_column = int(feature_column_group_id)
            split.feature_id = int(ids[best])

        return search.choose_for_layer(left, [root for _, (root, _) in parts], describe_layer)

    for partition, (root, rest) in parts:

        def describe(node: Any, best: int, ids: np.ndarray = rest.ids) -> None:
            split = node.categorical_id_binary_split
            split.feature_column = int(feature_column_group_id)
            split.feature_id = int(ids[best])

        search.choose(partition, rest.sums, root - rest.sums, root, describe)
    return search.result()


def shape_splits(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("num_minibatches", 0)
    c.with_rank("partition_ids", 1)
    return [(None,), (None,), (None,)]


_REGULARIZATION = (
    "l1_regularization: float, l2_regularization: float, tree_complexity_regularization: float, "
    "min_node_weight: float, multiclass_strategy: int32"
)
_COLUMN = "class_id: int32, feature_column_group_id: int32"


def _register_splits(name: str, kernel: Callable[..., Any], inputs: str) -> None:
    register_op(
        name,
        inputs=f"num_minibatches: int64, partition_ids: int32, {inputs}",
        outputs="output_partition_ids: int32, gains: float, split_infos: string",
        shape=shape_splits,
        kernel=kernel,
        runs_on=RunsOn.HOST,
        dynamic_shape=True,
    )


_register_splits(
    "BuildDenseInequalitySplits",
    kernel_dense,
    "bucket_ids: int64, gradients: float, hessians: float, bucket_boundaries: float, "
    f"{_COLUMN}, {_REGULARIZATION}, weak_learner_type: int32",
)
_register_splits(
    "BuildSparseInequalitySplits",
    kernel_sparse,
    "bucket_ids: int64, gradients: float, hessians: float, bucket_boundaries: float, "
    f"{_COLUMN}, bias_feature_id: int64, {_REGULARIZATION}",
)
_register_splits(
    "BuildCategoricalEqualitySplits",
    kernel_categorical,
    "feature_ids: int64, gradients: float, hessians: float, "
    f"{_COLUMN}, bias_feature_id: int64, {_REGULARIZATION}, weak_learner_type: int32",
)
