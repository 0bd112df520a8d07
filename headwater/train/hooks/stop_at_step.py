"""Hooks that end or begin training at a step."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, logging
from headwater.base.export import export
from headwater.graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.model.global_step import get_global_step
from headwater.model.variables.initializers import Ones
from headwater.model.variables.variable_scope import AUTO_REUSE, get_variable, variable_scope
from headwater.train.hooks.required_step import required_step
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

if TYPE_CHECKING:
    from headwater.session.session import Session
    from headwater.train.coordinator import Coordinator

_LOG_EVERY_STEPS = 1000
_WAIT_SECONDS = 0.5


def _check_limits(num_steps: int | None, last_step: int | None) -> None:
    if num_steps is None and last_step is None:
        raise ValueError("One of num_steps or last_step must be specified.")
    if num_steps is not None and last_step is not None:
        raise ValueError("Only one of num_steps or last_step can be specified.")


@export("train.StopAtStepHook", "estimator.StopAtStepHook")
class StopAtStepHook(SessionRunHook):
    """Requests a stop after a number of steps, or at a step.

    Args:
        num_steps: how many steps to run, counted from the first session; or None.
        last_step: the global step to stop at; or None.

    Raises:
        ValueError: unless exactly one of them is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        _check_limits(num_steps, last_step)
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self) -> None:
        """Finds the global step.

        Raises:
            RuntimeError: if there is none.
        """
        self._global_step_tensor = required_step("StopAtStepHook")
        self._request = SessionRunArgs(self._global_step_tensor)

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Computes the last step, if a number of steps was given and it is not known yet."""
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the global step."""
        return self._request

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Requests a stop if the last step is done."""
        # The fetched step may have been read before the update of this run.
        if run_values.results + 1 < self._last_step:
            return
        if run_context.session.run(self._global_step_tensor) >= self._last_step:
            run_context.request_stop()


def get_or_create_steps_per_run_variable() -> Any:
    """The variable that says how many training steps one run makes.

    Returns:
        A local int32 variable, 1 at first; always the same one of a graph.

    Raises:
        RuntimeError: if there are several.
    """
    collection = "hooks_steps_per_run"
    found = get_default_graph().get_collection(collection)
    if len(found) > 1:
        raise RuntimeError("Multiple steps_per_run_var in collection.")
    if found:
        return found[0]
    with variable_scope("hooks", reuse=AUTO_REUSE):
        return get_variable(
            "steps_per_run",
            initializer=Ones(),
            shape=[],
            dtype=dtypes.int32,
            trainable=False,
            collections=[collection, GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        )


class MultiStepStopAtStepHook(SessionRunHook):
    """Requests a stop at a step when a run makes several; the last run makes what is left.

    Args:
        num_steps: how many steps to run; or None.
        last_step: the global step to stop at; or None.
        steps_per_run: how many steps a run makes at most.

    Raises:
        ValueError: unless exactly one limit is given, or if `steps_per_run` is less than 1.
    """

    def __init__(
        self, num_steps: int | None = None, last_step: int | None = None, steps_per_run: int = 1
    ) -> None:
        _check_limits(num_steps, last_step)
        if steps_per_run < 1:
            raise ValueError("steps_per_run should be greater than 0")
        self._num_steps = num_steps
        self._last_step = last_step
        self._steps_per_run_initial_value = steps_per_run

    def begin(self) -> None:
        """Finds the global step and the variable of steps per run.

        Raises:
            RuntimeError: if there is no global step.
        """
        self._global_step_tensor = get_global_step()
        if self._global_step_tensor is None:
            raise RuntimeError("Global step should be created to use StopAtStepHook.")
        self._steps_per_run_variable = get_or_create_steps_per_run_variable()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Computes the last step and the number of steps of the first run."""
        global_step = session.run(self._global_step_tensor)
        if self._last_step is None:
            self._last_step = global_step + self._num_steps
        self._update_steps_per_run_variable(global_step, session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Requests a stop if the last step is done; otherwise sets the steps of the next run."""
        global_step = run_context.session.run(self._global_step_tensor)
        if global_step >= self._last_step:
            run_context.request_stop()
        else:
            self._update_steps_per_run_variable(global_step, run_context.session)

    def _update_steps_per_run_variable(self, global_step: int, session: Session) -> None:
        assert self._last_step is not None
        left = self._last_step - global_step
        steps = min(left, self._steps_per_run_initial_value)
        self._steps_per_run_variable.load(steps, session=session)


@export("train.GlobalStepWaiterHook", "estimator.GlobalStepWaiterHook")
class GlobalStepWaiterHook(SessionRunHook):
    """Delays the first run until other workers have reached a step.

    Args:
        wait_until_step: the global step to wait for.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """Finds the global step.

        Raises:
            RuntimeError: if there is none.
        """
        self._worker_is_started = False
        self._global_step_tensor = required_step("_GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        """Waits before the first run."""
        if self._worker_is_started:
            return
        if self._wait_until_step > 0:
            self._wait(run_context.session)
        self._worker_is_started = True

    def _wait(self, session: Session) -> None:
        logging.info("Waiting for global step %d before starting training.", self._wait_until_step)
        last_logged_step = 0
        while True:
            current_step = session.run(self._global_step_tensor)
            if current_step >= self._wait_until_step:
                return
            if current_step - last_logged_step > _LOG_EVERY_STEPS:
                logging.info(
                    "Waiting for global step %d before starting training. Current step is %d.",
                    self._wait_until_step,
                    current_step,
                )
                last_logged_step = current_step
            time.sleep(_WAIT_SECONDS)
