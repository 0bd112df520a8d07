"""Target columns: losses, predictions and metrics of logits; heads have replaced them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.metrics.renamed import (
    streaming_accuracy,
    streaming_auc,
    streaming_mean,
    streaming_precision_at_thresholds,
    streaming_recall_at_thresholds,
)
from headwater.graph import Tensor, control_dependencies
from headwater.model.losses.losses import hinge_loss
from headwater.model.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros_like
from headwater.ops.array.reshape import expand_dims, reshape, squeeze
from headwater.ops.array.shape import rank, shape
from headwater.ops.control.assertion import assert_
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.arithmetic import multiply, squared_difference
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import greater_equal, less_equal
from headwater.ops.math.division import div
from headwater.ops.math.exponential import sigmoid
from headwater.ops.math.reduce_functions import reduce_mean, reduce_sum
from headwater.ops.nn.softmax import softmax

_DATE = "2016-11-12"
_INSTEAD = (
    "This file will be removed after the deprecation date.Please switch to third_party/tensorflow/"
    "contrib/learn/python/learn/estimators/head.py"
)

Metric = Callable[..., Any]


@export("contrib.slim.ProblemType")
class ProblemType:
    """What a target is."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


@export("contrib.layers.regression_target", "contrib.slim.regression_target")
@deprecated(_DATE, _INSTEAD)
def regression_target(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
) -> TargetColumn:
    """Returns the target of a regression, with the squared error as loss.

    Args:
        label_name: the name of the label, if labels are a dict; or None.
        weight_column_name: the name of the feature with the weights of examples; or None.
        label_dimension: the number of values of a label.

    Returns:
        A target column.
    """
    return RegressionTargetColumn(
        _mean_squared_loss, label_name, weight_column_name, label_dimension
    )


