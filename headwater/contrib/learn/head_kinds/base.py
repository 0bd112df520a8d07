"""Head, and what the heads with one kind of logits have in common."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.contrib.layers.fully_connected import linear
from headwater.contrib.learn.estimating.keys import MetricKey, ModeKeys
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.contrib.learn.head_kinds.centered_bias import (
    centered_bias_of,
    centered_bias_step,
    summary_key,
)
from headwater.contrib.learn.head_kinds.labels import weight_tensor
from headwater.graph import convert_to_tensor, group, name_scope
from headwater.model.variables.variable_scope import variable_scope
from headwater.model.variables.variable_scope_object import ScopeLike
from headwater.ops.array.shape import shape
from headwater.ops.control.identity import identity
from headwater.ops.nn.bias import bias_add
from headwater.ops.summary.scalar import scalar


@export("contrib.learn.Head", "contrib.learn.head.Head", "contrib.learn.estimators.Head")
class Head(abc.ABC):
    """What turns the logits of a model into loss, predictions and metrics."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits."""
        raise NotImplementedError("Calling an abstract method.")

    @abc.abstractmethod
    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: ScopeLike | None = None,
    ) -> ModelFnOps:
        """Makes what a model function returns.

        Args:
            features: tensors by name.
            mode: a value of ModeKeys.
            labels: a tensor, or tensors by name; not needed for inference.
            train_op_fn: a function of the loss that returns the op that trains.
            logits: the logits; or None.
            logits_input: a tensor from which a linear layer makes the logits, if there are none.
            scope: the variable scope; or None.

        Returns:
            ModelFnOps.

        Raises:
            ValueError: if the mode is unknown, or something is missing.
        """
        raise NotImplementedError("Calling an abstract method.")

    def head_ops(
        self,
        features: Any,
        labels: Any,
        mode: str,
        train_op_fn: Callable[[Any], Any] | None,
        logits: Any = None,
        logits_input: Any = None,
        scope: ScopeLike | None = None,
    ) -> ModelFnOps:
        """The same as `create_model_fn_ops`, under its name in 1.0.

        Args:
            features: tensors by name.
            labels: a tensor, or tensors by name; None for inference.
            mode: a value of ModeKeys.
            train_op_fn: a function of the loss that returns the op that trains.
            logits: the logits; or None.
            logits_input: a tensor from which a linear layer makes the logits, if there are none.
            scope: the variable scope; or None.

        Returns:
            ModelFnOps.
        """
        return self.create_model_fn_ops(
            features, mode, labels, train_op_fn, logits, logits_input, scope
        )


def check_mode(mode: str) -> None:
    """Checks that a mode is one of ModeKeys.

    Args:
        mode: the mode.

    Raises:
        ValueError: if it is not.
    """
    if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
        raise ValueError(f"mode={mode} unrecognized.")


