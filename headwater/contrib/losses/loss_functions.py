"""The loss functions of tf.contrib.losses."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.older_calls import renamed
from headwater.base.typing import TensorLike
from headwater.contrib.losses.collection import add_loss
from headwater.contrib.losses.weighting import (
    compute_weighted_loss,
    known_rank,
    num_present,
    scaled_sum,
)
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.softmax_cross_entropy import softmax_cross_entropy_with_logits


def _floats(predictions: TensorLike, labels: TensorLike) -> tuple[Any, Any]:
    """Predictions and labels as float32 of one shape."""
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return cast(predictions, dtypes.float32), cast(labels, dtypes.float32)


@export("contrib.losses.absolute_difference")
@renamed(targets="labels", weight="weights")
def absolute_difference(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
) -> Tensor:
    """Adds the loss abs(predictions - labels).

    Args:
        predictions: a tensor [batch, ...].
        labels: a tensor of the same shape.
        weights: a scalar, or a tensor whose shape is the beginning of that of the losses.
        scope: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = build.Abs(build.Sub(predictions, labels))
        return compute_weighted_loss(losses, weights, scope=scope)


@export("contrib.losses.sigmoid_cross_entropy")
@renamed(weight="weights")
def sigmoid_cross_entropy(
    logits: TensorLike,
    multi_class_labels: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:
    """Adds the cross entropy of independent classes.

    Args:
        logits: log-odds, [batch, classes].
        multi_class_labels: 0 or 1, of the same shape.
        weights: a scalar, or a tensor whose shape is the beginning of that of the losses.
        label_smoothing: how far labels are moved towards one half.
        scope: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if the shapes do not fit.
    """
    values = [logits, multi_class_labels, weights]
    with name_scope(scope, "sigmoid_cross_entropy_loss", values) as scope:
        logits.get_shape().assert_is_compatible_with(multi_class_labels.get_shape())
        labels = cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


@export("contrib.losses.softmax_cross_entropy")
@renamed(weight="weights")
def softmax_cross_entropy(
    logits: TensorLike,
    onehot_labels: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:
    """Adds the cross entropy of classes that exclude each other.

    Args:
        logits: [batch, classes].
        onehot_labels: probabilities, of the same shape.
        weights: a scalar, or a vector [batch].
        label_smoothing: how far labels are moved towards equal probabilities.
        scope: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if the shapes do not fit.
    """
    values = [logits, onehot_labels, weights]
    with name_scope(scope, "softmax_cross_entropy_loss", values) as scope:
        logits.get_shape().assert_is_compatible_with(onehot_labels.get_shape())
        labels = cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            sizes: TensorLike = shape(labels)
            number = cast(sizes[1], logits.dtype)
            share = label_smoothing / number
            labels = labels * (1 - label_smoothing) + share
        losses = softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


@export("contrib.losses.sparse_softmax_cross_entropy")
@renamed(weight="weights")
def sparse_softmax_cross_entropy(
    logits: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: str | None = None
) -> Tensor:
    """Adds the cross entropy of one right class for each example.

    Args:
        logits: [batch, classes].
        labels: class numbers, [batch] or [batch, 1].
        weights: a scalar, or a vector [batch].
        scope: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if the shapes do not fit.
    """
    values = [logits, labels, weights]
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", values) as scope:
        sizes: TensorLike = shape(labels)
        labels = reshape(labels, shape=[sizes[0]])
        losses = sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, scope=scope)


@export("contrib.losses.log_loss")
@renamed(targets="labels", weight="weights")
def log_loss(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
) -> Tensor:
    """Adds the loss -labels log(predictions) - (1 - labels) log(1 - predictions).

    Args:
        predictions: probabilities, [batch, ...].
        labels: 0 or 1, of the same shape.
        weights: a scalar, or a tensor whose shape is the beginning of that of the losses.
        epsilon: what is added to the arguments of logarithms.
        scope: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        first: Tensor = build.Neg(build.Mul(labels, build.Log(predictions + epsilon)))
        rest = build.Mul(1 - labels, build.Log(1 - predictions + epsilon))
        return compute_weighted_loss(first - rest, weights, scope=scope)


@export("contrib.losses.hinge_loss")
@renamed(target="labels")
def hinge_loss(logits: TensorLike, labels: TensorLike = None, scope: str | None = None) -> Tensor:
    """The loss max(0, 1 - (2 labels - 1) logits) of each element; it is not collected.

    Args:
        logits: a tensor.
        labels: 0 or 1, of the same shape.
        scope: the name scope.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(scope, "hinge_loss", [logits, labels]):
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        labels = cast(labels, dtypes.float32)
        one = ones_like(labels)
        labels = build.Sub(2 * labels, one)
        return build.Relu(build.Sub(one, build.Mul(labels, logits)))


@export("contrib.losses.mean_squared_error", "contrib.losses.sum_of_squares")
@renamed(targets="labels", weight="weights")
def mean_squared_error(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
) -> Tensor:
    """Adds the loss (predictions - labels) ** 2.

    Args:
        predictions: a tensor [batch, ...].
        labels: a tensor of the same shape.
        weights: a scalar, or a tensor whose shape is the beginning of that of the losses.
        scope: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = build.SquaredDifference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope=scope)


@export("contrib.losses.mean_pairwise_squared_error", "contrib.losses.sum_of_pairwise_squares")
@renamed(targets="labels", weight="weights")
def mean_pairwise_squared_error(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
) -> Tensor:
    """Adds the mean squared error of the differences between pairs of elements of an example.

    Args:
        predictions: a tensor [batch, ...].
        labels: a tensor of the same shape.
        weights: a scalar, or a tensor [batch] or [batch, 1].
        scope: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if the shapes do not fit or a rank is not known.
    """
    values = [predictions, labels, weights]
    with name_scope(scope, "mean_pairwise_squared_error", values) as scope:
        predictions, labels = _floats(predictions, labels)
        weights = cast(convert_to_tensor(weights), dtypes.float32)
        difference = build.Sub(predictions, labels)
        known_rank(weights, "weights")
        axes = list(range(1, known_rank(difference, "diffs")))
        squares = reduce_sum(build.Square(difference), axis=axes)
        count = num_present(difference, weights, per_batch=True)
        first: TensorLike = 2.0 * build.DivNoNan(squares, count, name="value")
        total = reduce_sum(difference, axis=axes)
        square = build.Square(total)
        second: Tensor = 2.0 * build.DivNoNan(square, build.Square(count), name="value")
        loss = scaled_sum(first - second, weights)
        some = build.Greater(reduce_sum(count), 0)
        mean = build.Select(some, loss, zeros_like(loss), name="value")
        add_loss(mean)
        return mean


@export("contrib.losses.cosine_distance")
@renamed(targets="labels", weight="weights")
def cosine_distance(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """Adds the cosine distance of vectors of length 1.

    Args:
        predictions: a tensor [batch, ...].
        labels: a tensor of the same shape.
        axis: the dimension of the vectors.
        weights: a scalar, or a tensor whose shape is the beginning of that of the losses.
        scope: the name scope.
        dim: the older name of `axis`.

    Returns:
        A scalar.

    Raises:
        ValueError: if there is no axis, or the shapes do not fit.
    """
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        product = build.Mul(predictions, labels)
        losses: Tensor = 1 - reduce_sum(product, axis=[axis])
        return compute_weighted_loss(losses, weights, scope=scope)
