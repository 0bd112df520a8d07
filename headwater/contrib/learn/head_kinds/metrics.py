"""The metrics of heads: pairs of a value and the op that updates it."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes, logging
from headwater.model.metrics.means import accuracy, mean
from headwater.model.metrics.thresholds import auc, precision_at_thresholds, recall_at_thresholds
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal, greater_equal
from headwater.ops.math.select import where

Metric = tuple[Any, Any]


def float_weights(weights: Any) -> Any:
    """Weights of float32, or None.

    Args:
        weights: a tensor or None.

    Returns:
        A tensor or None.
    """
    return None if weights is None else cast(weights, dtypes.float32)


def _weights_of_class(weights: Any, class_id: int) -> Any:
    """The weights of examples for a class: a vector, or None."""
    if weights is None or weights.get_shape().ndims != 2:
        return weights
    # A column has the weights of all classes.
    return squeeze(weights, [1]) if weights.get_shape()[1] == 1 else weights[:, class_id]


def check_class_id(class_id: Any, num_classes: int | None = None) -> None:
    """Checks the number of a class.

    Args:
        class_id: the number.
        num_classes: the number of classes; or None.

    Raises:
        ValueError: if the number is negative or too high.
    """
    if class_id is None or class_id < 0:
        raise ValueError(f"Invalid class_id {class_id}.")
    if num_classes is not None:
        if num_classes < 2:
            raise ValueError(f"Invalid num_classes {num_classes}.")
        if class_id >= num_classes:
            raise ValueError(f"Invalid class_id {class_id}.")


def prediction_mean(predictions: Any, weights: Any = None, class_id: int | None = None) -> Metric:
    """The mean of predictions.

    Args:
        predictions: a matrix, or a tensor if there is no class.
        weights: the weights of examples, or None.
        class_id: the column; None for all.

    Returns:
        (value, update op).
    """
    if class_id is not None:
        weights = _weights_of_class(weights, class_id)
        predictions = predictions[:, class_id]
    return mean(cast(predictions, dtypes.float32), weights=float_weights(weights))


def indicator_label_mean(labels: Any, weights: Any = None, class_id: int | None = None) -> Metric:
    """The mean of labels of zeros and ones.

    Args:
        labels: a matrix, or a tensor if there is no class.
        weights: the weights of examples, or None.
        class_id: the column; None for all.

    Returns:
        (value, update op).
    """
    return prediction_mean(labels, weights, class_id)


def class_mean(class_ids: Any, weights: Any, class_id: int) -> Metric:
    """The share of examples of a class.

    Args:
        class_ids: the classes of examples.
        weights: the weights of examples, or None.
        class_id: the class.

    Returns:
        (value, update op).
    """
    is_class = equal(class_id, cast(class_ids, dtypes.int32))
    ones = cast(ones_like(class_ids), dtypes.float32)
    return mean(where(is_class, ones, zeros_like(ones)), weights=weights)


def class_label_mean(labels: Any, weights: Any, class_id: int) -> Metric:
    """The share of labels of a class.

    Args:
        labels: class ids.
        weights: the weights of examples, or None.
        class_id: the class.

    Returns:
        (value, update op).
    """
    return class_mean(labels, weights, class_id)


def class_prediction_mean(classes: Any, weights: Any, class_id: int) -> Metric:
    """The share of predictions of a class.

    Args:
        classes: class ids, a vector.
        weights: the weights of examples, or None.
        class_id: the class.

    Returns:
        (value, update op).
    """
    if weights is not None and weights.get_shape().ndims == 2:
        classes = expand_dims(classes, -1)
    return class_mean(classes, weights, class_id)


def streaming_auc(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    class_id: int | None = None,
    curve: str = "ROC",
) -> Metric:
    """The area under a curve.

    Args:
        predictions: probabilities.
        labels: zeros and ones.
        weights: the weights of examples, or None.
        class_id: the column; None for all.
        curve: "ROC" or "PR".

    Returns:
        (value, update op).
    """
    if class_id is not None:
        weights = _weights_of_class(weights, class_id)
        predictions, labels = predictions[:, class_id], labels[:, class_id]
    if labels.dtype.base_dtype != dtypes.bool_:
        logging.warning("Casting %s labels to bool.", labels.dtype)
        labels = cast(labels, dtypes.bool_)
    return auc(labels, predictions, weights=float_weights(weights), curve=curve)


def accuracy_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Metric:
    """The accuracy of predictions that are right from a threshold on.

    Args:
        predictions: probabilities.
        labels: zeros and ones.
        weights: the weights of examples, or None.
        threshold: the threshold.

    Returns:
        (value, update op).
    """
    above = cast(greater_equal(predictions, threshold), dtypes.float32)
    return accuracy(labels, above, weights=weights)


def precision_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Metric:
    """The precision of predictions that are positive from a threshold on.

    Args:
        predictions: probabilities.
        labels: zeros and ones.
        weights: the weights of examples, or None.
        threshold: the threshold.

    Returns:
        (value, update op).
    """
    value, update = precision_at_thresholds(
        labels, predictions, thresholds=(threshold,), weights=float_weights(weights)
    )
    return squeeze(value), squeeze(update)


def recall_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Metric:
    """The recall of predictions that are positive from a threshold on.

    Args:
        predictions: probabilities.
        labels: zeros and ones.
        weights: the weights of examples, or None.
        threshold: the threshold.

    Returns:
        (value, update op).
    """
    value, update = recall_at_thresholds(
        labels, predictions, thresholds=(threshold,), weights=float_weights(weights)
    )
    return squeeze(value), squeeze(update)
