"""The losses of heads: pairs of the loss and of the weighted average of the losses of examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.arguments import fn_args
from headwater.graph import control_dependencies, convert_to_tensor, name_scope
from headwater.model.losses.losses import hinge_loss
from headwater.model.losses.weighting import Reduction
from headwater.model.nn.cross_entropy import log_poisson_loss, sigmoid_cross_entropy_with_logits
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.reshape import expand_dims, reshape, squeeze
from headwater.ops.array.shape import rank
from headwater.ops.control.assertion import assert_
from headwater.ops.math.arithmetic import multiply, squared_difference
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import less_equal
from headwater.ops.math.division import div
from headwater.ops.math.reduce_functions import reduce_mean, reduce_sum

LossPair = tuple[Any, Any]


def weighted_loss(losses: Any, weights: Any, name: str = "loss") -> LossPair:
    """The mean of weighted losses, and their sum divided by that of the weights.

    Args:
        losses: the losses of examples.
        weights: the weights of examples, or None.
        name: the name of the mean.

    Returns:
        (mean, weighted average); the same tensor twice without weights.
    """
    with name_scope(name) as scope:
        if weights is None:
            loss = reduce_mean(losses, name=scope)
            return loss, loss
        weights = broadcast_weights(weights, losses)
        weighted = multiply(losses, weights, name="weighted_loss")
        mean = reduce_mean(weighted, name=scope)
        average = div(reduce_sum(weighted), reduce_sum(weights), name="weighted_average_loss")
        return mean, average


def _column(tensor: Any) -> Any:
    return expand_dims(tensor, axis=1) if tensor.get_shape().ndims == 1 else tensor


def _both_as_columns(labels: Any, logits: Any) -> tuple[Any, Any]:
    labels, logits = _column(convert_to_tensor(labels)), _column(convert_to_tensor(logits))
    logits.get_shape().assert_is_compatible_with(labels.get_shape())
    return labels, logits


def mean_squared_loss(labels: Any, logits: Any, weights: Any = None) -> LossPair:
    """The squared differences of labels and logits.

    Args:
        labels: a matrix or vector.
        logits: a tensor of the same shape.
        weights: the weights of examples, or None.

    Returns:
        (loss, weighted average).

    Raises:
        ValueError: if the shapes differ.
    """
    with name_scope("mean_squared_loss") as name:
        labels, logits = _both_as_columns(labels, logits)
        losses = squared_difference(logits, cast(labels, dtypes.float32), name=name)
        return weighted_loss(losses, weights)


def poisson_loss(labels: Any, logits: Any, weights: Any = None) -> LossPair:
    """The negative log likelihood of counts; the logits are the logarithms of their means.

    Args:
        labels: a matrix or vector.
        logits: a tensor of the same shape.
        weights: the weights of examples, or None.

    Returns:
        (loss, weighted average).

    Raises:
        ValueError: if the shapes differ.
    """
    with name_scope("_poisson_loss") as name:
        labels, logits = _both_as_columns(labels, logits)
        losses = log_poisson_loss(
            cast(labels, dtypes.float32), logits, compute_full_loss=True, name=name
        )
        return weighted_loss(losses, weights)


def log_loss_with_two_classes(labels: Any, logits: Any, weights: Any = None) -> LossPair:
    """The cross entropy of two classes.

    Args:
        labels: numbers from 0 to 1.
        logits: a column.
        weights: the weights of examples, or None.

    Returns:
        (loss, weighted average).

    Raises:
        ValueError: if the shapes differ.
    """
    with name_scope("log_loss_with_two_classes") as name:
        logits = convert_to_tensor(logits)
        labels = _column(cast(labels, dtypes.float32))
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name=name)
        return weighted_loss(losses, weights)


def sigmoid_cross_entropy_loss(labels: Any, logits: Any, weights: Any = None) -> LossPair:
    """The cross entropy of several labels, each of which is there or not.

    Args:
        labels: numbers from 0 to 1.
        logits: a tensor of the same shape.
        weights: the weights of examples, or None.

    Returns:
        (loss, weighted average).

    Raises:
        ValueError: if the shapes differ.
    """
    with name_scope("sigmoid_cross_entropy_loss") as name:
        losses = sigmoid_cross_entropy_with_logits(
            labels=cast(labels, dtypes.float32), logits=logits, name=name
        )
        return weighted_loss(losses, weights)


def softmax_cross_entropy_loss(labels: Any, logits: Any, weights: Any = None) -> LossPair:
    """The cross entropy of classes.

    Args:
        labels: class ids, a vector or column of integers.
        logits: a matrix.
        weights: the weights of examples, or None.

    Returns:
        (loss, weighted average).

    Raises:
        ValueError: if the labels are not integers.
    """
    with name_scope("softmax_cross_entropy_loss") as name:
        labels = convert_to_tensor(labels)
        if not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer Instead got {labels.dtype}.")
        is_column = labels.get_shape().ndims == 2
        if is_column:
            labels = squeeze(labels, axis=[1])
        losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)
        # With column labels the weights are a column, too.
        return weighted_loss(expand_dims(losses, axis=1) if is_column else losses, weights)


def svm_hinge_loss(labels: Any, logits: Any, weights: Any = None) -> LossPair:
    """The hinge loss.

    Args:
        labels: zeros and ones, a vector or column.
        logits: a column.
        weights: the weights of examples, or None.

    Returns:
        (loss, weighted average).

    Raises:
        ValueError: if the labels have more than two dimensions.
    """
    with name_scope("hinge_loss") as name:
        labels = convert_to_tensor(labels)
        message = "labels shape should be either [batch_size, 1] or [batch_size]"
        with control_dependencies([assert_(less_equal(rank(labels), 2), [message])]):
            labels = reshape(labels, shape=(-1, 1))
        losses = hinge_loss(labels=labels, logits=logits, scope=name, reduction=Reduction.NONE)
        return weighted_loss(losses, weights)


def wrapped_loss(loss_fn: Callable[..., Any]) -> Callable[..., LossPair]:
    """A loss function of a program as one that returns a pair.

    Args:
        loss_fn: a function of `labels`, `logits` and `weights`.

    Returns:
        A function of the same arguments.

    Raises:
        ValueError: if the function lacks a parameter.
    """
    names = fn_args(loss_fn)
    for name in ("labels", "logits", "weights"):
        if name not in names:
            raise ValueError(f"Argument {name} not found in loss_fn.")

    def pair(labels: Any, logits: Any, weights: Any = None) -> LossPair:
        if weights is None:
            loss = loss_fn(labels=labels, logits=logits)
        else:
            loss = loss_fn(labels=labels, logits=logits, weights=weights)
        return loss, loss

    return pair
