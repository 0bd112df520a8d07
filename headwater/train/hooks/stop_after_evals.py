"""Hooks that end an evaluation after a number of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.stop_at_step import get_or_create_steps_per_run_variable

if TYPE_CHECKING:
    from headwater.session.session import Session
    from headwater.train.coordinator import Coordinator


class StopAfterNEvalsHook(SessionRunHook):
    """Requests a stop after a number of evaluated batches, and logs the progress.

    Args:
        num_evals: how many batches; None for all of the input.
        log_progress: whether the number of batches is logged, in ten lines or so.
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        # A tenth of the batches, but every one of few.
        self._log_frequency = 1 if num_evals is None or num_evals < 20 else int(num_evals / 10)

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the number of evaluated batches."""
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs, and requests a stop after the last batch."""
        self._after(run_context, run_values.results["evals_completed"], 1)

    def _after(self, run_context: SessionRunContext, done: int, steps: int) -> None:
        if self._log_progress:
            if self._num_evals is None:
                logging.info("Evaluation [%d]", done)
            elif done % self._log_frequency < steps or done == self._num_evals:
                logging.info("Evaluation [%d/%d]", done, self._num_evals)
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


class MultiStepStopAfterNEvalsHook(StopAfterNEvalsHook):
    """Requests a stop after a number of batches when a run evaluates several of them.

    Args:
        num_evals: how many batches; None for all of the input.
        steps_per_run: how many batches a run evaluates at most.
        log_progress: whether the number of batches is logged.
    """

    def __init__(
        self, num_evals: int | None, steps_per_run: int = 1, log_progress: bool = True
    ) -> None:
        super().__init__(num_evals, log_progress)
        self._steps_per_run_initial_value = steps_per_run

    def begin(self) -> None:
        """Finds the variable of batches per run."""
        self._steps_per_run_variable = get_or_create_steps_per_run_variable()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Sets the number of batches of the first run."""
        self._load(self._num_evals, session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs, and sets the number of batches of the next run or requests a stop."""
        done = int(run_values.results["evals_completed"])
        if self._num_evals is not None:
            self._load(self._num_evals - done, run_context.session)
        self._after(run_context, done, self._steps_per_run_initial_value)

    def _load(self, left: int | None, session: Session) -> None:
        steps = self._steps_per_run_initial_value
        if left is not None:
            steps = min(left, steps)
        self._steps_per_run_variable.load(steps, session=session)
