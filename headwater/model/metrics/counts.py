"""Counts of right and wrong binary predictions, precision and recall, over several runs."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    export,
    rank_tensor,
)
from headwater.model.metrics.accumulation import aligned, collect, metric_variable
from headwater.model.reductions import sum_of
from headwater.model.variable_scope import variable_scope
from headwater.ops.control.rank_checks import assert_rank_in
from headwater.ops.control.type_checks import assert_type
from headwater.ops.math.cast import cast

Metric = tuple[Any, Any]


def _count(
    name: str | None,
    default_name: str,
    labels: Any,
    predictions: Any,
    weights: Any,
    label: bool,
    prediction: bool,
    metrics_collections: Any,
    updates_collections: Any,
) -> Metric:
    """Counts the predictions of one kind whose labels are of one kind."""
    with variable_scope(name, default_name, (predictions, labels, weights)):
        predictions, labels, weights = aligned(
            cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights
        )
        hits = build.LogicalAnd(build.Equal(labels, label), build.Equal(predictions, prediction))
        assert_type(hits, dtypes.bool_)
        count = metric_variable([], dtypes.float32, name="count")
        values = cast(hits, dtypes.float32)
        if weights is not None:
            with control_dependencies([assert_rank_in(weights, (0, rank_tensor(values)))]):
                weights = cast(weights, dtypes.float32)
                values = build.Mul(values, weights)
        value = collect(metrics_collections, build.Identity(count))
        return value, collect(updates_collections, count.assign_add(sum_of(values)))


@export("metrics.true_positives")
def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts true predictions of true labels over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the count.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The count so far, and a tensor that takes the current values in and gives the new count.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count(
        name,
        "true_positives",
        labels,
        predictions,
        weights,
        True,
        True,
        metrics_collections,
        updates_collections,
    )


@export("metrics.true_negatives")
def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts false predictions of false labels over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the count.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The count so far, and a tensor that takes the current values in and gives the new count.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count(
        name,
        "true_negatives",
        labels,
        predictions,
        weights,
        False,
        False,
        metrics_collections,
        updates_collections,
    )


@export("metrics.false_positives")
def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts true predictions of false labels over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the count.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The count so far, and a tensor that takes the current values in and gives the new count.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count(
        name,
        "false_positives",
        labels,
        predictions,
        weights,
        False,
        True,
        metrics_collections,
        updates_collections,
    )


@export("metrics.false_negatives")
def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Counts false predictions of true labels over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the count.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The count so far, and a tensor that takes the current values in and gives the new count.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count(
        name,
        "false_negatives",
        labels,
        predictions,
        weights,
        True,
        False,
        metrics_collections,
        updates_collections,
    )


def _share(hits: Any, others: Any, name: str) -> Tensor:
    """hits / (hits + others), or 0 if there are none."""
    some = build.Greater(hits + others, 0)
    return build.Select(some, build.RealDiv(hits, hits + others, name="div"), 0, name=name)


@export("metrics.precision")
def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The part of true predictions whose labels are true, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the precision.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The precision so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with variable_scope(name, "precision", (predictions, labels, weights)):
        predictions, labels, weights = aligned(
            cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights
        )
        hits, more_hits = true_positives(labels, predictions, weights)
        others, more_others = false_positives(labels, predictions, weights)
        value = collect(metrics_collections, _share(hits, others, "value"))
        return value, collect(updates_collections, _share(more_hits, more_others, "update_op"))


@export("metrics.recall")
def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The part of true labels that are predicted, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the recall.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The recall so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with variable_scope(name, "recall", (predictions, labels, weights)):
        predictions, labels, weights = aligned(
            cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights
        )
        hits, more_hits = true_positives(labels, predictions, weights)
        others, more_others = false_negatives(labels, predictions, weights)
        value = collect(metrics_collections, _share(hits, others, "value"))
        return value, collect(updates_collections, _share(more_hits, more_others, "update_op"))
