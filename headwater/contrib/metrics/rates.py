"""Rates of wrong predictions, and counts of right and wrong ones at thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, export
from headwater.model.metrics.accumulation import aligned, collect
from headwater.model.metrics.counts import (
    false_negatives,
    false_positives,
    true_negatives,
    true_positives,
)
from headwater.model.metrics.thresholds import counts_at_thresholds
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.math.cast import cast

Metric = tuple[Any, Any]
_SMALL = 1e-7


def _rate(
    what: str,
    wrong: Callable[..., Any],
    right: Callable[..., Any],
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike,
    metrics_collections: Sequence[str] | None,
    updates_collections: Sequence[str] | None,
    name: str | None,
) -> Metric:
    """The fraction of wrong predictions among these and correct ones."""
    with variable_scope(name, what, (predictions, labels, weights)):
        predictions, labels, weights = aligned(
            cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights
        )
        first, more_first = wrong(labels, predictions, weights)
        second, more_second = right(labels, predictions, weights)

        def share(a: TensorLike, b: Tensor, name: str) -> Tensor:
            some = build.Greater(a + b, 0)
            return build.Select(some, build.RealDiv(a, a + b, name="div"), 0, name=name)

        value = collect(metrics_collections, share(first, second, "value"))
        update = share(more_first, more_second, "update_op")
        return value, collect(updates_collections, update)


@export("contrib.metrics.streaming_false_negative_rate")
def streaming_false_negative_rate(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of true labels that are not predicted, over all runs of the update.

    Args:
        predictions: a tensor, which is cast to bool.
        labels: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the rate.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The rate so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _rate(
        "false_negative_rate",
        false_negatives,
        true_positives,
        predictions,
        labels,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("contrib.metrics.streaming_false_positive_rate")
def streaming_false_positive_rate(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of false labels that are predicted to be true, over all runs of the update.

    Args:
        predictions: a tensor, which is cast to bool.
        labels: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the rate.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The rate so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _rate(
        "false_positive_rate",
        false_positives,
        true_negatives,
        predictions,
        labels,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def _rate_at_thresholds(
    what: str,
    short: str,
    kinds: tuple[str, str],
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: list[float],
    weights: TensorLike,
    metrics_collections: Sequence[str] | None,
    updates_collections: Sequence[str] | None,
    name: str | None,
) -> Metric:
    """The part of wrong predictions at each threshold; `kinds` are the right and the wrong ones."""
    right, wrong = kinds
    with variable_scope(name, f"{what}_at_thresholds", (predictions, labels, weights)):
        values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, kinds)

        def share(counts: dict[str, Any], name: str) -> Tensor:
            total = _SMALL + counts[wrong] + counts[right]
            return build.RealDiv(counts[wrong], total, name=f"{short}_{name}")

        value = collect(metrics_collections, share(values, "value"))
        return value, collect(updates_collections, share(updates, "update_op"))


@export("contrib.metrics.streaming_false_negative_rate_at_thresholds")
def streaming_false_negative_rate_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of true labels that are not predicted, at each threshold.

    Args:
        predictions: probabilities.
        labels: a tensor of the same shape, which is cast to bool.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.
        metrics_collections: collections that get the rates.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The rates so far, and a tensor that takes the current values in and gives the new ones.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _rate_at_thresholds(
        "false_negative_rate",
        "fnr",
        ("tp", "fn"),
        predictions,
        labels,
        thresholds,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("contrib.metrics.streaming_false_positive_rate_at_thresholds")
def streaming_false_positive_rate_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of false labels predicted to be true, at each threshold.

    Args:
        predictions: probabilities.
        labels: a tensor of the same shape, which is cast to bool.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.
        metrics_collections: collections that get the rates.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The rates so far, and a tensor that takes the current values in and gives the new ones.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _rate_at_thresholds(
        "false_positive_rate",
        "fpr",
        ("tn", "fp"),
        predictions,
        labels,
        thresholds,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def _count_at_thresholds(
    kind: str,
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: list[float],
    weights: TensorLike,
) -> Metric:
    values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, (kind,))
    return values[kind], updates[kind]


@export("contrib.metrics.streaming_true_positives_at_thresholds")
def streaming_true_positives_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
) -> Metric:
    """Counts true positives at each threshold, over all runs of the update.

    Args:
        predictions: probabilities.
        labels: a tensor of the same shape, which is cast to bool.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.

    Returns:
        The variable with the counts, and a tensor that takes the current values in.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count_at_thresholds("tp", predictions, labels, thresholds, weights)


@export("contrib.metrics.streaming_true_negatives_at_thresholds")
def streaming_true_negatives_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
) -> Metric:
    """Counts true negatives at each threshold, over all runs of the update.

    Args:
        predictions: probabilities.
        labels: a tensor of the same shape, which is cast to bool.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.

    Returns:
        The variable with the counts, and a tensor that takes the current values in.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count_at_thresholds("tn", predictions, labels, thresholds, weights)


@export("contrib.metrics.streaming_false_positives_at_thresholds")
def streaming_false_positives_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
) -> Metric:
    """Counts false positives at each threshold, over all runs of the update.

    Args:
        predictions: probabilities.
        labels: a tensor of the same shape, which is cast to bool.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.

    Returns:
        The variable with the counts, and a tensor that takes the current values in.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count_at_thresholds("fp", predictions, labels, thresholds, weights)


@export("contrib.metrics.streaming_false_negatives_at_thresholds")
def streaming_false_negatives_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
) -> Metric:
    """Counts false negatives at each threshold, over all runs of the update.

    Args:
        predictions: probabilities.
        labels: a tensor of the same shape, which is cast to bool.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.

    Returns:
        The variable with the counts, and a tensor that takes the current values in.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count_at_thresholds("fn", predictions, labels, thresholds, weights)
