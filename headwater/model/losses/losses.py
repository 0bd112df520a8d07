"""The loss functions of tf.losses."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    ones_like,
    rank_tensor,
    shape_tensor,
    zeros_like,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.model.losses.collections import add_loss
from headwater.model.losses.weighting import Reduction, compute_weighted_loss, num_present
from headwater.model.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.model.reduction_helpers import sum_of
from headwater.model.squeezing import remove_squeezable_dimensions, squeezed_weights
from headwater.model.weights_broadcast import assert_broadcastable
from headwater.ops.math.cast import cast
from headwater.ops.nn.axes import one_of
from headwater.ops.nn.softmax_cross_entropy import softmax_cross_entropy_with_logits_v2


def _required(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"{name} must not be None.")


def _floats(predictions: TensorLike, labels: TensorLike) -> tuple[Any, Any]:
    """Predictions and labels as float32 of one shape."""
    predictions = cast(predictions, dtypes.float32)
    labels = cast(labels, dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels


@export("losses.absolute_difference")
def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Adds the loss abs(predictions - labels).

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of numbers of the same shape.
        weights: a scalar, or a tensor of the same rank whose dimensions are those of `labels` or 1.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A float32 tensor: a scalar, or for Reduction.NONE of the shape of `labels`.

    Raises:
        ValueError: if labels or predictions are None or shapes do not fit.
    """
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = build.Abs(build.Sub(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.cosine_distance")
def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: AxisLike | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: AxisLike | None = None,
) -> Tensor:
    """Adds the loss 1 - sum(predictions * labels, axis), for vectors of length 1.

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of numbers of the same shape.
        axis: the axis of the vectors.
        weights: a scalar, or a tensor of the rank of `labels` whose dimensions are theirs or 1.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.
        dim: older name of `axis`.

    Returns:
        A float32 tensor: a scalar, or for Reduction.NONE of one loss per vector.

    Raises:
        ValueError: if labels, predictions or axis are None or shapes do not fit.
    """
    axis = one_of("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        products = build.Mul(predictions, labels)
        similarity: Tensor = build.Sum(products, (axis,), keep_dims=True)
        losses = 1 - similarity
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.hinge_loss")
def hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Adds the loss max(0, 1 - (2 * labels - 1) * logits).

    Args:
        labels: a tensor of 0.0 and 1.0.
        logits: a float tensor of the same shape.
        weights: a scalar, or a tensor of the same rank whose dimensions are those of `labels` or 1.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A float32 tensor: a scalar, or for Reduction.NONE of the shape of `labels`.

    Raises:
        ValueError: if labels or logits are None or shapes do not fit.
    """
    _required(labels=labels, logits=logits)
    with name_scope(scope, "hinge_loss", [logits, labels, weights]) as scope:
        logits, labels = _floats(logits, labels)
        ones = ones_like(labels)
        signs = build.Sub(2 * labels, ones)
        losses = build.Relu(build.Sub(ones, build.Mul(signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.huber_loss")
def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Adds a loss that is quadratic for errors below `delta` and linear above.

    With x = abs(predictions - labels) that is x ** 2 / 2 where x <= delta, else
    delta ** 2 / 2 + delta * (x - delta).

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of numbers of the same shape.
        weights: a scalar, or a tensor of the same rank whose dimensions are those of `labels` or 1.
        delta: the error at which the loss becomes linear.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A float32 tensor: a scalar, or for Reduction.NONE of the shape of `labels`.

    Raises:
        ValueError: if labels or predictions are None or shapes do not fit.

    Source: P. Huber, "Robust Estimation of a Location Parameter", 1964.
    """
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "huber_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        error = build.Abs(build.Sub(predictions, labels))
        quadratic = build.Minimum(error, delta)
        linear = build.Sub(error, quadratic)
        half = constant_node(0.5, quadratic.dtype)
        losses = build.Add(
            build.Mul(half, build.Mul(quadratic, quadratic)), build.Mul(delta, linear)
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.log_loss")
def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Adds the cross entropy of labels and predicted probabilities.

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of probabilities of the same shape.
        weights: a scalar, or a tensor of the same rank whose dimensions are those of `labels` or 1.
        epsilon: what is added before logarithms are taken.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A float32 tensor: a scalar, or for Reduction.NONE of the shape of `labels`.

    Raises:
        ValueError: if labels or predictions are None or shapes do not fit.
    """
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        of_ones = -build.Mul(labels, build.Log(predictions + epsilon))
        of_zeros = build.Mul((1 - labels), build.Log(1 - predictions + epsilon))
        losses = of_ones - of_zeros
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
    """Adds the mean squared difference of differences: of all pairs of elements of an example.

    Args:
        labels: a tensor of numbers, one example per row.
        predictions: a tensor of numbers of the same shape.
        weights: a scalar, or one number per example.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.

    Returns:
        A float32 scalar.

    Raises:
        ValueError: if labels or predictions are None or shapes do not fit.
    """
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        weights = cast(weights, dtypes.float32)
        labels = cast(labels, dtypes.float32)
        with control_dependencies([assert_broadcastable(weights, labels)]):
            predictions = cast(predictions, dtypes.float32)
            predictions.shape.assert_is_compatible_with(labels.shape)
            differences = build.Sub(predictions, labels)
            axes = build.Range(1, rank_tensor(differences), 1, name="range")
            squares = build.Sum(build.Square(differences), axes, keep_dims=True)
            count: TensorLike = num_present(differences, weights, per_batch=True)
            first = build.DivNoNan(squares, build.Maximum(count - 1, 0), name="value")
            first = build.Mul(2.0, first, name="mul")
            total = build.Sum(differences, axes, keep_dims=True)
            square = build.Square(total)
            pairs = build.Maximum(build.Mul(count, count - 1), 0)
            second = build.DivNoNan(square, pairs, name="value")
            second = build.Mul(2.0, second, name="mul")
            loss = sum_of(build.Mul(build.Sub(first, second, name="sub"), weights))
            found: TensorLike = sum_of(count)
            mean = build.Select(found > 0, loss, zeros_like(loss), name="value")
            add_loss(mean, loss_collection)
            return mean


@export("losses.mean_squared_error")
def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Adds the loss (predictions - labels) ** 2.

    Args:
        labels: a tensor of numbers.
        predictions: a tensor of numbers of the same shape.
        weights: a scalar, or a tensor of the same rank whose dimensions are those of `labels` or 1.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A float32 tensor: a scalar, or for Reduction.NONE of the shape of `labels`.

    Raises:
        ValueError: if labels or predictions are None or shapes do not fit.
    """
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = build.SquaredDifference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Adds the sigmoid cross entropy.

    Args:
        multi_class_labels: a tensor of 0 and 1, [batch, classes].
        logits: a float tensor of the same shape.
        weights: a scalar, or a tensor of the same rank whose dimensions are those of `logits` or 1.
        label_smoothing: by how much labels are drawn towards 1/2.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A tensor of the type of `logits`: a scalar, or for Reduction.NONE of their shape.

    Raises:
        ValueError: if labels or logits are None or shapes do not fit.
    """
    _required(multi_class_labels=multi_class_labels, logits=logits)
    with name_scope(
        scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]
    ) as scope:
        logits = convert_to_tensor(logits)
        labels = cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.softmax_cross_entropy")
def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Adds the softmax cross entropy.

    Args:
        onehot_labels: a tensor of one row per example, 1 at its class and 0 elsewhere.
        logits: a float tensor of the same shape.
        weights: a scalar, or one number per example.
        label_smoothing: by how much labels are drawn towards 1 / number of classes.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A tensor of the type of `logits`: a scalar, or for Reduction.NONE of one loss per example.

    Raises:
        ValueError: if labels or logits are None or shapes do not fit.
    """
    _required(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            shape: Tensor = shape_tensor(labels)
            num_classes = cast(shape[-1], logits.dtype)
            others = label_smoothing / num_classes
            labels = labels * (1.0 - label_smoothing) + others
        labels = build.StopGradient(labels, name="labels_stop_gradient")
        losses = softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Adds the softmax cross entropy against class indices.

    Args:
        labels: int32 or int64 class indices, of the shape of `logits` without the last dimension;
            a last dimension of length 1 is dropped.
        logits: a float tensor, classes along the last axis.
        weights: a scalar, or of the shape of `labels`; a last dimension of length 1 is dropped.
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A tensor of the type of `logits`: a scalar, or for Reduction.NONE of the shape of `labels`.

    Raises:
        ValueError: if labels or logits are None or shapes do not fit.
    """
    _required(labels=labels, logits=logits)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        if weights is not None:
            weights = squeezed_weights(weights, labels)
        losses = sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
