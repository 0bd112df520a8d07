"""SummarySaverHook: writes summaries while a program trains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.protos.lazy import event_pb2
from headwater.train.hooks.required_step import required_step
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.timers import SecondOrStepTimer
from headwater.train.summaries.file_writer import FileWriterCache

if TYPE_CHECKING:
    from headwater.session.session import Session


@export("train.SummarySaverHook", "estimator.SummarySaverHook")
class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds, and at the first run.

    Args:
        save_steps: the interval in steps, or None.
        save_secs: the interval in seconds, or None.
        output_dir: the folder of the event file.
        summary_writer: the FileWriter; None for the one of `output_dir`.
        scaffold: a Scaffold with a `summary_op`.
        summary_op: a string tensor with a serialized Summary, or a list of them.

    Raises:
        ValueError: unless exactly one of `scaffold` and `summary_op`, and exactly one interval is
            given.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Finds the global step and opens the event file.

        Raises:
            RuntimeError: if there is no global step.
        """
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step: int | None = None
        self._request_summary = False
        self._global_step_tensor = required_step("SummarySaverHook")
        self._request = SessionRunArgs({"global_step": self._global_step_tensor})

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the global step, and for the summaries if they are due."""
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(
            self._next_step
        )
        summary_op = self._get_summary_op() if self._request_summary else None
        if summary_op is None:
            return self._request
        return SessionRunArgs({"global_step": self._global_step_tensor, "summary": summary_op})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the summaries if this run has made them."""
        if not self._summary_writer:
            return
        global_step = run_values.results["global_step"] + 1
        if self._next_step is None or self._request_summary:
            global_step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            self._summary_writer.add_session_log(
                event_pb2.SessionLog(status=event_pb2.SessionLog.START), global_step
            )
        if self._request_summary:
            self._timer.update_last_triggered_step(global_step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, global_step)
        self._next_step = global_step + 1

    def end(self, session: Session | None = None) -> None:
        """Flushes the event file."""
        if self._summary_writer:
            self._summary_writer.flush()

    def _get_summary_op(self) -> list[Any] | None:
        """The tensors of summaries, or None if there are none."""
        summary_op = self._summary_op
        if summary_op is None:
            summary_op = self._scaffold.summary_op
        if summary_op is None or isinstance(summary_op, list):
            return summary_op
        return [summary_op]
