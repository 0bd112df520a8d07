"""Monitors that write summaries, checkpoints and exports."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from headwater.base import logging
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.exporting.session_bundles import _default_input_fn
from headwater.contrib.learn.monitoring.base_monitor import BaseMonitor, EveryN, extract_output
from headwater.contrib.learn.notices import EXPORT_DATE
from headwater.estimator.estimator import Estimator as CoreEstimator
from headwater.io.files import join_path
from headwater.protos.lazy import event_pb2, summary_pb2
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.checkpoints.saver import Saver
from headwater.train.summaries.file_writer import FileWriterCache

export("contrib.learn.monitors.SummaryWriterCache")(FileWriterCache)


@export("contrib.learn.monitors.SummarySaver")
class SummarySaver(EveryN):
    """Writes summaries.

    Args:
        summary_op: the summaries; or None.
        save_steps: the interval in steps.
        output_dir: the folder of the event file; that of the estimator by default.
        summary_writer: a FileWriter; or None.
        scaffold: the Scaffold that has the summaries, if `summary_op` is None; or None.
    """

    def __init__(
        self,
        summary_op: Any,
        save_steps: int = 100,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
    ) -> None:
        super().__init__(every_n_steps=save_steps)
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        if summary_writer is None and output_dir:
            self._summary_writer = FileWriterCache.get(output_dir)
        self._scaffold = scaffold

    def set_estimator(self, estimator: Any) -> None:
        """Says which estimator is trained.

        Args:
            estimator: the estimator.
        """
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = FileWriterCache.get(estimator.model_dir)

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the summaries.

        Args:
            step: the global step after the step.

        Returns:
            The summaries, in a list; an empty one if there are none.
        """
        super().every_n_step_begin(step)
        if self._summary_op is None and self._scaffold is not None:
            self._summary_op = self._scaffold.summary_op
        return [] if self._summary_op is None else [self._summary_op]

    def every_n_step_end(self, step: int, outputs: Mapping[Any, Any]) -> bool:
        """Writes the summaries.

        Args:
            step: the global step.
            outputs: the value of the summaries.

        Returns:
            False.
        """
        super().every_n_step_end(step, outputs)
        if self._summary_op is not None:
            summary = extract_output(outputs, self._summary_op)
            if self._summary_writer:
                self._summary_writer.add_summary(summary, step)
        return False

    def end(self, session: Any = None) -> None:
        """Flushes the event file.

        Args:
            session: the session.
        """
        super().end(session=session)
        if self._summary_writer:
            self._summary_writer.flush()


@export("contrib.learn.monitors.CheckpointSaver")
class CheckpointSaver(BaseMonitor):
    """Saves checkpoints.

    Args:
        checkpoint_dir: the folder.
        save_secs: the interval in seconds; or None.
        save_steps: the interval in steps; or None.
        saver: the Saver; or None.
        checkpoint_basename: the beginning of the names of the files.
        scaffold: the Scaffold that has the saver; or None.

    Raises:
        ValueError: if both intervals or none is given.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
    ) -> None:
        logging.info("Create CheckpointSaver.")
        super().__init__()
        self._saver = saver
        self._summary_writer = FileWriterCache.get(checkpoint_dir)
        self._save_path = join_path(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._save_secs = save_secs
        self._save_steps = save_steps
        self._last_saved_time: float | None = None
        self._last_begin_step: int | None = None
        self._last_saved_step: int | None = None
        if save_steps is None and save_secs is None:
            raise ValueError("Either save_steps or save_secs should be provided")
        if save_steps is not None and save_secs is not None:
            raise ValueError("Can not provide both save_steps and save_secs.")

    def begin(self, max_steps: int | None = None) -> None:
        """Forgets what has been saved.

        Args:
            max_steps: the global step at which training stops; or None.
        """
        super().begin(max_steps)
        self._last_saved_time = None
        self._last_begin_step = None
        self._last_saved_step = None

    def step_begin(self, step: int) -> list[Any]:
        """Remembers the step.

        Args:
            step: the global step after the step.

        Returns:
            An empty list.
        """
        super().step_begin(step)
        self._last_begin_step = step
        return []

    def post_step(self, step: int, session: Any) -> None:
        """Saves a checkpoint, if it is time.

        Args:
            step: the global step.
            session: the session.
        """
        super().post_step(step, session)
        if self._last_saved_step is None or self._last_saved_time is None:
            self._save(step, session)
        if self._save_steps is not None:
            assert self._last_saved_step is not None
            if step >= self._last_saved_step + self._save_steps:
                self._save(step, session)
        if self._save_secs is not None:
            assert self._last_saved_time is not None
            if time.time() >= self._last_saved_time + self._save_secs:
                self._save(step, session)

    def end(self, session: Any = None) -> None:
        """Saves the last checkpoint.

        Args:
            session: the session.
        """
        super().end(session)
        if self._last_begin_step is not None:
            self._save(self._last_begin_step, session)

    def _save(self, step: int, session: Any) -> None:
        """Saves a checkpoint, unless that of the step has been saved."""
        if step == self._last_saved_step:
            return
        logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._last_saved_time = time.time()
        self._last_saved_step = step
        saver = self._saver if self._saver is not None else self._scaffold.saver
        saver.save(session, self._save_path, global_step=step)
        log = event_pb2.SessionLog(
            status=event_pb2.SessionLog.CHECKPOINT, checkpoint_path=self._save_path
        )
        self._summary_writer.add_session_log(log, step)


@export("contrib.learn.monitors.StepCounter")
class StepCounter(EveryN):
    """Writes summaries of the steps per second.

    Args:
        every_n_steps: the interval in steps.
        output_dir: the folder of the event file; that of the estimator by default.
        summary_writer: a FileWriter; or None.
    """

    def __init__(
        self,
        every_n_steps: int = 100,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._summary_tag = "global_step/sec"
        self._last_reported_step: int | None = None
        self._last_reported_time: float | None = None
        self._summary_writer = summary_writer
        if summary_writer is None and output_dir:
            self._summary_writer = FileWriterCache.get(output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Says which estimator is trained.

        Args:
            estimator: the estimator.
        """
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = FileWriterCache.get(estimator.model_dir)

    def every_n_step_end(self, step: int, outputs: Mapping[Any, Any]) -> bool:
        """Writes the steps per second since the last time.

        Args:
            step: the global step.
            outputs: unused.

        Returns:
            False.
        """
        now = time.time()
        if self._last_reported_time is not None and self._summary_writer:
            assert self._last_reported_step is not None
            rate = (step - self._last_reported_step) / (now - self._last_reported_time)
            summary = summary_pb2.Summary()
            summary.value.add(tag=self._summary_tag, simple_value=rate)
            self._summary_writer.add_summary(summary, step)
        self._last_reported_step = step
        self._last_reported_time = now
        return False


