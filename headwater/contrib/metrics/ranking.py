"""Metrics of the best predictions, with the arguments in another order than in tf.metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import name_scope
from headwater.model.metrics import ranking
from headwater.model.metrics.means import mean
from headwater.model.metrics.ranking import precision_at_top_k, recall_at_top_k
from headwater.ops.math.cast import cast
from headwater.ops.nn.in_top_k import in_top_k

Metric = tuple[Any, Any]


@export("contrib.metrics.streaming_sparse_average_precision_at_k")
def streaming_sparse_average_precision_at_k(
    predictions: TensorLike,
    labels: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.average_precision_at_k` with its arguments in another order."""
    return ranking.average_precision_at_k(
        labels, predictions, k, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_sparse_precision_at_k")
def streaming_sparse_precision_at_k(
    predictions: TensorLike,
    labels: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.precision_at_k` with its arguments in another order."""
    return ranking.precision_at_k(
        labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_sparse_recall_at_k")
def streaming_sparse_recall_at_k(
    predictions: TensorLike,
    labels: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.recall_at_k` with its arguments in another order."""
    return ranking.recall_at_k(
        labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_recall_at_k")
def streaming_recall_at_k(
    predictions: TensorLike,
    labels: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """How often the right class is among the k best predictions, over all runs of the update.

    Args:
        predictions: the scores, [batch, classes].
        labels: class numbers, [batch].
        k: how many of the best are looked at.
        weights: what each example counts.
        metrics_collections: collections that get the share.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The share so far, and a tensor that takes the current values in and gives the new one.
    """
    found = cast(in_top_k(predictions, labels, k), dtypes.float32)
    name = name or f"recall_at_{k}"
    return mean(found, weights, metrics_collections, updates_collections, name)


@export("contrib.metrics.sparse_recall_at_top_k")
def sparse_recall_at_top_k(
    labels: TensorLike,
    top_k_predictions: TensorLike,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.recall_at_top_k`, named without the number of predictions.

    Args:
        labels: class numbers as sets in the last dimension.
        top_k_predictions: the numbers of the chosen classes, in the last dimension.
        class_id: the class that alone is looked at.
        weights: what each set counts.
        metrics_collections: collections that get the recall.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The recall so far, and a tensor that takes the current values in and gives the new one.
    """
    default_name = "recall_at_k" if class_id is None else f"recall_at_k_class{class_id}"
    with name_scope(name, default_name, (top_k_predictions, labels, weights)) as scope:
        collections = metrics_collections, updates_collections
        return recall_at_top_k(
            labels, top_k_predictions, None, class_id, weights, *collections, scope
        )


@export("contrib.metrics.streaming_sparse_precision_at_top_k")
def streaming_sparse_precision_at_top_k(
    top_k_predictions: TensorLike,
    labels: TensorLike,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.precision_at_top_k`, named without the number of predictions.

    Args:
        top_k_predictions: the numbers of the chosen classes, in the last dimension.
        labels: class numbers as sets in the last dimension.
        class_id: the class that alone is looked at.
        weights: what each set counts.
        metrics_collections: collections that get the precision.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The precision so far, and a tensor that takes the current values in and gives the new one.
    """
    default_name = "precision_at_k" if class_id is None else f"precision_at_k_class{class_id}"
    with name_scope(name, default_name, (top_k_predictions, labels, weights)) as scope:
        collections = metrics_collections, updates_collections
        return precision_at_top_k(
            labels, top_k_predictions, None, class_id, weights, *collections, scope
        )
