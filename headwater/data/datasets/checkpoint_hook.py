"""CheckpointInputPipelineHook: saves where iterators are while a program trains."""

from __future__ import annotations

import os
import time
from typing import Any

from headwater.base.export import export
from headwater.data.datasets.iterator import GLOBAL_ITERATORS
from headwater.data.datasets.iterator_state import IteratorSaveable
from headwater.graph import get_default_graph
from headwater.model.global_step import get_global_step
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.checkpoints.saver import Saver
from headwater.train.hooks.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook


@export("data.experimental.CheckpointInputPipelineHook", "contrib.data.CheckpointInputPipelineHook")
class CheckpointInputPipelineHook(SessionRunHook):
    """Saves all iterators of the graph every so often, and goes on where they were last saved.

    The files are "input.ckpt-STEP" in the estimator's folder, as often as its model is saved.

    Args:
        estimator: an Estimator.

    Raises:
        ValueError: if its configuration says no interval, in steps or in seconds, or both.
    """

    def __init__(self, estimator: Any) -> None:
        config = estimator.config
        name = "input"
        if config.num_worker_replicas > 1:
            name += f"_{config.task_type}_{config.task_id}"
        self._directory = os.fspath(estimator.model_dir)
        self._path = f"{self._directory}/{name}.ckpt"
        self._state_name = f"checkpoint_{name}"
        self._steps = config.save_checkpoints_steps
        self._seconds = config.save_checkpoints_secs
        if self._steps is None and self._seconds is None:
            raise ValueError("Either save_steps or save_secs should be provided.")
        if self._steps is not None and self._seconds is not None:
            raise ValueError("Can not provide both save_steps and save_secs.")
        self._saver: Saver | None = None
        self._global_step: Any = None
        self._begun = False
        self._saved_step = 0
        self._saved_at = 0.0

    def begin(self) -> None:
        """Makes the nodes that save the iterators.

        Raises:
            RuntimeError: if there is no global step.
        """
        self._global_step = get_global_step()
        if self._global_step is None:
            raise RuntimeError("Global step should be created to use CheckpointInputPipelineHook.")
        resources = get_default_graph().get_collection(GLOBAL_ITERATORS)
        self._saver = Saver(
            [IteratorSaveable(resource, resource.name, "-state") for resource in resources],
            sharded=True,
        )
        self._begun = False

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the global step; before the first run, restores the iterators or saves them."""
        if not self._begun:
            self._begun = True
            self._restore_or_save(run_context.session)
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Saves the iterators if it is time to."""
        if self._is_due(run_values.results + 1):
            step = int(run_context.session.run(self._global_step))
            if self._is_due(step):
                self._save(run_context.session, step)

    def end(self, session: Any) -> None:
        """Saves the iterators after the last run."""
        step = int(session.run(self._global_step))
        if step != self._saved_step:
            self._save(session, step)

    def _restore_or_save(self, session: Any) -> None:
        assert self._saver is not None
        path = latest_checkpoint(self._directory, latest_filename=self._state_name)
        if path:
            self._saver.restore(session, path)
            self._note(int(session.run(self._global_step)))
        else:
            self._save(session, int(session.run(self._global_step)))

    def _is_due(self, step: int) -> bool:
        if step == self._saved_step:
            return False
        if self._steps is not None:
            return bool(step >= self._saved_step + self._steps)
        return time.monotonic() >= self._saved_at + self._seconds

    def _save(self, session: Any, step: int) -> None:
        assert self._saver is not None
        self._note(step)
        self._saver.save(session, self._path, global_step=step, latest_filename=self._state_name)

    def _note(self, step: int) -> None:
        self._saved_step, self._saved_at = step, time.monotonic()
