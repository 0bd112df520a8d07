"""Counts of right and wrong binary predictions, precision and recall, over several runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    export,
    rank_tensor,
)
from headwater.model.metrics.accumulation import aggregated, aligned, collect, metric_variable
from headwater.model.reduction_helpers import sum_of
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.control.rank_checks import assert_rank_in
from headwater.ops.control.type_checks import assert_type
from headwater.ops.math.cast import cast

Metric = tuple[Any, Any]


def _count_true(
    hits: TensorLike,
    weights: TensorLike,
    metrics_collections: Sequence[str] | None,
    updates_collections: Sequence[str] | None,
) -> Metric:
    count = metric_variable([], dtypes.float32, name="count")
    values = cast(hits, dtypes.float32)
    if weights is not None:
        with control_dependencies([assert_rank_in(weights, (0, rank_tensor(values)))]):
            weights = cast(weights, dtypes.float32)
            values = build.Mul(values, weights)
    value = aggregated(metrics_collections, lambda: build.Identity(count))
    return value, collect(updates_collections, count.assign_add(sum_of(values)))


def _count(
    public_name: str,
    kind: tuple[bool, bool],
    labels: TensorLike,
    predictions: Tensor,
    weights: TensorLike,
    metrics_collections: Sequence[str] | None,
    updates_collections: Sequence[str] | None,
    name: str | None,
) -> Metric:
    """Counts the predictions of one kind: those of a given label and a given prediction."""
    label, prediction = kind
    with variable_scope(name, public_name, (predictions, labels, weights)):
        predictions, labels, weights = aligned(
            cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights
        )
        hits = build.LogicalAnd(build.Equal(labels, label), build.Equal(predictions, prediction))
        assert_type(hits, dtypes.bool_)
        return _count_true(hits, weights, metrics_collections, updates_collections)


@export("metrics.true_positives")
def true_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
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
        "true_positives",
        (True, True),
        labels,
        predictions,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("metrics.true_negatives")
def true_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
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
        "true_negatives",
        (False, False),
        labels,
        predictions,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("metrics.false_positives")
def false_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
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
        "false_positives",
        (False, True),
        labels,
        predictions,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("metrics.false_negatives")
def false_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
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
        "false_negatives",
        (True, False),
        labels,
        predictions,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def _share(hits: TensorLike, others: Tensor, name: str) -> Tensor:
    """hits / (hits + others), or 0 if there are none."""
    some = build.Greater(hits + others, 0)
    return build.Select(some, build.RealDiv(hits, hits + others, name="div"), 0, name=name)


def _share_of_true_positives(
    public_name: str,
    count_others: Callable[..., Any],
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike,
    metrics_collections: Sequence[str] | None,
    updates_collections: Sequence[str] | None,
    name: str | None,
) -> Metric:
    """The fraction of true positives among these and others."""
    with variable_scope(name, public_name, (predictions, labels, weights)):
        predictions, labels, weights = aligned(
            cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights
        )
        hits, more_hits = true_positives(labels, predictions, weights)
        others, more_others = count_others(labels, predictions, weights)
        value = aggregated(metrics_collections, lambda: _share(hits, others, "value"))
        return value, collect(updates_collections, _share(more_hits, more_others, "update_op"))


@export("metrics.precision")
def precision(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of true predictions whose labels are true, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the precision.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The precision so far, and a tensor that takes the current values in and gives the
        new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _share_of_true_positives(
        "precision",
        false_positives,
        labels,
        predictions,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("metrics.recall")
def recall(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of true labels that are predicted, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the recall.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The recall so far, and a tensor that takes the current values in and gives the
        new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _share_of_true_positives(
        "recall",
        false_negatives,
        labels,
        predictions,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )
