"""The train op of a head, and the summaries of its losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.graph import Tensor, group, name_scope
from headwater.graph.default_graph import get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.global_step import get_global_step
from headwater.model.losses.weighting import Reduction
from headwater.ops.array.fill import ones_like
from headwater.ops.math.add_n import add_n
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.summary.scalar import scalar


def summary_key(head_name: str | None, key: str) -> str:
    """The name of a metric or summary, with that of the head."""
    return f"{key}/{head_name}" if head_name else key


def regularized(
    loss: Tensor, regularization_losses: Sequence[Tensor] | None
) -> tuple[Tensor, Tensor | None]:
    """A loss with the losses of regularization added, and their sum or None."""
    if not regularization_losses:
        return loss, None
    total = add_n(list(regularization_losses))
    return loss + total, total


def with_update_ops(train_op: Any) -> Any:
    """A train op that also runs the ops of the collection UPDATE_OPS."""
    update_ops = get_collection(GraphKeys.UPDATE_OPS)
    return group(train_op, *update_ops) if update_ops else train_op


def make_train_op(optimizer: Any, train_op_fn: Callable[[Tensor], Any] | None, loss: Tensor) -> Any:
    """The op that trains.

    Args:
        optimizer: an Optimizer; or None.
        train_op_fn: a function of the loss that returns the op; or None.
        loss: the loss.

    Returns:
        An op or tensor.

    Raises:
        ValueError: if both or neither are given.
    """
    if optimizer is not None:
        if train_op_fn is not None:
            raise ValueError("train_op_fn and optimizer cannot both be set.")
        return optimizer.minimize(loss, global_step=get_global_step())
    if train_op_fn is None:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    return train_op_fn(loss)


def mean_loss_of_sum(
    loss_reduction: str, training_loss: Tensor, unreduced_loss: Tensor, weights: Any
) -> Tensor | None:
    """The mean loss of a sum of losses; None for other reductions, which need no second figure."""
    if loss_reduction != Reduction.SUM:
        return None
    return training_loss / reduce_sum(weights * ones_like(unreduced_loss))


def write_loss_summaries(
    head_name: str | None, loss: Tensor, mean_loss: Any = None, regularization_loss: Any = None
) -> None:
    """Makes summaries of the losses, outside of all name scopes.

    Args:
        head_name: the name of the head; or None.
        loss: the loss.
        mean_loss: the mean loss; or None.
        regularization_loss: the loss of regularization; or None.
    """
    with name_scope(""):
        scalar(summary_key(head_name, MetricKeys.LOSS), loss)
        if mean_loss is not None:
            scalar(summary_key(head_name, MetricKeys.LOSS_MEAN), mean_loss)
        if regularization_loss is not None:
            scalar(summary_key(head_name, MetricKeys.LOSS_REGULARIZATION), regularization_loss)
