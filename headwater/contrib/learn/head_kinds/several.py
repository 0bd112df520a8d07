"""Heads without logits, and several heads of one model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.contrib.learn.head_kinds.base import Head, check_mode, summarize_loss
from headwater.contrib.learn.notices import HEAD
from headwater.graph import group, name_scope
from headwater.model.variables.variable_scope import variable_scope
from headwater.model.variables.variable_scope_object import ScopeLike
from headwater.ops.array.slice import slice_
from headwater.ops.control.identity import no_op
from headwater.ops.math.add_n import add_n
from headwater.ops.math.arithmetic import multiply


@export(
    "contrib.learn.no_op_train_fn",
    "contrib.learn.head.no_op_train_fn",
    "contrib.learn.estimators.no_op_train_fn",
)
@deprecated(None, "Use 'lambda _: tf.no_op()'.")
def no_op_train_fn(loss: Any) -> Any:
    """Makes an op that trains nothing.

    Args:
        loss: unused.

    Returns:
        An Operation.
    """
    return no_op()


class LossOnlyHead(Head):
    """A head that has only a loss."""

    def __init__(self, loss_fn: Callable[[], Any], head_name: str | None = None) -> None:
        self._loss_fn = loss_fn
        self.head_name = head_name or "loss_only_head"

    @property
    def logits_dimension(self) -> int:
        """0: there are no logits."""
        return 0

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
        """Makes what a model function returns: the loss, and no predictions.

        Args:
            features: unused.
            mode: a value of ModeKeys.
            labels: unused.
            train_op_fn: a function of the loss that returns the op that trains.
            logits: unused.
            logits_input: unused.
            scope: the variable scope; or None.

        Returns:
            ModelFnOps.

        Raises:
            ValueError: if the mode is unknown, or training lacks its function.
        """
        check_mode(mode)
        loss = train_op = None
        if mode != ModeKeys.INFER:
            with variable_scope(scope, default_name=self.head_name):
                loss = self._loss_fn()
                if isinstance(loss, (list, tuple)):
                    loss = add_n(loss)
                summarize_loss(loss, self.head_name)
                if mode == ModeKeys.TRAIN:
                    if train_op_fn is None:
                        raise ValueError("train_op_fn can not be None in TRAIN mode")
                    with name_scope("train_op"):
                        train_op = train_op_fn(loss)
        return ModelFnOps(
            mode=mode, loss=loss, train_op=train_op, predictions={}, eval_metric_ops={}
        )


class MultiHead(Head):
    """Several heads; the logits are theirs one after the other, or by the names of heads."""

    def __init__(self, heads: Sequence[Any], loss_merger: Callable[[Sequence[Any]], Any]) -> None:
        self._heads = heads
        self._loss_merger = loss_merger
        self._logits_dimension = 0
        for head in heads:
            if not head.head_name:
                raise ValueError("Members of MultiHead must have names.")
            self._logits_dimension += head.logits_dimension

    @property
    def logits_dimension(self) -> int:
        """The sum of those of the heads."""
        return self._logits_dimension

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
            labels: tensors by name; not needed for inference.
            train_op_fn: a function of the loss that returns the op that trains.
            logits: the logits of all heads, or logits by the names of heads; or None.
            logits_input: a tensor from which linear layers make the logits, if there are none.
            scope: unused.

        Returns:
            ModelFnOps; predictions are named by pairs of the head and the prediction.

        Raises:
            ValueError: if the mode is unknown, or something is missing.
        """
        check_mode(mode)
        all_ops = [
            head.create_model_fn_ops(
                features=features,
                mode=mode,
                labels=labels,
                train_op_fn=lambda loss: no_op(),
                logits=head_logits,
                logits_input=logits_input,
            )
            for head, head_logits in zip(self._heads, self._logits_of_heads(logits), strict=True)
        ]
        if mode == ModeKeys.TRAIN:
            if train_op_fn is None:
                raise ValueError("train_op_fn can not be None in TRAIN mode.")
            return self._merge_train(all_ops, train_op_fn)
        if mode == ModeKeys.INFER:
            return self._merge_infer(all_ops)
        return self._merge_eval(all_ops)

    def _logits_of_heads(self, logits: Any) -> list[Any]:
        if logits is None:
            return [None] * len(self._heads)
        if isinstance(logits, dict):
            return [
                None if isinstance(head, LossOnlyHead) else logits[head.head_name]
                for head in self._heads
            ]
        parts: list[Any] = []
        begin = 0
        for head in self._heads:
            size = head.logits_dimension
            part = None
            if not isinstance(head, LossOnlyHead):
                part = slice_(logits, begin=[0, begin], size=[-1, size])
            parts.append(part)
            begin += size
        return parts

    def _merge_train(self, all_ops: Sequence[Any], train_op_fn: Callable[[Any], Any]) -> ModelFnOps:
        loss = self._loss_merger([ops.loss for ops in all_ops])
        train_op = group(train_op_fn(loss), *(ops.train_op for ops in all_ops))
        metrics: dict[str, Any] = {}
        for ops in all_ops:
            metrics.update(ops.eval_metric_ops or {})
        return ModelFnOps(
            mode=ModeKeys.TRAIN, loss=loss, train_op=train_op, eval_metric_ops=metrics
        )

    def _predictions(self, all_ops: Sequence[Any]) -> dict[Any, Any]:
        return {
            (head.head_name, name): tensor
            for head, ops in zip(self._heads, all_ops, strict=True)
            for name, tensor in ops.predictions.items()
        }

    def _merge_infer(self, all_ops: Sequence[Any]) -> ModelFnOps:
        alternatives: dict[Any, Any] = {}
        for head, ops in zip(self._heads, all_ops, strict=True):
            if ops.output_alternatives:
                alternatives[head.head_name] = ops.output_alternatives[head.head_name]
        return ModelFnOps(
            mode=ModeKeys.INFER,
            predictions=self._predictions(all_ops),
            output_alternatives=alternatives,
        )

    def _merge_eval(self, all_ops: Sequence[Any]) -> ModelFnOps:
        metrics: dict[str, Any] = {}
        for ops in all_ops:
            metrics.update(ops.eval_metric_ops or {})
        return ModelFnOps(
            mode=ModeKeys.EVAL,
            predictions=self._predictions(all_ops),
            loss=self._loss_merger([ops.loss for ops in all_ops]),
            eval_metric_ops=metrics,
        )


