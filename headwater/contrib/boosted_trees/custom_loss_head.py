"""A head with a loss of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.contrib.learn.estimating.keys import ModeKeys, PredictionKey
from headwater.contrib.learn.head_kinds.regression import RegressionHead
from headwater.graph import name_scope
from headwater.model.metrics.means import mean
from headwater.ops.array.fill import ones
from headwater.ops.array.shape import shape
from headwater.ops.math.reduce_functions import reduce_mean, reduce_sum


@export("contrib.boosted_trees.estimator_batch.custom_loss_head.CustomLossHead")
class CustomLossHead(RegressionHead):
    """A head whose loss and predictions are functions of the logits.

    Args:
        loss_fn: a function of `labels`, `weights` and `predictions` that returns the losses of
            examples and an op.
        link_fn: a function of the logits that returns the predictions.
        logit_dimension: the number of logits.
        head_name: the name of the head; or None.
        weight_column_name: the name of the feature with the weights; or None.
        metrics_fn: a function of predictions, labels and weights that returns metrics by name; or
            None.
    """

    def __init__(
        self,
        loss_fn: Callable[..., Any],
        link_fn: Callable[[Any], Any],
        logit_dimension: int,
        head_name: str | None = None,
        weight_column_name: str | None = None,
        metrics_fn: Callable[..., Any] | None = None,
    ) -> None:
        def loss_pair(labels: Any, logits: Any, weights: Any = None) -> tuple[Any, Any]:
            weights = ones([shape(logits)[0], 1]) if weights is None else weights
            losses, _ = loss_fn(labels, weights, logits)
            return reduce_mean(losses), reduce_sum(losses) / reduce_sum(weights)

        super().__init__(
            label_dimension=logit_dimension,
            loss_fn=loss_pair,
            link_fn=link_fn,
            head_name=head_name,
            weight_column_name=weight_column_name,
        )
        self._metrics_fn = metrics_fn

    def _transform_labels(self, mode: str, labels: Any) -> Any:
        return None if mode == ModeKeys.INFER else labels

    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        with name_scope("predictions"):
            return {PredictionKey.SCORES: self._link_fn(logits)}

    def _metrics(
        self, eval_loss: Any, predictions: dict[str, Any], labels: Any, weights: Any
    ) -> dict[str, Any]:
        metrics = {"loss": mean(eval_loss)}
        if self._metrics_fn is not None:
            metrics.update(self._metrics_fn(predictions, labels, weights))
        return metrics
