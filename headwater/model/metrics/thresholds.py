"""Metrics of probabilities that become predictions at one or more thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    export,
    shape_tensor,
)
from headwater.model.metrics.accumulation import aggregated, aligned, collect, metric_variable
from headwater.model.reduction_helpers import min_of, sum_of
from headwater.model.variables.variable_scope import variable_scope
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.fill import ones_like
from headwater.ops.array.stack import stack
from headwater.ops.array.transpose import transpose
from headwater.ops.control.value_checks import assert_greater_equal, assert_less_equal
from headwater.ops.math.cast import cast

Metric = tuple[Any, Any]

_NAMES = {
    "tp": "true_positives",
    "fn": "false_negatives",
    "tn": "true_negatives",
    "fp": "false_positives",
}
_SMALL = 1e-7


def counts_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: list[float],
    weights: TensorLike,
    wanted: tuple[str, ...] = ("tp", "fn", "tn", "fp"),
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Counts right and wrong predictions at each threshold.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.
        wanted: what is counted: of tp, fn, tn, fp.

    Returns:
        The counts so far by their names, and the updates that give the new ones.
    """
    predictions = convert_to_tensor(predictions)
    text = "predictions must be in [0, 1]"
    low = cast(0.0, predictions.dtype)
    checks = [assert_greater_equal(predictions, low, message=text)]
    checks.append(assert_less_equal(predictions, cast(1.0, predictions.dtype), message=text))
    with control_dependencies(checks):
        predictions, given, weights = aligned(
            cast(predictions, dtypes.float32), cast(labels, dtypes.bool_), weights
        )
    number = len(thresholds)
    column = build.Reshape(predictions, [-1, 1])
    row = build.Reshape(cast(given, dtypes.bool_), [1, -1])
    size: TensorLike = column.shape.as_list()[0]
    if size is None:
        whole: TensorLike = shape_tensor(column)
        size = whole[0]
    limits = constant_node(np.array(thresholds, np.float32))
    limits = build.Tile(build.ExpandDims(limits, [1]), stack([1, size]))
    true = {"p": build.Greater(build.Tile(transpose(column), [number, 1]), limits)}
    if "fn" in wanted or "tn" in wanted:
        true["n"] = build.LogicalNot(true["p"])
    labelled = {"p": build.Tile(row, [number, 1])}
    if "fp" in wanted or "tn" in wanted:
        labelled["n"] = build.LogicalNot(labelled["p"])
    tiled: TensorLike = None
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float32), predictions)
        tiled = build.Tile(build.Reshape(weights, [1, -1]), [number, 1])
        limits.shape.assert_is_compatible_with(tiled.shape)
    values, updates = {}, {}
    for kind in wanted:
        count = metric_variable([number], dtypes.float32, name=_NAMES[kind])
        # A false negative has a positive label and a negative prediction.
        label = kind[1] if kind[0] == "t" else "pn"["np".index(kind[1])]
        hits: Tensor = cast(build.LogicalAnd(labelled[label], true[kind[1]]), dtypes.float32)
        if tiled is not None:
            hits = hits * tiled
        values[kind] = count
        updates[kind] = count.assign_add(sum_of(hits, 1))
    return values, updates


def between(number: int, last: float) -> list[float]:
    """Evenly spaced thresholds, the first below 0."""
    inner = [(i + 1) / (number - 1) for i in range(number - 2)]
    return [-_SMALL, *inner, last]


def _interpolated_pr_area(tp: TensorLike, fp: TensorLike, fn: TensorLike, number: int) -> Tensor:
    """The area under the curve of precision over recall, interpolated as Davis and Goadrich do."""
    true_step = tp[: number - 1] - tp[1:]
    positives = tp + fp
    step = positives[: number - 1] - positives[1:]
    slope: Tensor = build.DivNoNan(true_step, build.Maximum(step, 0), name="prec_slope")
    start = tp[1:] - build.Mul(slope, positives[1:])
    some = build.LogicalAnd(positives[: number - 1] > 0, positives[1:] > 0)
    ratio = build.DivNoNan(
        positives[: number - 1], build.Maximum(positives[1:], 0), name="recall_relative_ratio"
    )
    ratio = build.Select(some, ratio, ones_like(positives[1:]))
    area = slope * (true_step + start * build.Log(ratio))
    labelled = build.Maximum(tp[1:] + fn[1:], 0)
    parts = build.DivNoNan(area, labelled, name="pr_auc_increment")
    return sum_of(parts, name="interpolate_pr_auc")


