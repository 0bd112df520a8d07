"""CheckpointSaverHook: saves checkpoints while a program trains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.base.export import export
from headwater.graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.graph_util import write_graph
from headwater.io.files import join_path
from headwater.protos.lazy import event_pb2
from headwater.train.checkpoints.meta_graph import make_meta_graph
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
    from headwater.train.checkpoints.saver import Saver
    from headwater.train.coordinator import Coordinator


@export("train.CheckpointSaverListener", "estimator.CheckpointSaverListener")
class CheckpointSaverListener:
    """Callbacks around the checkpoints of a CheckpointSaverHook, for subclasses to override."""

    def begin(self) -> None:
        """Called once before the session is made; may still change the graph."""

    def before_save(self, session: Session, global_step_value: int) -> None:
        """Called before a checkpoint is written.

        Args:
            session: the session.
            global_step_value: the global step.
        """

    def after_save(self, session: Session, global_step_value: int) -> bool | None:
        """Called after a checkpoint has been written.

        Args:
            session: the session.
            global_step_value: the global step.

        Returns:
            True to request that training stops.
        """
        return None

    def end(self, session: Session, global_step_value: int) -> None:
        """Called once at the end, after the last checkpoint.

        Args:
            session: the session.
            global_step_value: the global step.
        """


@export("train.CheckpointSaverHook", "estimator.CheckpointSaverHook")
class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint at the start, every so many steps or seconds, and at the end.

    Args:
        checkpoint_dir: the folder.
        save_secs: the interval in seconds, or None.
        save_steps: the interval in steps, or None.
        saver: the Saver, or None.
        checkpoint_basename: the beginning of the names of the files.
        scaffold: the Scaffold that has the saver, or None. Without `saver` and `scaffold` it is
            the one of the collection SAVERS.
        listeners: CheckpointSaverListeners.

    Raises:
        ValueError: if `saver` and `scaffold` are given, or not exactly one interval.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> None:
        logging.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._checkpoint_dir = checkpoint_dir
        self._save_path = join_path(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = listeners or []
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Finds the global step and opens the event file.

        Raises:
            RuntimeError: if there is no global step.
        """
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = required_step("CheckpointSaverHook")
        self._request = SessionRunArgs(self._global_step_tensor)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Writes the graph, and a checkpoint of the state that training starts from."""
        global_step = session.run(self._global_step_tensor)
        graph = get_default_graph()
        graph_def = graph.as_graph_def(add_shapes=True)
        write_graph(graph_def, self._checkpoint_dir, "graph.pbtxt")
        saver = self._get_saver()
        meta_graph = make_meta_graph(graph_def, graph, saver.saver_def if saver else None)
        self._summary_writer.add_graph(graph)
        self._summary_writer.add_meta_graph(meta_graph)
        self._save(session, global_step)
        self._timer.update_last_triggered_step(global_step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the global step."""
        return self._request

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes a checkpoint if it is time to."""
        # The fetched step may have been read before the update of this run.
        if not self._timer.should_trigger_for_step(run_values.results + self._steps_per_run):
            return
        global_step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(global_step):
            self._timer.update_last_triggered_step(global_step)
            if self._save(run_context.session, global_step):
                run_context.request_stop()

    def end(self, session: Session) -> None:
        """Writes a checkpoint if there is none of the last step."""
        last_step = session.run(self._global_step_tensor)
        if last_step != self._timer.last_triggered_step():
            self._save(session, last_step)
        for listener in self._listeners:
            listener.end(session, last_step)

    def _save(self, session: Session, step: int) -> bool:
        """Writes a checkpoint; returns whether a listener wants training to stop."""
        logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._save_path, global_step=step)
        log = event_pb2.SessionLog(
            status=event_pb2.SessionLog.CHECKPOINT, checkpoint_path=self._save_path
        )
        self._summary_writer.add_session_log(log, step)
        should_stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                logging.info(
                    "A CheckpointSaverListener requested that training be stopped. listener: %s",
                    listener,
                )
                should_stop = True
        return should_stop

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        key = GraphKeys.SAVERS
        savers = get_default_graph().get_collection(key)
        if not savers:
            raise RuntimeError(
                f"No items in collection {key}. Please add a saver to the collection or provide a "
                "saver or scaffold."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {key}. Please indicate which one to use by "
                "passing it to the constructor."
            )
        self._saver = savers[0]
        return savers[0]
