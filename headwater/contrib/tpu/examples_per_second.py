"""ExamplesPerSecondHook: how many examples a second training uses."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.protos.lazy import summary_pb2
from headwater.train.hooks.step_counter import StepCounterHook


class ExamplesPerSecondHook(StepCounterHook):
    """Logs steps and examples per second and writes them as summaries.

    Args:
        batch_size: how many examples a step uses; None to count steps only.
        every_n_steps: the interval in steps, or None.
        every_n_secs: the interval in seconds, or None.
        output_dir: the folder of the event file, or None.
        summary_writer: the FileWriter; None for the one of `output_dir`.

    Raises:
        ValueError: unless exactly one interval is given.
    """

    def __init__(
        self,
        batch_size: int | None,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        self._batch_size = batch_size
        super().__init__(every_n_steps, every_n_secs, output_dir, summary_writer)

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        super()._log_and_record(elapsed_steps, elapsed_time, global_step)
        if self._batch_size is None:
            return
        rate = self._batch_size * elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            value = summary_pb2.Summary.Value(tag="examples/sec", simple_value=rate)
            self._summary_writer.add_summary(summary_pb2.Summary(value=[value]), global_step)
        logging.info("examples/sec: %g", rate)
