"""Classification into classes that do not exclude one another: a sigmoid for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.canned.prediction_keys import PredictionKeys
from headwater.estimator.export.outputs import ExportOutput, PredictOutput
from headwater.estimator.head import metric_values
from headwater.estimator.head.base import (
    CLASSIFY_SERVING_KEY,
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    SingleHead,
)
from headwater.estimator.head.checks import (
    NO_LABELS,
    call_loss_fn,
    checked_logits,
    labels_in_range,
    labels_like_logits,
)
from headwater.estimator.head.classes import class_ids_of, classification_output
from headwater.graph import Tensor, control_dependencies
from headwater.graph.sparse_tensor import SparseTensor
from headwater.model.losses.losses import sigmoid_cross_entropy
from headwater.model.losses.weighting import Reduction
from headwater.ops.control.identity import identity
from headwater.ops.control.type_checks import assert_integer
from headwater.ops.control.value_checks import assert_less, assert_non_negative
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import sigmoid
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.sparse.dense import sparse_to_indicator


class MultiLabelKind:
    """What heads of both generations for classes that do not exclude one another share."""

    _n_classes: int
    _label_vocabulary: Sequence[str] | None
    _loss_fn: Callable[..., Any] | None

    @property
    def logits_dimension(self) -> int:
        """How many logits an example has."""
        return self._n_classes

    def _processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        if labels is None:
            raise ValueError(NO_LABELS)
        indicators = self._indicators(labels)
        return labels_like_logits(indicators, logits, self.logits_dimension)

    def _indicators(self, labels: Any) -> Tensor:
        """0 or 1 for each class."""
        if not isinstance(labels, SparseTensor):
            message = "labels must be an integer indicator Tensor with values in [0, 1]"
            return labels_in_range(labels, 2, message=message)
        if labels.dtype == dtypes.string:
            ids = class_ids_of(labels.values, self._label_vocabulary or ())
        else:
            message = (
                f"labels must be an integer SparseTensor with values in [0, {self._n_classes})"
            )
            checks = [
                assert_integer(labels.values, message=message),
                assert_less(labels.values, cast(self._n_classes, labels.dtype), message=message),
                assert_non_negative(labels.values, message=message),
            ]
            with control_dependencies(checks):
                ids = identity(labels.values)
        by_class = SparseTensor(labels.indices, ids, labels.dense_shape)
        return cast(sparse_to_indicator(by_class, self._n_classes), dtypes.int64)

    def _unreduced_loss(
        self, features: Any, logits: Tensor, labels: Tensor
    ) -> tuple[Tensor, Tensor]:
        if self._loss_fn:
            return call_loss_fn(self._loss_fn, labels, logits, features), labels
        loss = sigmoid_cross_entropy(
            multi_class_labels=labels, logits=logits, reduction=Reduction.NONE
        )
        return reduce_mean(loss, axis=-1, keepdims=True), labels

    def _predictions(self, logits: Any) -> dict[str, Tensor]:
        logits = checked_logits(logits, self.logits_dimension)
        return {
            PredictionKeys.LOGITS: logits,
            PredictionKeys.PROBABILITIES: sigmoid(logits, name=PredictionKeys.PROBABILITIES),
        }

    def _export_outputs(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        classes = classification_output(
            predictions[PredictionKeys.PROBABILITIES], self._n_classes, self._label_vocabulary
        )
        return {
            DEFAULT_SERVING_KEY: classes,
            CLASSIFY_SERVING_KEY: classes,
            PREDICT_SERVING_KEY: PredictOutput(predictions),
        }


def check_multi_label_arguments(
    n_classes: Any, thresholds: Any, label_vocabulary: Any, classes: Any, purpose: str
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """The thresholds, and the numbers of the classes with metrics of their own, checked.

    Raises:
        ValueError: if an argument is wrong.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for {purpose} classification. Given: {n_classes}")
    thresholds = tuple(thresholds) if thresholds else ()
    for threshold in thresholds:
        if not 0.0 < threshold < 1.0:
            raise ValueError(f"thresholds must be in (0, 1) range. Given: {threshold}")
    if label_vocabulary is not None:
        if not isinstance(label_vocabulary, (list, tuple)):
            raise ValueError(
                f"label_vocabulary must be a list or tuple. Given type: {type(label_vocabulary)}"
            )
        if len(label_vocabulary) != n_classes:
            raise ValueError(
                f"Length of label_vocabulary must be n_classes ({n_classes}). Given: "
                f"{len(label_vocabulary)}"
            )
    return thresholds, _class_numbers(n_classes, label_vocabulary, classes)


def _class_numbers(n_classes: int, label_vocabulary: Any, classes: Any) -> tuple[int, ...]:
    if not classes:
        return ()
    numbers = []
    for given in classes:
        if isinstance(given, str):
            if not label_vocabulary:
                raise ValueError(
                    "label_vocabulary must be provided when classes_for_class_based_metrics are "
                    "sting."
                )
            number = label_vocabulary.index(given)
        else:
            number = given
        if number < 0 or number >= n_classes:
            raise ValueError(
                f"All classes_for_class_based_metrics must be in range [0, {n_classes - 1}]. "
                f"Given: {number}"
            )
        numbers.append(number)
    return tuple(numbers)


def class_metric_keys(number: int, label_vocabulary: Any) -> tuple[str, str, str]:
    """The names of the metrics of one class: mean probability and the areas under two curves."""
    keys = MetricKeys
    if label_vocabulary is None:
        return (
            keys.PROBABILITY_MEAN_AT_CLASS % number,
            keys.AUC_AT_CLASS % number,
            keys.AUC_PR_AT_CLASS % number,
        )
    name = label_vocabulary[number]
    return keys.PROBABILITY_MEAN_AT_NAME % name, keys.AUC_AT_NAME % name, keys.AUC_PR_AT_NAME % name


class MultiLabelSigmoidHead(MultiLabelKind, SingleHead):
    """A head for classes that do not exclude one another, with the sigmoid cross entropy."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        classes_for_class_based_metrics: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._thresholds, self._metric_classes = check_multi_label_arguments(
            n_classes, thresholds, label_vocabulary, classes_for_class_based_metrics, "multi-class"
        )
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._n_classes = n_classes
        self._label_vocabulary = label_vocabulary

    def _metrics(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> dict[str, Any]:
        probabilities = predictions[PredictionKeys.PROBABILITIES]
        keys = MetricKeys
        metrics = {
            keys.AUC: metric_values.auc(labels, probabilities, weights, name=keys.AUC),
            keys.AUC_PR: metric_values.auc(labels, probabilities, weights, "PR", name=keys.AUC_PR),
            **metric_values.at_thresholds(labels, probabilities, weights, self._thresholds),
        }
        for number in self._metric_classes:
            # Weights are per example.
            batch = probabilities.shape.ndims - 1 if probabilities.shape.ndims else 1
            place = (slice(None),) * batch + (slice(number, number + 1),)
            of_class, labels_of_class = probabilities[place], labels[place]
            mean_key, auc_key, pr_key = class_metric_keys(number, self._label_vocabulary)
            metrics[mean_key] = metric_values.predictions_mean(of_class, weights, name=mean_key)
            metrics[auc_key] = metric_values.auc(labels_of_class, of_class, weights, name=auc_key)
            metrics[pr_key] = metric_values.auc(
                labels_of_class, of_class, weights, "PR", name=pr_key
            )
        return metrics
