"""tensorflow.python.keras.utils.losses_utils: reduction of losses."""

from __future__ import annotations

from headwater.base.typing import TensorLike
from headwater.distributed.replicas.contexts import get_strategy
from headwater.graph import Tensor, convert_to_tensor
from headwater.keras.losses.classes import ReductionV2
from headwater.model.losses.weighting import num_elements, safe_mean
from headwater.model.reduction_helpers import sum_of
from headwater.ops.math.cast import cast

__all__ = ["reduce_weighted_loss", "scale_loss_for_distribution"]


def reduce_weighted_loss(
    weighted_losses: TensorLike, reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE
) -> Tensor:
    """Reduces losses.

    Args:
        weighted_losses: the losses of the examples.
        reduction: a member of ReductionV2.

    Returns:
        A scalar; without a reduction, the losses.
    """
    losses = convert_to_tensor(weighted_losses)
    if reduction == ReductionV2.NONE:
        return losses
    total = sum_of(losses)
    if reduction != ReductionV2.SUM_OVER_BATCH_SIZE:
        return total
    return safe_mean(total, num_elements(losses))


def scale_loss_for_distribution(loss_value: TensorLike) -> TensorLike:
    """Divides a loss by the number of replicas of the strategy that is in use."""
    replicas = get_strategy().num_replicas_in_sync
    if replicas > 1:
        loss = convert_to_tensor(loss_value)
        return loss * cast(1.0 / replicas, loss.dtype)
    return loss_value
