"""The loss of sequences whose logits are one tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.typing import TensorLike
from headwater.contrib.legacy_seq2seq.losses import call_loss
from headwater.graph import Tensor, export, name_scope, shape_tensor
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.model.reduction_helpers import sum_of
from headwater.ops.array.reshape import reshape
from headwater.ops.math.cast import cast
from headwater.ops.math.division import divide_no_nan
from headwater.ops.math.reduce_functions import count_nonzero


def _check(averaged: bool, summed: bool, axis: str) -> None:
    if averaged and summed:
        raise ValueError(
            f"average_across_{axis} and sum_over_{axis} cannot be set to True at same time."
        )


@export("contrib.seq2seq.sequence_loss")
def sequence_loss(
    logits: TensorLike,
    targets: TensorLike,
    weights: TensorLike,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the weighted cross entropy of a batch of sequences.

    Args:
        logits: a tensor of shape [batch, steps, classes].
        targets: integers of shape [batch, steps].
        weights: floats of shape [batch, steps].
        average_across_timesteps: whether losses are summed over steps and divided by the sum of
            the weights.
        average_across_batch: the same over the batch.
        sum_over_timesteps: whether losses are summed over steps and divided by the number of
            weights that are not zero. (In the order of TensorFlow 1.0 this place is that of
            `softmax_loss_function`, and the next one that of `name`.)
        sum_over_batch: the same over the batch.
        softmax_loss_function: a function (labels, logits) -> losses; the cross entropy with softmax
            if None.
        name: the name scope.

    Returns:
        A float tensor: a scalar, [batch], [steps] or [batch, steps].

    Raises:
        ValueError: if a rank is wrong, or an average and a sum are wanted over the same axis.
    """
    if callable(sum_over_timesteps):
        softmax_loss_function = sum_over_timesteps
        name = sum_over_batch if isinstance(sum_over_batch, str) else name
        sum_over_timesteps = sum_over_batch = False
    if len(logits.get_shape()) != 3:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
    if len(targets.get_shape()) != 2:
        raise ValueError("Targets must be a [batch_size x sequence_length] tensor")
    if len(weights.get_shape()) != 2:
        raise ValueError("Weights must be a [batch_size x sequence_length] tensor")
    _check(average_across_timesteps, sum_over_timesteps, "timesteps")
    _check(average_across_batch, sum_over_batch, "batch")
    with name_scope(name, "sequence_loss", [logits, targets, weights]):
        shape: Tensor = shape_tensor(logits)
        flat_logits = reshape(logits, [-1, shape[2]])
        flat_targets = reshape(targets, [-1])
        if softmax_loss_function is None:
            losses: Tensor = sparse_softmax_cross_entropy_with_logits(
                labels=flat_targets, logits=flat_logits
            )
        else:
            losses = call_loss(softmax_loss_function, flat_targets, flat_logits)
        losses = losses * reshape(weights, [-1])
        averages = (average_across_batch, average_across_timesteps)
        sums = (sum_over_batch, sum_over_timesteps)
        if all(averages) or all(sums):
            return _per_weight(losses, weights, None, all(averages))
        whole: Tensor = shape_tensor(logits)
        losses = reshape(losses, whole[0:2])
        for wanted, averaged in ((averages, True), (sums, False)):
            if any(wanted):
                return _per_weight(losses, weights, [0] if wanted[0] else [1], averaged)
        return losses


def _per_weight(
    losses: TensorLike, weights: TensorLike, axis: list[int] | None, averaged: bool
) -> Tensor:
    """The sum of losses over the sum of weights, or over the number of those that are not zero."""
    total = sum_of(losses, axis)
    if averaged:
        return divide_no_nan(total, sum_of(weights, axis))
    return divide_no_nan(total, cast(count_nonzero(weights, axis=axis), total.dtype))
