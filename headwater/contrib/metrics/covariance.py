"""Counts, covariance and correlation over several runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, control_dependencies, export
from headwater.model.metrics.accumulation import aligned, collect, metric_variable
from headwater.model.variables.variable_scope import variable_scope
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.shape import size
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.select import where_v2

Metric = tuple[Any, Any]


@export("contrib.metrics.count")
def count(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The number of values, or the sum of their weights, over all runs of the update.

    Args:
        values: a tensor.
        weights: what each value counts.
        metrics_collections: collections that get the count.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The count so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the weights do not fit.
    """
    with variable_scope(name, "count", (values, weights)):
        total = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            number = cast(size(values), dtypes.float32)
        else:
            values, _, weights = aligned(values, None, weights)
            number = reduce_sum(broadcast_weights(cast(weights, dtypes.float32), values))
        value = collect(metrics_collections, build.Identity(total))
        return value, collect(updates_collections, total.assign_add(number))


def _weighted(x: TensorLike, weights: TensorLike) -> Tensor:
    return x if weights is None else build.Mul(x, weights)


@export("contrib.metrics.streaming_covariance")
def streaming_covariance(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The unbiased covariance of predictions and labels over all runs of the update.

    Args:
        predictions: a float32 tensor.
        labels: a tensor of the same shape.
        weights: what each pair counts, like a number of equal pairs.
        metrics_collections: collections that get the covariance.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The covariance so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.

    Source: the pairwise update of T. F. Chan et al., 1979.
    """
    with variable_scope(name, "covariance", (predictions, labels, weights)):
        predictions, labels, weights = aligned(predictions, labels, weights)
        predictions.shape.assert_is_compatible_with(labels.shape)
        seen = metric_variable([], dtypes.float32, name="count")
        mean_prediction = metric_variable([], dtypes.float32, name="mean_prediction")
        mean_label = metric_variable([], dtypes.float32, name="mean_label")
        comoment = metric_variable([], dtypes.float32, name="comoment")
        if weights is None:
            batch: Tensor = cast(size(labels), dtypes.float32)
        else:
            weights = broadcast_weights(cast(weights, dtypes.float32), labels)
            batch = reduce_sum(weights)
        new_count = seen.assign_add(batch)
        old_count = new_count - batch
        steps = []
        for x, mean in ((predictions, mean_prediction), (labels, mean_label)):
            batch_mean: Tensor = build.DivNoNan(reduce_sum(_weighted(x, weights)), batch)
            step = build.DivNoNan((batch_mean - mean) * batch, new_count)
            new_mean = mean.assign_add(step)
            steps.append((batch_mean, new_mean - step))
        (batch_p, old_p), (batch_l, old_l) = steps
        products = _weighted((predictions - batch_p) * (labels - batch_l), weights)
        between = (old_p - batch_p) * (old_l - batch_l) * (old_count * batch / new_count)
        new_comoment = comoment.assign_add(reduce_sum(products) + between)

        def covariance(name: str) -> Tensor:
            few = build.LessEqual(seen, 1.0)
            return where_v2(few, np.float32(np.nan), comoment / (seen - 1), name=name)

        value = collect(metrics_collections, covariance("covariance"))
        with control_dependencies([new_comoment]):
            return value, collect(updates_collections, covariance("update_op"))


@export("contrib.metrics.streaming_pearson_correlation")
def streaming_pearson_correlation(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Pearson's correlation of predictions and labels over all runs of the update.

    Args:
        predictions: a float32 tensor.
        labels: a tensor of the same shape.
        weights: what each pair counts, like a number of equal pairs.
        metrics_collections: collections that get the correlation.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The correlation so far, and a tensor that takes the current values in and gives the new
        one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with variable_scope(name, "pearson_r", (predictions, labels, weights)):
        predictions, labels, weights = aligned(predictions, labels, weights)
        predictions.shape.assert_is_compatible_with(labels.shape)
        if weights is not None:
            weights = broadcast_weights(cast(weights, dtypes.float32), labels)
        both, new_both = streaming_covariance(predictions, labels, weights, name="covariance")
        of_p, new_of_p = streaming_covariance(
            predictions, predictions, weights, name="variance_predictions"
        )
        of_l, new_of_l = streaming_covariance(labels, labels, weights, name="variance_labels")
        value = build.RealDiv(both, build.Mul(build.Sqrt(of_p), build.Sqrt(of_l)), name="pearson_r")
        update = build.RealDiv(
            new_both, build.Mul(build.Sqrt(new_of_p), build.Sqrt(new_of_l)), name="update_op"
        )
        return collect(metrics_collections, value), collect(updates_collections, update)
