"""The metrics of heads: pairs of a value and the op that updates it."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.graph import Tensor, name_scope
from headwater.model.metrics import means, thresholds
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.reshape import squeeze
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import greater_equal
from headwater.ops.math.extrema import maximum

Metric = tuple[Any, Any]


def predictions_mean(predictions: Tensor, weights: Any = None, name: str | None = None) -> Metric:
    """The mean of predictions."""
    with name_scope(name, "predictions_mean", (predictions, weights)) as scope:
        predictions = cast(predictions, dtypes.float32)
        if weights is not None:
            weights = broadcast_weights(weights, predictions)
        return means.mean(predictions, weights=weights, name=scope)


def labels_mean(labels: Tensor, weights: Any = None, name: str | None = None) -> Metric:
    """The mean of labels that are 0 or 1."""
    with name_scope(name, "labels_mean", (labels, weights)) as scope:
        labels = cast(labels, dtypes.float32)
        if weights is not None:
            weights = broadcast_weights(weights, labels)
        return means.mean(labels, weights=weights, name=scope)


def accuracy_baseline(mean_of_labels: Metric) -> Metric:
    """The accuracy of always guessing the more frequent class."""
    with name_scope(None, "accuracy_baseline", mean_of_labels):
        value, update = mean_of_labels
        return (
            maximum(value, 1.0 - value, name="value"),
            maximum(update, 1 - update, name="update_op"),
        )


def auc(
    labels: Tensor, predictions: Tensor, weights: Any = None, curve: str = "ROC", name: Any = None
) -> Metric:
    """The area under a curve."""
    with name_scope(name, "auc", (predictions, labels, weights)) as scope:
        predictions = cast(predictions, dtypes.float32)
        if weights is not None:
            weights = broadcast_weights(weights, predictions)
        return thresholds.auc(
            labels=labels, predictions=predictions, weights=weights, curve=curve, name=scope
        )


def accuracy_at(
    labels: Tensor, predictions: Tensor, weights: Any, threshold: float, name: Any = None
) -> Metric:
    """The accuracy of predictions that a threshold turns into 0 or 1."""
    with name_scope(name, f"accuracy_at_{threshold}", (predictions, labels, weights)) as scope:
        decided = cast(greater_equal(predictions, threshold), dtypes.float32)
        return means.accuracy(labels=labels, predictions=decided, weights=weights, name=scope)


def precision_at(
    labels: Tensor, predictions: Tensor, weights: Any, threshold: float, name: Any = None
) -> Metric:
    """The precision of predictions that a threshold turns into 0 or 1."""
    with name_scope(name, f"precision_at_{threshold}", (predictions, labels, weights)) as scope:
        value, update = thresholds.precision_at_thresholds(
            labels, predictions, thresholds=(threshold,), weights=weights, name=scope
        )
        return squeeze(value), squeeze(update)


def recall_at(
    labels: Tensor, predictions: Tensor, weights: Any, threshold: float, name: Any = None
) -> Metric:
    """The recall of predictions that a threshold turns into 0 or 1."""
    with name_scope(name, f"recall_at_{threshold}", (predictions, labels, weights)) as scope:
        value, update = thresholds.recall_at_thresholds(
            labels, predictions, thresholds=(threshold,), weights=weights, name=scope
        )
        return squeeze(value), squeeze(update)


def at_thresholds(
    labels: Tensor, predictions: Tensor, weights: Any, given: tuple[float, ...]
) -> dict[str, Metric]:
    """Accuracy, precision and recall at thresholds, by name."""
    metrics = {}
    for threshold in given:
        for key, metric in (
            (MetricKeys.ACCURACY_AT_THRESHOLD, accuracy_at),
            (MetricKeys.PRECISION_AT_THRESHOLD, precision_at),
            (MetricKeys.RECALL_AT_THRESHOLD, recall_at),
        ):
            name = key % threshold
            metrics[name] = metric(labels, predictions, weights, threshold, name=name)
    return metrics
