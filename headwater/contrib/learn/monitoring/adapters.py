"""Monitors as hooks of a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from headwater.base.arguments import fn_args
from headwater.base.export import export
from headwater.model.global_step import get_global_step
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.tensor_hooks import as_graph_element


@export("contrib.learn.monitors.RunHookAdapterForMonitors")
class RunHookAdapterForMonitors(SessionRunHook):
    """Runs monitors as a hook.

    Args:
        monitors: the monitors.
    """

    def __init__(self, monitors: Sequence[Any]) -> None:
        self._monitors = monitors

    def begin(self) -> None:
        """Calls `begin` of the monitors."""
        self._last_step: int | None = None
        self._global_step_tensor = get_global_step()
        for monitor in self._monitors:
            monitor.begin(max_steps=None)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Calls `step_begin` of the monitors, and asks for what they want.

        Args:
            run_context: the run.

        Returns:
            The global step and the tensors of the monitors.

        Raises:
            ValueError: if a monitor does not return a list.
        """
        if self._last_step is None:
            self._last_step = run_context.session.run(self._global_step_tensor) + 1
        request: dict[Any, Any] = {self._global_step_tensor: self._global_step_tensor}
        wanted: list[Any] = []
        for monitor in self._monitors:
            fetches = monitor.step_begin(self._last_step)
            if not isinstance(fetches, list):
                raise ValueError("Monitor.step_begin should return a list.")
            wanted.extend(fetches)
        if wanted:
            request["monitors"] = {fetch: as_graph_element(fetch) for fetch in wanted}
        return SessionRunArgs(request)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Calls `step_end` and `post_step` of the monitors.

        Args:
            run_context: the run.
            run_values: its results.
        """
        values = run_values.results.get("monitors", {})
        for monitor in self._monitors:
            if monitor.step_end(self._last_step, values):
                run_context.request_stop()
        for monitor in self._monitors:
            monitor.post_step(self._last_step, run_context.session)
        self._last_step = run_values.results[self._global_step_tensor] + 1

    def end(self, session: Any) -> None:
        """Calls `end` of the monitors.

        Args:
            session: the session.
        """
        self._last_step = None
        for monitor in self._monitors:
            if "session" in fn_args(monitor.end):
                monitor.end(session=session)
            else:
                monitor.end()


@export("contrib.learn.monitors.replace_monitors_with_hooks")
def replace_monitors_with_hooks(
    monitors_or_hooks: Iterable[Any] | None, estimator: Any
) -> list[SessionRunHook]:
    """Puts monitors into a hook.

    Args:
        monitors_or_hooks: monitors and SessionRunHooks; or None.
        estimator: the estimator that is trained.

    Returns:
        A list of SessionRunHooks; monitors that run on the chief only are left out elsewhere.
    """
    given = list(monitors_or_hooks or [])
    hooks = [item for item in given if isinstance(item, SessionRunHook)]
    monitors = [item for item in given if not isinstance(item, SessionRunHook)]
    if not estimator.config.is_chief:
        monitors = [monitor for monitor in monitors if monitor.run_on_all_workers]
    for monitor in monitors:
        monitor.set_estimator(estimator)
    if monitors:
        hooks.append(RunHookAdapterForMonitors(monitors))
    return hooks
