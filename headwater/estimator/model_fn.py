"""EstimatorSpec: what a model function returns."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any

from headwater.base import logging
from headwater.base.arguments import fn_args
from headwater.base.export import export
from headwater.estimator.export.outputs import EvalOutput, TrainOutput, checked_export_outputs
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.spec_checks import (
    checked_hooks,
    checked_loss,
    checked_metrics,
    checked_predictions,
    checked_scaffold,
    checked_train_op,
)
from headwater.graph import Tensor
from headwater.serving.saved_model import constants
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.sessions.scaffold import Scaffold

LOSS_METRIC_KEY = "loss"
AVERAGE_LOSS_METRIC_KEY = "average_loss"

# The kind of output, the signature and the tag of an exported graph, by mode.
EXPORT_OUTPUT_CLASSES: dict[str, Any] = {ModeKeys.TRAIN: TrainOutput, ModeKeys.EVAL: EvalOutput}
SIGNATURE_KEYS = {
    ModeKeys.PREDICT: constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    ModeKeys.TRAIN: constants.DEFAULT_TRAIN_SIGNATURE_DEF_KEY,
    ModeKeys.EVAL: constants.DEFAULT_EVAL_SIGNATURE_DEF_KEY,
}
EXPORT_TAGS = {
    ModeKeys.PREDICT: [constants.SERVING],
    ModeKeys.TRAIN: [constants.TRAINING],
    ModeKeys.EVAL: [constants.EVAL],
}


@export("estimator.EstimatorSpec")
class EstimatorSpec(
    namedtuple(
        "EstimatorSpec",
        "mode predictions loss train_op eval_metric_ops export_outputs training_chief_hooks "
        "training_hooks scaffold evaluation_hooks prediction_hooks",
    )
):
    """What a model function returns: the model, and how it runs.

    Args:
        mode: a value of ModeKeys.
        predictions: a tensor or tensors by name; needed for prediction.
        loss: a scalar tensor, or a vector of one number; needed for training and evaluation.
        train_op: the op that trains; needed for training.
        eval_metric_ops: metrics by name: pairs of a value and the op that updates it from a batch,
            as `tf.metrics` gives them.
        export_outputs: ExportOutputs by the names of signatures; by default one PredictOutput of
            the predictions.
        training_chief_hooks: SessionRunHooks of the chief for training.
        training_hooks: SessionRunHooks for training.
        scaffold: a Scaffold, for a saver or initialization of your own.
        evaluation_hooks: SessionRunHooks for evaluation.
        prediction_hooks: SessionRunHooks for prediction.

    Raises:
        ValueError: if something is missing or of another graph.
        TypeError: if something has the wrong type.

    Example:
        >>> predictions = {"y": tf.constant([1.0])}
        >>> spec = tf.estimator.EstimatorSpec("infer", predictions=predictions)
        >>> print(list(spec.export_outputs))
        ['serving_default']
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str | None,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: dict[str, Any] | None = None,
        export_outputs: dict[str, Any] | None = None,
        training_chief_hooks: Iterable[SessionRunHook] | None = None,
        training_hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        evaluation_hooks: Iterable[SessionRunHook] | None = None,
        prediction_hooks: Iterable[SessionRunHook] | None = None,
    ) -> EstimatorSpec:
        train_op = checked_train_op(train_op, mode == ModeKeys.TRAIN)
        loss = checked_loss(loss, mode in (ModeKeys.TRAIN, ModeKeys.EVAL))
        predictions = checked_predictions(predictions, mode == ModeKeys.PREDICT)
        if mode == ModeKeys.PREDICT:
            export_outputs = checked_export_outputs(export_outputs, predictions)
        chief_hooks = checked_hooks(training_chief_hooks)
        hooks = checked_hooks(training_hooks)
        evaluation_hooks = checked_hooks(evaluation_hooks)
        prediction_hooks = checked_hooks(prediction_hooks)
        eval_metric_ops = checked_metrics(eval_metric_ops)
        return super().__new__(
            cls,
            mode,
            predictions,
            loss,
            train_op,
            eval_metric_ops,
            export_outputs,
            chief_hooks,
            hooks,
            checked_scaffold(scaffold),
            evaluation_hooks,
            prediction_hooks,
        )

    def _replace(self, **kwds: Any) -> EstimatorSpec:
        """Returns a copy with some fields replaced.

        Args:
            **kwds: new values of fields.

        Returns:
            An EstimatorSpec.

        Raises:
            ValueError: if the mode would change.
        """
        if "mode" in kwds and self.mode != kwds["mode"]:
            raise ValueError("mode of EstimatorSpec cannot be changed.")
        return EstimatorSpec(**{**self._asdict(), **kwds})


