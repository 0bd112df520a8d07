"""The heads of regressions."""

from __future__ import annotations

from collections.abc import Callable
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
from headwater.contrib.learn.head_kinds.losses import mean_squared_loss, poisson_loss
from headwater.contrib.learn.notices import HEAD
from headwater.graph import name_scope
from headwater.model.metrics.means import mean
from headwater.ops.array.reshape import squeeze
from headwater.ops.control.identity import identity
from headwater.ops.math.exponential import exp


class RegressionHead(SingleHead):
    """The head of a regression; the arguments are those of `regression_head`."""

    def __init__(
        self,
        label_dimension: int,
        loss_fn: Callable[..., Any],
        link_fn: Callable[[Any], Any],
        logits_dimension: int | None = None,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        enable_centered_bias: bool = False,
        head_name: str | None = None,
    ) -> None:
        super().__init__(
            ProblemType.LINEAR_REGRESSION,
            label_dimension if logits_dimension is None else logits_dimension,
            "regression_head",
            loss_fn,
            label_name,
            weight_column_name,
            head_name,
            enable_centered_bias,
        )
        self._link_fn = link_fn

    def _transform_labels(self, mode: str, labels: Any) -> Any:
        if mode == ModeKeys.INFER or labels is None:
            return None
        tensor = labels_tensor(labels, self._label_name)
        check_dense(tensor)
        return tensor

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        key = PredictionKey.SCORES
        with name_scope("predictions"):
            if self._logits_dimension == 1:
                logits = squeeze(logits, axis=[1], name=key)
            return {key: self._link_fn(logits)}

    def _metrics(
        self, eval_loss: Any, predictions: dict[str, Any], labels: Any, weights: Any
    ) -> dict[str, Any]:
        return {self._key(MetricKey.LOSS): mean(eval_loss)}


@export(
    "contrib.learn.regression_head",
    "contrib.learn.head.regression_head",
    "contrib.learn.estimators.regression_head",
)
@deprecated(None, HEAD)
def regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    link_fn: Callable[[Any], Any] | None = None,
) -> RegressionHead:
    """Makes the head of a regression with the squared loss.

    Args:
        label_name: the name of the labels; None if they are a tensor.
        weight_column_name: the name of the feature with the weights; or None.
        label_dimension: the number of labels of an example.
        enable_centered_bias: whether a bias is learned before the rest of the model.
        head_name: the name of the head; or None.
        link_fn: a function of the logits that returns the predictions; the identity by default.

    Returns:
        A Head.

    Raises:
        ValueError: if the number of labels is not positive.
    """
    return RegressionHead(
        label_name=label_name,
        weight_column_name=weight_column_name,
        label_dimension=label_dimension,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
        loss_fn=mean_squared_loss,
        link_fn=identity if link_fn is None else link_fn,
    )


@export(
    "contrib.learn.poisson_regression_head",
    "contrib.learn.head.poisson_regression_head",
    "contrib.learn.estimators.poisson_regression_head",
)
@deprecated(None, HEAD)
def poisson_regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> RegressionHead:
    """Makes the head of a regression of counts.

    Args:
        label_name: the name of the labels; None if they are a tensor.
        weight_column_name: the name of the feature with the weights; or None.
        label_dimension: the number of labels of an example.
        enable_centered_bias: whether a bias is learned before the rest of the model.
        head_name: the name of the head; or None.

    Returns:
        A Head.

    Raises:
        ValueError: if the number of labels is not positive.
    """
    return RegressionHead(
        label_name=label_name,
        weight_column_name=weight_column_name,
        label_dimension=label_dimension,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
        loss_fn=poisson_loss,
        link_fn=exp,
    )
