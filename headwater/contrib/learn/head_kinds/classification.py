"""The heads of classifiers: of two classes, of several, and of the hinge loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.keys import (
    MetricKey,
    ModeKeys,
    PredictionKey,
    ProblemType,
)
from headwater.contrib.learn.head_kinds.base import SingleHead
from headwater.contrib.learn.head_kinds.labels import check_dense, labels_tensor
from headwater.contrib.learn.head_kinds.losses import (
    log_loss_with_two_classes,
    softmax_cross_entropy_loss,
    svm_hinge_loss,
    wrapped_loss,
)
from headwater.contrib.learn.head_kinds.metrics import (
    accuracy_at,
    class_label_mean,
    class_prediction_mean,
    indicator_label_mean,
    precision_at,
    prediction_mean,
    recall_at,
    streaming_auc,
)
from headwater.contrib.learn.notices import HEAD
from headwater.graph import name_scope
from headwater.model.lookup.index_tables import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from headwater.model.metrics.means import accuracy, mean
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import shape
from headwater.ops.array.tile import tile
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.exponential import sigmoid
from headwater.ops.math.ranges import range_
from headwater.ops.nn.softmax import softmax
from headwater.ops.strings.as_string import as_string

_THRESHOLDS = (0.5,)


def two_class_logits(logits: Any) -> Any:
    """The logits of two classes, of which the first is 0.

    Args:
        logits: a column.

    Returns:
        A matrix of two columns.
    """
    return concat([zeros_like(logits), logits], 1)


def classes_to_serve(
    head_name: str | None,
    problem_type: int,
    predictions: dict[str, Any],
    label_keys: Sequence[str] | None = None,
) -> dict[Any, Any]:
    """What a classifier can serve: the probabilities of all classes, and their names.

    Args:
        head_name: the name of the head, or None.
        problem_type: a value of ProblemType.
        predictions: the predictions by name.
        label_keys: the names of classes; their numbers by default.

    Returns:
        {head_name: (problem_type, tensors by name)}.

    Raises:
        ValueError: if there are no probabilities.
    """
    probabilities = predictions.get(PredictionKey.PROBABILITIES)
    if probabilities is None:
        raise ValueError(f"{PredictionKey.PROBABILITIES} missing in predictions")
    name = "classes_tensor"
    with name_scope("_classification_output_alternatives"):
        batch_size = shape(probabilities)[0]
        if label_keys:
            classes = tile(expand_dims(list(label_keys), 0), [batch_size, 1], name=name)
        else:
            numbers = expand_dims(range_(shape(probabilities)[1]), 0)
            classes = as_string(tile(numbers, [batch_size, 1]), name=name)
        served = {PredictionKey.PROBABILITIES: probabilities, PredictionKey.CLASSES: classes}
        return {head_name: (problem_type, served)}


class BinaryLogisticHead(SingleHead):
    """The head of a classifier of two classes."""

    def __init__(
        self,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        enable_centered_bias: bool = False,
        head_name: str | None = None,
        loss_fn: Callable[..., Any] | None = None,
        thresholds: Sequence[float] | None = None,
    ) -> None:
        super().__init__(
            ProblemType.LOGISTIC_REGRESSION,
            1,
            "binary_logistic_head",
            loss_fn or log_loss_with_two_classes,
            label_name,
            weight_column_name,
            head_name,
            enable_centered_bias,
        )
        self._thresholds = thresholds or _THRESHOLDS

    def _transform_labels(self, mode: str, labels: Any) -> Any:
        if mode == ModeKeys.INFER or labels is None:
            return None
        tensor = labels_tensor(labels, self._label_name)
        check_dense(tensor)
        return tensor

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with name_scope("predictions"):
            both = two_class_logits(logits)
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.LOGISTIC: sigmoid(logits, name=PredictionKey.LOGISTIC),
                PredictionKey.PROBABILITIES: softmax(both, name=PredictionKey.PROBABILITIES),
                PredictionKey.CLASSES: argmax(both, 1, name=PredictionKey.CLASSES),
            }

    def _metrics(
        self, eval_loss: Any, predictions: dict[str, Any], labels: Any, weights: Any
    ) -> dict[str, Any]:
        logistic = predictions[PredictionKey.LOGISTIC]
        classes = predictions[PredictionKey.CLASSES]
        key = self._key
        metrics = {
            key(MetricKey.LOSS): mean(eval_loss),
            key(MetricKey.ACCURACY): accuracy(labels, classes, weights=weights),
            key(MetricKey.PREDICTION_MEAN): prediction_mean(logistic, weights),
            key(MetricKey.LABEL_MEAN): indicator_label_mean(labels, weights),
            # The accuracy of a model that always predicts the mean of the labels.
            key(MetricKey.ACCURACY_BASELINE): indicator_label_mean(labels, weights),
            key(MetricKey.AUC): streaming_auc(logistic, labels, weights),
            key(MetricKey.AUC_PR): streaming_auc(logistic, labels, weights, curve="PR"),
        }
        for threshold in self._thresholds:
            for name, metric in (
                (MetricKey.ACCURACY_MEAN, accuracy_at),
                (MetricKey.PRECISION_MEAN, precision_at),
                (MetricKey.RECALL_MEAN, recall_at),
            ):
                metrics[key(name % threshold)] = metric(logistic, labels, weights, threshold)
        return metrics

    def _create_output_alternatives(self, predictions: dict[str, Any]) -> dict[Any, Any]:
        return classes_to_serve(self._head_name, self._problem_type, predictions)


class MultiClassHead(SingleHead):
    """The head of a classifier of more than two classes."""

    def __init__(
        self,
        n_classes: int,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        enable_centered_bias: bool = False,
        head_name: str | None = None,
        loss_fn: Callable[..., Any] | None = None,
        thresholds: Sequence[float] | None = None,
        metric_class_ids: Sequence[int] | None = None,
        label_keys: Sequence[str] | None = None,
    ) -> None:
        if n_classes is None or n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        super().__init__(
            ProblemType.CLASSIFICATION,
            n_classes,
            "multi_class_head",
            loss_fn or softmax_cross_entropy_loss,
            label_name,
            weight_column_name,
            head_name,
            enable_centered_bias,
        )
        self._thresholds = thresholds or _THRESHOLDS
        self._metric_class_ids = checked_class_ids(metric_class_ids, n_classes)
        if label_keys and len(label_keys) != n_classes:
            raise ValueError("Length of label_keys must equal n_classes.")
        self._label_keys = label_keys
        if label_keys:
            loss_of_ids = self._loss_fn
            self._loss_fn = lambda labels, logits, weights=None: loss_of_ids(
                labels["label_ids"], logits, weights
            )

    def _transform_labels(self, mode: str, labels: Any) -> Any:
        if mode == ModeKeys.INFER or labels is None:
            return None
        tensor = labels_tensor(labels, self._label_name)
        check_dense(tensor)
        if not self._label_keys:
            return tensor
        table = index_table_from_tensor(self._label_keys, name="label_id_lookup")
        return {"labels": tensor, "label_ids": table.lookup(tensor)}

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with name_scope("predictions"):
            classes = argmax(logits, 1, name=PredictionKey.CLASSES)
            if self._label_keys:
                table = index_to_string_table_from_tensor(
                    self._label_keys, name="class_string_lookup"
                )
                classes = table.lookup(classes)
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.PROBABILITIES: softmax(logits, name=PredictionKey.PROBABILITIES),
                PredictionKey.CLASSES: classes,
            }

    def _metrics(
        self, eval_loss: Any, predictions: dict[str, Any], labels: Any, weights: Any
    ) -> dict[str, Any]:
        classes = predictions[PredictionKey.CLASSES]
        given = labels["labels"] if self._label_keys else labels
        key = self._key
        metrics = {
            key(MetricKey.LOSS): mean(eval_loss),
            key(MetricKey.ACCURACY): accuracy(given, classes, weights=weights),
        }
        if self._label_keys:
            return metrics
        logits = predictions[PredictionKey.LOGITS]
        probabilities = predictions[PredictionKey.PROBABILITIES]
        for class_id in self._metric_class_ids:
            metrics[key(MetricKey.CLASS_PREDICTION_MEAN % class_id)] = class_prediction_mean(
                classes, weights, class_id
            )
            metrics[key(MetricKey.CLASS_LABEL_MEAN % class_id)] = class_label_mean(
                given, weights, class_id
            )
            metrics[key(MetricKey.CLASS_PROBABILITY_MEAN % class_id)] = prediction_mean(
                probabilities, weights, class_id
            )
            metrics[key(MetricKey.CLASS_LOGITS_MEAN % class_id)] = prediction_mean(
                logits, weights, class_id
            )
        return metrics

    def _create_output_alternatives(self, predictions: dict[str, Any]) -> dict[Any, Any]:
        return classes_to_serve(self._head_name, self._problem_type, predictions, self._label_keys)


def checked_class_ids(class_ids: Sequence[int] | None, n_classes: int) -> tuple[int, ...]:
    """The classes with metrics of their own.

    Args:
        class_ids: their numbers; or None.
        n_classes: the number of classes.

    Returns:
        The numbers.

    Raises:
        ValueError: if a number is out of range.
    """
    for class_id in class_ids or ():
        if not 0 <= class_id < n_classes:
            raise ValueError(f"Class ID {class_id} not in [0, {n_classes}).")
    return tuple(class_ids or ())


class BinarySvmHead(SingleHead):
    """The head of a classifier of two classes with the hinge loss."""

    def __init__(
        self,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
        thresholds: Sequence[float] | None,
    ) -> None:
        super().__init__(
            ProblemType.LOGISTIC_REGRESSION,
            1,
            "binary_svm_head",
            svm_hinge_loss,
            label_name,
            weight_column_name,
            head_name,
            enable_centered_bias,
        )
        self._thresholds = thresholds or _THRESHOLDS

    def _transform_labels(self, mode: str, labels: Any) -> Any:
        if mode == ModeKeys.INFER or labels is None:
            return None
        tensor = labels_tensor(labels, self._label_name)
        check_dense(tensor)
        return tensor

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with name_scope("predictions"):
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.CLASSES: argmax(
                    two_class_logits(logits), 1, name=PredictionKey.CLASSES
                ),
            }

    def _metrics(
        self, eval_loss: Any, predictions: dict[str, Any], labels: Any, weights: Any
    ) -> dict[str, Any]:
        classes = predictions[PredictionKey.CLASSES]
        return {
            self._key(MetricKey.LOSS): mean(eval_loss),
            self._key(MetricKey.ACCURACY): accuracy(labels, classes, weights=weights),
        }


@export(
    "contrib.learn.multi_class_head",
    "contrib.learn.head.multi_class_head",
    "contrib.learn.estimators.multi_class_head",
)
@deprecated(None, HEAD)
def multi_class_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
    metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Any] | None = None,
    label_keys: Sequence[str] | None = None,
) -> SingleHead:
    """Makes the head of a classifier.

    Args:
        n_classes: the number of classes.
        label_name: the name of the labels; None if they are a tensor.
        weight_column_name: the name of the feature with the weights; or None.
        enable_centered_bias: whether a bias is learned before the rest of the model.
        head_name: the name of the head; or None.
        thresholds: thresholds of metrics of two classes; (0.5,) by default.
        metric_class_ids: classes with metrics of their own; or None.
        loss_fn: a function of `labels`, `logits` and `weights`; the cross entropy by default.
        label_keys: the classes, if labels are strings; or None.

    Returns:
        A Head.

    Raises:
        ValueError: if there are fewer than two classes, or an argument does not fit their number.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    loss_pair = wrapped_loss(loss_fn) if loss_fn else None
    if n_classes > 2:
        return MultiClassHead(
            n_classes=n_classes,
            label_name=label_name,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            head_name=head_name,
            thresholds=thresholds,
            metric_class_ids=metric_class_ids,
            loss_fn=loss_pair,
            label_keys=label_keys,
        )
    if metric_class_ids:
        raise ValueError("metric_class_ids invalid for n_classes==2.")
    if label_keys:
        raise ValueError("label_keys is not supported for n_classes=2.")
    return BinaryLogisticHead(
        label_name=label_name,
        weight_column_name=weight_column_name,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
        thresholds=thresholds,
        loss_fn=loss_pair,
    )


@export(
    "contrib.learn.binary_svm_head",
    "contrib.learn.head.binary_svm_head",
    "contrib.learn.estimators.binary_svm_head",
)
@deprecated(None, HEAD)
def binary_svm_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
) -> BinarySvmHead:
    """Makes the head of a classifier of two classes with the hinge loss.

    Args:
        label_name: the name of the labels; None if they are a tensor.
        weight_column_name: the name of the feature with the weights; or None.
        enable_centered_bias: whether a bias is learned before the rest of the model.
        head_name: the name of the head; or None.
        thresholds: unused.

    Returns:
        A Head.
    """
    return BinarySvmHead(
        label_name=label_name,
        weight_column_name=weight_column_name,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
        thresholds=thresholds,
    )
