"""ModelFnOps: what a model function returns."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.keys import ModeKeys, PredictionKey, ProblemType
from headwater.contrib.learn.estimating.tensor_signatures import is_sparse
from headwater.estimator.export.outputs import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Operation, Tensor, convert_to_tensor, get_default_graph
from headwater.ops.array.reshape import reshape
from headwater.serving.saved_model import constants
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.sessions.scaffold import Scaffold


class ModelFnOpsBase(
    namedtuple(
        "ModelFnOps",
        "predictions loss train_op eval_metric_ops output_alternatives training_chief_hooks "
        "training_hooks scaffold mode",
    )
):
    """The fields of ModelFnOps."""

    __slots__ = ()


@export(
    "contrib.learn.ModelFnOps",
    "contrib.learn.estimators.ModelFnOps",
    "contrib.learn.model_fn.ModelFnOps",
)
class ModelFnOps(ModelFnOpsBase):
    """What a model function returns: the model, and how it runs.

    Args:
        mode: a value of ModeKeys.
        predictions: a tensor or tensors by name; needed for evaluation and inference.
        loss: a scalar tensor, or a vector of one number; needed for training and evaluation.
        train_op: the op that trains; needed for training.
        eval_metric_ops: metrics by name: pairs of a value and the op that updates it.
        output_alternatives: by name, pairs of a ProblemType and tensors by name, for exports.
        training_chief_hooks: SessionRunHooks of the chief for training.
        training_hooks: SessionRunHooks for training.
        scaffold: a Scaffold; `training_scaffold` is its older name.
        training_scaffold: see `scaffold`.
        signature_fn: a function of messages, features and predictions that returns the signatures
            of an export. Release 0.12 has it in place of `output_alternatives`; a function there
            is taken for it.

    Raises:
        ValueError: if something is missing or of another graph.
        TypeError: if something has the wrong type.

    Example:
        >>> ops = tf.contrib.learn.ModelFnOps("infer", predictions=tf.zeros([2, 1]))
        >>> print(ops.predictions.get_shape(), ops.loss)
        (2, 1) None
    """

    signature_fn: Callable[..., Any] | None = None

    @deprecated(
        None,
        "When switching to tf.estimator.Estimator, use tf.estimator.EstimatorSpec. You can use the "
        "`estimator_spec` method to create an equivalent one.",
    )
    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: dict[str, Any] | None = None,
        output_alternatives: Mapping[Any, Any] | Callable[..., Any] | None = None,
        training_chief_hooks: Iterable[SessionRunHook] | None = None,
        training_hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        training_scaffold: Scaffold | None = None,
        signature_fn: Callable[..., Any] | None = None,
    ) -> ModelFnOps:
        if callable(output_alternatives):
            output_alternatives, signature_fn = None, output_alternatives
        ModeKeys.validate(mode)
        if train_op is not None:
            train_op = _as_operation(train_op)
        elif mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        loss = _checked_loss(loss, mode)
        predictions = _checked_predictions(predictions, mode)
        _check_graph(predictions, loss, train_op)
        loss = _scalar(loss)
        ops = super().__new__(
            cls,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=_checked_metrics(eval_metric_ops),
            output_alternatives=output_alternatives,
            training_chief_hooks=_checked_hooks(training_chief_hooks),
            training_hooks=_checked_hooks(training_hooks),
            scaffold=scaffold or training_scaffold,
            mode=mode,
        )
        ops.signature_fn = signature_fn
        return ops

    @property
    def training_scaffold(self) -> Scaffold | None:
        """The scaffold."""
        scaffold: Scaffold | None = self.scaffold
        return scaffold

    def estimator_spec(
        self, default_serving_output_alternative_key: str | None = None
    ) -> EstimatorSpec:
        """The same for `tf.estimator.Estimator`.

        Args:
            default_serving_output_alternative_key: the output alternative that is exported as the
                default signature; needed if there are several.

        Returns:
            An EstimatorSpec.

        Raises:
            KeyError: if there are several alternatives and none has this name.
        """
        outputs = None
        if self.output_alternatives:
            outputs = _export_outputs(self, default_serving_output_alternative_key)
        metrics = dict(self.eval_metric_ops or {})
        metrics.pop("loss", None)
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics or None,
            export_outputs=outputs,
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )


def _check_graph(predictions: Any, loss: Any, train_op: Any) -> None:
    """Checks that what the model function has returned stands in one graph."""
    values = list(predictions.values()) if isinstance(predictions, Mapping) else [predictions]
    given = [value for value in (*values, loss, train_op) if value is not None]
    for value in given[1:]:
        if value.graph is not given[0].graph:
            raise ValueError(f"{value} must be from the same graph as {given[0]}.")


def _as_operation(train_op: Any) -> Operation:
    graph = getattr(train_op, "graph", None) or get_default_graph()
    element = graph.as_graph_element(train_op)
    return element.op if isinstance(element, Tensor) else element


def _checked_loss(loss: Any, mode: str) -> Any:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    return convert_to_tensor(loss)


def _scalar(loss: Any) -> Any:
    if loss is None:
        return None
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar: {loss}.")
    return loss if shape.is_compatible_with(()) else reshape(loss, [])


def _checked_predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode in (ModeKeys.INFER, ModeKeys.EVAL):
            raise ValueError("Missing predictions.")
        return None
    if isinstance(predictions, Mapping):
        return {
            name: value if is_sparse(value) else convert_to_tensor(value)
            for name, value in predictions.items()
        }
    return convert_to_tensor(predictions)


def _checked_metrics(metrics: Any) -> dict[str, Any]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise ValueError("eval_metric_ops must be a dict.")
    return metrics


def _checked_hooks(hooks: Iterable[SessionRunHook] | None) -> list[SessionRunHook]:
    result = list(hooks or [])
    for hook in result:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(
                "All hooks returned from model_fn must be SessionRunHook instances, got instance "
                f"of {type(hook)}: {hook}"
            )
    return result


def _export_outputs(ops: ModelFnOps, default_key: str | None) -> dict[str, ExportOutput]:
    alternatives = ops.output_alternatives
    outputs = {key: _export_output(*alternative) for key, alternative in alternatives.items()}
    if len(outputs) > 1:
        default = _export_output(*alternatives[default_key])
        outputs[constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = default
    return outputs


def _export_output(problem_type: int, tensors: dict[str, Any]) -> ExportOutput:
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return RegressionOutput(_scores(tensors))
    if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
        return ClassificationOutput(scores=_scores(tensors), classes=_classes(tensors))
    if problem_type == ProblemType.UNSPECIFIED:
        return PredictOutput(tensors)
    raise ValueError(f"Unknown problem_type={problem_type}")


def _scores(tensors: dict[str, Any]) -> Any:
    scores = tensors.get(PredictionKey.SCORES)
    return tensors.get(PredictionKey.PROBABILITIES) if scores is None else scores


def _classes(tensors: dict[str, Any]) -> Any:
    classes = tensors.get(PredictionKey.CLASSES)
    if classes is None:
        logging.warning("classes is None, Servo inference will not have class ids.")
        return None
    if classes.dtype != dtypes.string:
        logging.warning("classes is not string, Servo inference will not have class ids.")
        return None
    return classes
