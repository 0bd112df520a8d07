"""Weighted losses and how they are reduced: tf.losses.compute_weighted_loss."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    get_default_graph,
    name_scope,
    ones_like,
    rank_tensor,
    zeros_like,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.model.losses.collections import add_loss
from headwater.model.reduction_helpers import sum_of
from headwater.model.weights_broadcast import assert_broadcastable, broadcast_weights
from headwater.ops.array.shape import size
from headwater.ops.math.cast import cast


@export("losses.Reduction")
class Reduction:
    """How a weighted loss becomes a scalar."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All reductions."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks that `key` is a reduction.

        Raises:
            ValueError: if it is none.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


@export("losses.compute_weighted_loss")
def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Multiplies losses by weights and reduces them.

    Args:
        losses: a tensor of one loss per element.
        weights: a scalar, or a tensor of the same rank whose dimensions are those of `losses` or 1.
        scope: the name scope.
        loss_collection: the collection that gets the result; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A tensor of the type of `losses`: a scalar, or for Reduction.NONE of their shape.

    Raises:
        ValueError: if the weights do not fit or the reduction is unknown.
    """
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss", [losses, weights]):
        get_default_graph()._last_loss_reduction = reduction  # type: ignore[attr-defined]
        with control_dependencies([assert_broadcastable(weights, losses)]):
            losses = convert_to_tensor(losses)
            given = losses.dtype
            losses = cast(losses, dtypes.float32)
            weights = cast(weights, dtypes.float32)
            loss = build.Mul(losses, weights)
            if reduction != Reduction.NONE:
                loss = _reduced(loss, losses, weights, reduction)
            loss = cast(loss, given)
            add_loss(loss, loss_collection)
            return loss


def _reduced(weighted: Tensor, losses: Tensor, weights: TensorLike, reduction: str) -> Tensor:
    total = sum_of(weighted)
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.MEAN:
        ones: Tensor = ones_like(losses)
        return safe_mean(total, sum_of(ones * weights))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return safe_mean(total, num_elements(losses))
    return safe_mean(total, num_present(losses, weights))


def safe_mean(losses: Tensor, count: Tensor) -> Tensor:
    """The sum of losses divided by a count; 0 if the count is 0."""
    return build.DivNoNan(sum_of(losses), count, name="value")


def num_present(losses: Tensor, weights: TensorLike, per_batch: bool = False) -> Tensor:
    """The number of losses whose weight is not 0, of all or of each example.

    Args:
        losses: a tensor; examples are along its first axis.
        weights: weights that fit.
        per_batch: whether to count for each example.

    Returns:
        A float32 tensor: a scalar, or of the rank of `losses` with all but the first length 1.
    """
    if isinstance(weights, float) and weights != 0.0:
        return num_elements(losses)
    with name_scope(None, "num_present", [losses, weights]) as scope:
        weights = cast(weights, dtypes.float32)
        absent = build.Equal(weights, 0.0)
        present = build.Select(absent, zeros_like(weights), ones_like(weights))
        present = broadcast_weights(present, losses)
        if not per_batch:
            return sum_of(present, name=scope)
        axes = build.Range(1, rank_tensor(present), 1, name="range")
        return build.Sum(present, axes, keep_dims=True, name=scope)


def num_elements(losses: Tensor) -> Tensor:
    """The number of elements, in the type of the losses."""
    with name_scope(None, "num_elements", [losses]) as scope:
        return cast(size(losses, name=scope), losses.dtype)