_HEIGHTS: dict[str, Callable[[Any, Any], Any]] = {
    "trapezoidal": lambda a, b: (a + b) / 2.0,
    "careful_interpolation": lambda a, b: (a + b) / 2.0,
    "minoring": lambda a, b: build.Minimum(a, b),
    "majoring": lambda a, b: build.Maximum(a, b),
}


def _area(counts: dict[str, Any], curve: str, method: str, number: int, name: str) -> Tensor:
    tp, fn, tn, fp = (counts[kind] for kind in _NAMES)
    if curve == "PR" and method == "careful_interpolation":
        return _interpolated_pr_area(tp, fp, fn, number)
    recall = build.RealDiv(tp + 1e-6, tp + fn + 1e-6, name="div")
    if curve == "ROC":
        x, y = build.RealDiv(fp, fp + tn + 1e-6, name="div"), recall
    else:
        x, y = recall, build.RealDiv(tp + 1e-6, tp + fp + 1e-6, name="div")
    height = _HEIGHTS.get(method)
    if height is None:
        raise ValueError(f"Invalid summation_method: {method}")
    width = _first(x, number) - _rest(x)
    return sum_of(build.Mul(width, height(_first(y, number), _rest(y))), name=name)


def _first(x: Tensor, number: int) -> Tensor:
    return x[: number - 1]


def _rest(x: Tensor) -> Tensor:
    return x[1:]


@export("metrics.auc")
def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: TensorLike | None = None,
) -> Metric:
    """The area under a curve of the quality of predictions, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        weights: what each prediction counts.
        num_thresholds: the number of points of the curve.
        metrics_collections: collections that get the area.
        updates_collections: collections that get the update.
        curve: ROC (true over false positives) or PR (precision over recall).
        name: the name of the variable scope.
        summation_method: trapezoidal, careful_interpolation (for PR), minoring (a bound from
            below) or majoring (a bound from above).
        thresholds: the thresholds between 0 and 1, instead of evenly spaced ones.

    Returns:
        The area so far, and a tensor that takes the current values in and gives the new area.

    Raises:
        ValueError: if `curve` or `summation_method` is unknown, or the shapes do not fit.
    """
    with variable_scope(name, "auc", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        if thresholds is None:
            limits = between(num_thresholds, 1.0 + _SMALL)
        else:
            limits = [-_SMALL, *sorted(thresholds), 1.0 + _SMALL]
        values, updates = counts_at_thresholds(labels, predictions, limits, weights)
        value = aggregated(
            metrics_collections,
            lambda: _area(values, curve, summation_method, len(limits), "value"),
        )
        update = _area(updates, curve, summation_method, len(limits), "update_op")
        return value, collect(updates_collections, update)


def _ratio(of: TensorLike, to: TensorLike, name: str) -> Tensor:
    return build.RealDiv(of, _SMALL + of + to, name=name)


@export("metrics.precision_at_thresholds")
def precision_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The precision, true positives / positive predictions, at each threshold.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.
        metrics_collections: collections that get the precisions.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The precisions so far, and a tensor that takes the current values in and gives the new
        ones.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with variable_scope(name, "precision_at_thresholds", (predictions, labels, weights)):
        values, updates = counts_at_thresholds(
            labels, predictions, thresholds, weights, ("tp", "fp")
        )
        value = aggregated(
            metrics_collections, lambda: _ratio(values["tp"], values["fp"], "precision_value")
        )
        update = _ratio(updates["tp"], updates["fp"], "precision_update_op")
        return value, collect(updates_collections, update)


@export("metrics.recall_at_thresholds")
def recall_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The recall, true positives / true labels, at each threshold.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.
        metrics_collections: collections that get the recalls.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The recalls so far, and a tensor that takes the current values in and gives the new ones.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with variable_scope(name, "recall_at_thresholds", (predictions, labels, weights)):
        values, updates = counts_at_thresholds(
            labels, predictions, thresholds, weights, ("tp", "fn")
        )
        value = aggregated(
            metrics_collections, lambda: _ratio(values["tp"], values["fn"], "recall_value")
        )
        update = _ratio(updates["tp"], updates["fn"], "recall_update_op")
        return value, collect(updates_collections, update)


def _count_at_thresholds(
    kind: str,
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: list[float],
    weights: TensorLike,
    metrics_collections: Sequence[str] | None,
    updates_collections: Sequence[str] | None,
    name: str | None,
) -> Metric:
    with variable_scope(name, _NAMES[kind], (predictions, labels, weights)):
        values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, (kind,))
        value = aggregated(metrics_collections, lambda: build.Identity(values[kind]))
        return value, collect(updates_collections, updates[kind])


