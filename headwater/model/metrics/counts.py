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
from headwater.model.reduction_helpers import sum_of
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.control.rank_checks import assert_rank_in
from headwater.ops.control.type_checks import assert_type
from headwater.ops.math.cast import cast

Metric = tuple[Any, Any]


def _count_true(
    hits: Any, weights: Any, metrics_collections: Any, updates_collections: Any
) -> Metric:
    count = metric_variable([], dtypes.float32, name="count")
    values = cast(hits, dtypes.float32)
    if weights is not None:
        with control_dependencies([assert_rank_in(weights, (0, rank_tensor(values)))]):
            weights = cast(weights, dtypes.float32)
            values = build.Mul(values, weights)
    value = collect(metrics_collections, build.Identity(count))
    return value, collect(updates_collections, count.assign_add(sum_of(values)))


def _count_function(public_name: str, what: str, label: bool, prediction: bool) -> Any:
    """Makes and exports the function that counts the predictions of one kind."""

    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with variable_scope(name, public_name, (predictions, labels, weights)):
            predictions, labels, weights = aligned(
                cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights
            )
            hits = build.LogicalAnd(
                build.Equal(labels, label), build.Equal(predictions, prediction)
            )
            assert_type(hits, dtypes.bool_)
            return _count_true(hits, weights, metrics_collections, updates_collections)

    function.__name__ = function.__qualname__ = public_name
    function.__doc__ = f"""Counts {what} over all runs of the update.

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
    return export(f"metrics.{public_name}")(function)


true_positives = _count_function(
    "true_positives", "true predictions of true labels", label=True, prediction=True
)
true_negatives = _count_function(
    "true_negatives", "false predictions of false labels", label=False, prediction=False
)
false_positives = _count_function(
    "false_positives", "true predictions of false labels", label=False, prediction=True
)
false_negatives = _count_function(
    "false_negatives", "false predictions of true labels", label=True, prediction=False
)


def _share(hits: Any, others: Any, name: str) -> Tensor:
    """hits / (hits + others), or 0 if there are none."""
    some = build.Greater(hits + others, 0)
    return build.Select(some, build.RealDiv(hits, hits + others, name="div"), 0, name=name)


def _share_function(public_name: str, what: str, count_others: Any) -> Any:
    """Makes and exports the function for the part of true positives among these and others."""

    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with variable_scope(name, public_name, (predictions, labels, weights)):
            predictions, labels, weights = aligned(
                cast(predictions, dtypes.bool_), cast(labels, dtypes.bool_), weights
            )
            hits, more_hits = true_positives(labels, predictions, weights)
            others, more_others = count_others(labels, predictions, weights)
            value = collect(metrics_collections, _share(hits, others, "value"))
            return value, collect(updates_collections, _share(more_hits, more_others, "update_op"))

    function.__name__ = function.__qualname__ = public_name
    function.__doc__ = f"""{what}, over all runs of the update.

    Args:
        labels: a tensor, which is cast to bool.
        predictions: a tensor of the same shape, which is cast to bool.
        weights: what each prediction counts.
        metrics_collections: collections that get the {public_name}.
        updates_collections: collections that get the update.
        name: the name of the variable scope.

    Returns:
        The {public_name} so far, and a tensor that takes the current values in and gives the
        new one.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return export(f"metrics.{public_name}")(function)


precision = _share_function(
    "precision", "The part of true predictions whose labels are true", false_positives
)
recall = _share_function("recall", "The part of true labels that are predicted", false_negatives)
