"""Means over several runs: tf.metrics.mean, accuracy, mean errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    export,
    ones_like,
    zeros_like,
)
from headwater.model.metrics.accumulation import aggregated, aligned, collect, metric_variable
from headwater.model.reduction_helpers import sum_of
from headwater.model.squeezing import remove_squeezable_dimensions
from headwater.model.variables.variable_scope import variable_scope
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.shape import size
from headwater.ops.math.cast import cast

Metric = tuple[Any, Any]


def _ratio(total: TensorLike, count: TensorLike, name: str) -> Tensor:
    return build.DivNoNan(total, build.Maximum(count, 0), name=name)


@export("metrics.mean")
def mean(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Averages values over all runs of the update.

    Args:
        values: a tensor of numbers.
        weights: what each value counts; a tensor that can be broadcast to `values`.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the new mean.

    Raises:
        ValueError: if the weights do not fit.
    """
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name="total")
        count = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            number = cast(size(values), dtypes.float32)
        else:
            values, _, weights = aligned(values, None, weights)
            weights = broadcast_weights(cast(weights, dtypes.float32), values)
            values = build.Mul(values, weights)
            number = sum_of(weights)
        new_total = total.assign_add(sum_of(values))
        with control_dependencies([values]):
            new_count = count.assign_add(number)
        value = aggregated(metrics_collections, lambda: _ratio(total, count, "value"))
        update = collect(updates_collections, _ratio(new_total, new_count, "update_op"))
        return value, update


@export("metrics.mean_tensor")
def mean_tensor(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Averages tensors element by element over all runs of the update.

    Args:
        values: a tensor of numbers of known shape.
        weights: what each value counts; a tensor that can be broadcast to `values`.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the new mean.

    Raises:
        ValueError: if the weights do not fit.
    """
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total = metric_variable(values.shape, dtypes.float32, name="total_tensor")
        count = metric_variable(values.shape, dtypes.float32, name="count_tensor")
        number = ones_like(values)
        if weights is not None:
            values, _, weights = aligned(values, None, weights)
            weights = broadcast_weights(cast(weights, dtypes.float32), values)
            values = build.Mul(values, weights)
            number = build.Mul(number, weights)
        new_total = total.assign_add(values)
        with control_dependencies([values]):
            new_count = count.assign_add(number)
        value = aggregated(metrics_collections, lambda: _ratio(total, count, "value"))
        update = collect(updates_collections, _ratio(new_total, new_count, "update_op"))
        return value, update


@export("metrics.accuracy")
def accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of predictions that equal their labels, over all runs of the update.

    Args:
        labels: a tensor.
        predictions: a tensor of the same shape.
        weights: what each prediction counts; a tensor that can be broadcast to `labels`.
        metrics_collections: collections that get the accuracy.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The accuracy so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    assert labels is not None
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    correct = cast(build.Equal(predictions, labels), dtypes.float32)
    return mean(correct, weights, metrics_collections, updates_collections, name or "accuracy")


@export("metrics.mean_absolute_error")
def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The mean of abs(predictions - labels) over all runs of the update.

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of the same type and shape.
        weights: what each prediction counts; a tensor that can be broadcast to `labels`.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the new mean.

    Raises:
        ValueError: if the shapes do not fit.
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    errors = build.Abs(build.Sub(predictions, labels, name="sub"))
    name = name or "mean_absolute_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


@export("metrics.mean_squared_error")
def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The mean of (predictions - labels) ** 2 over all runs of the update.

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of the same type and shape.
        weights: what each prediction counts; a tensor that can be broadcast to `labels`.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the new mean.

    Raises:
        ValueError: if the shapes do not fit.
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    errors = build.SquaredDifference(labels, predictions)
    name = name or "mean_squared_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


@export("metrics.root_mean_squared_error")
def root_mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The root of the mean squared error over all runs of the update.

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of the same type and shape.
        weights: what each prediction counts; a tensor that can be broadcast to `labels`.
        metrics_collections: collections that get the root.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The root so far, and a tensor that takes the current values in and gives the new root.

    Raises:
        ValueError: if the shapes do not fit.
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    name = name or "root_mean_squared_error"
    square, update = mean_squared_error(labels, predictions, weights, None, None, name)
    value = aggregated(metrics_collections, lambda: build.Sqrt(square))
    return value, collect(updates_collections, build.Sqrt(update))


@export("metrics.mean_cosine_distance")
def mean_cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    dim: int,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The mean cosine distance of vectors of length 1 over all runs of the update.

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of the same type and shape.
        dim: the axis of the vectors.
        weights: what each vector counts.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the new mean.

    Raises:
        ValueError: if the shapes do not fit.
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    similarity = build.Sum(build.Mul(predictions, labels), [dim], keep_dims=True)
    name = name or "mean_cosine_distance"
    value, update = mean(similarity, weights, None, None, name)
    distance = aggregated(metrics_collections, lambda: build.Sub(1.0, value))
    return distance, collect(updates_collections, build.Sub(1.0, update))


@export("metrics.mean_relative_error")
def mean_relative_error(
    labels: TensorLike,
    predictions: TensorLike,
    normalizer: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The mean of abs(labels - predictions) / normalizer over all runs of the update.

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of the same type and shape.
        normalizer: a tensor of the same shape; where it is 0, the error counts as 0.
        weights: what each prediction counts; a tensor that can be broadcast to `labels`.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the new mean.

    Raises:
        ValueError: if the shapes do not fit.
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    if labels is None:
        raise ValueError("None values not supported.")
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    absent = build.Equal(normalizer, 0.0)
    zeros = zeros_like(labels)
    difference = build.Abs(build.Sub(labels, predictions, name="sub"))
    errors = build.Select(absent, zeros, build.RealDiv(difference, normalizer, name="div"))
    name = name or "mean_relative_error"
    return mean(errors, weights, metrics_collections, updates_collections, name)


@export("metrics.percentage_below")
def percentage_below(
    values: TensorLike,
    threshold: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of values below a threshold, over all runs of the update.

    Args:
        values: a tensor of numbers.
        threshold: the threshold.
        weights: what each value counts; a tensor that can be broadcast to `values`.
        metrics_collections: collections that get the part.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The part so far, and a tensor that takes the current values in and gives the new part.

    Raises:
        ValueError: if the weights do not fit.
    """
    below = cast(build.Less(values, threshold), dtypes.float32)
    name = name or "percentage_below_threshold"
    return mean(below, weights, metrics_collections, updates_collections, name)
