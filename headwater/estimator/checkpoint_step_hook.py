"""A hook of workers that stops when the checkpoints of the chief have reached a step."""

from __future__ import annotations

import time
from typing import Any

from headwater.base.export import export
from headwater.estimator.training_run import trained_steps
from headwater.model.global_step import get_global_step
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.stop_at_step import StopAtStepHook


class StopAtCheckpointStepHook(SessionRunHook):
    """Requests a stop when a checkpoint of a step has been written.

    Args:
        model_dir: the folder of the checkpoints.
        last_step: the step.
        wait_after_file_check_secs: how many seconds to wait between two looks at the folder.

    Raises:
        ValueError: if the folder or the step is missing.
    """

    def __init__(
        self, model_dir: str, last_step: int, wait_after_file_check_secs: float = 30
    ) -> None:
        if last_step is None:
            raise ValueError("last_step must be specified.")
        if model_dir is None:
            raise ValueError("model_dir must be specified.")
        self._model_dir = model_dir
        self._last_step = last_step
        self._wait_after_file_check_secs = wait_after_file_check_secs

    def begin(self) -> None:
        """Finds the global step.

        Raises:
            RuntimeError: if there is none.
        """
        self._global_step_tensor = get_global_step()
        if self._global_step_tensor is None:
            raise RuntimeError("Global step should be created to use StopAtCheckpointStepHook.")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the global step."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Requests a stop if there is the checkpoint; else waits, once the step is reached."""
        if run_values.results + 1 < self._last_step:
            return
        if run_context.session.run(self._global_step_tensor) < self._last_step:
            return
        if trained_steps(self._model_dir) >= self._last_step:
            run_context.request_stop()
        else:
            time.sleep(self._wait_after_file_check_secs)


@export("estimator.experimental.make_stop_at_checkpoint_step_hook")
def make_stop_at_checkpoint_step_hook(
    estimator: Any, last_step: int, wait_after_file_check_secs: float = 30
) -> SessionRunHook:
    """Makes a hook that ends training at a step, on other workers than the chief not too early.

    Args:
        estimator: the Estimator.
        last_step: the global step to stop at.
        wait_after_file_check_secs: how many seconds a worker waits between two looks for the
            checkpoint of the chief.

    Returns:
        A SessionRunHook.
    """
    if estimator.config.is_chief:
        return StopAtStepHook(last_step=last_step)
    return StopAtCheckpointStepHook(estimator.model_dir, last_step, wait_after_file_check_secs)
