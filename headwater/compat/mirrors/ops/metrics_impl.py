"""tensorflow.python.ops.metrics_impl: what is not public of it."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import build, name_scope
from headwater.model.metrics import ranking
from headwater.model.metrics.accumulation import aligned as _remove_squeezable_dimensions
from headwater.model.metrics.accumulation import collect, metric_variable
from headwater.model.metrics.classes import (
    streaming_confusion_matrix as _streaming_confusion_matrix,
)
from headwater.model.metrics.counts import _count_true
from headwater.model.metrics.ranking import (
    _average_precision as _sparse_average_precision_at_top_k,
)
from headwater.model.metrics.ranking import _name_at as _at_k_name
from headwater.model.metrics.ranking import mean_average_precision
from headwater.model.metrics.selection import expanded_labels as _maybe_expand_labels
from headwater.model.metrics.selection import number_of_relevant as _num_relevant
from headwater.model.metrics.selection import of_class as _select_class_id
from headwater.model.metrics.selection import without_unknown as _clean_out_of_range_indices
from headwater.model.metrics.thresholds import counts_at_thresholds

__all__ = [
    "_aggregate_variable",
    "_at_k_name",
    "_clean_out_of_range_indices",
    "_confusion_matrix_at_thresholds",
    "_count_condition",
    "_maybe_expand_labels",
    "_maybe_select_class_id",
    "_num_relevant",
    "_remove_squeezable_dimensions",
    "_safe_scalar_div",
    "_select_class_id",
    "_sparse_average_precision_at_top_k",
    "_sparse_false_negative_at_k",
    "_sparse_false_positive_at_k",
    "_sparse_true_positive_at_k",
    "_streaming_confusion_matrix",
    "_streaming_sparse_average_precision_at_top_k",
    "_streaming_sparse_false_negative_at_k",
    "_streaming_sparse_false_positive_at_k",
    "_streaming_sparse_true_positive_at_k",
    "metric_variable",
]


def _safe_scalar_div(numerator: TensorLike, denominator: TensorLike, name: str) -> Any:
    """The quotient, or 0 if the denominator is 0."""
    return build.DivNoNan(numerator, denominator, name=name)


def _aggregate_variable(v: TensorLike, collections: Any) -> Any:
    """The value of a metric's variable, added to collections."""
    return collect(collections, build.Identity(v))


def _count_condition(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
) -> tuple[Any, Any]:
    """Counts true values over all runs of the update."""
    return _count_true(values, weights, metrics_collections, updates_collections)


def _confusion_matrix_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Any,
    weights: TensorLike | None = None,
    includes: Any = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Counts correct and wrong predictions at each threshold.

    Raises:
        ValueError: if something unknown is to be counted.
    """
    known = ("tp", "fn", "tn", "fp")
    wanted = known if includes is None else tuple(includes)
    for key in wanted:
        if key not in known:
            raise ValueError(f"Invalid key: {key}.")
    ordered = tuple(key for key in known if key in wanted)
    return counts_at_thresholds(labels, predictions, thresholds, weights, ordered)


def _maybe_select_class_id(
    labels: Any, predictions_idx: Any, selected_id: int | None = None
) -> tuple[Any, Any]:
    """Labels and predictions of one class, or all of them."""
    return _select_class_id(labels, selected_id), _select_class_id(predictions_idx, selected_id)


def _at_k(kind: str) -> tuple[Any, Any]:
    def of_batch(
        labels: Any,
        predictions_idx: Any,
        class_id: int | None = None,
        weights: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        return ranking._hits(f"{kind}s", labels, predictions_idx, class_id, weights, name)

    def streaming(
        labels: Any,
        predictions_idx: Any,
        k: int | None = None,
        class_id: int | None = None,
        weights: TensorLike | None = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        return ranking._count(kind, labels, predictions_idx, k, class_id, weights)

    return of_batch, streaming


_sparse_true_positive_at_k, _streaming_sparse_true_positive_at_k = _at_k("true_positive")
_sparse_false_positive_at_k, _streaming_sparse_false_positive_at_k = _at_k("false_positive")
_sparse_false_negative_at_k, _streaming_sparse_false_negative_at_k = _at_k("false_negative")


def _streaming_sparse_average_precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of the average precisions of chosen classes, over all runs of the update."""
    values = (predictions_idx, labels, weights)
    with name_scope(name, "average_precision_at_top_k", values) as scope:
        return mean_average_precision(
            labels, predictions_idx, weights, metrics_collections, updates_collections, scope
        )
