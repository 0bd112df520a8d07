"""Average precision of classes that are already chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import export, name_scope
from headwater.model.metrics.ranking import mean_average_precision


@export("contrib.metrics.streaming_sparse_average_precision_at_top_k")
def streaming_sparse_average_precision_at_top_k(
    top_k_predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of the average precisions of chosen classes, over all runs of the update.

    Args:
        top_k_predictions: the numbers of the chosen classes, best first, in the last dimension.
        labels: class numbers as sets in the last dimension of a tensor or SparseTensor.
        weights: what each set counts.
        metrics_collections: collections that get the mean.
        updates_collections: collections that get the update.
        name: the name scope.

    Returns:
        The mean so far, and a tensor that takes the current values in and gives the new one.

    Raises:
        ValueError: if the number of chosen classes is not known.
    """
    values = (top_k_predictions, labels, weights)
    with name_scope(name, "average_precision_at_top_k", values) as scope:
        return mean_average_precision(
            labels, top_k_predictions, weights, metrics_collections, updates_collections, scope
        )
