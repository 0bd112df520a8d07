"""TPUEstimatorSpec: what the model function of a TPUEstimator returns."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from inspect import getfullargspec
from typing import Any

from headwater.base import logging
from headwater.base.arguments import fn_args
from headwater.base.export import export
from headwater.estimator.export.outputs import checked_export_outputs
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.estimator.spec_checks import (
    checked_loss,
    checked_predictions,
    checked_train_op,
)
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)
from headwater.train.sessions.scaffold import Scaffold
from headwater.train.summaries.resource_writer import flush, summary_writer_initializer_op

Hooks = Sequence[SessionRunHook]
HostCall = tuple[Callable[..., Any], Any]


@export("estimator.tpu.TPUEstimatorSpec", "contrib.tpu.TPUEstimatorSpec")
class TPUEstimatorSpec(
    namedtuple(
        "TPUEstimatorSpec",
        "mode predictions loss train_op eval_metrics export_outputs scaffold_fn host_call "
        "training_hooks evaluation_hooks prediction_hooks",
    )
):
    """What the model function of a TPUEstimator returns.

    Args:
        mode: a value of ModeKeys.
        predictions: a tensor or tensors by name; needed for prediction.
        loss: a scalar tensor; needed for training and evaluation.
        train_op: the op that trains; needed for training.
        eval_metrics: a pair: a function that returns metrics by name, and its arguments, tensors
            in a list or by the names of the parameters.
        export_outputs: ExportOutputs by the names of signatures.
        scaffold_fn: a function that returns a Scaffold.
        host_call: a pair like `eval_metrics`; the function returns an op, such as one that writes
            summaries, which runs in each step.
        training_hooks: SessionRunHooks for training.
        evaluation_hooks: SessionRunHooks for evaluation.
        prediction_hooks: SessionRunHooks for prediction.

    Raises:
        ValueError: if something is missing, or a pair is none.
        TypeError: if something has the wrong type.
        RuntimeError: if a function takes another number of arguments.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metrics: HostCall | None = None,
        export_outputs: dict[str, Any] | None = None,
        scaffold_fn: Callable[[], Scaffold] | None = None,
        host_call: HostCall | None = None,
        training_hooks: Hooks | None = None,
        evaluation_hooks: Hooks | None = None,
        prediction_hooks: Hooks | None = None,
    ) -> TPUEstimatorSpec:
        for name, call in (("eval_metrics", eval_metrics), ("host_call", host_call)):
            if call is not None:
                _check_host_call(name, call)
        hooks = [tuple(h or ()) for h in (training_hooks, evaluation_hooks, prediction_hooks)]
        for hook in (*hooks[0], *hooks[1], *hooks[2]):
            if not isinstance(hook, SessionRunHook):
                raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
        train_op = checked_train_op(train_op, mode == ModeKeys.TRAIN)
        loss = checked_loss(loss, mode in (ModeKeys.TRAIN, ModeKeys.EVAL))
        predictions = checked_predictions(predictions, mode == ModeKeys.PREDICT)
        if mode == ModeKeys.PREDICT:
            export_outputs = checked_export_outputs(export_outputs, predictions)
        return super().__new__(
            cls,
            mode,
            predictions,
            loss,
            train_op,
            eval_metrics,
            export_outputs,
            scaffold_fn,
            host_call,
            *hooks,
        )

    def as_estimator_spec(self) -> EstimatorSpec:
        """Returns the same for an Estimator: calls the functions and adds a hook for `host_call`.

        Returns:
            An EstimatorSpec.
        """
        metrics = None
        if self.eval_metrics is not None:
            metrics = _call_on_host("eval_metrics", self.eval_metrics)
        hooks: tuple[SessionRunHook, ...] = ()
        if self.host_call is not None:
            hooks = (HostCallHook(_call_on_host("host_call", self.host_call)),)
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=self.training_hooks + hooks,
            evaluation_hooks=self.evaluation_hooks + hooks,
            prediction_hooks=self.prediction_hooks + hooks,
        )


def _check_host_call(name: str, call: Any) -> None:
    if not isinstance(call, (tuple, list)):
        raise ValueError(f"{name} should be tuple or list")
    if len(call) != 2:
        raise ValueError(f"{name} should have two elements.")
    function, tensors = call
    if not callable(function):
        raise TypeError(f"{name}[0] should be callable.")
    if not isinstance(tensors, (tuple, list, dict)):
        raise ValueError(f"{name}[1] should be tuple or list, or dict.")
    if isinstance(tensors, dict) or getfullargspec(function).varargs is not None:
        return
    taken = len(fn_args(function))
    if len(tensors) != taken:
        raise RuntimeError(
            f"In TPUEstimatorSpec.{name}, length of tensors {len(tensors)} does not match method "
            f"args of the function, which takes {taken}."
        )


def _call_on_host(name: str, call: HostCall) -> Any:
    function, tensors = call
    if not isinstance(tensors, Mapping):
        return function(*tensors)
    try:
        return function(**tensors)
    except TypeError as error:
        logging.warning(
            "Exception while calling %s: %s. It is likely the tensors (%s[1]) do not match the "
            "function's arguments",
            name,
            error,
            name,
        )
        raise


class HostCallHook(SessionRunHook):
    """Runs the op of a host call in each step, and flushes its event files at the end.

    Args:
        fetches: what the function of the host call returned.
    """

    def __init__(self, fetches: Any) -> None:
        self._fetches = fetches

    def begin(self) -> None:
        """Finds the writers of the graph."""
        self._open = summary_writer_initializer_op()
        self._flush = [flush(writer=op.inputs[0]) for op in self._open]

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Opens the event files."""
        session.run(self._open)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Adds the op to the run."""
        return SessionRunArgs(self._fetches)

    def end(self, session: Any) -> None:
        """Flushes the event files."""
        session.run(self._flush)
