"""A task of a cluster in this process: its devices, and the state that its sessions share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import errors
from headwater.engine.devices import local_devices
from headwater.engine.running.functions import SessionFunctions
from headwater.engine.shared_state import SharingState
from headwater.engine.state import State
from headwater.session.configuration import Configuration


class Task:
    """What the master and the worker of one server have in common.

    Args:
        server_def: a complete ServerDef.

    Attributes:
        name: ``/job:worker/replica:0/task:0``.
        target: the target of the server.
        devices: the devices of this task.
        state: the variables, queues and tables that sessions share by name.
    """

    def __init__(self, server_def: Any) -> None:
        self.server_def = server_def
        self.name = f"/job:{server_def.job_name}/replica:0/task:{server_def.task_index}"
        self.target = ""
        self.devices = local_devices(server_def.default_session_config, self.name)
        self.state = State(devices=self.devices)
        self.state.functions = SessionFunctions(self.state)

    def session_state(self, settings: Configuration, isolated: bool = False) -> State:
        """The state of a new session.

        Args:
            settings: the settings of the session.
            isolated: whether it shares nothing.
        """
        if isolated:
            state = State(settings.jit_mode, self.devices, settings.soft_placement)
        else:
            state = SharingState(self.state, settings.jit_mode, settings.soft_placement)
        state.functions = SessionFunctions(state)
        return state

    def clear(self, containers: Sequence[str]) -> None:
        """Forgets what containers hold: the default one if none are named."""
        self.state.clear([name if name != "localhost" else "" for name in containers] or [""])


def not_found(handle: str) -> errors.OpError:
    """The error of a request for a session that the master does not have."""
    return errors.AbortedError(
        None,
        None,
        f"Session {handle} is not found. Possibly, this master has restarted.",
    )
