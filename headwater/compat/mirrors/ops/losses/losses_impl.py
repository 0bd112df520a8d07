"""tensorflow.python.ops.losses.losses_impl: what is not public of it."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.model.losses.weighting import num_elements as _num_elements
from headwater.model.losses.weighting import num_present as _num_present
from headwater.model.losses.weighting import safe_mean as _safe_mean
from headwater.model.squeezing import remove_squeezable_dimensions, squeezed_weights

__all__ = ["_num_elements", "_num_present", "_remove_squeezable_dimensions", "_safe_mean"]


def _remove_squeezable_dimensions(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    expected_rank_diff: int = 0,
) -> tuple[Any, Any, Any]:
    """Labels, predictions and weights without last dimensions of length 1 that do not fit."""
    labels, predictions = remove_squeezable_dimensions(
        labels, predictions, expected_rank_diff=expected_rank_diff
    )
    if weights is not None:
        weights = squeezed_weights(weights, labels)
    return labels, predictions, weights