@export("contrib.learn.head.loss_only_head", "contrib.learn.estimators.loss_only_head")
@deprecated(None, HEAD)
def loss_only_head(loss_fn: Callable[[], Any], head_name: str | None = None) -> LossOnlyHead:
    """Makes a head that has only a loss.

    Args:
        loss_fn: a function that returns the loss, or a list of losses.
        head_name: the name of the head; or None.

    Returns:
        A Head.
    """
    return LossOnlyHead(loss_fn, head_name=head_name)


@export(
    "contrib.learn.multi_head",
    "contrib.learn.head.multi_head",
    "contrib.learn.estimators.multi_head",
)
@deprecated(None, HEAD)
def multi_head(heads: Sequence[Any], loss_weights: Sequence[float] | None = None) -> MultiHead:
    """Makes one head of several.

    Args:
        heads: heads with names.
        loss_weights: the weights of their losses; 1 by default.

    Returns:
        A Head.

    Raises:
        ValueError: if a head has no name, or the numbers of heads and weights differ.
    """
    if loss_weights and len(loss_weights) != len(heads):
        raise ValueError("heads and loss_weights must have same size")

    def merged(losses: Sequence[Any]) -> Any:
        if not loss_weights:
            return add_n(losses)
        if len(losses) != len(loss_weights):
            raise ValueError("losses and loss_weights must have same size")
        pairs = zip(losses, loss_weights, strict=True)
        return add_n([multiply(loss, weight) for loss, weight in pairs])

    return MultiHead(heads, loss_merger=merged)
