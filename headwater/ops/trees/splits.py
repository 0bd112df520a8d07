"""The best splits of the nodes of boosted trees: BoostedTreesCalculateBestGainsPerFeature,
BoostedTreesCalculateBestFeatureSplit, BoostedTreesSparseCalculateBestFeatureSplit.

Source: Chen, Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016, section 3.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.trees.leaf_weights import weights_and_gains

_F = np.float32
_LEFT, _RIGHT, _EQUAL = (
    b"INEQUALITY_DEFAULT_LEFT",
    b"INEQUALITY_DEFAULT_RIGHT",
    b"EQUALITY_DEFAULT_RIGHT",
)


class _Regularization(NamedTuple):
    l1: np.ndarray
    l2: np.ndarray
    tree_complexity: np.ndarray
    min_node_weight: np.ndarray


class _Splits(NamedTuple):
    """The best split of each node that can be split."""

    nodes: np.ndarray
    gains: np.ndarray
    dimensions: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray
    right: np.ndarray
    kinds: np.ndarray


def _best_splits(
    first: int,
    left: np.ndarray,
    total: np.ndarray,
    kinds: tuple[bytes, ...],
    logits: int,
    regular: _Regularization,
) -> _Splits:
    """Chooses a split for each node.

    Args:
        first: the id of the first node.
        left: sums of gradients and hessians on the left of each candidate,
            [nodes, dimensions, kinds, buckets, sums].
        total: sums in the nodes, [nodes, sums].
        kinds: the kinds of splits.
        logits: the number of logits.
        regular: the regularization.
    """
    right = total[:, None, None, None] - left
    l1, l2 = regular.l1, regular.l2
    left_weights, left_gains = weights_and_gains(left[..., :logits], left[..., logits:], l1, l2)
    right_weights, right_gains = weights_and_gains(right[..., :logits], right[..., logits:], l1, l2)
    gains = left_gains + right_gains
    nodes = len(gains)
    flat = gains.reshape(nodes, -1)
    best = flat.argmax(1)
    rows = np.arange(nodes)
    _, parents = weights_and_gains(total[:, :logits], total[:, logits:], l1, l2)
    hessian = total[:, logits:]
    norm = hessian[:, 0] if logits == 1 else np.sqrt((hessian**2).sum(1))
    chosen = rows[norm >= regular.min_node_weight]
    best = best[chosen]
    dimension, kind, bucket = np.unravel_index(best, gains.shape[1:])
    return _Splits(
        (chosen + first).astype(np.int32),
        (flat[chosen, best] - parents[chosen] - regular.tree_complexity).astype(_F),
        dimension.astype(np.int32),
        bucket.astype(np.int32),
        left_weights.reshape(nodes, -1, logits)[chosen, best],
        right_weights.reshape(nodes, -1, logits)[chosen, best],
        np.array(kinds, object)[kind],
    )


def kernel_gains_per_feature(
    xp: ArrayModule,
    node_id_range: np.ndarray,
    stats_summary_list: list[np.ndarray],
    l1: np.ndarray,
    l2: np.ndarray,
    tree_complexity: np.ndarray,
    min_node_weight: np.ndarray,
) -> list[np.ndarray]:
    first, last = node_id_range.tolist()
    regular = _Regularization(l1, l2, tree_complexity, min_node_weight)
    found = []
    for stats in stats_summary_list:
        _check_nodes(first, last, len(stats))
        left = np.cumsum(stats[first:last], 1, dtype=_F)
        found.append(_best_splits(first, left[:, None, None], left[:, -1], (_LEFT,), 1, regular))
    return [
        *(s.nodes for s in found),
        *(s.gains for s in found),
        *(s.thresholds for s in found),
        *(s.left for s in found),
        *(s.right for s in found),
    ]


def _check_nodes(first: int, last: int, count: int) -> None:
    if not 0 <= first <= last <= count:
        fail(f"node_id_range [{first}, {last}) is not within the {count} nodes of the statistics.")


def _feature_splits(
    node_id_range: np.ndarray,
    stats: np.ndarray,
    logits: int,
    split_type: str,
    regular: _Regularization,
) -> _Splits:
    first, last = node_id_range.tolist()
    _check_nodes(first, last, len(stats))
    stats = stats[first:last]
    total = stats[:, 0].sum(1, dtype=_F)
    present, missing = stats[:, :, :-1], stats[:, :, -1:]
    if split_type == "equality":
        left = present[:, :, None]
        return _best_splits(first, left, total, (_EQUAL,), logits, regular)
    before = np.cumsum(present, 2, dtype=_F)
    left = np.stack([before + missing, before], 2)
    return _best_splits(first, left, total, (_LEFT, _RIGHT), logits, regular)


def kernel_feature_split(
    xp: ArrayModule,
    node_id_range: np.ndarray,
    stats_summary: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    tree_complexity: np.ndarray,
    min_node_weight: np.ndarray,
    *,
    logits_dimension: int,
    split_type: str,
) -> list[np.ndarray]:
    regular = _Regularization(l1, l2, tree_complexity, min_node_weight)
    return list(
        _feature_splits(node_id_range, stats_summary, logits_dimension, split_type, regular)
    )


def kernel_sparse_feature_split(
    xp: ArrayModule,
    node_id_range: np.ndarray,
    stats_summary_indices: np.ndarray,
    stats_summary_values: np.ndarray,
    stats_summary_shape: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    tree_complexity: np.ndarray,
    min_node_weight: np.ndarray,
    *,
    logits_dimension: int,
    split_type: str,
) -> list[np.ndarray]:
    regular = _Regularization(l1, l2, tree_complexity, min_node_weight)
    stats = np.zeros(stats_summary_shape.tolist(), _F)
    inside = (stats_summary_indices >= 0) & (stats_summary_indices < stats_summary_shape)
    if not inside.all():
        fail(f"stats_summary_indices are not within shape {shapes.show(stats.shape)}.")
    stats[tuple(stats_summary_indices.T)] = stats_summary_values
    return list(_feature_splits(node_id_range, stats, logits_dimension, split_type, regular))


def _check_range_and_scalars(c: shapes.ShapeContext) -> None:
    rows = c.with_rank("node_id_range", 1)
    c.merge(rows, (2,))
    for name in ("l1", "l2", "tree_complexity", "min_node_weight"):
        c.with_rank(name, 0)


def shape_gains_per_feature(c: shapes.ShapeContext) -> list[Shape]:
    c.merge(c.with_rank("node_id_range", 1), (2,))
    merged: Shape = (None, None, 2)
    for shape in c.shape("stats_summary_list"):
        merged = c.merge(merged, shape)
    for name in ("l1", "l2", "tree_complexity", "min_node_weight"):
        c.with_rank(name, 0)
    count = c.attr("num_features")
    return [*[(None,)] * (3 * count), *[(None, 1)] * (2 * count)]


def shape_feature_split(c: shapes.ShapeContext) -> list[Shape]:
    _check_range_and_scalars(c)
    c.with_rank("stats_summary", 4)
    return _split_shapes(c)


def shape_sparse_feature_split(c: shapes.ShapeContext) -> list[Shape]:
    _check_range_and_scalars(c)
    rows = c.with_rank("stats_summary_indices", 2)
    c.merge(rows, (None, 4))
    c.with_rank("stats_summary_values", 1)
    c.merge(c.with_rank("stats_summary_shape", 1), (4,))
    return _split_shapes(c)


def _split_shapes(c: shapes.ShapeContext) -> list[Shape]:
    logits = c.attr("logits_dimension")
    return [*[(None,)] * 4, (None, logits), (None, logits), (None,)]


def samples_feature_split() -> Iterator[Sample]:
    stats = np.linspace(-1, 2, 2 * 2 * 3 * 2, dtype=_F).reshape(2, 2, 3, 2)
    stats[..., 1] = 1
    regular = [_F(0), _F(0.1), _F(0), _F(0)]
    yield Sample(np.array([0, 2], np.int32), stats, *regular, logits_dimension=1)
    yield Sample(
        np.array([1, 2], np.int32), stats, *regular, logits_dimension=1, split_type="equality"
    )


def samples_gains_per_feature() -> Iterator[Sample]:
    stats = np.array([[[1, 1], [-2, 1], [0.5, 2]]], _F)
    regular = [_F(0.1), _F(0.1), _F(0), _F(0)]
    yield Sample(np.array([0, 1], np.int32), [stats, stats[:, ::-1]], *regular, max_splits=1)


_REGULARIZATION = "l1: float, l2: float, tree_complexity: float, min_node_weight: float"
_SPLITS = (
    "node_ids: int32, gains: float, feature_dimensions: int32, thresholds: int32, "
    "left_node_contribs: float, right_node_contribs: float, split_with_default_directions: string"
)

register_op(
    "BoostedTreesCalculateBestGainsPerFeature",
    inputs=(f"node_id_range: int32, stats_summary_list: num_features * float, {_REGULARIZATION}"),
    outputs=(
        "node_ids_list: num_features * int32, gains_list: num_features * float, "
        "thresholds_list: num_features * int32, left_node_contribs_list: num_features * float, "
        "right_node_contribs_list: num_features * float"
    ),
    attrs="max_splits: int >= 1, num_features: int >= 1",
    shape=shape_gains_per_feature,
    kernel=kernel_gains_per_feature,
    samples=samples_gains_per_feature,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "BoostedTreesCalculateBestFeatureSplit",
    inputs=f"node_id_range: int32, stats_summary: float, {_REGULARIZATION}",
    outputs=_SPLITS,
    attrs=("logits_dimension: int >= 1, split_type: {'inequality', 'equality'} = 'inequality'"),
    shape=shape_feature_split,
    kernel=kernel_feature_split,
    samples=samples_feature_split,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "BoostedTreesSparseCalculateBestFeatureSplit",
    inputs=(
        "node_id_range: int32, stats_summary_indices: int32, stats_summary_values: float, "
        f"stats_summary_shape: int32, {_REGULARIZATION}"
    ),
    outputs=_SPLITS,
    attrs="logits_dimension: int >= 1, split_type: {'inequality'} = 'inequality'",
    shape=shape_sparse_feature_split,
    kernel=kernel_sparse_feature_split,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
