"""tf.estimator.MultiHead: several heads of the second generation as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base.export import export
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.head.metric_objects import MetricObject
from headwater.estimator.head.multi import (
    MultiHeadKind,
    merged_export_outputs,
    merged_loss,
    merged_predictions,
    split_logits,
    train_later,
)
from headwater.estimator.head.public_base import Head, LossesOrNone, training_op
from headwater.estimator.head.training_ops import regularized, summary_key, write_loss_summaries
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Tensor, name_scope
from headwater.model.metrics import means


@export("estimator.MultiHead")
class MultiHead(MultiHeadKind, Head):
    """Several heads as one, whose losses are added.

    Args:
        heads: heads with names; the first one is the default of an exported model.
        head_weights: the weights of their losses; or None.

    Raises:
        ValueError: if there are none, one has no name, or there is not a weight for each.
    """

    def __init__(self, heads: Sequence[Any], head_weights: Sequence[float] | None = None) -> None:
        if not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        super().__init__(heads, head_weights)

    @property
    def loss_reduction(self) -> str:
        """How the losses of examples become one."""
        reductions = [head.loss_reduction for head in self._heads]
        if len(set(reductions)) > 1:
            raise ValueError(
                f"The loss_reduction must be the same for different heads. Given: {set(reductions)}"
            )
        return reductions[0]

    def _logits_by_head(self, logits: Any) -> Mapping[str, Any]:
        if not isinstance(logits, dict):
            return split_logits(self._heads, logits)
        missing = sorted(set(self._names) - set(logits))
        if missing:
            raise ValueError(f"logits has missing values for head(s): {missing}")
        return logits

    def _checked_labels(self, labels: Any) -> Mapping[str, Any]:
        if not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        missing = sorted(set(self._names) - set(labels))
        if missing:
            raise ValueError(f"labels has missing values for head(s): {missing}")
        return labels

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: str | None = None,
        regularization_losses: LossesOrNone = None,
    ) -> Tensor:
        """Makes the sum of the losses of the heads; see Head."""
        return self._merged(self._losses(labels, logits, features, mode), regularization_losses)

    def _losses(self, labels: Any, logits: Any, features: Any, mode: str | None) -> list[Tensor]:
        by_head, labels = self._logits_by_head(logits), self._checked_labels(labels)
        return [
            head.loss(
                logits=by_head[head.name],
                labels=labels[head.name],
                features=features,
                mode=mode,
            )
            for head in self._heads
        ]

    def _merged(self, losses: Sequence[Tensor], regularization_losses: LossesOrNone) -> Tensor:
        return regularized(merged_loss(losses, self._head_weights), regularization_losses)[0]

    def predictions(self, logits: Any, keys: Any = None) -> dict[tuple[str, str], Tensor]:
        """Makes the predictions by the names of head and prediction; see Head."""
        by_head = self._logits_by_head(logits)
        made = {}
        with name_scope("merge_pred"):
            for head in self._heads:
                for key, value in head.predictions(by_head[head.name]).items():
                    if keys is None or key in keys:
                        made[head.name, key] = value
        return made

    def metrics(self, regularization_losses: LossesOrNone = None) -> dict[str, Any]:
        """Makes the metrics of all heads, and one of the loss of each; see Head."""
        metrics: dict[str, Any] = {}
        if regularization_losses is not None:
            key = summary_key(self.name, MetricKeys.LOSS_REGULARIZATION)
            metrics[key] = MetricObject(means.mean, MetricKeys.LOSS_REGULARIZATION)
        for head in self._heads:
            key = summary_key(head.name, MetricKeys.LOSS)
            metrics[key] = MetricObject(means.mean, key)
            metrics.update(head.metrics())
        return metrics

    def update_metrics(  # type: ignore[override]
        self,
        eval_metrics: dict[str, Any],
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: LossesOrNone = None,
    ) -> dict[str, Any]:
        """Updates the metrics of all heads; see Head."""
        by_head, labels = self._logits_by_head(logits), self._checked_labels(labels)
        losses = self._losses(labels, by_head, features, ModeKeys.EVAL)
        if regularization_losses is not None:
            key = summary_key(self.name, MetricKeys.LOSS_REGULARIZATION)
            eval_metrics[key].update_state(regularized(losses[0], regularization_losses)[1])
        for head, loss in zip(self._heads, losses):
            eval_metrics[summary_key(head.name, MetricKeys.LOSS)].update_state(loss)
            own = {key: eval_metrics[key] for key in head.metrics()}
            head.update_metrics(own, features, by_head[head.name], labels[head.name])
        return eval_metrics

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        update_ops: Any = None,
        regularization_losses: LossesOrNone = None,
    ) -> EstimatorSpec:
        """Makes what a model function returns; see Head."""
        if mode not in (ModeKeys.PREDICT, ModeKeys.EVAL, ModeKeys.TRAIN):
            raise ValueError(f"mode={mode} unrecognized")
        with name_scope(self.name, "multi_head"):
            by_head = self._logits_by_head(logits)
            if mode != ModeKeys.PREDICT:
                labels = self._checked_labels(labels)
            specs = [
                head.create_estimator_spec(
                    features=features,
                    mode=mode,
                    logits=by_head[head.name],
                    labels=labels[head.name] if labels else None,
                    train_op_fn=train_later,
                )
                for head in self._heads
            ]
            predictions = merged_predictions(self._names, specs)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(
                    mode=mode,
                    predictions=predictions,
                    export_outputs=merged_export_outputs(self._names, specs, "tf.estimator"),
                )
            loss = self._merged([spec.loss for spec in specs], regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.metrics(regularization_losses)
                return EstimatorSpec(
                    mode=mode,
                    predictions=predictions,
                    loss=loss,
                    eval_metric_ops=self.update_metrics(
                        metrics, features, by_head, labels, regularization_losses
                    ),
                )
            train_op = training_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        total = regularized(loss, regularization_losses)[1]
        write_loss_summaries(None, loss, regularization_loss=total)
        return EstimatorSpec(mode=mode, predictions=predictions, loss=loss, train_op=train_op)
