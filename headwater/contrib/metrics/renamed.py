"""The streaming metrics that tf.metrics has with the arguments in another order."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import EXPORTS, export
from headwater.graph import name_scope
from headwater.model.metrics import classes, counts, means, ranking, thresholds
from headwater.model.metrics.means import mean
from headwater.model.metrics.ranking import precision_at_top_k, recall_at_top_k
from headwater.ops.math.cast import cast
from headwater.ops.nn.in_top_k import in_top_k

Metric = tuple[Any, Any]
_Parameter = inspect.Parameter

_COLLECTIONS = "metrics_collections=None updates_collections=None name=None"
_PLAIN = f"predictions labels weights=None {_COLLECTIONS}"
_AT_THRESHOLDS = f"predictions labels thresholds weights=None {_COLLECTIONS}"
# These modules export what is renamed here.
_MODULES = (classes, counts, means, ranking, thresholds)
# Name below tf.contrib.metrics -> name below tf.metrics and the arguments in the older order.
_RENAMED = {
    "streaming_accuracy": ("accuracy", _PLAIN),
    "streaming_auc": (
        "auc",
        "predictions labels weights=None num_thresholds=200 metrics_collections=None "
        "updates_collections=None curve='ROC' name=None",
    ),
    "streaming_false_negatives": ("false_negatives", _PLAIN),
    "streaming_false_positives": ("false_positives", _PLAIN),
    "streaming_mean": ("mean", f"values weights=None {_COLLECTIONS}"),
    "streaming_mean_absolute_error": ("mean_absolute_error", _PLAIN),
    "streaming_mean_cosine_distance": (
        "mean_cosine_distance",
        f"predictions labels dim weights=None {_COLLECTIONS}",
    ),
    "streaming_mean_iou": (
        "mean_iou",
        f"predictions labels num_classes weights=None {_COLLECTIONS}",
    ),
    "streaming_mean_relative_error": (
        "mean_relative_error",
        f"predictions labels normalizer weights=None {_COLLECTIONS}",
    ),
    "streaming_mean_squared_error": ("mean_squared_error", _PLAIN),
    "streaming_mean_tensor": ("mean_tensor", f"values weights=None {_COLLECTIONS}"),
    "streaming_percentage_less": (
        "percentage_below",
        f"values threshold weights=None {_COLLECTIONS}",
    ),
    "streaming_precision": ("precision", _PLAIN),
    "streaming_precision_at_thresholds": (
        "precision_at_thresholds",
        _AT_THRESHOLDS,
    ),
    "streaming_recall": ("recall", _PLAIN),
    "streaming_recall_at_thresholds": (
        "recall_at_thresholds",
        _AT_THRESHOLDS,
    ),
    "streaming_root_mean_squared_error": ("root_mean_squared_error", _PLAIN),
    "streaming_sensitivity_at_specificity": (
        "sensitivity_at_specificity",
        f"predictions labels specificity weights=None num_thresholds=200 {_COLLECTIONS}",
    ),
    "streaming_sparse_average_precision_at_k": (
        "average_precision_at_k",
        f"predictions labels k weights=None {_COLLECTIONS}",
    ),
    "streaming_sparse_precision_at_k": (
        "precision_at_k",
        f"predictions labels k class_id=None weights=None {_COLLECTIONS}",
    ),
    "streaming_sparse_recall_at_k": (
        "recall_at_k",
        f"predictions labels k class_id=None weights=None {_COLLECTIONS}",
    ),
    "streaming_specificity_at_sensitivity": (
        "specificity_at_sensitivity",
        f"predictions labels sensitivity weights=None num_thresholds=200 {_COLLECTIONS}",
    ),
    "streaming_true_negatives": ("true_negatives", _PLAIN),
    "streaming_true_positives": ("true_positives", _PLAIN),
}
_DEFAULTS: dict[str, Any] = {"None": None, "200": 200, "'ROC'": "ROC"}


def _signature(text: str) -> inspect.Signature:
    parameters = []
    for item in text.split():
        name, has_default, default = item.partition("=")
        value = _DEFAULTS[default] if has_default else _Parameter.empty
        parameters.append(_Parameter(name, _Parameter.POSITIONAL_OR_KEYWORD, default=value))
    return inspect.Signature(parameters)


def _renamed(public_name: str, new_name: str, arguments: str) -> Callable[..., Metric]:
    signature = _signature(arguments)
    target = EXPORTS[f"metrics.{new_name}"]

    def function(*args: Any, **kwargs: Any) -> Metric:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{public_name}() {error}") from None
        return target(**bound.arguments)

    function.__name__ = function.__qualname__ = public_name
    function.__doc__ = f"`tf.metrics.{new_name}` with its arguments in another order."
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


for _public_name, (_new_name, _arguments) in _RENAMED.items():
    export(f"contrib.metrics.{_public_name}")(_renamed(_public_name, _new_name, _arguments))


@export("contrib.metrics.streaming_recall_at_k")
def streaming_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often the right class is among the k best predictions, over all runs of the update.

    Args:
        predictions: the scores, [batch, classes].
        labels: class numbers, [batch].
        k: how many of the best are looked at.
        weights: what each example counts.
        metrics_collections: collections that get the share.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The share so far, and a tensor that takes the current values in and gives the new one.
    """
    found = cast(in_top_k(predictions, labels, k), dtypes.float32)
    name = name or f"recall_at_{k}"
    return mean(found, weights, metrics_collections, updates_collections, name)


@export("contrib.metrics.sparse_recall_at_top_k")
def sparse_recall_at_top_k(
    labels: Any,
    top_k_predictions: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.recall_at_top_k`, named without the number of predictions.

    Args:
        labels: class numbers as sets in the last dimension.
        top_k_predictions: the numbers of the chosen classes, in the last dimension.
        class_id: the class that alone is looked at.
        weights: what each set counts.
        metrics_collections: collections that get the recall.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The recall so far, and a tensor that takes the current values in and gives the new one.
    """
    default_name = "recall_at_k" if class_id is None else f"recall_at_k_class{class_id}"
    with name_scope(name, default_name, (top_k_predictions, labels, weights)) as scope:
        collections = metrics_collections, updates_collections
        return recall_at_top_k(
            labels, top_k_predictions, None, class_id, weights, *collections, scope
        )


@export("contrib.metrics.streaming_sparse_precision_at_top_k")
def streaming_sparse_precision_at_top_k(
    top_k_predictions: Any,
    labels: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.precision_at_top_k`, named without the number of predictions.

    Args:
        top_k_predictions: the numbers of the chosen classes, in the last dimension.
        labels: class numbers as sets in the last dimension.
        class_id: the class that alone is looked at.
        weights: what each set counts.
        metrics_collections: collections that get the precision.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The precision so far, and a tensor that takes the current values in and gives the new one.
    """
    default_name = "precision_at_k" if class_id is None else f"precision_at_k_class{class_id}"
    with name_scope(name, default_name, (top_k_predictions, labels, weights)) as scope:
        collections = metrics_collections, updates_collections
        return precision_at_top_k(
            labels, top_k_predictions, None, class_id, weights, *collections, scope
        )
