"""Squeezing of labels, predictions and weights that differ by a last dimension of length 1."""

from __future__ import annotations

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope, rank_tensor
from headwater.ops.array.reshape import squeeze
from headwater.ops.control.cond import cond


def remove_squeezable_dimensions(
    labels: TensorLike,
    predictions: TensorLike,
    expected_rank_diff: int = 0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Labels and predictions, one of them without its last dimension if that makes them fit.

    Args:
        labels: a tensor.
        predictions: a tensor.
        expected_rank_diff: by how much the rank of `predictions` is to exceed that of `labels`.
        name: the name scope.

    Returns:
        Labels and predictions.

    Raises:
        ValueError: if the last dimension of the one with more dimensions is known not to be 1.
    """
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions = convert_to_tensor(predictions)
        labels = convert_to_tensor(labels)
        ranks = predictions.shape.ndims, labels.shape.ndims
        if ranks[0] is not None and ranks[1] is not None:
            excess = ranks[0] - ranks[1]
            if excess == expected_rank_diff + 1:
                predictions = squeeze(predictions, [-1])
            elif excess == expected_rank_diff - 1:
                labels = squeeze(labels, [-1])
            return labels, predictions
        rank_diff = build.Sub(rank_tensor(predictions), rank_tensor(labels), name="sub")
        if _may_end_in_one(predictions):
            condition = build.Equal(expected_rank_diff + 1, rank_diff)
            predictions = _squeezed_if(condition, predictions)
        if _may_end_in_one(labels):
            condition = build.Equal(expected_rank_diff - 1, rank_diff)
            labels = _squeezed_if(condition, labels)
        return labels, predictions


def squeezed_weights(weights: TensorLike, labels: Tensor) -> Tensor:
    """Weights without their last dimension if that gives them the rank of the labels."""
    weights = convert_to_tensor(weights)
    weights_rank, labels_rank = weights.shape.ndims, labels.shape.ndims
    if weights_rank == 0:
        return weights
    if weights_rank is not None and labels_rank is not None:
        return squeeze(weights, [-1]) if weights_rank - labels_rank == 1 else weights
    if not _may_end_in_one(weights):
        return weights
    rank_diff = build.Sub(rank_tensor(weights), rank_tensor(labels), name="sub")
    return _squeezed_if(build.Equal(1, rank_diff), weights)


def _may_end_in_one(x: Tensor) -> bool:
    dims = x.shape.dims
    return dims is None or (len(dims) > 0 and dims[-1].is_compatible_with(1))


def _squeezed_if(condition: Tensor, x: Tensor) -> Tensor:
    """`x`, without its last dimension (of length 1) if the condition holds."""
    return cond(condition, lambda: squeeze(x, [-1]), lambda: x)
