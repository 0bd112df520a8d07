"""The bias of a head that is learned before the rest of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.graph import name_scope
from headwater.model.variables.variable import Variable
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.tile import tile
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.summary.scalar import scalar
from headwater.train.optimizers.adagrad import AdagradOptimizer

_LEARNING_RATE = 0.1


def summary_key(head_name: str | None, name: str) -> str:
    """The name of a metric or summary of a head.

    Args:
        head_name: the name of the head, or None.
        name: the name of the metric.

    Returns:
        The name, that of the head at its end.
    """
    return f"{name}/{head_name}" if head_name else name


def centered_bias_of(logits_dimension: int, head_name: str | None) -> Variable:
    """Makes the bias of a head, and a summary of each of its elements.

    Args:
        logits_dimension: its size.
        head_name: the name of the head, or None.

    Returns:
        A Variable.

    Raises:
        ValueError: if the size is not positive.
    """
    if logits_dimension is None or logits_dimension < 1:
        raise ValueError(f"Invalid logits_dimension {logits_dimension}.")
    bias = Variable(zeros(shape=[logits_dimension]), name="centered_bias_weight")
    for index in range(logits_dimension):
        scalar(summary_key(head_name, f"centered_bias/bias_{index}"), bias[index])
    return bias


def centered_bias_step(
    bias: Variable,
    labels: Any,
    loss_fn: Callable[..., Any],
    weights: Any,
    logits_dimension: int,
) -> Any:
    """Makes the op that learns the bias.

    Args:
        bias: the bias.
        labels: the labels.
        loss_fn: a function of labels, logits and weights that returns a pair of losses.
        weights: the weights of examples, or None.
        logits_dimension: the size of the bias.

    Returns:
        An Operation.
    """
    with name_scope("centered_bias_step") as name:
        count = shape(labels)[0]
        logits = reshape(tile(bias, [count]), [count, logits_dimension])
        with name_scope("centered_bias"):
            # The mean of the loss and of the weighted average, as in TensorFlow.
            loss = reduce_mean(loss_fn(labels, logits, weights), name="training_loss")
    optimizer = AdagradOptimizer(_LEARNING_RATE)
    return optimizer.minimize(loss, var_list=[bias], name=name)
