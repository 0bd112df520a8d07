"""Predictions of boosted trees: BoostedTreesTrainingPredict, BoostedTreesPredict and
BoostedTreesExampleDebugOutputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail, in_range
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.trees.ensemble_resource import TreeEnsemble, TreeTable
from headwater.protos.lazy import boosted_trees_pb2

_F = np.float32
_Arrays = list[np.ndarray]


def _examples(features: _Arrays) -> int:
    count = len(features[0])
    for feature in features:
        if feature.shape != (count,):
            fail(f"Features must be vectors of {count} buckets, got {shapes.show(feature.shape)}.")
    return count


def _leaves(
    table: TreeTable, nodes: np.ndarray, features: _Arrays, examples: np.ndarray
) -> np.ndarray:
    """The leaves that examples reach from some nodes."""
    nodes = nodes.copy()
    active = np.flatnonzero(~table.leaf[nodes])
    rounds = 0
    while active.size:
        here = examples[active]
        nodes[active] = table.next_nodes(nodes[active], [f[here] for f in features])
        active = active[~table.leaf[nodes[active]]]
        rounds += 1
        if rounds > len(table.leaf):
            fail("The nodes of the tree are a cycle.")
    return nodes


def kernel_predict(
    xp: ArrayModule,
    tree_ensemble_handle: TreeEnsemble,
    bucketized_features: _Arrays,
    *,
    logits_dimension: int,
) -> np.ndarray:
    ensemble = tree_ensemble_handle.created()
    count = _examples(bucketized_features)
    result = np.zeros((count, logits_dimension), _F)
    everyone, roots = np.arange(count), np.zeros(count, np.int64)
    with ensemble.lock:
        for tree, weight in enumerate(ensemble.proto.tree_weights):
            table = ensemble.table(tree, logits_dimension)
            leaves = _leaves(table, roots, bucketized_features, everyone)
            result += _F(weight) * table.values[leaves]
    return result


def kernel_training_predict(
    xp: ArrayModule,
    tree_ensemble_handle: TreeEnsemble,
    cached_tree_ids: np.ndarray,
    cached_node_ids: np.ndarray,
    bucketized_features: _Arrays,
    *,
    logits_dimension: int,
) -> _Arrays:
    ensemble = tree_ensemble_handle.created()
    count = _examples(bucketized_features)
    if cached_tree_ids.shape != (count,) or cached_node_ids.shape != (count,):
        fail(f"Expected {count} cached tree and node ids.")
    with ensemble.lock:
        if ensemble.latest < 0:
            logits = np.zeros((count, logits_dimension), _F)
            return [logits, cached_tree_ids, np.zeros(count, np.int32)]
        return _continued(
            ensemble, cached_tree_ids, cached_node_ids, bucketized_features, logits_dimension
        )


def _continued(
    ensemble: TreeEnsemble,
    tree_ids: np.ndarray,
    node_ids: np.ndarray,
    features: _Arrays,
    logits: int,
) -> _Arrays:
    """What was added to the logits of examples since they were cached, and where they are now."""
    if not in_range(tree_ids, ensemble.latest + 1):
        fail(f"Cached tree ids must be in [0, {ensemble.latest + 1})")
    result = np.zeros((len(tree_ids), logits), _F)
    nodes = node_ids.astype(np.int64)
    first = int(tree_ids.min()) if len(tree_ids) else ensemble.latest
    for tree in range(first, ensemble.latest + 1):
        table = ensemble.table(tree, logits)
        change = np.zeros_like(result)
        cached = np.flatnonzero((tree_ids == tree) & (nodes >= 0))
        before = nodes[cached]
        pruned = ensemble.pruned(tree, logits)
        if pruned is not None:
            _check_nodes(before, len(pruned[0]))
            change[cached] = pruned[1][before]
            nodes[cached] = before = pruned[0][before]
        _check_nodes(before, len(table.leaf))
        change[cached] -= table.values[before]
        here = np.flatnonzero(tree_ids <= tree)
        starts = np.where(tree_ids[here] == tree, np.maximum(nodes[here], 0), 0)
        leaves = _leaves(table, starts, features, here)
        weight = _F(ensemble.proto.tree_weights[tree])
        result[here] += weight * (change[here] + table.values[leaves])
        if tree == ensemble.latest:
            nodes[here] = leaves
    return [result, np.full(len(tree_ids), ensemble.latest, np.int32), nodes.astype(np.int32)]


def _check_nodes(nodes: np.ndarray, count: int) -> None:
    if not in_range(nodes, count):
        fail(f"Cached node id {nodes.max()} is not in [0, {count})")


def kernel_debug_outputs(
    xp: ArrayModule,
    tree_ensemble_handle: TreeEnsemble,
    bucketized_features: _Arrays,
    *,
    logits_dimension: int,
) -> np.ndarray:
    if logits_dimension != 1:
        fail("Predictions with explanations are supported for one logit only.")
    ensemble = tree_ensemble_handle.created()
    count = _examples(bucketized_features)
    ids: list[list[int]] = [[] for _ in range(count)]
    paths: list[list[float]] = [[] for _ in range(count)]
    sums = np.zeros(count, _F)
    everyone = np.arange(count)
    with ensemble.lock:
        for tree, weight in enumerate(ensemble.proto.tree_weights):
            table = ensemble.table(tree, 1)
            nodes = np.zeros(count, np.int64)
            # The first value of the path is the bias, which only the first tree may have.
            if tree == 0:
                _append(paths, everyone, _F(weight) * table.values[nodes, 0])
            active = np.flatnonzero(~table.leaf[nodes])
            while active.size:
                _append(ids, active, table.feature[nodes[active]])
                nodes[active] = table.next_nodes(
                    nodes[active], [f[active] for f in bucketized_features]
                )
                _append(paths, active, sums[active] + _F(weight) * table.values[nodes[active], 0])
                active = active[~table.leaf[nodes[active]]]
            sums = sums + _F(weight) * table.values[nodes, 0]
    texts = np.empty(count, object)
    texts[:] = [
        boosted_trees_pb2.DebugOutput(feature_ids=i, logits_path=p).SerializeToString()
        for i, p in zip(ids, paths)
    ]
    return texts


def _append(rows: list[list[Any]], which: np.ndarray, values: np.ndarray) -> None:
    for row, value in zip(which.tolist(), values.tolist()):
        rows[row].append(value)


def _check_features(c: shapes.ShapeContext) -> int | None:
    count: int | None = None
    for shape in c.shape("bucketized_features"):
        if shape is not None and len(shape) != 1:
            c.fail(f"Shape must be rank 1 but is rank {len(shape)}")
        (length,) = shape or (None,)
        # In TensorFlow's words, the shapes of all features are one.
        if None not in (count, length) and count != length:
            c.merge((count,), (length,))
        count = length if count is None else count
    return count


def shape_predict(c: shapes.ShapeContext) -> Shape:
    return (_check_features(c), c.attr("logits_dimension"))


def shape_training_predict(c: shapes.ShapeContext) -> list[Shape]:
    count = c.merge_dims(_check_features(c), c.with_rank("cached_tree_ids", 1)[0])
    count = c.merge_dims(count, c.with_rank("cached_node_ids", 1)[0])
    return [(count, c.attr("logits_dimension")), (count,), (count,)]


def shape_debug_outputs(c: shapes.ShapeContext) -> Shape:
    return (_check_features(c),)


_HANDLE = "tree_ensemble_handle: resource"
_FEATURES = "bucketized_features: num_bucketized_features * int32"
_ATTRS = "num_bucketized_features: int >= 1, logits_dimension: int"

register_op(
    "BoostedTreesPredict",
    inputs=f"{_HANDLE}, {_FEATURES}",
    outputs="logits: float",
    attrs=_ATTRS,
    shape=shape_predict,
    kernel=kernel_predict,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "BoostedTreesTrainingPredict",
    inputs=f"{_HANDLE}, cached_tree_ids: int32, cached_node_ids: int32, {_FEATURES}",
    outputs="partial_logits: float, tree_ids: int32, node_ids: int32",
    attrs=_ATTRS,
    shape=shape_training_predict,
    kernel=kernel_training_predict,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "BoostedTreesExampleDebugOutputs",
    inputs=f"{_HANDLE}, {_FEATURES}",
    outputs="examples_debug_outputs_serialized: string",
    attrs=_ATTRS,
    shape=shape_debug_outputs,
    kernel=kernel_debug_outputs,
    stateful=True,
    runs_on=RunsOn.HOST,
)
