"""The metrics of forests by name: tf.contrib.tensor_forest.eval_metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export, export_value
from headwater.base.typing import TensorLike
from headwater.contrib.metrics.renamed import (
    streaming_accuracy,
    streaming_auc,
    streaming_mean,
    streaming_precision,
    streaming_precision_at_thresholds,
    streaming_recall,
    streaming_recall_at_thresholds,
)
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.losses.losses import (
    log_loss,
    sigmoid_cross_entropy,
    sparse_softmax_cross_entropy,
)
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import squeeze
from headwater.ops.array.shape import shape
from headwater.ops.array.slice import slice_
from headwater.ops.math.arithmetic import squared_difference
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_mean, reduce_sum
from headwater.ops.nn.in_top_k import in_top_k

_MODULE = "contrib.tensor_forest.eval_metrics"
_CLIENT = "contrib.tensor_forest.client.eval_metrics"
INFERENCE_PROB_NAME = "probabilities"
INFERENCE_PRED_NAME = "classes"
FEATURE_IMPORTANCE_NAME = "global_feature_importance"
_SCORES = "scores"
_THRESHOLDS = np.arange(0, 1, 0.01).tolist()

for _module in (_MODULE, _CLIENT):
    export_value(f"{_module}.INFERENCE_PROB_NAME", INFERENCE_PROB_NAME)
    export_value(f"{_module}.INFERENCE_PRED_NAME", INFERENCE_PRED_NAME)
    export_value(f"{_module}.FEATURE_IMPORTANCE_NAME", FEATURE_IMPORTANCE_NAME)


def _indicators(targets: TensorLike, depth: TensorLike) -> Tensor:
    """The classes as rows of zeros and a one."""
    targets = convert_to_tensor(targets)
    if targets.get_shape().ndims == 2:
        targets = squeeze(targets, axis=[1])
    return one_hot(cast(targets, dtypes.int32), depth)


def _second(probabilities: TensorLike) -> Tensor:
    return slice_(probabilities, [0, 1], [-1, 1])


def _accuracy(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return streaming_accuracy(predictions, targets, weights=weights)


def _r2(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    targets = cast(targets, dtypes.float32)
    total = reduce_sum(squared_difference(targets, reduce_mean(targets, 0)), 0)
    residuals = reduce_sum(squared_difference(targets, probabilities), 0)
    return streaming_mean(1 - reduce_sum(residuals / total), weights=weights)


def _sigmoid_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    hot = _indicators(targets, shape(probabilities)[1])
    return streaming_mean(sigmoid_cross_entropy(hot, probabilities), weights=weights)


def _softmax_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    classes = cast(targets, dtypes.int32)
    return streaming_mean(sparse_softmax_cross_entropy(classes, probabilities), weights=weights)


def _predictions(predictions: Any, unused_targets: Any, weights: Any = None) -> Any:
    return streaming_mean(predictions, weights=weights)


def _class_log_loss(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    hot = _indicators(targets, shape(probabilities)[1])
    return streaming_mean(log_loss(hot, probabilities), weights=weights)


def _precision(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return streaming_precision(predictions, targets, weights=weights)


def _precision_at_thresholds(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return streaming_precision_at_thresholds(
        _second(predictions), targets, _THRESHOLDS, weights=weights
    )


def _recall(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return streaming_recall(predictions, targets, weights=weights)


def _recall_at_thresholds(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return streaming_recall_at_thresholds(
        _second(predictions), targets, _THRESHOLDS, weights=weights
    )


def _auc(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    return streaming_auc(_second(probabilities), targets, weights=weights)


def _top_5(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    targets = cast(targets, dtypes.int32)
    if targets.get_shape().ndims == 2:
        targets = squeeze(targets, axis=[1])
    return streaming_mean(
        cast(in_top_k(probabilities, targets, 5), dtypes.float32), weights=weights
    )


_METRICS: dict[str, tuple[Callable[..., Any], str]] = {
    "auc": (_auc, INFERENCE_PROB_NAME),
    "sigmoid_entropy": (_sigmoid_entropy, INFERENCE_PROB_NAME),
    "softmax_entropy": (_softmax_entropy, INFERENCE_PROB_NAME),
    "accuracy": (_accuracy, INFERENCE_PRED_NAME),
    "r2": (_r2, _SCORES),
    "predictions": (_predictions, INFERENCE_PRED_NAME),
    "classification_log_loss": (_class_log_loss, INFERENCE_PROB_NAME),
    "precision": (_precision, INFERENCE_PRED_NAME),
    "precision_at_thresholds": (_precision_at_thresholds, INFERENCE_PROB_NAME),
    "recall": (_recall, INFERENCE_PRED_NAME),
    "recall_at_thresholds": (_recall_at_thresholds, INFERENCE_PROB_NAME),
    "top_5": (_top_5, INFERENCE_PROB_NAME),
}


@export(f"{_MODULE}.get_metric", f"{_CLIENT}.get_metric")
def get_metric(metric_name: str) -> Callable[..., Any]:
    """Returns the function of a metric: of predictions, targets and weights.

    Args:
        metric_name: the name, such as "accuracy".

    Returns:
        A function that makes the value and the op that updates it.

    Raises:
        KeyError: if there is no such metric.
    """
    return _METRICS[metric_name][0]


@export(f"{_MODULE}.get_prediction_key", f"{_CLIENT}.get_prediction_key")
def get_prediction_key(metric_name: str) -> str:
    """Returns the name of the predictions that a metric takes.

    Args:
        metric_name: the name, such as "accuracy".

    Returns:
        A key of the predictions.

    Raises:
        KeyError: if there is no such metric.
    """
    return _METRICS[metric_name][1]