@export("metrics.true_positives_at_thresholds")
def true_positives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Counts true predictions of true labels at each threshold, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.
        metrics_collections: collections that get the counts.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The counts so far, and a tensor that takes the current values in and gives the new ones.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count_at_thresholds(
        "tp",
        labels,
        predictions,
        thresholds,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("metrics.true_negatives_at_thresholds")
def true_negatives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Counts false predictions of false labels at each threshold, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.
        metrics_collections: collections that get the counts.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The counts so far, and a tensor that takes the current values in and gives the new ones.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count_at_thresholds(
        "tn",
        labels,
        predictions,
        thresholds,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("metrics.false_positives_at_thresholds")
def false_positives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Counts true predictions of false labels at each threshold, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.
        metrics_collections: collections that get the counts.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The counts so far, and a tensor that takes the current values in and gives the new ones.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count_at_thresholds(
        "fp",
        labels,
        predictions,
        thresholds,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("metrics.false_negatives_at_thresholds")
def false_negatives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Counts false predictions of true labels at each threshold, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        thresholds: predictions above a threshold count as true.
        weights: what each prediction counts.
        metrics_collections: collections that get the counts.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The counts so far, and a tensor that takes the current values in and gives the new ones.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _count_at_thresholds(
        "fn",
        labels,
        predictions,
        thresholds,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def _sensitivity(counts: dict[str, Any], specificity: float, name: str) -> Tensor:
    tp, fn, tn, fp = (counts[kind] for kind in _NAMES)
    specificities: Tensor = build.RealDiv(tn, tn + fp + _SMALL, name="div")
    nearest = build.ArgMin(build.Abs(specificities - specificity), 0)
    i = cast(nearest, dtypes.int32)
    return build.RealDiv(tp[i], tp[i] + fn[i] + _SMALL, name=name)


def _specificity(counts: dict[str, Any], sensitivity: float, name: str) -> Tensor:
    tp, fn, tn, fp = (counts[kind] for kind in _NAMES)
    sensitivities: Tensor = build.RealDiv(tp, tp + fn + _SMALL, name="div")
    least = min_of(build.Abs(sensitivities - sensitivity))
    nearest = cast(build.Equal(build.Abs(sensitivities - sensitivity), least), dtypes.int64)
    # Of several equally near ones, the last.
    i = cast(build.ArgMax(build.Cumsum(nearest, 0), 0), dtypes.int32)
    return build.RealDiv(tn[i], tn[i] + fp[i] + _SMALL, name=name)


@export("metrics.sensitivity_at_specificity")
def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The sensitivity (true positive rate) at a given specificity.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        specificity: the part of false labels, in [0, 1].
        weights: what each prediction counts.
        num_thresholds: how many thresholds are tried.
        metrics_collections: collections that get the sensitivity.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The sensitivity so far, and a tensor that takes the current values in and gives the new
        one.

    Raises:
        ValueError: if `specificity` is out of range, or the shapes do not fit.
    """
    if not 0 <= specificity <= 1:
        raise ValueError("`specificity` must be in the range [0, 1].")
    with variable_scope(name, "sensitivity_at_specificity", (predictions, labels, weights)):
        limits = between(num_thresholds, 1.0 + _SMALL)
        values, updates = counts_at_thresholds(labels, predictions, limits, weights)
        value = aggregated(metrics_collections, lambda: _sensitivity(values, specificity, "value"))
        update = _sensitivity(updates, specificity, "update_op")
        return value, collect(updates_collections, update)


@export("metrics.specificity_at_sensitivity")
def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The specificity (true negative rate) at a given sensitivity.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        sensitivity: the part of true labels, in [0, 1].
        weights: what each prediction counts.
        num_thresholds: how many thresholds are tried.
        metrics_collections: collections that get the specificity.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The specificity so far, and a tensor that takes the current values in and gives the new
        one.

    Raises:
        ValueError: if `sensitivity` is out of range, or the shapes do not fit.
    """
    if not 0 <= sensitivity <= 1:
        raise ValueError("`sensitivity` must be in the range [0, 1].")
    with variable_scope(name, "specificity_at_sensitivity", (predictions, labels, weights)):
        limits = between(num_thresholds, 1.0 - _SMALL)
        values, updates = counts_at_thresholds(labels, predictions, limits, weights)
        value = aggregated(metrics_collections, lambda: _specificity(values, sensitivity, "value"))
        update = _specificity(updates, sensitivity, "update_op")
        return value, collect(updates_collections, update)
