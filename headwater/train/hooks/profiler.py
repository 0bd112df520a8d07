"""ProfilerHook: timelines of single runs while a program trains."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.io.files import join_path, open_file
from headwater.protos.lazy import config_pb2
from headwater.session.timeline import Timeline
from headwater.train.hooks.required_step import required_step
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.timers import SecondOrStepTimer
from headwater.train.summaries.file_writer import FileWriterCache


@export("train.ProfilerHook", "estimator.ProfilerHook", "contrib.hooks.ProfilerHook")
class ProfilerHook(SessionRunHook):
    """Traces a run every so many steps or seconds.

    A trace is written as "timeline-STEP.json", which Chrome's chrome://tracing shows, and to the
    event file.

    Args:
        save_steps: the interval in steps, or None.
        save_secs: the interval in seconds, or None.
        output_dir: the folder.
        show_dataflow: whether the timeline shows where values go.
        show_memory: whether the timeline shows the use of memory.

    Raises:
        ValueError: unless exactly one interval is given.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._output_file = join_path(output_dir, "timeline-{}.json")
        self._file_writer = FileWriterCache.get(output_dir)
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory

    def begin(self) -> None:
        """Finds the global step.

        Raises:
            RuntimeError: if there is none.
        """
        self._next_step: int | None = None
        self._request_summary = False
        self._global_step_tensor = required_step("ProfilerHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the global step, and for a trace if one is due."""
        self._request_summary = self._next_step is not None and self._timer.should_trigger_for_step(
            self._next_step
        )
        options = None
        if self._request_summary:
            options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
        return SessionRunArgs({"global_step": self._global_step_tensor}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the trace of this run if it has one."""
        stale_global_step = run_values.results["global_step"]
        if self._next_step is None:
            # The first trace is made a whole interval after the first run.
            self._timer.update_last_triggered_step(stale_global_step)
        global_step = stale_global_step + 1
        if self._request_summary:
            global_step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(global_step)
            metadata = run_values.run_metadata
            self._save(global_step, self._output_file.format(global_step), metadata.step_stats)
            self._file_writer.add_run_metadata(metadata, f"step_{global_step}")
        self._next_step = global_step + 1

    def _save(self, step: int, save_path: str, step_stats: Any) -> None:
        logging.info("Saving timeline for %d into '%s'.", step, save_path)
        trace = Timeline(step_stats).generate_chrome_trace_format(
            show_dataflow=self._show_dataflow, show_memory=self._show_memory
        )
        with open_file(save_path, "wb") as file:
            file.write(trace.encode())
