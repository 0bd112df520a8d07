"""StepCounterHook: how many steps a second training makes."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.model.global_step import get_global_step
from headwater.protos.lazy import summary_pb2
from headwater.train.hooks.required_step import required_step
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.timers import SecondOrStepTimer
from headwater.train.summaries.file_writer import FileWriterCache

_MAX_WARNINGS = 5


@export("train.StepCounterHook", "estimator.StepCounterHook")
class StepCounterHook(SessionRunHook):
    """Logs the number of steps per second and writes it as a summary.

    Args:
        every_n_steps: the interval in steps, or None.
        every_n_secs: the interval in seconds, or None.
        output_dir: the folder of the event file, or None.
        summary_writer: the FileWriter; None for the one of `output_dir`.

    Raises:
        ValueError: unless exactly one interval is given.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._last_global_step: int | None = None
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Finds the global step and opens the event file.

        Raises:
            RuntimeError: if there is no global step.
        """
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = required_step("StepCounterHook")
        self._request = SessionRunArgs(self._global_step_tensor)
        self._summary_tag = f"{get_global_step().op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the global step."""
        return self._request

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs and writes the rate if it is time to; warns if the step does not change."""
        # The fetched step may have been read before the update of this run.
        stale_global_step = run_values.results
        if self._timer.should_trigger_for_step(stale_global_step + self._steps_per_run):
            global_step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(global_step):
                seconds, steps = self._timer.update_last_triggered_step(global_step)
                if seconds is not None and steps is not None:
                    self._log_and_record(steps, seconds, global_step)
        if self._last_global_step == stale_global_step:
            logging.log_first_n(
                logging.WARN,
                "It seems that global step (tf.train.get_global_step) has not been increased. "
                "Current value (could be stable): %s vs previous value: %s. You could increase the "
                "global step by passing tf.train.get_global_step() to Optimizer.apply_gradients or "
                "Optimizer.minimize.",
                _MAX_WARNINGS,
                stale_global_step,
                self._last_global_step,
            )
        self._last_global_step = stale_global_step

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        steps_per_sec = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            value = summary_pb2.Summary.Value(tag=self._summary_tag, simple_value=steps_per_sec)
            self._summary_writer.add_summary(summary_pb2.Summary(value=[value]), global_step)
        logging.info("%s: %g", self._summary_tag, steps_per_sec)
