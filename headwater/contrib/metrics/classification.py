"""Accuracy of one batch, and Cohen's kappa and the best F1 over several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, export, name_scope
from headwater.model.confusion_matrix import confusion_matrix
from headwater.model.metrics.accumulation import aligned, collect, metric_variable
from headwater.model.metrics.thresholds import between, counts_at_thresholds
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.fill import ones_like
from headwater.ops.linalg.diagonal import diag_part
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_max, reduce_mean, reduce_sum

Metric = tuple[Any, Any]
_SMALL = 1e-7


@export("contrib.metrics.accuracy")
def accuracy(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The part of predictions of one batch that are right.

    Args:
        predictions: bool, integer or string tensor.
        labels: a tensor of the same type and shape.
        weights: what each prediction counts.
        name: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if types or shapes do not fit.
    """
    if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool_, dtypes.string)):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError(
            "Dtypes of predictions and labels should match. Given: predictions "
            f"({predictions.dtype!r}) and labels ({labels.dtype!r})"
        )
    with name_scope(name, "accuracy", [predictions, labels]):
        right: Tensor = cast(build.Equal(predictions, labels), dtypes.float32)
        if weights is None:
            return reduce_mean(right)
        right = build.Mul(right, weights)
        count = build.Mul(weights, ones_like(right))
        return build.RealDiv(reduce_sum(right), reduce_sum(count), name="div")


def _kappa(po: TensorLike, pe_row: TensorLike, pe_col: TensorLike, name: str) -> Tensor:
    """(agreement - what chance gives) / (total - what chance gives); 0 without examples."""
    total = cast(reduce_sum(pe_row), dtypes.float64)
    agreed: Tensor = cast(reduce_sum(po), dtypes.float64)
    products: Tensor = cast(pe_row * pe_col, dtypes.float64)
    chance = reduce_sum(build.DivNoNan(products, total))
    return build.DivNoNan(agreed - chance, build.Sub(total, chance), name=name)


@export("contrib.metrics.cohen_kappa")
def cohen_kappa(
    labels: TensorLike,
    predictions_idx: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Cohen's kappa, the agreement beyond chance, over all runs of the update.

    Args:
        labels: class numbers, [batch].
        predictions_idx: class numbers, [batch].
        num_classes: the number of classes.
        weights: what each example counts.
        metrics_collections: collections that get kappa.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        Kappa so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if there are fewer than two classes, or the shapes do not fit.
    """
    if num_classes < 2:
        raise ValueError(f"`num_classes` must be >= 2.Found: {num_classes}")
    with variable_scope(name, "cohen_kappa", (labels, predictions_idx, weights)):
        labels = cast(labels, dtypes.int64)
        predictions_idx, labels, weights = aligned(predictions_idx, labels, weights)
        predictions_idx.shape.assert_is_compatible_with(labels.shape)
        kind = dtypes.int64 if weights is None else dtypes.float32
        po = metric_variable((num_classes,), kind, name="po")
        pe_row = metric_variable((num_classes,), kind, name="pe_row")
        pe_col = metric_variable((num_classes,), kind, name="pe_col")
        table = confusion_matrix(
            labels, predictions_idx, num_classes=num_classes, dtype=kind, weights=weights
        )
        new_po = po.assign_add(diag_part(table))
        new_row = pe_row.assign_add(reduce_sum(table, axis=0))
        new_col = pe_col.assign_add(reduce_sum(table, axis=1))
        value = collect(metrics_collections, _kappa(po, pe_row, pe_col, "value"))
        update = _kappa(new_po, new_row, new_col, "update_op")
        return value, collect(updates_collections, update)


def _best_f1(counts: dict[str, Any], collections: Sequence[str] | None) -> Tensor:
    tp, fn, fp = counts["tp"], counts["fn"], counts["fp"]
    precision: Tensor = build.RealDiv(tp, _SMALL + tp + fp, name="precision")
    recall: Tensor = build.RealDiv(tp, _SMALL + tp + fn, name="recall")
    f1: Tensor = 2.0 * precision * recall / (precision + recall + _SMALL)
    return collect(collections, reduce_max(f1))


@export("contrib.metrics.f1_score")
def f1_score(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The best harmonic mean of precision and recall at any threshold.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape with probabilities.
        weights: what each prediction counts.
        num_thresholds: how many thresholds are tried.
        metrics_collections: collections that get the score.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The score so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with variable_scope(name, "f1", (labels, predictions, weights)):
        limits = between(num_thresholds, 1.0 + _SMALL)
        values, updates = counts_at_thresholds(
            labels, predictions, limits, weights, ("tp", "fn", "fp")
        )
        value = _best_f1(values, metrics_collections)
        return value, _best_f1(updates, updates_collections)
