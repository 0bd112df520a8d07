"""Accuracies per example: functions of targets and predictions."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor
from headwater.keras.backend.settings import floatx
from headwater.ops.array.reshape import squeeze
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.nn.in_top_k import in_top_k


def accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Whether predictions equal targets, as 0 and 1."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    return cast(equal(cast(y_true, y_pred.dtype), y_pred), floatx())


@export("keras.metrics.binary_accuracy")
def binary_accuracy(y_true: TensorLike, y_pred: TensorLike, threshold: float = 0.5) -> Tensor:
    """Returns the share of predictions on the right side of a threshold.

    Args:
        y_true: the targets, 0 or 1.
        y_pred: the predictions, of the same shape.
        threshold: what is above counts as 1.

    Returns:
        A tensor without their last axis.
    """
    bound = cast(threshold, y_pred.dtype)
    y_pred = cast(y_pred > bound, y_pred.dtype)
    return reduce_mean(cast(equal(y_true, y_pred), floatx()), axis=-1)


@export("keras.metrics.categorical_accuracy")
def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Whether the largest prediction is where the largest target is.

    Args:
        y_true: the target probabilities.
        y_pred: the predictions, of the same shape.

    Returns:
        A tensor of 0 and 1 without their last axis.
    """
    return cast(equal(argmax(y_true, axis=-1), argmax(y_pred, axis=-1)), floatx())


@export("keras.metrics.sparse_categorical_accuracy")
def sparse_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Whether the largest prediction is that of the target.

    Args:
        y_true: the numbers of the classes.
        y_pred: the predictions.

    Returns:
        A tensor of 0 and 1.
    """
    y_pred = convert_to_tensor(y_pred)
    y_true = convert_to_tensor(y_true)
    ranks = y_pred.shape.ndims, y_true.shape.ndims
    if None not in ranks and ranks[0] == ranks[1]:
        y_true = squeeze(y_true, [-1])
    found: Tensor = argmax(y_pred, axis=-1)
    if found.dtype.base_dtype != y_true.dtype.base_dtype:
        found = cast(found, y_true.dtype)
    return cast(equal(y_true, found), floatx())


@export("keras.metrics.top_k_categorical_accuracy")
def top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Tensor:
    """Whether the largest target is among the k largest predictions.

    Args:
        y_true: the target probabilities.
        y_pred: the predictions, of the same shape.
        k: how many predictions count.

    Returns:
        A vector of 0 and 1.
    """
    return cast(in_top_k(y_pred, argmax(y_true, axis=-1), k), floatx())


@export("keras.metrics.sparse_top_k_categorical_accuracy")
def sparse_top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Tensor:
    """Whether the target is among the k largest predictions.

    Args:
        y_true: the numbers of the classes.
        y_pred: the predictions.
        k: how many predictions count.

    Returns:
        A vector of 0 and 1.
    """
    y_true = convert_to_tensor(y_true)
    if y_true.shape.ndims == 2:
        y_true = squeeze(y_true, [-1])
    return cast(in_top_k(y_pred, cast(y_true, dtypes.int32), k), floatx())
