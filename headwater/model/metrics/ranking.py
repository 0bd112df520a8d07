"""Metrics of the k best predictions: precision, recall and average precision at k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecation import notice
from headwater.base.typing import TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.metrics.accumulation import aggregated, collect, metric_variable
from headwater.model.metrics.selection import (
    expanded_labels,
    number_of_relevant,
    of_class,
    repeated_sets,
    without_unknown,
)
from headwater.model.reduction_helpers import sum_of
from headwater.model.weights_broadcast import assert_broadcastable, broadcast_weights
from headwater.ops.array.fill import ones_like
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import size
from headwater.ops.math.cast import cast
from headwater.ops.nn.top_k import top_k
from headwater.ops.sparse.sets import set_difference, set_intersection, set_size

Metric = tuple[Any, Any]


def _name_at(what: str, k: int | None, class_id: int | None = None) -> str:
    name = f"{what}_at_k" if k is None else f"{what}_at_{int(k)}"
    return name if class_id is None else f"{name}_class{class_id}"


def _hits(
    kind: str,
    labels: Tensor | SparseTensor,
    chosen: TensorLike,
    class_id: int | None,
    weights: TensorLike,
    name: str | None,
) -> Tensor:
    """The number of true_positives, false_positives or false_negatives of each set."""
    with name_scope(name, kind, (chosen, labels, weights)):
        labels = of_class(labels, class_id)
        chosen = of_class(chosen, class_id)
        if kind == "true_positives":
            found = set_intersection(chosen, labels)
        else:
            found = set_difference(chosen, labels, aminusb=kind == "false_positives")
        number = cast(set_size(found), dtypes.float64)
        if weights is not None:
            with control_dependencies([assert_broadcastable(weights, number)]):
                weights = cast(weights, dtypes.float64)
                number = build.Mul(number, weights)
        return number


def _count(
    kind: str,
    labels: Tensor,
    chosen: Tensor,
    k: int | None,
    class_id: int | None,
    weights: TensorLike,
) -> Metric:
    """Counts hits of one kind over all runs of the update."""
    with name_scope(None, _name_at(kind, k, class_id), (chosen, labels, weights)) as scope:
        number = sum_of(_hits(f"{kind}s", labels, chosen, class_id, weights, None))
        total = metric_variable([], dtypes.float64, name=scope)
        return total, total.assign_add(number, name="update")


def _share_at_top_k(
    metric: str,
    other: str,
    labels: Tensor,
    predictions_idx: TensorLike,
    k: int | None,
    class_id: int | None,
    weights: TensorLike,
    metrics_collections: Sequence[str] | None,
    updates_collections: Sequence[str] | None,
    name: str | None,
) -> Metric:
    """The fraction of hits among these and predictions of another kind."""
    default_name = _name_at(metric, k, class_id)
    with name_scope(name, default_name, (predictions_idx, labels, weights)) as scope:
        labels = expanded_labels(labels, convert_to_tensor(predictions_idx))
        chosen = cast(predictions_idx, dtypes.int64)
        hits, more_hits = _count("true_positive", labels, chosen, k, class_id, weights)
        others, more_others = _count(other, labels, chosen, k, class_id, weights)
        value = aggregated(
            metrics_collections,
            lambda: build.RealDiv(hits, build.Add(hits, others), name=scope),
        )
        update = build.RealDiv(more_hits, build.Add(more_hits, more_others), name="update")
        return value, collect(updates_collections, update)


@export("metrics.recall_at_top_k")
def recall_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of labels that are among the chosen classes, over all runs of the update.

    Args:
        labels: class numbers as sets in the last dimension of a tensor or SparseTensor, or one
            class number for each set of predictions.
        predictions_idx: the numbers of the chosen classes, in the last dimension.
        k: how many are chosen; for the name only.
        class_id: the class that alone is looked at.
        weights: what each set counts.
        metrics_collections: collections that get the recall.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The recall so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _share_at_top_k(
        "recall",
        "false_negative",
        labels,
        predictions_idx,
        k,
        class_id,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("metrics.precision_at_top_k")
def precision_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of the chosen classes that are labels, over all runs of the update.

    Args:
        labels: class numbers as sets in the last dimension of a tensor or SparseTensor, or one
            class number for each set of predictions.
        predictions_idx: the numbers of the chosen classes, in the last dimension.
        k: how many are chosen; for the name only.
        class_id: the class that alone is looked at.
        weights: what each set counts.
        metrics_collections: collections that get the precision.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The precision so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return _share_at_top_k(
        "precision",
        "false_positive",
        labels,
        predictions_idx,
        k,
        class_id,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@export("metrics.recall_at_k")
def recall_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of labels that are among the k best predictions, over all runs of the update.

    Args:
        labels: class numbers as sets in the last dimension of a tensor or SparseTensor, or one
            class number for each set of predictions.
        predictions: the scores of all classes, in the last dimension.
        k: how many of the best are chosen.
        class_id: the class that alone is looked at.
        weights: what each set counts.
        metrics_collections: collections that get the recall.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The recall so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(name, _name_at("recall", k, class_id), (predictions, labels, weights)) as scope:
        _, chosen = top_k(predictions, k)
        collections = metrics_collections, updates_collections
        return recall_at_top_k(labels, chosen, k, class_id, weights, *collections, scope)


@export("metrics.precision_at_k")
def precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of the k best predictions that are labels, over all runs of the update.

    Args:
        labels: class numbers as sets in the last dimension of a tensor or SparseTensor, or one
            class number for each set of predictions.
        predictions: the scores of all classes, in the last dimension.
        k: how many of the best are chosen.
        class_id: the class that alone is looked at.
        weights: what each set counts.
        metrics_collections: collections that get the precision.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The precision so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(
        name, _name_at("precision", k, class_id), (predictions, labels, weights)
    ) as scope:
        _, chosen = top_k(predictions, k)
        collections = metrics_collections, updates_collections
        return precision_at_top_k(labels, chosen, k, class_id, weights, *collections, scope)


def _average_precision(labels: Tensor | SparseTensor, chosen: Tensor) -> Tensor:
    """The mean of the precisions at the ranks of correct predictions, for each set."""
    with name_scope(None, "average_precision", (chosen, labels)) as scope:
        chosen = cast(chosen, dtypes.int64, name="predictions_idx")
        if chosen.shape.ndims == 0:
            raise ValueError("The rank of predictions_idx must be at least 1.")
        k = chosen.shape.as_list()[-1]
        if k is None:
            raise ValueError("The last dimension of predictions_idx must be set.")
        each = expand_dims(chosen, -1, name="predictions_idx_per_k")
        sets = repeated_sets(labels, k, "labels_per_k")
        relevant = _hits("true_positives", sets, each, None, None, "relevant_per_k")
        found = build.Cumsum(relevant, -1, name="tp_per_k")
        retrieved = build.Cumsum(ones_like(relevant), -1, name="retrieved_per_k")
        precisions = build.RealDiv(
            cast(found, dtypes.float64), cast(retrieved, dtypes.float64), name="precision_per_k"
        )
        right = cast(relevant, dtypes.float64)
        precisions = build.Mul(precisions, right, name="relevant_precision_per_k")
        total = sum_of(precisions, (-1,), name="precision_sum")
        number = cast(number_of_relevant(labels, k), dtypes.float64)
        return build.RealDiv(total, number, name=scope)


def mean_average_precision(
    labels: Tensor | SparseTensor,
    chosen: Tensor,
    weights: TensorLike,
    metrics_collections: Sequence[str] | None,
    updates_collections: Sequence[str] | None,
    scope: str,
) -> Metric:
    """The mean of the average precisions of chosen classes, over all runs of the update.

    Args:
        labels: class numbers as sets in the last dimension of a tensor or SparseTensor.
        chosen: the numbers of the chosen classes, best first, in the last dimension.
        weights: what each set counts.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        scope: the name of the update.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the new one.
    """
    precision = _average_precision(labels, chosen)
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float64), precision)
        precision = build.Mul(precision, weights)
    with name_scope(None, "max", (precision,)) as max_scope:
        number = metric_variable([], dtypes.float64, name=max_scope)
        if weights is None:
            batch = cast(size(precision, name="batch_max"), dtypes.float64)
        else:
            batch = sum_of(weights, name="batch_max")
        new_number = number.assign_add(batch, name="update")
    with name_scope(None, "total", (precision,)) as total_scope:
        total = metric_variable([], dtypes.float64, name=total_scope)
        batch = sum_of(precision, name="batch_total")
        new_total = total.assign_add(batch, name="update")
    value = aggregated(metrics_collections, lambda: build.DivNoNan(total, number, name="mean"))
    update = build.DivNoNan(new_total, new_number, name=scope)
    return value, collect(updates_collections, update)


@export("metrics.average_precision_at_k")
def average_precision_at_k(
    labels: TensorLike | SparseTensor,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The mean of the average precisions of the k best predictions, over all runs of the update.

    The average precision is the mean of the precisions at those places of the list of the best
    where a label is found.

    Args:
        labels: class numbers as sets in the last dimension of a tensor or SparseTensor.
        predictions: the scores of all classes, in the last dimension.
        k: how many of the best are chosen.
        weights: what each set counts.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if k is less than 1, or the shapes do not fit.
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}.")
    with name_scope(
        name, _name_at("average_precision", k), (predictions, labels, weights)
    ) as scope:
        _, chosen = top_k(predictions, k)
        whole: TensorLike = shape_tensor(predictions)
        labels = without_unknown(labels, cast(whole[-1], dtypes.int64))
        return mean_average_precision(
            labels, chosen, weights, metrics_collections, updates_collections, scope
        )


@export("metrics.sparse_precision_at_k")
def sparse_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Older name of `precision_at_k`."""
    notice("tf.metrics.sparse_precision_at_k", "tf.metrics.precision_at_k")
    return precision_at_k(
        labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


@export("metrics.sparse_average_precision_at_k")
def sparse_average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """Older name of `average_precision_at_k`."""
    notice("tf.metrics.sparse_average_precision_at_k", "tf.metrics.average_precision_at_k")
    return average_precision_at_k(
        labels, predictions, k, weights, metrics_collections, updates_collections, name
    )
