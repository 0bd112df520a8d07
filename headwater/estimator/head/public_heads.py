"""The heads of the second generation: tf.estimator.BinaryClassHead and its like."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from headwater.base.export import export
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.canned.prediction_keys import PredictionKeys
from headwater.estimator.head import metric_values
from headwater.estimator.head.binary import BinaryKind
from headwater.estimator.head.checks import check_n_classes, check_thresholds
from headwater.estimator.head.multi_class import MultiClassKind
from headwater.estimator.head.multi_label import (
    MultiLabelKind,
    check_multi_label_arguments,
    class_metric_keys,
)
from headwater.estimator.head.public_base import SUM_OVER_BATCH_SIZE, SinglePublicHead
from headwater.estimator.head.regression import (
    RegressionKind,
    check_label_dimension,
    logistic_loss,
    poisson_loss,
)
from headwater.graph import Tensor
from headwater.model.metrics import counts, means, thresholds
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.math.exponential import exp, sigmoid

Makers = dict[str, Callable[..., tuple[Any, Any]]]
Arguments = dict[str, tuple[Any, ...]]


def _baseline(labels: Tensor, weights: Any) -> tuple[Any, Any]:
    return metric_values.accuracy_baseline(metric_values.labels_mean(labels, weights))


def _pr_area(labels: Tensor, predictions: Tensor, weights: Any) -> tuple[Any, Any]:
    """The area under the curve of precision and recall, interpolated between thresholds."""
    return thresholds.auc(
        labels,
        predictions,
        weights=broadcast_weights(weights, predictions),
        curve="PR",
        summation_method="careful_interpolation",
    )


def _at_thresholds(given: Sequence[float]) -> Makers:
    makers: Makers = {}
    for threshold in given:
        for key, make in (
            (MetricKeys.ACCURACY_AT_THRESHOLD, metric_values.accuracy_at),
            (MetricKeys.PRECISION_AT_THRESHOLD, metric_values.precision_at),
            (MetricKeys.RECALL_AT_THRESHOLD, metric_values.recall_at),
        ):
            makers[key % threshold] = partial(make, threshold=threshold)
    return makers


def _check_vocabulary(label_vocabulary: Any) -> None:
    if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
        raise ValueError(
            f"label_vocabulary should be a list or a tuple. Given type: {type(label_vocabulary)}"
        )


@export("estimator.BinaryClassHead")
class BinaryClassHead(BinaryKind, SinglePublicHead):
    """A head for two classes with the sigmoid cross entropy.

    Args:
        weight_column: the name or column of the weights of examples; or None.
        thresholds: probabilities; accuracy, precision and recall are computed for each; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        loss_reduction: how the losses of examples become one: "sum" or "sum_over_batch_size".
        loss_fn: a function of labels and logits that returns [D0, ..., DN, 1]; or None.
        name: the name, which the names of metrics end with; or None.

    Raises:
        ValueError: if an argument is wrong.

    Example:
        >>> head = tf.estimator.BinaryClassHead()
        >>> loss = head.loss(labels=[[1], [0]], logits=tf.constant([[0.0], [0.0]]))
        >>> print(f"{loss.eval():.4f}")
        0.6931
    """

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        _check_vocabulary(label_vocabulary)
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._thresholds = check_thresholds(thresholds)
        self._label_vocabulary = label_vocabulary

    def _metric_makers(self) -> Makers:
        keys = MetricKeys
        return {
            keys.ACCURACY: means.accuracy,
            keys.PRECISION: counts.precision,
            keys.RECALL: counts.recall,
            keys.PREDICTION_MEAN: metric_values.predictions_mean,
            keys.LABEL_MEAN: metric_values.labels_mean,
            keys.ACCURACY_BASELINE: _baseline,
            keys.AUC: metric_values.auc,
            keys.AUC_PR: _pr_area,
            **_at_thresholds(self._thresholds),
        }

    def _metric_arguments(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> Arguments:
        keys = MetricKeys
        logistic = predictions[PredictionKeys.LOGISTIC]
        by_class = (labels, predictions[PredictionKeys.CLASS_IDS], weights)
        by_score = (labels, logistic, weights)
        return {
            keys.ACCURACY: by_class,
            keys.PRECISION: by_class,
            keys.RECALL: by_class,
            keys.PREDICTION_MEAN: (logistic, weights),
            keys.LABEL_MEAN: (labels, weights),
            keys.ACCURACY_BASELINE: (labels, weights),
            keys.AUC: by_score,
            keys.AUC_PR: by_score,
            **dict.fromkeys(_at_thresholds(self._thresholds), by_score),
        }


@export("estimator.MultiClassHead")
class MultiClassHead(MultiClassKind, SinglePublicHead):
    """A head for several classes with the softmax cross entropy.

    Args:
        n_classes: the number of classes, more than two.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        loss_reduction: how the losses of examples become one: "sum" or "sum_over_batch_size".
        loss_fn: a function of labels and logits that returns [D0, ..., DN, 1]; or None.
        name: the name, which the names of metrics end with; or None.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        if n_classes is None:
            raise ValueError("n_classes cannot be None")
        _check_vocabulary(label_vocabulary)
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(
                '"label_vocabulary" does not have "n_classes" items. len(label_vocabulary)='
                f"{len(label_vocabulary)}, n_classes={n_classes}, "
                f"label_vocabulary={label_vocabulary}"
            )
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._n_classes = check_n_classes(n_classes)
        self._label_vocabulary = label_vocabulary

    def _metric_makers(self) -> Makers:
        return {MetricKeys.ACCURACY: means.accuracy}

    def _metric_arguments(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> Arguments:
        return {MetricKeys.ACCURACY: (labels, predictions[PredictionKeys.CLASS_IDS], weights)}


@export("estimator.MultiLabelHead")
class MultiLabelHead(MultiLabelKind, SinglePublicHead):
    """A head for classes that do not exclude one another.

    Args:
        n_classes: the number of classes.
        weight_column: the name or column of the weights of examples; or None.
        thresholds: probabilities; accuracy, precision and recall are computed for each; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        loss_reduction: how the losses of examples become one: "sum" or "sum_over_batch_size".
        loss_fn: a function of labels and logits that returns [D0, ..., DN, 1]; or None.
        classes_for_class_based_metrics: numbers or names of classes with metrics of their own; or
            None.
        name: the name, which the names of metrics end with; or None.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        classes_for_class_based_metrics: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._thresholds, self._metric_classes = check_multi_label_arguments(
            n_classes, thresholds, label_vocabulary, classes_for_class_based_metrics, "multi-label"
        )
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._n_classes = n_classes
        self._label_vocabulary = label_vocabulary

    def _metric_makers(self) -> Makers:
        makers: Makers = {
            MetricKeys.AUC: metric_values.auc,
            MetricKeys.AUC_PR: _pr_area,
            **_at_thresholds(self._thresholds),
        }
        for number in self._metric_classes:
            mean_key, auc_key, pr_key = class_metric_keys(number, self._label_vocabulary)
            makers[mean_key] = metric_values.predictions_mean
            makers[auc_key] = metric_values.auc
            makers[pr_key] = _pr_area
        return makers

    def _metric_arguments(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> Arguments:
        probabilities = predictions[PredictionKeys.PROBABILITIES]
        by_score = (labels, probabilities, weights)
        arguments: Arguments = dict.fromkeys(
            (MetricKeys.AUC, MetricKeys.AUC_PR, *_at_thresholds(self._thresholds)), by_score
        )
        for number in self._metric_classes:
            place = (..., slice(number, number + 1))
            of_class = (labels[place], probabilities[place], weights)
            mean_key, auc_key, pr_key = class_metric_keys(number, self._label_vocabulary)
            arguments[mean_key] = of_class[1:]
            arguments[auc_key] = arguments[pr_key] = of_class
        return arguments


@export("estimator.RegressionHead")
class RegressionHead(RegressionKind, SinglePublicHead):
    """A head for regression.

    Args:
        label_dimension: how many numbers a label has.
        weight_column: the name or column of the weights of examples; or None.
        loss_reduction: how the losses of examples become one: "sum" or "sum_over_batch_size".
        loss_fn: a function of labels and logits; None for the squared error.
        inverse_link_fn: a function that makes predictions of logits; or None.
        name: the name, which the names of metrics end with; or None.

    Raises:
        ValueError: if an argument is wrong.
    """

    per_logit_weights = True

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        inverse_link_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._logits_dimension = check_label_dimension(label_dimension)
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._inverse_link_fn = inverse_link_fn

    def _metric_makers(self) -> Makers:
        return {
            MetricKeys.PREDICTION_MEAN: metric_values.predictions_mean,
            MetricKeys.LABEL_MEAN: metric_values.labels_mean,
        }

    def _metric_arguments(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> Arguments:
        return {
            MetricKeys.PREDICTION_MEAN: (predictions[PredictionKeys.PREDICTIONS], weights),
            MetricKeys.LABEL_MEAN: (labels, weights),
        }


@export("estimator.PoissonRegressionHead")
class PoissonRegressionHead(RegressionHead):
    """A head for a Poisson regression: logits are logarithms of predictions.

    Args:
        label_dimension: how many numbers a label has.
        weight_column: the name or column of the weights of examples; or None.
        loss_reduction: how the losses of examples become one: "sum" or "sum_over_batch_size".
        compute_full_loss: whether the loss has the term of Stirling's approximation.
        name: the name, which the names of metrics end with; or None.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__(
            label_dimension,
            weight_column,
            loss_reduction,
            poisson_loss(compute_full_loss),
            exp,
            name,
        )


@export("estimator.LogisticRegressionHead")
class LogisticRegressionHead(RegressionHead):
    """A head for a logistic regression, whose labels are between 0 and 1.

    Args:
        weight_column: the name or column of the weights of examples; or None.
        loss_reduction: how the losses of examples become one: "sum" or "sum_over_batch_size".
        name: the name, which the names of metrics end with; or None.

    Raises:
        ValueError: if an argument is wrong.
    """

    def __init__(
        self,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        name: str | None = None,
    ) -> None:
        super().__init__(1, weight_column, loss_reduction, logistic_loss, sigmoid, name)