class SingleHead(Head):
    """A head with one kind of logits.

    A derived class defines `_transform_labels`, `_logits_to_predictions` and `_metrics`.

    Args:
        problem_type: a value of ProblemType.
        logits_dimension: the size of the last dimension of the logits.
        scope_name: the name of the variable scope of a head without a name.
        loss_fn: a function of labels, logits and weights that returns the loss and the weighted
            average of losses.
        label_name: the name of the labels; None if they are a tensor.
        weight_column_name: the name of the feature with the weights; or None.
        head_name: the name of the head; or None.
        enable_centered_bias: whether a bias is learned before the rest of the model.

    Raises:
        ValueError: if the size or type is not valid.
    """

    def __init__(
        self,
        problem_type: int | None,
        logits_dimension: int,
        scope_name: str,
        loss_fn: Callable[..., Any],
        label_name: str | None = None,
        weight_column_name: str | None = None,
        head_name: str | None = None,
        enable_centered_bias: bool = False,
    ) -> None:
        if problem_type is None:
            raise ValueError(f"Invalid problem_type {problem_type}.")
        if logits_dimension is None or logits_dimension < 1:
            raise ValueError(f"Invalid logits_dimension {logits_dimension}.")
        self._problem_type = problem_type
        self._logits_dimension = logits_dimension
        self._scope_name = scope_name
        self._loss_fn = loss_fn
        self._label_name = label_name
        self._weight_column_name = weight_column_name
        self._head_name = head_name
        self._enable_centered_bias = enable_centered_bias

    @property
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits."""
        return self._logits_dimension

    @property
    def label_name(self) -> str | None:
        """The name of the labels, or None."""
        return self._label_name

    @property
    def weight_column_name(self) -> str | None:
        """The name of the feature with the weights, or None."""
        return self._weight_column_name

    @property
    def head_name(self) -> str | None:
        """The name of the head, or None."""
        return self._head_name

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: ScopeLike | None = None,
    ) -> ModelFnOps:
        """Makes what a model function returns.

        Args:
            features: tensors by name.
            mode: a value of ModeKeys.
            labels: a tensor, or tensors by name; not needed for inference.
            train_op_fn: a function of the loss that returns the op that trains.
            logits: the logits; or None.
            logits_input: a tensor from which a linear layer makes the logits, if there are none.
            scope: the variable scope; or None.

        Returns:
            ModelFnOps.

        Raises:
            ValueError: if the mode is unknown, or something is missing.
        """
        with variable_scope(scope, default_name=self._head_name or self._scope_name):
            labels = self._transform_labels(mode, labels)
            logits = self._logits(logits_input, logits)
            return self._ops(features, mode, labels, train_op_fn, logits)

    def _logits(self, logits_input: Any, logits: Any) -> Any:
        if (logits_input is None) == (logits is None):
            raise ValueError(
                "Neither logits nor logits_input supplied."
                if logits is None
                else "Both logits and logits_input supplied."
            )
        if logits is None:
            return linear(logits_input, self._logits_dimension, scope="logits")
        logits = convert_to_tensor(logits)
        dims = logits.get_shape().dims
        if dims:
            dims[-1].assert_is_compatible_with(self._logits_dimension)
        return logits

    def _ops(
        self,
        features: Any,
        mode: str,
        labels: Any,
        train_op_fn: Callable[[Any], Any] | None,
        logits: Any,
    ) -> ModelFnOps:
        check_mode(mode)
        bias = None
        if self._enable_centered_bias:
            bias = centered_bias_of(self._logits_dimension, self._head_name)
            logits = bias_add(logits, bias)
        predictions = self._logits_to_predictions(logits)
        loss = train_op = metrics = None
        if mode != ModeKeys.INFER and labels is not None:
            weights = weight_tensor(features, self._weight_column_name)
            loss, average_loss = self._loss_fn(labels, logits, weights)
            summarize_loss(average_loss, self._head_name)
            if mode == ModeKeys.TRAIN:
                if train_op_fn is None:
                    raise ValueError("train_op_fn can not be None in TRAIN mode")
                batch_size = shape(logits)[0]
                train_op = self._train_op(loss, labels, train_op_fn, bias, batch_size, weights)
            with name_scope("metrics"):
                metrics = self._metrics(average_loss, predictions, labels, weights)
        return ModelFnOps(
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            output_alternatives=self._create_output_alternatives(predictions),
        )

    def _train_op(
        self,
        loss: Any,
        labels: Any,
        train_op_fn: Callable[[Any], Any],
        bias: Any,
        batch_size: Any,
        weights: Any,
    ) -> Any:
        """The op that trains the model, and the centered bias if there is one."""
        bias_step = None
        if bias is not None:
            bias_step = centered_bias_step(
                bias, labels, self._loss_fn, weights, self._logits_dimension
            )
        with name_scope("train_op"):
            train_op = train_op_fn(loss)
            return train_op if bias_step is None else group(train_op, bias_step)

    @abc.abstractmethod
    def _transform_labels(self, mode: str, labels: Any) -> Any:
        """The labels as the loss takes them; None for inference."""

    @abc.abstractmethod
    def _logits_to_predictions(self, logits: Any) -> dict[str, Any]:
        """The predictions by name."""

    @abc.abstractmethod
    def _metrics(
        self, eval_loss: Any, predictions: dict[str, Any], labels: Any, weights: Any
    ) -> dict[str, Any]:
        """Pairs of value and update op by name."""

    def _create_output_alternatives(self, predictions: dict[str, Any]) -> dict[Any, Any]:
        """What the model can serve."""
        return {self._head_name: (self._problem_type, predictions)}

    def _key(self, name: str) -> str:
        """The name of a metric or summary of this head."""
        return summary_key(self._head_name, name)


def summarize_loss(loss: Any, head_name: str | None) -> None:
    """Writes a summary of a loss, whose tag has no scope.

    Args:
        loss: the loss.
        head_name: the name of the head, or None.
    """
    with name_scope(""):
        scalar(summary_key(head_name, MetricKey.LOSS), identity(loss))
