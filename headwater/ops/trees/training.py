"""The growth of boosted trees: BoostedTreesUpdateEnsemble, BoostedTreesUpdateEnsembleV2 and
BoostedTreesCenterBias.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.trees.ensemble_resource import TreeEnsemble, leaf_value
from headwater.ops.trees.pruning import post_prune
from headwater.protos.lazy import boosted_trees_pb2

_F = np.float32
_Arrays = list[np.ndarray]
_NO_PRUNING, _PRE_PRUNING, _POST_PRUNING = range(3)
# Centering goes on while the bias changes by a larger part of itself.
_CENTERED = 0.01


class _Candidates(NamedTuple):
    """Splits of nodes, a row for each."""

    feature: np.ndarray
    dimension: np.ndarray
    node: np.ndarray
    gain: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    kind: np.ndarray

    def rows(self, chosen: np.ndarray) -> _Candidates:
        """Some of them."""
        return _Candidates(*(column[chosen] for column in self))


def _candidates(feature_ids: np.ndarray, columns: list[_Arrays]) -> _Candidates:
    """The candidates of all features; the columns are in the order of the class's from node on."""
    nodes = columns[1]
    if len(feature_ids) != len(nodes):
        fail(f"Expected {len(nodes)} feature ids, got {len(feature_ids)}.")
    for column in columns:
        for of_feature, of_nodes in zip(column, nodes):
            if len(of_feature) != len(of_nodes):
                fail("The nodes of a feature and what is known of their splits differ in number.")
    feature = np.repeat(feature_ids, [len(n) for n in nodes])
    return _Candidates(feature, *(np.concatenate(c) if c else np.zeros(0, int) for c in columns))


def _best_of_nodes(candidates: _Candidates) -> _Candidates:
    """The split with the largest gain for each node, the first of equal ones, by node."""
    order = np.lexsort((-candidates.gain, candidates.node))
    ranked = candidates.rows(order)
    first = np.ones(len(order), bool)
    first[1:] = ranked.node[1:] != ranked.node[:-1]
    return ranked.rows(first)


def _split_node(tree: Any, split: _Candidates, row: int, learning_rate: np.ndarray) -> None:
    """Replaces a leaf by a split with two new leaves."""
    index = int(split.node[row])
    if not 0 <= index < len(tree.nodes) or tree.nodes[index].WhichOneof("node") != "leaf":
        fail(f"Node {index} of the tree is not a leaf.")
    node = tree.nodes[index]
    before = boosted_trees_pb2.Leaf()
    before.CopyFrom(node.leaf)
    value = _F(leaf_value(before)[0])
    left_id = len(tree.nodes)
    kind = split.kind[row]
    if kind == b"EQUALITY_DEFAULT_RIGHT":
        new, new.value = node.categorical_split, int(split.threshold[row])
    else:
        new, new.threshold = node.bucketized_split, int(split.threshold[row])
        if kind == b"INEQUALITY_DEFAULT_RIGHT":
            new.default_direction = boosted_trees_pb2.DefaultDirection.DEFAULT_RIGHT
    new.feature_id = int(split.feature[row])
    new.dimension_id = int(split.dimension[row])
    new.left_id, new.right_id = left_id, left_id + 1
    node.metadata.gain = split.gain[row]
    # The root of a tree without a bias has no leaf to remember.
    if index or value:
        node.metadata.original_leaf.CopyFrom(before)
    for contribution in (split.left[row], split.right[row]):
        tree.nodes.add().leaf.scalar = value + learning_rate * contribution[0]


def _grow(
    ensemble: TreeEnsemble,
    candidates: _Candidates,
    max_depth: int,
    learning_rate: np.ndarray,
    pruning_mode: int,
) -> None:
    """Adds a layer to the last tree, or to a new one."""
    proto = ensemble.proto
    current = ensemble.latest
    if current < 0 or ensemble.is_finalized(current):
        current = ensemble.add_tree(1.0)
    tree, metadata, grown = (
        proto.trees[current],
        proto.tree_metadata[current],
        proto.growing_metadata,
    )
    grown.num_trees_attempted += metadata.num_layers_grown == 0
    grown.num_layers_attempted += 1
    ensemble.stamp = (ensemble.stamp or 0) + 1
    splits = _best_of_nodes(candidates)
    if pruning_mode == _PRE_PRUNING:
        splits = splits.rows(splits.gain >= 0)
    if not len(splits.node):
        return
    start = len(tree.nodes)
    for row in range(len(splits.node)):
        _split_node(tree, splits, row, learning_rate)
    metadata.num_layers_grown += 1
    grown.last_layer_node_start, grown.last_layer_node_end = start, len(tree.nodes)
    if metadata.num_layers_grown >= max_depth:
        metadata.is_finalized = True
        if pruning_mode == _POST_PRUNING:
            post_prune(tree, metadata)
        ensemble.add_tree(1.0)
        grown.last_layer_node_start, grown.last_layer_node_end = 0, 1
    ensemble.changed(current)


def _updated(
    handle: TreeEnsemble,
    candidates: _Candidates,
    max_depth: np.ndarray,
    learning_rate: np.ndarray,
    pruning_mode: int,
) -> tuple[()]:
    ensemble = handle.created()
    with ensemble.lock:
        # A step that fails in the middle leaves the trees as they were.
        saved = ensemble.proto.SerializeToString(), ensemble.stamp
        try:
            _grow(ensemble, candidates, int(max_depth), learning_rate, pruning_mode)
        except Exception:
            ensemble.load(saved[1] or 0, saved[0])
            raise
    return ()


