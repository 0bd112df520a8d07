"""The streaming metrics that tf.metrics has with the arguments in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import AxisLike, TensorLike
from headwater.model.metrics import classes, counts, means
from headwater.model.metrics import thresholds as threshold_metrics

Metric = tuple[Any, Any]


@export("contrib.metrics.streaming_accuracy")
def streaming_accuracy(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.accuracy` with its arguments in another order."""
    return means.accuracy(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_auc")
def streaming_auc(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Metric:
    """`tf.metrics.auc` with its arguments in another order."""
    return threshold_metrics.auc(
        labels,
        predictions,
        weights,
        num_thresholds,
        metrics_collections,
        updates_collections,
        curve,
        name,
    )


@export("contrib.metrics.streaming_false_negatives")
def streaming_false_negatives(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.false_negatives` with its arguments in another order."""
    return counts.false_negatives(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_false_positives")
def streaming_false_positives(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.false_positives` with its arguments in another order."""
    return counts.false_positives(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_mean")
def streaming_mean(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.mean` with its arguments in another order."""
    return means.mean(values, weights, metrics_collections, updates_collections, name)


@export("contrib.metrics.streaming_mean_absolute_error")
def streaming_mean_absolute_error(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.mean_absolute_error` with its arguments in another order."""
    return means.mean_absolute_error(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_mean_cosine_distance")
def streaming_mean_cosine_distance(
    predictions: TensorLike,
    labels: TensorLike,
    dim: AxisLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.mean_cosine_distance` with its arguments in another order."""
    return means.mean_cosine_distance(
        labels, predictions, dim, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_mean_iou")
def streaming_mean_iou(
    predictions: TensorLike,
    labels: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.mean_iou` with its arguments in another order."""
    return classes.mean_iou(
        labels, predictions, num_classes, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_mean_relative_error")
def streaming_mean_relative_error(
    predictions: TensorLike,
    labels: TensorLike,
    normalizer: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.mean_relative_error` with its arguments in another order."""
    return means.mean_relative_error(
        labels, predictions, normalizer, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_mean_squared_error")
def streaming_mean_squared_error(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.mean_squared_error` with its arguments in another order."""
    return means.mean_squared_error(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_mean_tensor")
def streaming_mean_tensor(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.mean_tensor` with its arguments in another order."""
    return means.mean_tensor(values, weights, metrics_collections, updates_collections, name)


@export("contrib.metrics.streaming_percentage_less")
def streaming_percentage_less(
    values: TensorLike,
    threshold: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.percentage_below` with its arguments in another order."""
    return means.percentage_below(
        values, threshold, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_precision")
def streaming_precision(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.precision` with its arguments in another order."""
    return counts.precision(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_precision_at_thresholds")
def streaming_precision_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.precision_at_thresholds` with its arguments in another order."""
    return threshold_metrics.precision_at_thresholds(
        labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_recall")
def streaming_recall(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.recall` with its arguments in another order."""
    return counts.recall(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_recall_at_thresholds")
def streaming_recall_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.recall_at_thresholds` with its arguments in another order."""
    return threshold_metrics.recall_at_thresholds(
        labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_root_mean_squared_error")
def streaming_root_mean_squared_error(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.root_mean_squared_error` with its arguments in another order."""
    return means.root_mean_squared_error(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_sensitivity_at_specificity")
def streaming_sensitivity_at_specificity(
    predictions: TensorLike,
    labels: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.sensitivity_at_specificity` with its arguments in another order."""
    return threshold_metrics.sensitivity_at_specificity(
        labels,
        predictions,
        specificity,
        weights,
        num_thresholds,
        metrics_collections,
        updates_collections,
        name,
    )


@export("contrib.metrics.streaming_specificity_at_sensitivity")
def streaming_specificity_at_sensitivity(
    predictions: TensorLike,
    labels: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.specificity_at_sensitivity` with its arguments in another order."""
    return threshold_metrics.specificity_at_sensitivity(
        labels,
        predictions,
        sensitivity,
        weights,
        num_thresholds,
        metrics_collections,
        updates_collections,
        name,
    )


@export("contrib.metrics.streaming_true_negatives")
def streaming_true_negatives(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.true_negatives` with its arguments in another order."""
    return counts.true_negatives(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )


@export("contrib.metrics.streaming_true_positives")
def streaming_true_positives(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.true_positives` with its arguments in another order."""
    return counts.true_positives(
        labels, predictions, weights, metrics_collections, updates_collections, name
    )
