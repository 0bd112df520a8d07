"""tf.estimator.Head: the heads of the second generation."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base.export import export
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.export.outputs import ExportOutput
from headwater.estimator.head.checks import (
    check_loss_fn,
    check_loss_reduction,
    checked_logits,
    weights_like_logits,
)
from headwater.estimator.head.metric_objects import MetricObject
from headwater.estimator.head.training_ops import regularized, summary_key, write_loss_summaries
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Tensor, group, name_scope
from headwater.model.losses.weighting import Reduction, compute_weighted_loss
from headwater.model.metrics import means

SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
_REDUCTIONS = {"sum": Reduction.SUM, SUM_OVER_BATCH_SIZE: Reduction.SUM_OVER_BATCH_SIZE}

LossesOrNone = Sequence[Tensor] | None


def check_reduction(loss_reduction: str) -> None:
    """Checks the reduction of a head of the second generation.

    Raises:
        ValueError: if it is unknown or makes no scalar.
    """
    check_loss_reduction(
        loss_reduction,
        ("auto", *_REDUCTIONS),
        ". See `tf.losses.Reduction` for valid options.",
    )


def _sequence(name: str, value: Any) -> None:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{name} should be a list or a tuple. Given type: {type(value)}.")


def training_op(
    loss: Tensor,
    optimizer: Any,
    trainable_variables: Any,
    train_op_fn: Callable[[Tensor], Any] | None,
    update_ops: Any,
) -> Any:
    """The op that trains a model with a head of the second generation.

    Args:
        loss: the loss.
        optimizer: an optimizer that has `get_updates`, as those of Keras; or None.
        trainable_variables: the variables that it changes.
        train_op_fn: a function of the loss that returns the op; or None.
        update_ops: ops that run with it; or None.

    Returns:
        An op or tensor.

    Raises:
        ValueError: if both or neither of optimizer and function are given, or one is wrong.
    """
    if optimizer is not None:
        if train_op_fn is not None:
            raise ValueError("train_op_fn and optimizer cannot both be set.")
        if not hasattr(optimizer, "get_updates"):
            raise ValueError(
                "The given optimizer is not a tf.keras.optimizers.Optimizer instance. Given: "
                f"{optimizer}"
            )
        if trainable_variables is None:
            raise ValueError(f"trainable_variables cannot be None. Given {trainable_variables}")
        _sequence("trainable_variables", trainable_variables)
        train_op = group(*optimizer.get_updates(loss, trainable_variables))
    elif train_op_fn is not None:
        train_op = train_op_fn(loss)
    else:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    if update_ops is None:
        return train_op
    _sequence("update_ops", update_ops)
    return group(train_op, *update_ops)


@export("estimator.Head")
class Head(abc.ABC):
    """The part of a model behind its logits: loss, metrics, predictions and the train op."""

    @property
    @abc.abstractmethod
    def name(self) -> str | None:
        """The name, which the names of metrics end with; or None."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """How many logits an example has."""

    @property
    @abc.abstractmethod
    def loss_reduction(self) -> str:
        """How the losses of examples become one."""

    @abc.abstractmethod
    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: str | None = None,
        regularization_losses: LossesOrNone = None,
    ) -> Tensor:
        """Makes the loss.

        Args:
            labels: the labels.
            logits: a tensor [D0, ..., DN, logits_dimension].
            features: the features by name; for weights.
            mode: a value of ModeKeys.
            regularization_losses: losses that are added; or None.

        Returns:
            A scalar.
        """

    @abc.abstractmethod
    def predictions(self, logits: Any, keys: Any = None) -> Any:
        """Makes the predictions.

        Args:
            logits: a tensor [D0, ..., DN, logits_dimension].
            keys: the names of those that are wanted; or None.

        Returns:
            Tensors by name.
        """

    @abc.abstractmethod
    def metrics(self, regularization_losses: LossesOrNone = None) -> dict[str, Any]:
        """Makes the metrics.

        Args:
            regularization_losses: losses that have a metric; or None.

        Returns:
            Metric objects by name.
        """

    @abc.abstractmethod
    def update_metrics(
        self,
        eval_metrics: dict[str, Any],
        features: Any,
        logits: Any,
        labels: Any,
        mode: str | None = None,
        regularization_losses: LossesOrNone = None,
    ) -> dict[str, Any]:
        """Updates the metrics by a batch.

        Args:
            eval_metrics: what `metrics` has returned.
            features: the features by name.
            logits: a tensor [D0, ..., DN, logits_dimension].
            labels: the labels.
            mode: a value of ModeKeys.
            regularization_losses: losses that are added; or None.

        Returns:
            `eval_metrics`.
        """

    def _summary_key(self, key: str) -> str:
        return summary_key(self.name, key)

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
        """Makes what a model function returns.

        Args:
            features: the features by name.
            mode: a value of ModeKeys.
            logits: a tensor [D0, ..., DN, logits_dimension].
            labels: the labels; needed for training and evaluation.
            optimizer: an optimizer that has `get_updates`, as those of Keras; or None.
            trainable_variables: the variables that it changes.
            train_op_fn: a function of the loss that returns the train op; or None.
            update_ops: ops that run with the train op; or None.
            regularization_losses: losses that are added to that of the head; or None.

        Returns:
            An EstimatorSpec.

        Raises:
            ValueError: if both or neither of `optimizer` and `train_op_fn` are given for training.
        """
        raise NotImplementedError(
            "Subclasses of Head must implement `create_estimator_spec()` or "
            "_create_tpu_estimator_spec()."
        )


class SinglePublicHead(Head):
    """A head of the second generation with a loss of its own."""

    per_logit_weights = False
    # What `_metric_makers` needs besides the predictions.
    _name: str | None

    def __init__(
        self, weight_column: Any, loss_reduction: str, loss_fn: Any, name: str | None
    ) -> None:
        check_reduction(loss_reduction)
        check_loss_fn(loss_fn)
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction
        self._loss_fn = loss_fn
        self._name = name

    @property
    def name(self) -> str | None:
        """The name, which the names of metrics end with; or None."""
        return self._name

    @property
    def loss_reduction(self) -> str:
        """How the losses of examples become one."""
        return self._loss_reduction

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: str | None = None,
        regularization_losses: LossesOrNone = None,
    ) -> Tensor:
        """Makes the loss; see Head."""
        with name_scope(None, "losses", (logits, labels)):
            logits = checked_logits(logits, self.logits_dimension)
            _, unreduced, weights = self._parts_of_loss(labels, logits, features)
            reduction = _REDUCTIONS.get(self._loss_reduction, Reduction.SUM_OVER_BATCH_SIZE)
            loss = compute_weighted_loss(
                unreduced, weights=weights, loss_collection=None, reduction=reduction
            )
            return regularized(loss, regularization_losses)[0]

    def _parts_of_loss(
        self, labels: Any, logits: Tensor, features: Any
    ) -> tuple[Tensor, Tensor, Any]:
        """The labels as metrics compare them, the losses of examples, and their weights."""
        labels = self._processed_labels(logits, labels)
        unreduced, labels = self._unreduced_loss(features or {}, logits, labels)
        weights = weights_like_logits(
            features or {},
            self._weight_column,
            logits,
            per_logit=self.per_logit_weights,
            kind="NumericColumn",
        )
        return labels, unreduced, weights

    def predictions(self, logits: Any, keys: Any = None) -> dict[str, Tensor]:
        """Makes the predictions; see Head."""
        with name_scope(None, "predictions", (logits,)):
            made = self._predictions(logits)
        if keys is None:
            return made
        for key in keys:
            if key not in made:
                raise ValueError(
                    f"Prediction key must be in PredictionKeys, given: {key}.Valid prediction keys "
                    f"include {list(made)}."
                )
        return {key: made[key] for key in keys}

    def metrics(self, regularization_losses: LossesOrNone = None) -> dict[str, Any]:
        """Makes the metrics; see Head."""
        makers = {MetricKeys.LOSS_MEAN: means.mean, **self._metric_makers()}
        if regularization_losses is not None:
            makers[MetricKeys.LOSS_REGULARIZATION] = means.mean
        return {self._summary_key(key): MetricObject(make, key) for key, make in makers.items()}

    def update_metrics(  # type: ignore[override]
        self,
        eval_metrics: dict[str, Any],
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: LossesOrNone = None,
    ) -> dict[str, Any]:
        """Updates the metrics by a batch; see Head."""
        made = self._scoped_predictions(logits)
        logits = checked_logits(logits, self.logits_dimension)
        labels, unreduced, weights = self._parts_of_loss(labels, logits, features)
        arguments = {
            MetricKeys.LOSS_MEAN: (unreduced, weights),
            **self._metric_arguments(made, labels, weights),
        }
        if regularization_losses is not None:
            total = regularized(unreduced, regularization_losses)[1]
            arguments[MetricKeys.LOSS_REGULARIZATION] = (total,)
        for key, values in arguments.items():
            eval_metrics[self._summary_key(key)].update_state(*values)
        return eval_metrics

    def _scoped_predictions(self, logits: Any) -> dict[str, Tensor]:
        with name_scope(None, "predictions", (logits,)):
            return self._predictions(logits)

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
        with name_scope(self._name, "head"):
            predictions = self._scoped_predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(
                    mode=ModeKeys.PREDICT,
                    predictions=predictions,
                    export_outputs=self._export_outputs(predictions),
                )
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                return EstimatorSpec(
                    mode=ModeKeys.EVAL,
                    predictions=predictions,
                    loss=loss,
                    eval_metric_ops=self.update_metrics(
                        self.metrics(regularization_losses),
                        features,
                        logits,
                        labels,
                        regularization_losses,
                    ),
                )
            train_op = training_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        total = regularized(loss, regularization_losses)[1]
        write_loss_summaries(self._name, loss, regularization_loss=total)
        return EstimatorSpec(
            mode=ModeKeys.TRAIN, predictions=predictions, loss=loss, train_op=train_op
        )

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

    def _metric_makers(self) -> dict[str, Callable[..., tuple[Any, Any]]]:
        """Functions that make the metrics of this kind of head, by name."""
        raise NotImplementedError

    def _metric_arguments(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> dict[str, tuple[Any, ...]]:
        """The arguments of those functions."""
        raise NotImplementedError
