"""Losses of examples, for gradient boosted trees.

Each function returns the losses of examples, [examples, 1], and an op that does nothing.
"""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor
from headwater.graph.convert import convert_to_tensor
from headwater.model.losses.losses import hinge_loss
from headwater.model.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.control.identity import no_op
from headwater.ops.math.arithmetic import multiply, negative
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import exp, log, sigmoid
from headwater.ops.math.extrema import clip_by_value, maximum
from headwater.ops.math.powers import square
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.softmax import softmax

Loss = tuple[Tensor, Operation]


def per_example_logistic_loss(
    labels: TensorLike, weights: TensorLike, predictions: TensorLike
) -> Loss:
    """The logistic losses of examples.

    Args:
        labels: 0 or 1, [examples, 1].
        weights: the weights of examples, [examples, 1].
        predictions: logits, [examples, 1].

    Returns:
        The losses, and an op that does nothing.
    """
    losses = sigmoid_cross_entropy_with_logits(labels=cast(labels, "float32"), logits=predictions)
    return multiply(losses, weights), no_op()


def per_example_squared_loss(
    labels: TensorLike, weights: TensorLike, predictions: TensorLike
) -> Loss:
    """The squared errors of examples.

    Args:
        labels: the wanted values, [examples, logits].
        weights: the weights of examples, [examples, 1].
        predictions: the predicted values, [examples, logits].

    Returns:
        The losses, summed over logits, and an op that does nothing.
    """
    errors = square(convert_to_tensor(predictions) - labels)
    return multiply(weights, reduce_sum(errors, 1, keepdims=True)), no_op()


def per_example_squared_hinge_loss(
    labels: TensorLike, weights: TensorLike, predictions: TensorLike
) -> Loss:
    """The square of the mean hinge loss, a scalar.

    Args:
        labels: 0 or 1, [examples, 1].
        weights: the weights of examples, [examples, 1].
        predictions: logits, [examples, 1].

    Returns:
        The loss, and an op that does nothing.
    """
    return square(hinge_loss(labels=labels, logits=predictions, weights=weights)), no_op()


def per_example_exp_loss(
    labels: TensorLike,
    weights: TensorLike,
    predictions: TensorLike,
    name: str | None = None,
    eps: float = 0.1,
) -> Loss:
    """The exponential losses of probabilities near one half, constant further away.

    Args:
        labels: 0 or 1, [examples, 1].
        weights: the weights of examples, [examples, 1].
        predictions: logits, [examples, 1].
        name: unused.
        eps: how far from one half probabilities matter.

    Returns:
        The losses, and an op that does nothing.
    """
    signs = 2.0 * cast(labels, "float32") - 1.0
    margins = clip_by_value((sigmoid(predictions) - 0.5) / eps, -1.0, 1.0)
    return multiply(exp(negative(signs * margins)), weights), no_op()


def per_example_full_exp_loss(
    labels: TensorLike, weights: TensorLike, predictions: TensorLike, name: str | None = None
) -> Loss:
    """The exponential losses of examples.

    Args:
        labels: 0 or 1, [examples, 1].
        weights: the weights of examples, [examples, 1].
        predictions: logits, [examples, 1].
        name: unused.

    Returns:
        The losses, and an op that does nothing.
    """
    signs = 2.0 * cast(labels, "float32") - 1.0
    return multiply(exp(negative(signs * predictions)), weights), no_op()


def per_example_quantile_regression_loss(
    labels: TensorLike, weights: TensorLike, predictions: TensorLike, quantile: float
) -> Loss:
    """The squared tilted losses of examples, whose minimum is near a quantile.

    Args:
        labels: the values, [examples, 1].
        weights: the weights of examples, [examples, 1]; None for ones.
        predictions: the predicted quantiles, [examples, 1].
        quantile: the quantile, in [0, 1].

    Returns:
        The losses, and an op that does nothing.
    """
    errors = cast(labels, "float32") - predictions
    losses = square(maximum(quantile * errors, (quantile - 1.0) * errors))
    return (losses if weights is None else multiply(weights, losses)), no_op()


def per_example_maxent_loss(
    labels: TensorLike,
    weights: TensorLike,
    logits: TensorLike,
    num_classes: int,
    eps: float = 1e-15,
) -> Loss:
    """The cross entropies of examples and their classes.

    Args:
        labels: classes, [examples] or [examples, 1].
        weights: the weights of examples, [examples, 1].
        logits: logits, [examples, classes].
        num_classes: the number of classes.
        eps: smaller probabilities count as this.

    Returns:
        The losses, [examples, 1], and an op that does nothing.
    """
    classes = cast(labels, "int64")
    if classes.shape.ndims == 2:
        classes = squeeze(classes, [1])
    chosen = one_hot(classes, num_classes, dtype=dtypes.float32)
    probabilities = maximum(softmax(logits), eps)
    losses = negative(reduce_sum(chosen * log(probabilities), 1))
    return multiply(expand_dims(losses, 1), weights), no_op()
