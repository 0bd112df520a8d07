"""Points of curves, and precision and recall at thresholds."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, control_dependencies, convert_to_tensor, export, group
from headwater.model.metrics.accumulation import collect, metric_variable
from headwater.model.metrics.thresholds import between, counts_at_thresholds
from headwater.model.variables.variable_scope import variable_scope
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.fill import ones_like
from headwater.ops.array.reshape import reshape
from headwater.ops.array.stack import stack
from headwater.ops.control.cond import cond
from headwater.ops.control.value_checks import assert_greater_equal, assert_less_equal
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import linspace
from headwater.ops.math.reduce_functions import reduce_any
from headwater.ops.math.scan import cumsum
from headwater.ops.state.scatter import scatter_add

Metric = tuple[Any, Any]
PrecisionRecallData = namedtuple(
    "PrecisionRecallData", ["tp", "fp", "tn", "fn", "precision", "recall", "thresholds"]
)
_SMALL = 1e-7


@export("contrib.metrics.streaming_curve_points")
def streaming_curve_points(
    labels: TensorLike | None = None,
    predictions: TensorLike | None = None,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Metric:
    """The points of a curve of the quality of predictions.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        weights: what each prediction counts.
        num_thresholds: the number of points.
        metrics_collections: collections that get the points.
        updates_collections: collections that get the update.
        curve: ROC (true over false positives) or PR (precision over recall).
        name: the name of the variable scope.

    Returns:
        The points so far, [num_thresholds, 2], and an op that takes the current values in.

    Raises:
        ValueError: if the curve is unknown or the shapes do not fit.
    """
    with variable_scope(name, "curve_points", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        limits = between(num_thresholds, 1.0 + _SMALL)
        values, updates = counts_at_thresholds(labels, predictions, limits, weights)
        tp, fn, tn, fp = (values[kind] for kind in ("tp", "fn", "tn", "fp"))
        small = 1e-6
        recall = build.RealDiv(tp + small, tp + fn + small, name="div")
        if curve == "ROC":
            x, y = build.RealDiv(fp, fp + tn + small, name="div"), recall
        else:
            x, y = recall, build.RealDiv(tp + small, tp + fp + small, name="div")
        value = collect(metrics_collections, stack([x, y], axis=1))
        return value, collect(updates_collections, group(*updates.values()))


@export("contrib.metrics.precision_at_recall")
def precision_at_recall(
    labels: TensorLike,
    predictions: TensorLike,
    target_recall: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The precision at the threshold whose recall is nearest to a wanted one.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        target_recall: the wanted recall, in [0, 1].
        weights: what each prediction counts.
        num_thresholds: how many thresholds are tried.
        metrics_collections: collections that get the precision.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The precision so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the recall is out of range or the shapes do not fit.
    """
    if not 0 <= target_recall <= 1:
        raise ValueError("`target_recall` must be in the range [0, 1].")
    with variable_scope(name, "precision_at_recall", (predictions, labels, weights)):
        limits = between(num_thresholds, 1.0 - _SMALL)
        values, updates = counts_at_thresholds(labels, predictions, limits, weights)

        def precision(counts: dict[str, Any], name: str) -> Tensor:
            tp, fn, fp = counts["tp"], counts["fn"], counts["fp"]
            recalls: Tensor = build.RealDiv(tp, tp + fn + _SMALL, name="div")
            nearest = build.ArgMin(build.Abs(recalls - target_recall), 0)
            i = cast(nearest, dtypes.int32)
            return build.RealDiv(tp[i] + _SMALL, tp[i] + fp[i] + _SMALL, name=name)

        value = collect(metrics_collections, precision(values, "value"))
        return value, collect(updates_collections, precision(updates, "update_op"))


