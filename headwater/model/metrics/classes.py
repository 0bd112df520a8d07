"""Metrics of class numbers: mean intersection over union and mean accuracy per class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export
from headwater.model.confusion_matrix import confusion_matrix
from headwater.model.metrics.accumulation import aggregated, collect, metric_variable
from headwater.model.reduction_helpers import mean_of, sum_of
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.fill import ones, ones_like
from headwater.ops.array.shape import size
from headwater.ops.math.cast import cast
from headwater.ops.state.scatter import scatter_add

Metric = tuple[Any, Any]


def _flat(x: TensorLike) -> Tensor | None:
    """A tensor as a vector if it is known to have more dimensions."""
    if x is None:
        return None
    x = convert_to_tensor(x)
    return build.Reshape(x, [-1]) if (x.shape.ndims or 0) > 1 else x


def streaming_confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike,
    weights: TensorLike | None = None,
) -> Metric:
    """Adds up confusion matrices of type float64 over all runs of the update.

    Args:
        labels: a tensor of class numbers.
        predictions: a tensor of the same shape.
        num_classes: the number of classes.
        weights: what each pair counts.

    Returns:
        The matrix so far, and the update that gives the new one.
    """
    total = metric_variable(
        [num_classes, num_classes], dtypes.float64, name="total_confusion_matrix"
    )
    predictions = _flat(cast(predictions, dtypes.int64))
    labels = _flat(cast(labels, dtypes.int64))
    limit = cast(num_classes, dtypes.int64)
    current = confusion_matrix(
        labels, predictions, limit, weights=_flat(weights), dtype=dtypes.float64
    )
    return total, total.assign_add(current)


def _mean_iou(counts: TensorLike) -> Tensor:
    """The mean of intersection over union of those classes that occur."""
    by_prediction = cast(sum_of(counts, 0), dtypes.float32)
    by_label = cast(sum_of(counts, 1), dtypes.float32)
    both = cast(build.DiagPart(counts), dtypes.float32)
    union = by_prediction + by_label - both
    occurring = sum_of(cast(build.NotEqual(union, 0), dtypes.float32))
    divisor = build.Select(build.Greater(union, 0), union, ones_like(union))
    ratios = build.RealDiv(both, divisor, name="div")
    some = build.Greater(occurring, 0)
    return build.Select(some, sum_of(ratios, name="mean_iou") / occurring, 0)


@export("metrics.mean_iou")
def mean_iou(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The mean over classes of intersection over union, over all runs of the update.

    That of a class is the number of its right predictions divided by the number of places where
    it is the label, the prediction or both.

    Args:
        labels: a tensor of class numbers.
        predictions: a tensor of the same shape.
        num_classes: the number of classes.
        weights: what each prediction counts; a tensor of the same shape.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the confusion
        matrix.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
        predictions.shape.assert_is_compatible_with(labels.shape)
        counts, update = streaming_confusion_matrix(labels, predictions, num_classes, weights)
        value = aggregated(metrics_collections, lambda: _mean_iou(counts))
        return value, collect(updates_collections, update)


@export("metrics.mean_per_class_accuracy")
def mean_per_class_accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The mean over classes of the share of correct predictions, over all runs of the update.

    Args:
        labels: a tensor of class numbers.
        predictions: a tensor of the same shape.
        num_classes: the number of classes.
        weights: what each prediction counts; a tensor of the same shape.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the accuracy of
        each class.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        predictions = convert_to_tensor(predictions)
        labels = cast(labels, dtypes.int64)
        labels, predictions = _flat(labels), _flat(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes], dtypes.float32, name="total")
        count = metric_variable([num_classes], dtypes.float32, name="count")
        number: TensorLike = ones([size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = cast(predictions, labels.dtype)
        right: Tensor = cast(build.Equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = cast(_flat(weights), dtypes.float32)
            right = right * weights
            number = number * weights
        new_total = scatter_add(total, labels, number)
        new_count = scatter_add(count, labels, right)

        def accuracy() -> Tensor:
            accuracies = build.DivNoNan(count, build.Maximum(total, 0), name="div_no_nan")
            return mean_of(accuracies, name="mean_accuracy")

        value = aggregated(metrics_collections, accuracy)
        update = build.DivNoNan(new_count, build.Maximum(new_total, 0), name="update_op")
        return value, collect(updates_collections, update)
