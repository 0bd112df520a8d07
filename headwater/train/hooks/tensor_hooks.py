"""Hooks that look at the values of tensors: they log them, or stop at NaN."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.graph import Tensor, get_default_graph
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.timers import HookTimer, NeverTriggerTimer, SecondOrStepTimer

if TYPE_CHECKING:
    from headwater.session.session import Session


def as_graph_element(obj: Any) -> Any:
    """A tensor of the default graph, given itself or by the name of the tensor or of its op.

    Args:
        obj: a graph element or a name.

    Returns:
        The graph element.

    Raises:
        ValueError: if it is of another graph, or an op of that name has several outputs.
    """
    graph = get_default_graph()
    if not isinstance(obj, str):
        if getattr(obj, "graph", None) is not graph:
            raise ValueError(
                f"Passed {obj} should have graph attribute that is equal to current graph {graph}."
            )
        return obj
    if ":" in obj:
        return graph.as_graph_element(obj)
    element = graph.as_graph_element(f"{obj}:0")
    if len(element.op.outputs) > 1:
        raise ValueError(
            f"Name {obj} is ambiguous, as this `Operation` has multiple outputs (at least 2)."
        )
    return element


@export("train.LoggingTensorHook", "estimator.LoggingTensorHook")
class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors at level INFO.

    Args:
        tensors: tensors or names of tensors; a dict gives them labels.
        every_n_iter: logs every so many runs, the first one included; or None.
        every_n_secs: logs every so many seconds; or None.
        at_end: whether the values are logged at the end too.
        formatter: makes the message of the values by label; None for the usual form.

    Raises:
        ValueError: if both intervals are given, or neither and not `at_end`, or if `every_n_iter`
            is not positive.
    """

    def __init__(
        self,
        tensors: Mapping[str, Any] | Sequence[Any],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[Any, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                "provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, dict):
            self._tag_order = sorted(tensors)
        else:
            self._tag_order = list(tensors)
            tensors = {item: item for item in tensors}
        self._tensors = tensors
        self._formatter = formatter
        self._timer: HookTimer = (
            NeverTriggerTimer()
            if only_at_end
            else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        )
        self._log_at_end = at_end

    def begin(self) -> None:
        """Finds the tensors."""
        self._timer.reset()
        self._iter_count = 0
        self._should_trigger = False
        self._current_tensors = {
            tag: as_graph_element(tensor) for tag, tensor in self._tensors.items()
        }

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Asks for the tensors if this run is logged."""
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs the values if this run is logged."""
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: Session) -> None:
        """Logs the values after the last run, if they are wanted."""
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, tensor_values: dict[Any, Any]) -> None:
        with np.printoptions(suppress=True):
            elapsed_secs, _ = self._timer.update_last_triggered_step(self._iter_count)
            if self._formatter:
                logging.info(self._formatter(tensor_values))
                return
            text = ", ".join(f"{tag} = {tensor_values[tag]!s}" for tag in self._tag_order)
            if elapsed_secs is None:
                logging.info("%s", text)
            else:
                logging.info("%s (%.3f sec)", text, elapsed_secs)


@export("train.NanLossDuringTrainingError", "estimator.NanLossDuringTrainingError")
class NanLossDuringTrainingError(RuntimeError):
    """The loss has become NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


@export("train.NanTensorHook", "estimator.NanTensorHook")
class NanTensorHook(SessionRunHook):
    """Stops training when the loss is NaN.

    Args:
        loss_tensor: the loss, a scalar tensor.
        fail_on_nan_loss: whether an error is raised; otherwise a stop is requested.
    """

    def __init__(self, loss_tensor: Tensor, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Checks the loss.

        Raises:
            NanLossDuringTrainingError: if it is NaN and that is an error.
        """
        loss = run_values.results
        # Only NaN differs from itself; `np.isnan` takes longer than the rest of the hook.
        if loss == loss:
            return
        failure_message = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            logging.error(failure_message)
            raise NanLossDuringTrainingError
        logging.warning(failure_message)
        # The session is asked to stop; the caller still gets the results of this run.
        run_context.request_stop()
