"""Growing gradient boosted trees of tf.contrib: GrowTreeEnsemble, CenterTreeEnsembleBias."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.trees.gradient_pruning import prune
from headwater.ops.trees.gradient_trees import (
    GradientTrees,
    is_oblivious,
    leaf_entries,
    parsed_learner,
)
from headwater.protos.lazy import learner_pb2, split_info_pb2

_F = np.float32
_Arrays = list[np.ndarray]
# The field of a message that holds the children of a split.
_HOLDERS = ("sparse_float_binary_split_default_left", "sparse_float_binary_split_default_right")


class _Candidate(NamedTuple):
    """A split of a node that a handler proposes."""

    gain: float
    handler: int
    split: Any


def kernel_grow(
    xp: ArrayModule,
    trees: GradientTrees,
    stamp_token: np.ndarray,
    next_stamp_token: np.ndarray,
    learning_rate: np.ndarray,
    dropout_seed: np.ndarray,
    max_tree_depth: np.ndarray,
    weak_learner_type: np.ndarray,
    partition_ids: _Arrays,
    gains: _Arrays,
    splits: _Arrays,
    *,
    learner_config: bytes,
    center_bias: bool,
) -> tuple[()]:
    learner = parsed_learner(learner_config)
    with trees.created().lock:
        trees.check_stamp(int(stamp_token))
        trees.stamp = int(next_stamp_token)
        oblivious = weak_learner_type == learner_pb2.LearnerConfig.OBLIVIOUS_DECISION_TREE
        choose = _best_of_layer if oblivious else _best_of_nodes
        chosen = choose(learner, partition_ids, gains, splits)
        attempts = trees.proto.growing_metadata
        attempts.num_layers_attempted += 1
        if not trees.is_growing:
            attempts.num_trees_attempted += 1
        if not chosen:
            return ()
        if not trees.is_growing:
            _add_tree(trees, learner, float(learning_rate))
        _note_handlers(trees, learner, [candidate.handler for candidate in chosen.values()])
        _grow_layer(trees, learner, chosen)
        metadata = trees.proto.tree_metadata[-1]
        metadata.num_layers_grown += 1
        if metadata.num_layers_grown >= max_tree_depth:
            _finalize(trees, learner, float(learning_rate), int(dropout_seed), center_bias)
    return ()


def _is_refused(learner: Any, gain: float) -> bool:
    return learner.pruning_mode == learner_pb2.LearnerConfig.PRE_PRUNE and gain < 0


def _best_of_nodes(
    learner: Any, partition_ids: _Arrays, gains: _Arrays, splits: _Arrays
) -> dict[int, _Candidate]:
    """The best split of each node; of equal ones that of the last handler."""
    best: dict[int, _Candidate] = {}
    for handler, columns in enumerate(zip(partition_ids, gains, splits)):
        for node, gain, text in zip(*(column.ravel().tolist() for column in columns)):
            if _is_refused(learner, gain) or (node in best and gain < best[node].gain):
                continue
            split = split_info_pb2.SplitInfo.FromString(text)
            # Children without logits are too small.
            if split.left_child.WhichOneof("leaf") and split.right_child.WhichOneof("leaf"):
                best[node] = _Candidate(gain, handler, split)
    return dict(sorted(best.items()))


def _best_of_layer(
    learner: Any, partition_ids: _Arrays, gains: _Arrays, splits: _Arrays
) -> dict[int, _Candidate]:
    """The best split of all nodes of a layer, under the id 0."""
    best: _Candidate | None = None
    for handler, (of_handler, texts) in enumerate(zip(gains, splits)):
        if not texts.size or _is_refused(learner, float(of_handler.ravel()[0])):
            continue
        gain = float(of_handler.ravel()[0])
        if best is None or gain >= best.gain:
            split = split_info_pb2.ObliviousSplitInfo.FromString(texts.ravel()[0])
            best = _Candidate(gain, handler, split)
    return {} if best is None else {0: best}


def _add_tree(trees: GradientTrees, learner: Any, weight: float) -> None:
    tree = trees.proto.trees.add()
    metadata = trees.proto.tree_metadata.add(num_tree_weight_updates=1)
    if learner.each_tree_start.nodes:
        tree.CopyFrom(learner.each_tree_start)
        metadata.num_layers_grown = learner.each_tree_start_num_layers
    else:
        tree.nodes.add().leaf.SetInParent()
    trees.proto.tree_weights.append(weight)


def _note_handlers(trees: GradientTrees, learner: Any, handlers: list[int]) -> None:
    if learner.constraints.max_number_of_unique_feature_columns > 0:
        used = trees.proto.growing_metadata.used_handler_ids
        used[:] = sorted({*used, *handlers})


def _grow_layer(trees: GradientTrees, learner: Any, chosen: dict[int, _Candidate]) -> None:
    tree = trees.proto.trees[-1]
    adds_up = learner.growing_mode != learner_pb2.LearnerConfig.WHOLE_TREE
    keeps_leaves = learner.pruning_mode == learner_pb2.LearnerConfig.POST_PRUNE
    for node, candidate in chosen.items():
        if is_oblivious(candidate.split.split_node):
            _split_layer(tree, candidate, adds_up)
        else:
            _split_node(tree, node, candidate, adds_up, keeps_leaves)
    trees.changed(len(trees.proto.trees) - 1)


def _split_node(
    tree: Any, number: int, candidate: _Candidate, adds_up: bool, keeps_leaf: bool
) -> None:
    """Replaces a leaf by a split of two new leaves."""
    if not 0 <= number < len(tree.nodes):
        fail(f"Invalid node {number} to split.")
    node = tree.nodes[number]
    if node.WhichOneof("node") not in ("leaf", None):
        fail(f"Unexpected node type to split for node_id {number}.")
    before = type(node.leaf).FromString(node.leaf.SerializeToString())
    node.CopyFrom(candidate.split.split_node)
    which = node.WhichOneof("node")
    split = getattr(node, which)
    split = split.split if which in _HOLDERS else split
    split.left_id = len(tree.nodes)
    split.right_id = len(tree.nodes) + 1
    node.node_metadata.gain = candidate.gain
    if keeps_leaf:
        node.node_metadata.original_leaf.CopyFrom(before)
    for child in (candidate.split.left_child, candidate.split.right_child):
        leaf = tree.nodes.add().leaf
        leaf.CopyFrom(child)
        leaf.SetInParent()
        if adds_up:
            _add_leaf(leaf, before)


def _split_layer(tree: Any, candidate: _Candidate, adds_up: bool) -> None:
    """Replaces the leaves of a tree whose layers split alike by twice as many."""
    splits = [node for node in tree.nodes if is_oblivious(node)]
    before = [node.leaf for node in tree.nodes[len(splits) :]]
    split = type(tree.nodes[0]).FromString(candidate.split.split_node.SerializeToString())
    split.node_metadata.gain = candidate.gain
    for leaf in before:
        split.node_metadata.original_oblivious_leaves.add().CopyFrom(leaf)
    parents = list(candidate.split.children_parent_id)
    children = list(candidate.split.children)
    grown = []
    for place, leaf in enumerate(before):
        number = len(splits) + place
        if number in parents:
            at = 2 * parents.index(number)
            pair = children[at : at + 2]
        else:
            pair = [leaf, leaf]
        for child in pair:
            node = type(split)()
            node.leaf.CopyFrom(child)
            node.leaf.SetInParent()
            if adds_up and number in parents:
                _add_leaf(node.leaf, leaf)
            grown.append(node)
    whole = [*(type(split).FromString(n.SerializeToString()) for n in splits), split, *grown]
    del tree.nodes[:]
    tree.nodes.extend(whole)


def _add_leaf(leaf: Any, before: Any) -> None:
    """Adds the logits of another leaf to those of a leaf."""
    entries = leaf_entries(before)
    if not entries:
        return
    sums = dict(entries)
    for index, value in leaf_entries(leaf):
        sums[index] = float(_F(sums.get(index, 0.0)) + _F(value))
    if "vector" in (leaf.WhichOneof("leaf"), before.WhichOneof("leaf")):
        leaf.vector.value[:] = [sums.get(i, 0.0) for i in range(max(sums) + 1)]
    else:
        leaf.sparse_vector.index[:] = list(sums)
        leaf.sparse_vector.value[:] = list(sums.values())


def _finalize(
    trees: GradientTrees, learner: Any, rate: float, seed: int, center_bias: bool
) -> None:
    """Ends the growth of the last tree: prunes it, and shares its weight with dropped trees."""
    dropped = trees.dropped(learner, seed, center_bias)
    proto = trees.proto
    last = len(proto.trees) - 1
    proto.tree_metadata[last].is_finalized = True
    if learner.pruning_mode == learner_pb2.LearnerConfig.POST_PRUNE:
        prune(proto.trees[last])
        trees.changed(last)
        if len(proto.trees[last].nodes) == 1:
            del proto.trees[last], proto.tree_weights[last], proto.tree_metadata[last]
            return
    if not dropped:
        return
    count = len(dropped)
    for tree in dropped:
        proto.tree_weights[tree] *= count / (count + 1)
        proto.tree_metadata[tree].num_tree_weight_updates += 1
    proto.tree_weights[last] = rate / (count + 1)
    proto.tree_metadata[last].num_tree_weight_updates += 1


def kernel_center(
    xp: ArrayModule,
    trees: GradientTrees,
    stamp_token: np.ndarray,
    next_stamp_token: np.ndarray,
    delta_updates: np.ndarray,
    *,
    learner_config: bytes,
    centering_epsilon: float,
) -> np.ndarray:
    parsed_learner(learner_config)
    with trees.created().lock:
        trees.check_stamp(int(stamp_token))
        trees.stamp = int(next_stamp_token)
        proto = trees.proto
        deltas = delta_updates.ravel()
        if not proto.trees:
            proto.trees.add().nodes.add().leaf.vector.value.extend([0.0] * len(deltas))
            proto.tree_weights.append(1.0)
            proto.tree_metadata.add(num_layers_grown=1)
            proto.growing_metadata.num_trees_attempted = 1
            proto.growing_metadata.num_layers_attempted = 1
        bias = proto.trees[0].nodes[0].leaf.vector.value
        if len(bias) != len(deltas):
            fail(f"The bias has {len(bias)} logits, not {len(deltas)}.")
        bias[:] = (np.array(bias, _F) + deltas).tolist()
        trees.changed(0)
        again = float(np.abs(deltas).sum()) > centering_epsilon
        if not again:
            proto.tree_metadata[0].is_finalized = True
        return np.array(again)


def shape_grow(c: shapes.ShapeContext) -> list[Shape]:
    for name in ("stamp_token", "next_stamp_token", "learning_rate", "dropout_seed"):
        c.with_rank(name, 0)
    return []


def shape_center(c: shapes.ShapeContext) -> Shape:
    c.with_rank("stamp_token", 0)
    c.with_rank("next_stamp_token", 0)
    return ()


_STAMPS = "tree_ensemble_handle: resource, stamp_token: int64, next_stamp_token: int64"

register_op(
    "GrowTreeEnsemble",
    inputs=(
        f"{_STAMPS}, learning_rate: float, dropout_seed: int64, max_tree_depth: int32, "
        "weak_learner_type: int32, partition_ids: num_handlers * int32, "
        "gains: num_handlers * float, splits: num_handlers * string"
    ),
    attrs="learner_config: string, num_handlers: int >= 0, center_bias: bool",
    shape=shape_grow,
    kernel=kernel_grow,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "CenterTreeEnsembleBias",
    inputs=f"{_STAMPS}, delta_updates: float",
    outputs="continue_centering: bool",
    attrs="learner_config: string, centering_epsilon: float = 0.00999999978",
    shape=shape_center,
    kernel=kernel_center,
    stateful=True,
    runs_on=RunsOn.HOST,
)
