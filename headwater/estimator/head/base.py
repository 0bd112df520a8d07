"""_Head: the part of a model behind its logits."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.export.outputs import ExportOutput
from headwater.estimator.head.checks import check_loss_fn, check_loss_reduction, weights_like_logits
from headwater.estimator.head.training_ops import (
    make_train_op,
    mean_loss_of_sum,
    regularized,
    summary_key,
    with_update_ops,
    write_loss_summaries,
)
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Tensor, convert_to_tensor, name_scope
from headwater.model.losses.weighting import Reduction, compute_weighted_loss
from headwater.model.metrics import means

DEFAULT_SERVING_KEY = "serving_default"
CLASSIFY_SERVING_KEY = "classification"
REGRESS_SERVING_KEY = "regression"
PREDICT_SERVING_KEY = "predict"

LossSpec = namedtuple("LossSpec", "training_loss unreduced_loss weights processed_labels")


class _Head:
    """The part of a model behind its logits: loss, metrics, predictions and the train op."""

    @property
    def name(self) -> str | None:
        """The name, which the names of metrics end with; or None."""
        raise NotImplementedError("Calling an abstract method.")

    @property
    def logits_dimension(self) -> int:
        """How many logits an example has."""
        raise NotImplementedError("Calling an abstract method.")

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> Any:
        """Makes the loss.

        Args:
            features: the features by name.
            mode: a value of ModeKeys.
            logits: a tensor [D0, ..., DN, logits_dimension].
            labels: the labels.

        Returns:
            A LossSpec.
        """
        raise NotImplementedError("Calling an abstract method.")

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> EstimatorSpec:
        """Makes what a model function returns.

        Args:
            features: the features by name.
            mode: a value of ModeKeys.
            logits: a tensor [D0, ..., DN, logits_dimension].
            labels: the labels; needed for training and evaluation.
            optimizer: an Optimizer; or None.
            train_op_fn: a function of the loss that returns the train op; or None.
            regularization_losses: losses that are added to that of the head; or None.

        Returns:
            An EstimatorSpec.
        """
        raise NotImplementedError(
            "Subclasses of _Head must implement `create_estimator_spec()` or "
            "_create_tpu_estimator_spec()."
        )


class SingleHead(_Head):
    """A head with a loss of its own.

    Args:
        weight_column: the name or column of the weights of examples; or None.
        loss_reduction: how the losses of examples become one; a member of Reduction.
        loss_fn: a function of labels and logits, [D0, ..., DN, 1]; or None.
        name: the name; or None.

    Raises:
        ValueError: if the reduction is unknown, or the parameters of `loss_fn` do not fit.
    """

    # Whether there may be a weight for each logit.
    per_logit_weights = False
    # Whether predictions and metrics have name scopes of their own.
    scoped = True

    def __init__(
        self, weight_column: Any, loss_reduction: str, loss_fn: Any, name: str | None
    ) -> None:
        check_loss_reduction(loss_reduction, Reduction.all())
        check_loss_fn(loss_fn)
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction
        self._loss_fn = loss_fn
        self._name = name

    @property
    def name(self) -> str | None:
        """The name, which the names of metrics end with; or None."""
        return self._name

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """Makes the loss.

        Args:
            features: the features by name.
            mode: a value of ModeKeys.
            logits: a tensor [D0, ..., DN, logits_dimension].
            labels: the labels.

        Returns:
            A LossSpec.
        """
        logits = convert_to_tensor(logits)
        labels = self._processed_labels(logits, labels)
        unreduced_loss, labels = self._unreduced_loss(features, logits, labels)
        weights = weights_like_logits(
            features, self._weight_column, logits, per_logit=self.per_logit_weights
        )
        training_loss = compute_weighted_loss(
            unreduced_loss, weights=weights, reduction=self._loss_reduction
        )
        return LossSpec(training_loss, unreduced_loss, weights, labels)

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> EstimatorSpec:
        """Makes what a model function returns.

        Args:
            features: the features by name.
            mode: a value of ModeKeys.
            logits: a tensor [D0, ..., DN, logits_dimension].
            labels: the labels; needed for training and evaluation.
            optimizer: an Optimizer; or None.
            train_op_fn: a function of the loss that returns the train op; or None.
            regularization_losses: losses that are added to that of the head; or None.

        Returns:
            An EstimatorSpec.

        Raises:
            ValueError: if both or neither of `optimizer` and `train_op_fn` are given for training.
        """
        with name_scope(self._name, "head"):
            predictions = self._scoped_predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(
                    mode=ModeKeys.PREDICT,
                    predictions=predictions,
                    export_outputs=self._export_outputs(predictions),
                )
            spec = self.create_loss(features=features, mode=mode, logits=logits, labels=labels)
            loss, regularization_loss = regularized(spec.training_loss, regularization_losses)
            if mode != ModeKeys.EVAL:
                train_op = with_update_ops(make_train_op(optimizer, train_op_fn, loss))
                mean_loss = mean_loss_of_sum(
                    self._loss_reduction, spec.training_loss, spec.unreduced_loss, spec.weights
                )
        if mode == ModeKeys.EVAL:
            return EstimatorSpec(
                mode=ModeKeys.EVAL,
                predictions=predictions,
                loss=loss,
                eval_metric_ops=self._named_metrics(predictions, spec, regularization_loss),
            )
        write_loss_summaries(self._name, loss, mean_loss, regularization_loss)
        return EstimatorSpec(
            mode=ModeKeys.TRAIN, predictions=predictions, loss=loss, train_op=train_op
        )

    def _scoped_predictions(self, logits: Any) -> dict[str, Tensor]:
        if not self.scoped:
            return self._predictions(logits)
        with name_scope(None, "predictions", (logits,)):
            return self._predictions(logits)

    def _named_metrics(
        self, predictions: Mapping[str, Tensor], spec: LossSpec, regularization_loss: Any
    ) -> dict[str, Any]:
        values = (spec.processed_labels, spec.unreduced_loss, spec.weights, regularization_loss)
        scope = name_scope(None, "metrics", (*predictions.values(), *values))
        with scope if self.scoped else nullcontext():
            metrics = {
                MetricKeys.LOSS_MEAN: means.mean(
                    spec.unreduced_loss,
                    weights=spec.weights,
                    name=MetricKeys.LOSS_MEAN if self.scoped else None,
                ),
                **self._metrics(predictions, spec.processed_labels, spec.weights),
            }
            if regularization_loss is not None:
                metrics[MetricKeys.LOSS_REGULARIZATION] = means.mean(
                    regularization_loss, name=MetricKeys.LOSS_REGULARIZATION
                )
        return {summary_key(self._name, key): metric for key, metric in metrics.items()}

    def _processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        """The labels, checked, as the loss takes them."""
        raise NotImplementedError

    def _unreduced_loss(self, features: Any, logits: Tensor, labels: Any) -> tuple[Tensor, Tensor]:
        """The losses of examples, and the labels as metrics compare them."""
        raise NotImplementedError

    def _predictions(self, logits: Any) -> dict[str, Tensor]:
        raise NotImplementedError

    def _export_outputs(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        raise NotImplementedError

    def _metrics(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> dict[str, Any]:
        """The metrics of this kind of head by name."""
        raise NotImplementedError
