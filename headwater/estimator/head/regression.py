"""Regression: logits that are numbers, or become numbers by an inverse link function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater.base import dtypes
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.canned.prediction_keys import PredictionKeys
from headwater.estimator.export.outputs import ExportOutput, PredictOutput, RegressionOutput
from headwater.estimator.head import metric_values
from headwater.estimator.head.base import (
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    REGRESS_SERVING_KEY,
    SingleHead,
)
from headwater.estimator.head.checks import (
    call_loss_fn,
    checked_logits,
    labels_in_range,
    labels_like_logits,
)
from headwater.graph import Tensor
from headwater.model.losses.losses import mean_squared_error
from headwater.model.losses.weighting import Reduction
from headwater.model.metrics import means
from headwater.model.nn.cross_entropy import log_poisson_loss, sigmoid_cross_entropy_with_logits
from headwater.ops.math.cast import cast


class RegressionKind:
    """What heads of both generations for regression have in common."""

    _logits_dimension: int
    _loss_fn: Callable[..., Any] | None
    _inverse_link_fn: Callable[..., Any] | None

    @property
    def logits_dimension(self) -> int:
        """How many logits an example has."""
        return self._logits_dimension

    def _processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        labels = labels_like_logits(labels, logits, self._logits_dimension)
        return cast(labels, dtypes.float32, name="ToFloat")

    def _unreduced_loss(
        self, features: Any, logits: Tensor, labels: Tensor
    ) -> tuple[Tensor, Tensor]:
        if self._loss_fn:
            loss = call_loss_fn(self._loss_fn, labels, logits, features, self._logits_dimension)
            return loss, labels
        loss = mean_squared_error(labels=labels, predictions=logits, reduction=Reduction.NONE)
        return loss, labels

    def _predictions(self, logits: Any) -> dict[str, Tensor]:
        logits = checked_logits(logits, self._logits_dimension)
        if not self._inverse_link_fn:
            return {PredictionKeys.PREDICTIONS: logits}
        return {
            PredictionKeys.PREDICTIONS: self._inverse_link_fn(logits),
            PredictionKeys.LOGITS: logits,
        }

    def _export_outputs(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        value = RegressionOutput(value=predictions[PredictionKeys.PREDICTIONS])
        return {
            DEFAULT_SERVING_KEY: value,
            REGRESS_SERVING_KEY: value,
            PREDICT_SERVING_KEY: PredictOutput(predictions),
        }


def check_label_dimension(label_dimension: int) -> int:
    """The number of numbers of a label, checked.

    Raises:
        ValueError: if it is not positive.
    """
    if label_dimension < 1:
        raise ValueError(f"Invalid label_dimension {label_dimension}.")
    return label_dimension


def logistic_loss(labels: Any, logits: Any) -> Tensor:
    """The cross entropy of labels between 0 and 1."""
    labels = labels_in_range(labels, 2, message="Labels must be in range [0, 1]")
    return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)


def poisson_loss(compute_full_loss: bool) -> Callable[..., Tensor]:
    """The loss of a Poisson regression, as a function of labels and logits."""

    def loss(labels: Any, logits: Any) -> Tensor:
        return log_poisson_loss(
            targets=labels, log_input=logits, compute_full_loss=compute_full_loss
        )

    return loss


class MeanSquaredErrorHead(RegressionKind, SingleHead):
    """A head for regression; see `mean_squared_error_head`."""

    per_logit_weights = True
    scoped = False

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        inverse_link_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._logits_dimension = check_label_dimension(label_dimension)
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._inverse_link_fn = inverse_link_fn

    def _metrics(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> dict[str, Any]:
        return {
            MetricKeys.PREDICTION_MEAN: metric_values.predictions_mean(
                predictions[PredictionKeys.PREDICTIONS], weights, name=MetricKeys.PREDICTION_MEAN
            ),
            MetricKeys.LABEL_MEAN: means.mean(labels, weights=weights),
        }


def mean_squared_error_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    inverse_link_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> MeanSquaredErrorHead:
    """Makes a head for regression.

    Args:
        weight_column: the name or column of the weights of examples; or None.
        label_dimension: how many numbers a label has.
        loss_reduction: how the losses of examples become one; a member of Reduction.
        loss_fn: a function of labels and logits; None for the squared error.
        inverse_link_fn: a function that makes predictions of logits; or None.
        name: the name; or None.

    Returns:
        A head.

    Raises:
        ValueError: if an argument is wrong.
    """
    return MeanSquaredErrorHead(
        label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name
    )
