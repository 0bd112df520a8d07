"""The head of a classifier whose examples have several classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.keys import (
    MetricKey,
    ModeKeys,
    PredictionKey,
    ProblemType,
)
from headwater.contrib.learn.head_kinds.base import SingleHead
from headwater.contrib.learn.head_kinds.classification import checked_class_ids, classes_to_serve
from headwater.contrib.learn.head_kinds.labels import labels_tensor, sparse_to_indicators
from headwater.contrib.learn.head_kinds.losses import sigmoid_cross_entropy_loss, wrapped_loss
from headwater.contrib.learn.head_kinds.metrics import (
    indicator_label_mean,
    prediction_mean,
    streaming_auc,
)
from headwater.contrib.learn.notices import HEAD
from headwater.graph import name_scope
from headwater.model.metrics.means import accuracy, mean
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import greater
from headwater.ops.math.exponential import sigmoid


class MultiLabelHead(SingleHead):
    """The head of a classifier whose examples have several classes."""

    def __init__(
        self,
        n_classes: int,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
        thresholds: Sequence[float] | None,
        metric_class_ids: Sequence[int] | None = None,
        loss_fn: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(
            ProblemType.CLASSIFICATION,
            n_classes,
            "multi_label_head",
            loss_fn or sigmoid_cross_entropy_loss,
            label_name,
            weight_column_name,
            head_name,
            enable_centered_bias,
        )
        self._thresholds = thresholds or (0.5,)
        self._metric_class_ids = checked_class_ids(metric_class_ids, n_classes)

    def _transform_labels(self, mode: str, labels: Any) -> Any:
        if mode == ModeKeys.INFER or labels is None:
            return None
        return sparse_to_indicators(labels_tensor(labels, self._label_name), self._logits_dimension)

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with name_scope("predictions"):
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.PROBABILITIES: sigmoid(logits, name=PredictionKey.PROBABILITIES),
                PredictionKey.CLASSES: cast(
                    greater(logits, 0), dtypes.int64, name=PredictionKey.CLASSES
                ),
            }

    def _metrics(
        self, eval_loss: Any, predictions: dict[str, Any], labels: Any, weights: Any
    ) -> dict[str, Any]:
        classes = predictions[PredictionKey.CLASSES]
        probabilities = predictions[PredictionKey.PROBABILITIES]
        logits = predictions[PredictionKey.LOGITS]
        key = self._key
        metrics = {
            key(MetricKey.LOSS): mean(eval_loss),
            key(MetricKey.ACCURACY): accuracy(labels, classes, weights=weights),
            key(MetricKey.AUC): streaming_auc(probabilities, labels, weights),
            key(MetricKey.AUC_PR): streaming_auc(probabilities, labels, weights, curve="PR"),
        }
        for class_id in self._metric_class_ids:
            metrics[key(MetricKey.CLASS_PREDICTION_MEAN % class_id)] = prediction_mean(
                classes, weights, class_id
            )
            metrics[key(MetricKey.CLASS_LABEL_MEAN % class_id)] = indicator_label_mean(
                labels, weights, class_id
            )
            metrics[key(MetricKey.CLASS_PROBABILITY_MEAN % class_id)] = prediction_mean(
                probabilities, weights, class_id
            )
            metrics[key(MetricKey.CLASS_LOGITS_MEAN % class_id)] = prediction_mean(
                logits, weights, class_id
            )
            metrics[key(MetricKey.CLASS_AUC % class_id)] = streaming_auc(
                probabilities, labels, weights, class_id
            )
            metrics[key(MetricKey.CLASS_AUC_PR % class_id)] = streaming_auc(
                probabilities, labels, weights, class_id, curve="PR"
            )
        return metrics

    def _create_output_alternatives(self, predictions: dict[str, Any]) -> dict[Any, Any]:
        return classes_to_serve(self._head_name, self._problem_type, predictions)


@export(
    "contrib.learn.multi_label_head",
    "contrib.learn.head.multi_label_head",
    "contrib.learn.estimators.multi_label_head",
)
@deprecated(None, HEAD)
def multi_label_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
    metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Any] | None = None,
) -> MultiLabelHead:
    """Makes the head of a classifier whose examples have several classes.

    Args:
        n_classes: the number of classes.
        label_name: the name of the labels; None if they are a tensor.
        weight_column_name: the name of the feature with the weights; or None.
        enable_centered_bias: whether a bias is learned before the rest of the model.
        head_name: the name of the head; or None.
        thresholds: unused.
        metric_class_ids: classes with metrics of their own; or None.
        loss_fn: a function of `labels`, `logits` and `weights`; the cross entropy by default.

    Returns:
        A Head.

    Raises:
        ValueError: if there are fewer than two classes, or a class is out of range.
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    return MultiLabelHead(
        n_classes=n_classes,
        label_name=label_name,
        weight_column_name=weight_column_name,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
        thresholds=thresholds,
        metric_class_ids=metric_class_ids,
        loss_fn=wrapped_loss(loss_fn) if loss_fn else None,
    )
