"""tensorflow.python.ops.losses.util: what is not public of it."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.model.metrics.accumulation import aligned

__all__ = ["squeeze_or_expand_dimensions"]


def squeeze_or_expand_dimensions(
    y_pred: TensorLike, y_true: TensorLike, sample_weight: TensorLike
) -> tuple[Any, Any, Any]:
    """Predictions, labels and weights of one rank, without last dimensions of length 1."""
    predictions, labels, weights = aligned(y_pred, y_true, sample_weight)
    return predictions, labels, weights