@export("contrib.learn.monitors.ExportMonitor")
class ExportMonitor(EveryN):
    """Exports session bundles.

    Args:
        every_n_steps: the interval in steps.
        export_dir: the folder of all exports.
        input_fn: a function that returns features and labels; if it is None, messages are parsed
            into the features that the model was trained on.
        input_feature_key: the name of the feature with the serialized messages; or None.
        exports_to_keep: how many exports are kept; None for all.
        signature_fn: a function of messages, features and predictions that returns the default
            signature and the named ones; or None.
        default_batch_size: the size of the batch of messages; None for any.
    """

    @deprecated(
        EXPORT_DATE,
        "ExportMonitor is deprecated. Please pass an ExportStrategy to Experiment instead.",
    )
    def __init__(
        self,
        every_n_steps: int,
        export_dir: str,
        input_fn: Any = None,
        input_feature_key: str | None = None,
        exports_to_keep: int | None = 5,
        signature_fn: Any = None,
        default_batch_size: int | None = 1,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._export_dir = export_dir
        self._input_fn = input_fn
        self._input_feature_key = input_feature_key
        self._use_deprecated_input_fn = input_fn is None
        self._exports_to_keep = exports_to_keep
        self._signature_fn = signature_fn
        self._default_batch_size = default_batch_size
        self._last_export_dir: Any = None

    @property
    def export_dir(self) -> str:
        """The folder of all exports."""
        return self._export_dir

    @property
    def exports_to_keep(self) -> int | None:
        """How many exports are kept."""
        return self._exports_to_keep

    @property
    def signature_fn(self) -> Any:
        """The function that makes the signatures, or None."""
        return self._signature_fn

    @property
    def last_export_dir(self) -> Any:
        """The path of the last export, bytes; None before the first."""
        return self._last_export_dir

    def _export(self) -> None:
        if isinstance(self._estimator, CoreEstimator):
            raise ValueError(
                "ExportMonitor does not support `tf.estimator.Estimator. `. Please pass an "
                "ExportStrategy to Experiment instead."
            )
        self._last_export_dir = self._estimator.export(
            self.export_dir,
            exports_to_keep=self.exports_to_keep,
            signature_fn=self.signature_fn,
            input_fn=_default_input_fn if self._input_fn is None else self._input_fn,
            default_batch_size=self._default_batch_size,
            input_feature_key=self._input_feature_key,
            use_deprecated_input_fn=self._use_deprecated_input_fn,
        )

    def every_n_step_end(self, step: int, outputs: Mapping[Any, Any]) -> bool:
        """Exports the latest checkpoint.

        Args:
            step: the global step.
            outputs: unused.

        Returns:
            False.

        Raises:
            ValueError: if the estimator is one of `tf.estimator`.
        """
        super().every_n_step_end(step, outputs)
        try:
            self._export()
        except RuntimeError:
            logging.info(
                "Skipping exporting because the existing checkpoint has already been exported. "
                "Consider exporting less frequently."
            )
        return False

    def end(self, session: Any = None) -> None:
        """Exports the last checkpoint.

        Args:
            session: the session.

        Raises:
            ValueError: if the estimator is one of `tf.estimator`.
        """
        super().end(session=session)
        if latest_checkpoint(self._estimator.model_dir) is None:
            logging.info("Skipping export at the end since model has not been saved yet.")
            return
        try:
            self._export()
        except RuntimeError:
            logging.info("Skipping exporting for the same step.")