def export_outputs_for_mode(
    mode: str,
    serving_export_outputs: Any = None,
    predictions: Any = None,
    loss: Any = None,
    metrics: Any = None,
) -> dict[str, Any]:
    """The outputs of an exported graph by the names of their signatures.

    Args:
        mode: a value of ModeKeys.
        serving_export_outputs: ExportOutputs by name, for prediction.
        predictions: tensors by name.
        loss: a tensor.
        metrics: pairs of value and update op by name.

    Returns:
        ExportOutputs by name.

    Raises:
        ValueError: if the mode is none of ModeKeys.
    """
    if mode not in SIGNATURE_KEYS:
        raise ValueError(
            f"Export output type not found for mode: {mode}. Expected one of: "
            f"{list(SIGNATURE_KEYS)}.\nOne likely error is that V1 Estimator Modekeys were somehow "
            "passed to this function. Please ensure that you are using the new ModeKeys."
        )
    if mode == ModeKeys.PREDICT:
        return checked_export_outputs(serving_export_outputs, predictions)
    make = EXPORT_OUTPUT_CLASSES[mode]
    return {SIGNATURE_KEYS[mode]: make(loss=loss, predictions=predictions, metrics=metrics)}


@export("estimator.experimental.call_logit_fn", "contrib.estimator.call_logit_fn")
def call_logit_fn(
    logit_fn: Callable[..., Any], features: Any, mode: str, params: Any, config: Any
) -> Any:
    """Calls a function that makes logits, with those arguments that it takes.

    Args:
        logit_fn: a function of features, and of mode, params and config if it takes them.
        features: the features.
        mode: a value of ModeKeys.
        params: the hyperparameters.
        config: the RunConfig.

    Returns:
        A tensor, or tensors by name.

    Raises:
        ValueError: if the function returns something else.
    """
    given = {"mode": mode, "params": params, "config": config}
    names = fn_args(logit_fn)
    kwargs = {name: value for name, value in given.items() if name in names}
    logits = logit_fn(features=features, **kwargs)
    by_name = isinstance(logits, dict) and all(
        isinstance(key, str) and isinstance(value, Tensor) for key, value in logits.items()
    )
    if not (isinstance(logits, Tensor) or by_name):
        raise ValueError(
            "logit_fn should return a Tensor or a dictionary mapping strings to Tensors.  "
            f"logit_fn returned: {logits}"
        )
    return logits


_MODEL_FN_ARGUMENTS = {"features", "labels", "mode", "params", "self", "config"}


def verify_model_fn_args(model_fn: Callable[..., Any], params: Any) -> None:
    """Checks the parameters of a model function.

    Args:
        model_fn: the function.
        params: the hyperparameters, or None.

    Raises:
        ValueError: if a parameter is unknown or missing.
    """
    args = set(fn_args(model_fn))
    if "features" not in args:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in args:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params ({params}) is "
            "passed to Estimator."
        )
    if params is None and "params" in args:
        logging.warning(
            "Estimator's model_fn (%s) includes params argument, but params are not passed to "
            "Estimator.",
            model_fn,
        )
    unknown = list(args - _MODEL_FN_ARGUMENTS)
    if unknown:
        raise ValueError(f"model_fn ({model_fn}) has following not expected args: {unknown}")