@export("contrib.layers.multi_class_target", "contrib.slim.multi_class_target")
@deprecated(_DATE, _INSTEAD)
def multi_class_target(
    n_classes: int, label_name: str | None = None, weight_column_name: str | None = None
) -> TargetColumn:
    """Returns the target of a classification.

    The loss is the logistic one for two classes, the cross entropy of a softmax for more.

    Args:
        n_classes: the number of classes.
        label_name: the name of the label, if labels are a dict; or None.
        weight_column_name: the name of the feature with the weights of examples; or None.

    Returns:
        A target column.

    Raises:
        ValueError: if there are fewer than two classes.
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    loss = _log_loss_with_two_classes if n_classes == 2 else _softmax_cross_entropy_loss
    return MultiClassTargetColumn(loss, n_classes, label_name, weight_column_name)


@export("contrib.slim.binary_svm_target")
@deprecated(_DATE, _INSTEAD)
def binary_svm_target(
    label_name: str | None = None, weight_column_name: str | None = None
) -> TargetColumn:
    """Returns the target of a support vector machine: two classes with the hinge loss.

    Args:
        label_name: the name of the label, if labels are a dict; or None.
        weight_column_name: the name of the feature with the weights of examples; or None.

    Returns:
        A target column.
    """
    return BinarySvmTargetColumn(label_name, weight_column_name)


class TargetColumn:
    """What a model is trained for.

    Args:
        loss_fn: a function of logits and labels that returns the loss of each example.
        num_label_columns: the number of logits.
        label_name: the name of the label, if labels are a dict; or None.
        weight_column_name: the name of the feature with the weights of examples; or None.
        problem_type: one of `ProblemType`.

    Raises:
        ValueError: if there is no loss function.
    """

    def __init__(
        self,
        loss_fn: Callable[[Tensor, Tensor], Tensor],
        num_label_columns: int,
        label_name: str | None,
        weight_column_name: str | None,
        problem_type: int,
    ) -> None:
        if loss_fn is None:
            raise ValueError("loss_fn can not be None")
        self._loss_fn = loss_fn
        self.num_label_columns = num_label_columns
        self.label_name = label_name
        self.weight_column_name = weight_column_name
        self.problem_type = problem_type

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """The predictions of logits.

        Args:
            logits: logits ``[batch, num_label_columns]``.
            proba: whether they are probabilities.
        """
        raise NotImplementedError

    def get_eval_ops(
        self,
        features: Any,
        logits: Tensor,
        labels: Any,
        metrics: Mapping[Any, Metric] | None = None,
    ) -> dict[str, Any]:
        """The metrics of a batch by name, with the loss among them."""
        raise NotImplementedError

    def get_weight_tensor(self, features: Any) -> Tensor | None:
        """The weights of examples as a vector; None if there are none."""
        if not self.weight_column_name:
            return None
        return reshape(cast(features[self.weight_column_name], dtypes.float32), shape=(-1,))

    def _weighted(self, losses: Tensor, weights: Tensor) -> Tensor:
        return multiply(reshape(losses, shape=(-1,)), reshape(weights, shape=(-1,)))

    def _losses(self, logits: Tensor, target: Any) -> Tensor:
        return self._loss_fn(
            logits, target[self.label_name] if isinstance(target, dict) else target
        )

    def training_loss(
        self, logits: Tensor, target: Any, features: Any, name: str = "training_loss"
    ) -> Tensor:
        """Returns the loss to train with: the mean of the weighted losses.

        Args:
            logits: logits ``[batch, num_label_columns]``.
            target: labels, or a dict with them.
            features: features by name, which may have weights.
            name: the name of the node.

        Returns:
            A scalar.
        """
        losses = self._losses(logits, target)
        weights = self.get_weight_tensor(features)
        if weights is None:
            return reduce_mean(losses, name=name)
        return reduce_mean(self._weighted(losses, weights), name=name)

    def loss(self, logits: Tensor, target: Any, features: Any) -> Tensor:
        """Returns the loss to report: the weighted mean of the losses.

        Args:
            logits: logits ``[batch, num_label_columns]``.
            target: labels, or a dict with them.
            features: features by name, which may have weights.

        Returns:
            A scalar.
        """
        losses = self._losses(logits, target)
        weights = self.get_weight_tensor(features)
        if weights is None:
            return reduce_mean(losses, name="loss")
        return div(
            reduce_sum(self._weighted(losses, weights)),
            cast(reduce_sum(weights), dtypes.float32),
            name="loss",
        )


class RegressionTargetColumn(TargetColumn):
    """The target of a regression."""

    def __init__(
        self,
        loss_fn: Callable[[Tensor, Tensor], Tensor],
        label_name: str | None,
        weight_column_name: str | None,
        label_dimension: int,
    ) -> None:
        super().__init__(
            loss_fn,
            label_dimension,
            label_name,
            weight_column_name,
            ProblemType.LINEAR_REGRESSION,
        )

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """The logits; a vector if labels have one value."""
        return squeeze(logits, axis=[1]) if self.num_label_columns == 1 else logits

    def get_eval_ops(
        self,
        features: Any,
        logits: Tensor,
        labels: Any,
        metrics: Mapping[Any, Metric] | None = None,
    ) -> dict[str, Any]:
        """The metrics of a batch by name, with the loss among them."""
        result = {"loss": streaming_mean(self.loss(logits, labels, features))}
        if metrics:
            predictions = self.logits_to_predictions(logits, proba=False)
            weights = self.get_weight_tensor(features)
            result |= _computed(predictions, labels, metrics, weights)
        return result


class MultiClassTargetColumn(TargetColumn):
    """The target of a classification."""

    def __init__(
        self,
        loss_fn: Callable[[Tensor, Tensor], Tensor],
        n_classes: int,
        label_name: str | None,
        weight_column_name: str | None,
    ) -> None:
        super().__init__(
            loss_fn,
            1 if n_classes == 2 else n_classes,
            label_name,
            weight_column_name,
            ProblemType.CLASSIFICATION,
        )

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """The most probable classes, or the probabilities of all."""
        if self.num_label_columns == 1:
            logits = concat([zeros_like(logits), logits], 1)
        return softmax(logits) if proba else argmax(logits, 1)

    def _default_metrics(self) -> dict[str, Metric]:
        if self.num_label_columns == 1:
            return get_default_binary_metrics_for_eval(thresholds=[0.5])
        return {}

    def get_eval_ops(
        self,
        features: Any,
        logits: Tensor,
        labels: Any,
        metrics: Mapping[Any, Metric] | None = None,
    ) -> dict[str, Any]:
        """The metrics of a batch by name, with the loss among them.

        Raises:
            ValueError: if the name of a metric is neither text nor a pair of text with "classes"
                or "probabilities".
        """
        result = {"loss": streaming_mean(self.loss(logits, labels, features))}
        if metrics is None:
            metrics = {("accuracy", "classes"): streaming_accuracy}
        probabilities = sigmoid(logits)
        labels_float = cast(labels, dtypes.float32)
        for name, metric in self._default_metrics().items():
            result[name] = metric(probabilities, labels_float)
        chosen: dict[str, dict[str, Metric]] = {"classes": {}, "probabilities": {}}
        for name, metric in metrics.items():
            own_name, kind = _name_and_kind(name)
            chosen[kind][own_name] = metric
        weights = self.get_weight_tensor(features)
        for kind, of_kind in chosen.items():
            if of_kind:
                predictions = self.logits_to_predictions(logits, proba=kind == "probabilities")
                result |= _computed(predictions, labels, of_kind, weights)
        return result


class BinarySvmTargetColumn(MultiClassTargetColumn):
    """The target of a support vector machine."""

    def __init__(self, label_name: str | None, weight_column_name: str | None) -> None:
        super().__init__(_binary_hinge_loss, 2, label_name, weight_column_name)

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """The classes.

        Raises:
            ValueError: if probabilities are asked for.
        """
        if proba:
            raise ValueError("logits to probabilities is not supported for _BinarySvmTargetColumn")
        return argmax(concat([zeros_like(logits), logits], 1), 1)


def _name_and_kind(name: Any) -> tuple[str, str]:
    """The name of a metric, and of which predictions it is."""
    if isinstance(name, str):
        return name, "classes"
    if not isinstance(name, tuple):
        raise ValueError(f"Ignoring metric {name}. Its name is not in the correct form.")
    if len(name) != 2:
        raise ValueError(
            f"Ignoring metric {name}. It returned a tuple with len {len(name)}, expected 2."
        )
    if name[1] not in ("classes", "probabilities"):
        raise ValueError(
            f"Ignoring metric {name}. The 2nd element of its name should be either 'classes' or "
            "'probabilities'."
        )
    return name


def _computed(
    predictions: Tensor, labels: Any, metrics: Mapping[Any, Metric], weights: Tensor | None
) -> dict[str, Any]:
    labels = cast(labels, predictions.dtype)
    options = {} if weights is None else {"weights": weights}
    return {name: metric(predictions, labels, **options) for name, metric in metrics.items()}


def _as_column(target: Tensor) -> Tensor:
    return expand_dims(target, axis=1) if len(target.get_shape()) == 1 else target


def _mean_squared_loss(logits: Tensor, target: Tensor) -> Tensor:
    column = _as_column(target)
    # Otherwise the difference would be broadcast.
    logits.get_shape().assert_is_compatible_with(column.get_shape())
    return squared_difference(logits, cast(column, dtypes.float32))


def _log_loss_with_two_classes(logits: Tensor, target: Tensor) -> Tensor:
    labels = cast(_as_column(target), dtypes.float32)
    return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)


def _softmax_cross_entropy_loss(logits: Tensor, target: Tensor) -> Tensor:
    if not target.dtype.is_integer:
        raise ValueError(f"Target's dtype should be integer Instead got {target.dtype}.")
    if len(target.get_shape()) == 2:
        target = squeeze(target, axis=[1])
    return sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)


def _binary_hinge_loss(logits: Tensor, target: Tensor) -> Tensor:
    check = assert_(
        less_equal(rank(target), 2),
        ["target's shape should be either [batch_size, 1] or [batch_size]"],
    )
    with control_dependencies([check]):
        target = reshape(target, shape=[shape(target)[0], 1])
    return hinge_loss(target, logits)


def _float_or_none(weights: Any) -> Tensor | None:
    return None if weights is None else cast(weights, dtypes.float32)


def _labels_mean(unused_predictions: Tensor, labels: Tensor, weights: Any = None) -> Any:
    return streaming_mean(labels, weights=weights)


def _predictions_mean(predictions: Tensor, unused_labels: Tensor, weights: Any = None) -> Any:
    return streaming_mean(predictions, weights=weights)


def _auc(predictions: Tensor, labels: Tensor, weights: Any = None) -> Any:
    return streaming_auc(predictions, labels, weights=_float_or_none(weights))


def _accuracy_at(threshold: float, predictions: Tensor, labels: Tensor, weights: Any = None) -> Any:
    above = cast(greater_equal(predictions, threshold), dtypes.float32)
    return streaming_accuracy(predictions=above, labels=labels, weights=weights)


def _at_threshold(
    metric: Metric, threshold: float, predictions: Tensor, labels: Tensor, weights: Any = None
) -> Any:
    values, update = metric(
        predictions, labels=labels, thresholds=[threshold], weights=_float_or_none(weights)
    )
    return squeeze(values), squeeze(update)


@export("contrib.slim.get_default_binary_metrics_for_eval")
@deprecated(_DATE, _INSTEAD)
def get_default_binary_metrics_for_eval(thresholds: Sequence[float]) -> dict[str, Metric]:
    """Returns the metrics of a binary classification.

    Args:
        thresholds: where probabilities become classes.

    Returns:
        Functions of predictions, labels and weights by name.
    """
    metrics: dict[str, Metric] = {
        "labels/prediction_mean": _predictions_mean,
        "labels/actual_target_mean": _labels_mean,
        # What always predicting the mean would reach.
        "accuracy/baseline_target_mean": _labels_mean,
        "auc": _auc,
    }
    for threshold in thresholds:
        metrics[f"accuracy/threshold_{threshold:f}_mean"] = functools.partial(
            _accuracy_at, threshold
        )
        metrics[f"precision/positive_threshold_{threshold:f}_mean"] = functools.partial(
            _at_threshold, streaming_precision_at_thresholds, threshold
        )
        metrics[f"recall/positive_threshold_{threshold:f}_mean"] = functools.partial(
            _at_threshold, streaming_recall_at_thresholds, threshold
        )
    return metrics