def kernel_update(
    xp: ArrayModule,
    tree_ensemble_handle: TreeEnsemble,
    feature_ids: np.ndarray,
    node_ids: _Arrays,
    gains: _Arrays,
    thresholds: _Arrays,
    left_node_contribs: _Arrays,
    right_node_contribs: _Arrays,
    max_depth: np.ndarray,
    learning_rate: np.ndarray,
    *,
    pruning_mode: int,
) -> tuple[()]:
    dimensions = [np.zeros(len(ids), np.int32) for ids in node_ids]
    kinds = [np.full(len(ids), b"INEQUALITY_DEFAULT_LEFT", object) for ids in node_ids]
    splits = [dimensions, node_ids, gains, thresholds, left_node_contribs, right_node_contribs]
    return _updated(
        tree_ensemble_handle,
        _candidates(feature_ids, [*splits, kinds]),
        max_depth,
        learning_rate,
        pruning_mode,
    )


def kernel_update_v2(
    xp: ArrayModule,
    tree_ensemble_handle: TreeEnsemble,
    feature_ids: np.ndarray,
    dimension_ids: _Arrays,
    node_ids: _Arrays,
    gains: _Arrays,
    thresholds: _Arrays,
    left_node_contribs: _Arrays,
    right_node_contribs: _Arrays,
    split_types: _Arrays,
    max_depth: np.ndarray,
    learning_rate: np.ndarray,
    pruning_mode: np.ndarray,
) -> tuple[()]:
    splits = [dimension_ids, node_ids, gains, thresholds, left_node_contribs, right_node_contribs]
    return _updated(
        tree_ensemble_handle,
        _candidates(feature_ids, [*splits, split_types]),
        max_depth,
        learning_rate,
        int(pruning_mode),
    )


def _bias(gradient: np.float32, hessian: np.float32, l1: np.ndarray, l2: np.ndarray) -> np.float32:
    """The logit that minimizes the loss, by one step of Newton."""
    shrunk = np.sign(gradient) * np.maximum(abs(gradient) - l1, _F(0))
    return _F(0) if hessian + l2 <= _F(1e-15) else _F(-shrunk / (hessian + l2))


def kernel_center_bias(
    xp: ArrayModule,
    tree_ensemble_handle: TreeEnsemble,
    mean_gradients: np.ndarray,
    mean_hessians: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
) -> np.ndarray:
    if not mean_gradients.size or not mean_hessians.size:
        fail("Centering the bias needs mean gradients and hessians.")
    ensemble = tree_ensemble_handle.created()
    change = _bias(mean_gradients.flat[0], mean_hessians.flat[0], l1, l2)
    with ensemble.lock:
        trees = ensemble.proto.trees
        if not trees:
            # The first step is never the last one.
            again = True
            ensemble.add_tree(1.0, np.array([change], _F))
        elif trees[0].nodes[0].WhichOneof("node") != "leaf":
            fail("The bias cannot be centered after trees have grown.")
        else:
            leaf = trees[0].nodes[0].leaf
            again = bool(abs(change) > _CENTERED * abs(leaf.scalar))
            leaf.scalar = _F(leaf.scalar) + change
            ensemble.changed(0)
        ensemble.stamp = (ensemble.stamp or 0) + 1
    return np.array(again)


def _check_ranks(c: shapes.ShapeContext, wanted: dict[str, tuple[int | None, ...]]) -> None:
    for name, pattern in wanted.items():
        for shape in c.shape(name):
            if shape is not None and len(shape) != len(pattern):
                c.fail(f"Shape must be rank {len(pattern)} but is rank {len(shape)}")
            c.merge(shape, pattern)


def shape_update(c: shapes.ShapeContext) -> list[Shape]:
    (count,) = c.with_rank("feature_ids", 1)
    c.merge_dims(count, c.attr("num_features"))
    _check_ranks(
        c,
        {
            "node_ids": (None,),
            "gains": (None,),
            "thresholds": (None,),
            "left_node_contribs": (None, 1),
            "right_node_contribs": (None, 1),
        },
    )
    c.with_rank("max_depth", 0)
    c.with_rank("learning_rate", 0)
    return []


def shape_center_bias(c: shapes.ShapeContext) -> Shape:
    c.merge(c.with_rank("mean_gradients", 2), c.with_rank("mean_hessians", 2))
    c.with_rank("l1", 0)
    c.with_rank("l2", 0)
    return ()


_HANDLE = "tree_ensemble_handle: resource"
_NODES = "node_ids: num_features * int32, gains: num_features * float"
_SPLITS = (
    f"{_NODES}, thresholds: num_features * int32, left_node_contribs: num_features * float, "
    "right_node_contribs: num_features * float"
)

register_op(
    "BoostedTreesUpdateEnsemble",
    inputs=f"{_HANDLE}, feature_ids: int32, {_SPLITS}, max_depth: int32, learning_rate: float",
    attrs="pruning_mode: int >= 0, num_features: int >= 0",
    shape=shape_update,
    kernel=kernel_update,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "BoostedTreesUpdateEnsembleV2",
    inputs=(
        f"{_HANDLE}, feature_ids: int32, dimension_ids: num_features * int32, {_SPLITS}, "
        "split_types: num_features * string, max_depth: int32, learning_rate: float, "
        "pruning_mode: int32"
    ),
    attrs="num_features: int >= 0",
    shape=shape_update,
    kernel=kernel_update_v2,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "BoostedTreesCenterBias",
    inputs=f"{_HANDLE}, mean_gradients: float, mean_hessians: float, l1: float, l2: float",
    outputs="continue_centering: bool",
    shape=shape_center_bias,
    kernel=kernel_center_bias,
    stateful=True,
    runs_on=RunsOn.HOST,
)
