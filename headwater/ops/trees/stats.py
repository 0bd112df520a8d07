"""Sums of gradients and hessians by node and bucket: BoostedTreesMakeStatsSummary,
BoostedTreesAggregateStats, BoostedTreesSparseAggregateStats.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail, in_range
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes

_F = np.float32


def _check_ids(name: str, ids: np.ndarray, limit: int) -> None:
    if not in_range(ids, limit):
        fail(f"{name} {ids[(ids < 0) | (ids >= limit)].flat[0]} is not in [0, {limit})")


def _check_buckets(buckets: np.ndarray, limit: int) -> np.ndarray:
    """The buckets, those that are missing (-1) after all others."""
    if buckets.size and not -1 <= buckets.min() <= buckets.max() < limit:
        fail(
            f"Bucket {buckets[(buckets < -1) | (buckets >= limit)].flat[0]} is not in [0, {limit})"
        )
    return np.where(buckets < 0, limit, buckets)


def _check_rows(gradients: np.ndarray, hessians: np.ndarray, count: int) -> None:
    if len(gradients) != count or len(hessians) != count:
        fail(f"Expected {count} gradients and hessians, got {len(gradients)} and {len(hessians)}.")


def kernel_make_summary(
    xp: ArrayModule,
    node_ids: np.ndarray,
    gradients: np.ndarray,
    hessians: np.ndarray,
    bucketized_features_list: list[np.ndarray],
    *,
    max_splits: int,
    num_buckets: int,
) -> np.ndarray:
    _check_ids("Node id", node_ids, max_splits)
    _check_rows(gradients, hessians, len(node_ids))
    result = np.zeros((len(bucketized_features_list), max_splits, num_buckets, 2), _F)
    rows = np.concatenate([gradients[:, :1], hessians[:, :1]], 1)
    for target, buckets in zip(result, bucketized_features_list):
        _check_ids("Bucket", buckets, num_buckets)
        if len(buckets) != len(node_ids):
            fail(f"Expected {len(node_ids)} buckets, got {len(buckets)}.")
        np.add.at(target, (node_ids, buckets), rows)
    return result


def kernel_aggregate(
    xp: ArrayModule,
    node_ids: np.ndarray,
    gradients: np.ndarray,
    hessians: np.ndarray,
    feature: np.ndarray,
    *,
    max_splits: int,
    num_buckets: int,
) -> np.ndarray:
    _check_ids("Node id", node_ids, max_splits)
    _check_rows(gradients, hessians, len(node_ids))
    buckets = _check_buckets(feature, num_buckets)
    if len(buckets) != len(node_ids):
        fail(f"Expected {len(node_ids)} rows of buckets, got {len(buckets)}.")
    rows = np.concatenate([gradients, hessians], 1)
    dimensions = feature.shape[1]
    result = np.zeros((max_splits, dimensions, num_buckets + 1, rows.shape[1]), _F)
    np.add.at(result, (node_ids[:, None], np.arange(dimensions), buckets), rows[:, None].astype(_F))
    return result


def kernel_sparse_aggregate(
    xp: ArrayModule,
    node_ids: np.ndarray,
    gradients: np.ndarray,
    hessians: np.ndarray,
    feature_indices: np.ndarray,
    feature_values: np.ndarray,
    feature_shape: np.ndarray,
    *,
    max_splits: int,
    num_buckets: int,
) -> list[np.ndarray]:
    examples, dimensions = feature_shape.tolist()
    _check_ids("Example", feature_indices[:, 0], examples)
    _check_ids("Feature dimension", feature_indices[:, 1], dimensions)
    dense = np.full((examples, dimensions), -1, np.int32)
    dense[feature_indices[:, 0], feature_indices[:, 1]] = feature_values
    stats = kernel_aggregate(
        np, node_ids, gradients, hessians, dense, max_splits=max_splits, num_buckets=num_buckets
    )
    nodes = np.broadcast_to(node_ids[:, None], dense.shape)
    cells = np.zeros(stats.shape[:3], bool)
    cells[nodes, np.arange(dimensions), _check_buckets(dense, num_buckets)] = True
    indices = np.argwhere(np.broadcast_to(cells[..., None], stats.shape)).astype(np.int32)
    return [indices, stats[tuple(indices.T)], np.array(stats.shape, np.int32)]


def _examples(c: shapes.ShapeContext) -> tuple[int | None, Shape, Shape]:
    (count,) = c.with_rank("node_ids", 1)
    gradients = c.with_rank("gradients", 2)
    hessians = c.with_rank("hessians", 2)
    count = c.merge_dims(count, gradients[0]) if gradients else count
    count = c.merge_dims(count, hessians[0]) if hessians else count
    return count, gradients, hessians


def shape_make_summary(c: shapes.ShapeContext) -> Shape:
    count, _, _ = _examples(c)
    for shape in c.shape("bucketized_features_list"):
        if shape is not None and len(shape) == 1:
            count = c.merge_dims(count, shape[0])
        elif shape is not None:
            c.fail(f"Shape must be rank 1 but is rank {len(shape)}")
    return (c.attr("num_features"), c.attr("max_splits"), c.attr("num_buckets"), 2)


def shape_aggregate(c: shapes.ShapeContext) -> Shape:
    count, gradients, hessians = _examples(c)
    feature = c.with_rank("feature", 2)
    c.merge_dims(count, feature[0])
    sums = None
    if gradients and hessians and gradients[1] is not None and hessians[1] is not None:
        sums = gradients[1] + hessians[1]
    return (c.attr("max_splits"), feature[1], c.attr("num_buckets") + 1, sums)


def shape_sparse_aggregate(c: shapes.ShapeContext) -> list[Shape]:
    _examples(c)
    c.with_rank("feature_indices", 2)
    c.with_rank("feature_values", 1)
    c.with_rank("feature_shape", 1)
    return [(None, 4), (None,), (4,)]


def _sample_examples() -> list[np.ndarray]:
    gradients = np.array([[1], [2], [3]], _F)
    return [np.array([0, 0, 1], np.int32), gradients, gradients / 10]


def samples_make_summary() -> Iterator[Sample]:
    buckets = [np.array([0, 1, 1], np.int32), np.array([2, 2, 0], np.int32)]
    yield Sample(*_sample_examples(), buckets, max_splits=2, num_buckets=3)


def samples_aggregate() -> Iterator[Sample]:
    feature = np.array([[0, 1], [2, 2], [1, -1]], np.int32)
    yield Sample(*_sample_examples(), feature, max_splits=2, num_buckets=3)


def samples_sparse_aggregate() -> Iterator[Sample]:
    yield Sample(
        *_sample_examples(),
        np.array([[0, 0], [2, 1]], np.int32),
        np.array([1, 2], np.int32),
        np.array([3, 2], np.int32),
        max_splits=2,
        num_buckets=3,
    )


_EXAMPLES = "node_ids: int32, gradients: float, hessians: float"
_SIZES = "max_splits: int >= 1, num_buckets: int >= 1"

register_op(
    "BoostedTreesMakeStatsSummary",
    inputs=f"{_EXAMPLES}, bucketized_features_list: num_features * int32",
    outputs="stats_summary: float",
    attrs=f"{_SIZES}, num_features: int >= 1",
    shape=shape_make_summary,
    kernel=kernel_make_summary,
    samples=samples_make_summary,
    runs_on=RunsOn.HOST,
)
register_op(
    "BoostedTreesAggregateStats",
    inputs=f"{_EXAMPLES}, feature: int32",
    outputs="stats_summary: float",
    attrs=_SIZES,
    shape=shape_aggregate,
    kernel=kernel_aggregate,
    samples=samples_aggregate,
    runs_on=RunsOn.HOST,
)
register_op(
    "BoostedTreesSparseAggregateStats",
    inputs=f"{_EXAMPLES}, feature_indices: int32, feature_values: int32, feature_shape: int32",
    outputs=(
        "stats_summary_indices: int32, stats_summary_values: float, stats_summary_shape: int32"
    ),
    attrs=_SIZES,
    shape=shape_sparse_aggregate,
    kernel=kernel_sparse_aggregate,
    samples=samples_sparse_aggregate,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
