"""The services of a Supervisor: threads that write summaries, rates and checkpoints."""

from __future__ import annotations

import time
from typing import Any

from headwater.base import logging
from headwater.model.global_step import global_step as value_of_step
from headwater.protos.lazy import event_pb2, summary_pb2
from headwater.session.session import Session
from headwater.train.coordinator import LooperThread

_MAX_RATES_LOGGED = 10


class SVSummaryThread(LooperThread):
    """Writes the summaries of a Supervisor every `save_summaries_secs`.

    Args:
        sv: the Supervisor.
        sess: the session.
    """

    def __init__(self, sv: Any, sess: Session) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        """Computes and writes the summaries."""
        global_step = None
        if self._sv.global_step is None:
            summaries = self._sess.run(self._sv.summary_op)
        else:
            fetches = [self._sv.summary_op, self._sv.global_step]
            summaries, value = self._sess.run(fetches)
            global_step = value.item()
        if self._sv.summary_writer:
            logging.info("Recording summary at step %s.", global_step)
            self._sv.summary_writer.add_summary(summaries, global_step)


class SVStepCounterThread(LooperThread):
    """Writes the number of steps per second every `save_summaries_secs`.

    Args:
        sv: the Supervisor.
        sess: the session.
        step_counter: the tensor that counts steps; the global step of the Supervisor if None.
    """

    def __init__(self, sv: Any, sess: Session, step_counter: Any = None) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess
        self._last_time = 0.0
        self._last_step = 0
        self._step_counter = sv.global_step if step_counter is None else step_counter
        self._summary_tag = f"{self._step_counter.op.name}/sec"

    def start_loop(self) -> None:
        """Notes the time and the step at the start."""
        self._last_time = time.time()
        self._last_step = value_of_step(self._sess, self._step_counter)

    def run_loop(self) -> None:
        """Writes the rate since the last time."""
        step = value_of_step(self._sess, self._step_counter)
        now = time.time()
        steps, seconds = step - self._last_step, now - self._last_time
        self._last_step, self._last_time = step, now
        steps_per_sec = steps / seconds if seconds > 0 else float("inf")
        value = summary_pb2.Summary.Value(tag=self._summary_tag, simple_value=steps_per_sec)
        if self._sv.summary_writer:
            self._sv.summary_writer.add_summary(summary_pb2.Summary(value=[value]), step)
        logging.log_first_n(
            logging.INFO, "%s: %g", _MAX_RATES_LOGGED, self._summary_tag, steps_per_sec
        )


class SVTimerCheckpointThread(LooperThread):
    """Saves a checkpoint every `save_model_secs`.

    Args:
        sv: the Supervisor.
        sess: the session.
    """

    def __init__(self, sv: Any, sess: Session) -> None:
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        """Saves a checkpoint."""
        sv = self._sv
        logging.info("Saving checkpoint to path %s", sv.save_path)
        sv.saver.save(self._sess, sv.save_path, global_step=sv.global_step)
        if sv.summary_writer and sv.global_step is not None:
            log = event_pb2.SessionLog(
                status=event_pb2.SessionLog.CHECKPOINT, checkpoint_path=sv.save_path
            )
            sv.summary_writer.add_session_log(log, value_of_step(self._sess, sv.global_step))
