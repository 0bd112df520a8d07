"""tensorflow.python.training: hooks, monitored sessions and supervisors without public names."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.train.hooks import stop_at_step, tensor_hooks, timers
from headwater.train.sessions import (
    monitored_session,
    monitored_training_session,
    session_manager,
    supervisor_threads,
    wrapped_sessions,
)

_INTERNALS: dict[str, Any] = {
    "basic_session_run_hooks.NeverTriggerTimer": timers.NeverTriggerTimer,
    "basic_session_run_hooks._HookTimer": timers.HookTimer,
    "basic_session_run_hooks._MultiStepStopAtStepHook": stop_at_step.MultiStepStopAtStepHook,
    "basic_session_run_hooks.get_or_create_steps_per_run_variable": (
        stop_at_step.get_or_create_steps_per_run_variable
    ),
    "basic_session_run_hooks._as_graph_element": tensor_hooks.as_graph_element,
    "monitored_session.USE_DEFAULT": monitored_training_session.USE_DEFAULT,
    "monitored_session._MonitoredSession": monitored_session._MonitoredSession,
    "monitored_session._WrappedSession": wrapped_sessions.WrappedSession,
    "monitored_session._RecoverableSession": wrapped_sessions.RecoverableSession,
    "monitored_session._CoordinatedSession": wrapped_sessions.CoordinatedSession,
    "monitored_session._HookedSession": wrapped_sessions.HookedSession,
    "monitored_session._PREEMPTION_ERRORS": wrapped_sessions.PREEMPTION_ERRORS,
    "session_manager._CountDownTimer": session_manager.CountDownTimer,
    "session_manager._ready": session_manager.ready,
    "session_manager._maybe_name": session_manager.name_of,
    "supervisor.SVSummaryThread": supervisor_threads.SVSummaryThread,
    "supervisor.SVStepCounterThread": supervisor_threads.SVStepCounterThread,
    "supervisor.SVTimerCheckpointThread": supervisor_threads.SVTimerCheckpointThread,
}

for _path, _target in _INTERNALS.items():
    internal(f"training.{_path}")(_target)