@export("contrib.metrics.recall_at_precision")
def recall_at_precision(
    labels: TensorLike,
    predictions: TensorLike,
    precision: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
    strict_mode: bool = False,
) -> Metric:
    """The recall at the threshold whose precision is nearest to a wanted one.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        precision: the wanted precision, in [0, 1].
        weights: what each prediction counts.
        num_thresholds: how many thresholds are tried.
        metrics_collections: collections that get the recall.
        updates_collections: collections that get the update.
        name: the name of the variable scope.
        strict_mode: whether the precision must be reached; 0 if none reaches it.

    Returns:
        The recall so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the precision is out of range or the shapes do not fit.
    """
    if not 0 <= precision <= 1:
        raise ValueError("`precision` must be in the range [0, 1].")
    with variable_scope(name, "recall_at_precision", (predictions, labels, weights)):
        limits = between(num_thresholds, 1.0 + _SMALL)
        values, updates = counts_at_thresholds(labels, predictions, limits, weights)

        def recall(counts: dict[str, Any], name: str) -> Tensor:
            tp, fn, fp = counts["tp"], counts["fn"], counts["fp"]
            precisions: Tensor = build.RealDiv(tp, tp + fp + _SMALL, name="div")

            def recall_at(index: TensorLike, name: str | None) -> Tensor:
                i = cast(index, dtypes.int32)
                return build.RealDiv(tp[i], tp[i] + fn[i] + _SMALL, name=name)

            if not strict_mode:
                return recall_at(build.ArgMin(build.Abs(precisions - precision), 0), name)
            reached = build.GreaterEqual(precisions, precision)
            return cond(
                reduce_any(reached),
                lambda: recall_at(build.ArgMax(cast(reached, dtypes.int32), 0), None),
                lambda: convert_to_tensor(np.float32(0.0)),
            )

        value = collect(metrics_collections, recall(values, "value"))
        return value, collect(updates_collections, recall(updates, "update_op"))


@export("contrib.metrics.precision_recall_at_equal_thresholds")
def precision_recall_at_equal_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Metric:
    """Counts, precisions and recalls at evenly spaced thresholds, with few operations.

    Args:
        labels: a bool tensor.
        predictions: floating-point tensor of the same shape, in [0, 1].
        weights: what each prediction counts.
        num_thresholds: the number of thresholds; 201 if None.
        use_locking: whether updates exclude each other.
        name: the name of the variable scope.

    Returns:
        A named tuple (tp, fp, tn, fn, precision, recall, thresholds) of vectors, and an op that
        takes the current values in.

    Raises:
        TypeError: if the labels are not of type bool.
        ValueError: if the shapes do not fit.
    """
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    if labels.dtype != dtypes.bool_:
        raise TypeError(f"{name or ''} {labels.name} must be of type {dtypes.bool_}")
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    count = 201 if num_thresholds is None else num_thresholds
    scope_name = "precision_recall_at_equal_thresholds"
    with variable_scope(name, scope_name, (labels, predictions, weights)):
        kind = predictions.dtype
        checks = [
            assert_greater_equal(
                predictions, cast(0.0, kind), message="predictions must be in [0, 1]"
            ),
            assert_less_equal(
                predictions, cast(1.0, kind), message="predictions must be in [0, 1]"
            ),
        ]
        with control_dependencies(checks):
            predictions = build.Identity(predictions)
        # Sums over many examples would lose digits in single precision.
        exact: Tensor = cast(predictions, dtypes.float64)
        if weights is None:
            mass: TensorLike = ones_like(exact)
        else:
            mass = broadcast_weights(cast(weights, dtypes.float64), exact)
        true: Tensor = cast(labels, dtypes.float64)
        bucket = cast(build.Floor(predictions * (count - 1)), dtypes.int32)
        with variable_scope("variables"):
            of_true = metric_variable([count], dtypes.float64, name="tp_buckets")
            of_false = metric_variable([count], dtypes.float64, name="fp_buckets")
        locking = bool(use_locking)
        places = reshape(bucket, [-1])
        update = group(
            scatter_add(of_true, places, reshape(true * mass, [-1]), use_locking=locking),
            scatter_add(of_false, places, reshape((1.0 - true) * mass, [-1]), use_locking=locking),
        )
        tp: Tensor = cumsum(of_true, reverse=True)
        fp: Tensor = cumsum(of_false, reverse=True)
        tn, fn = fp[0] - fp, tp[0] - tp
        precision = tp / build.Maximum(np.float64(_SMALL), tp + fp)
        recall = tp / build.Maximum(np.float64(_SMALL), tp + fn)
        results: list[Tensor] = [cast(each, kind) for each in (tp, fp, tn, fn, precision, recall)]
        thresholds = linspace(cast(0.0, kind), cast(1.0, kind), count)
        return PrecisionRecallData._make([*results, thresholds]), update
