"""Binary classification: one logit, a sigmoid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.canned.prediction_keys import PredictionKeys
from headwater.estimator.export.outputs import ExportOutput, PredictOutput, RegressionOutput
from headwater.estimator.head import metric_values
from headwater.estimator.head.base import (
    CLASSIFY_SERVING_KEY,
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    REGRESS_SERVING_KEY,
    SingleHead,
)
from headwater.estimator.head.checks import (
    call_loss_fn,
    check_thresholds,
    checked_logits,
    labels_in_range,
    labels_like_logits,
)
from headwater.estimator.head.classes import (
    all_class_ids,
    all_classes,
    class_ids_of,
    class_names_of,
    classification_output,
)
from headwater.graph import Tensor
from headwater.model.losses.weighting import Reduction
from headwater.model.metrics import counts, means
from headwater.model.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.reshape import expand_dims
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import sigmoid
from headwater.ops.nn.softmax import softmax


class BinaryKind:
    """What heads of both generations for two classes have in common."""

    _label_vocabulary: Sequence[str] | None
    _loss_fn: Callable[..., Any] | None

    @property
    def logits_dimension(self) -> int:
        """How many logits an example has."""
        return 1

    def _processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        labels = labels_like_logits(labels, logits, 1)
        if self._label_vocabulary is not None:
            labels = class_ids_of(labels, self._label_vocabulary)
        return labels_in_range(cast(labels, dtypes.float32, name="ToFloat"), 2)

    def _unreduced_loss(
        self, features: Any, logits: Tensor, labels: Tensor
    ) -> tuple[Tensor, Tensor]:
        if self._loss_fn:
            return call_loss_fn(self._loss_fn, labels, logits, features), labels
        return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), labels

    def _predictions(self, logits: Any) -> dict[str, Tensor]:
        logits = checked_logits(logits, self.logits_dimension)
        logistic = sigmoid(logits, name=PredictionKeys.LOGISTIC)
        both = concat((zeros_like(logits), logits), axis=-1, name="two_class_logits")
        probabilities = softmax(both, name=PredictionKeys.PROBABILITIES)
        class_ids = expand_dims(argmax(both, axis=-1, name=PredictionKeys.CLASS_IDS), axis=-1)
        numbers = all_class_ids(logits, n_classes=2)
        names = all_classes(logits, n_classes=2, label_vocabulary=self._label_vocabulary)
        return {
            PredictionKeys.LOGITS: logits,
            PredictionKeys.LOGISTIC: logistic,
            PredictionKeys.PROBABILITIES: probabilities,
            PredictionKeys.CLASS_IDS: class_ids,
            PredictionKeys.CLASSES: class_names_of(class_ids, self._label_vocabulary),
            PredictionKeys.ALL_CLASS_IDS: numbers,
            PredictionKeys.ALL_CLASSES: names,
        }

    def _export_outputs(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        classes = classification_output(
            predictions[PredictionKeys.PROBABILITIES], 2, self._label_vocabulary
        )
        return {
            DEFAULT_SERVING_KEY: classes,
            CLASSIFY_SERVING_KEY: classes,
            REGRESS_SERVING_KEY: RegressionOutput(value=predictions[PredictionKeys.LOGISTIC]),
            PREDICT_SERVING_KEY: PredictOutput(predictions),
        }


class BinaryLogisticHead(BinaryKind, SingleHead):
    """A head for two classes; see `binary_logistic_head`."""

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._thresholds = check_thresholds(thresholds)
        self._label_vocabulary = label_vocabulary

    def _metrics(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> dict[str, Any]:
        logistic = predictions[PredictionKeys.LOGISTIC]
        found = {
            "labels": labels,
            "predictions": predictions[PredictionKeys.CLASS_IDS],
            "weights": weights,
        }
        keys = MetricKeys
        mean_of_labels = metric_values.labels_mean(labels, weights, name=keys.LABEL_MEAN)
        return {
            keys.ACCURACY: means.accuracy(name=keys.ACCURACY, **found),
            keys.PRECISION: counts.precision(name=keys.PRECISION, **found),
            keys.RECALL: counts.recall(name=keys.RECALL, **found),
            keys.PREDICTION_MEAN: metric_values.predictions_mean(
                logistic, weights, name=keys.PREDICTION_MEAN
            ),
            keys.LABEL_MEAN: mean_of_labels,
            keys.ACCURACY_BASELINE: metric_values.accuracy_baseline(mean_of_labels),
            keys.AUC: metric_values.auc(labels, logistic, weights, name=keys.AUC),
            keys.AUC_PR: metric_values.auc(labels, logistic, weights, "PR", name=keys.AUC_PR),
            **metric_values.at_thresholds(labels, logistic, weights, self._thresholds),
        }


def binary_logistic_head(
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> BinaryLogisticHead:
    """Makes a head for two classes with the sigmoid cross entropy.

    Args:
        weight_column: the name or column of the weights of examples; or None.
        thresholds: metrics are computed for these probabilities too; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        loss_reduction: how the losses of examples become one; a member of Reduction.
        loss_fn: a function of labels and logits, [D0, ..., DN, 1]; or None.
        name: the name; or None.

    Returns:
        A head.

    Raises:
        TypeError: if the vocabulary is no list.
        ValueError: if another argument is wrong.
    """
    if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
        raise TypeError(
            f"label_vocabulary should be a list or tuple. Given type: {type(label_vocabulary)}"
        )
    return BinaryLogisticHead(
        weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name
    )
