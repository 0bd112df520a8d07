"""A task of a cluster in this process: its devices, and the state that its sessions share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import errors
from headwater.engine.devices import local_devices
from headwater.engine.running.functions import SessionFunctions
from headwater.engine.shared_state import SharingState
from headwater.engine.state import State
from headwater.graph.device import DeviceSpec
from headwater.session.configuration import Configuration


class Task:
    """What the master and the worker of one server have in common.

    Args:
        server_def: a complete ServerDef.

    Attributes:
        name: ``/job:worker/replica:0/task:0``.
        target: the target of the server.
        worker: the worker of the server.
        devices: the devices of this task.
        state: the variables, queues and tables that sessions share by name.
    """

    def __init__(self, server_def: Any) -> None:
        self.server_def = server_def
        self.name = f"/job:{server_def.job_name}/replica:0/task:{server_def.task_index}"
        self.target = ""
        self.worker: Any = None
        self._find_peer: Callable[[str], Any] | None = None
        self._peers: dict[str, Any] = {}
        self.devices = local_devices(server_def.default_session_config, self.name)
        self.state = State(devices=self.devices)
        self.state.functions = SessionFunctions(self.state)

    def join(self, worker: Any, find_peer: Callable[[str], Any]) -> None:
        """Gives the task its worker, and a function that finds the worker at an address."""
        self.worker = worker
        self._find_peer = find_peer

    def other_tasks(self, filters: Sequence[str]) -> list[str]:
        """The names of the other tasks of the cluster.

        Args:
            filters: parts of device names; if there are some, only tasks that match one of them.
        """
        names = [
            f"/job:{job.name}/replica:0/task:{index}"
            for job in self.server_def.cluster.job
            for index in sorted(job.tasks)
        ]
        specs = [DeviceSpec.from_string(text) for text in filters]
        return [name for name in names if name != self.name and _matches(name, specs)]

    def peer(self, name: str) -> Any:
        """The worker of a task of the cluster."""
        found = self._peers.get(name)
        if found is None:
            assert self._find_peer is not None
            found = self._peers[name] = self._find_peer(name)
        return found

    def address_of(self, name: str) -> str:
        """The address of a task of the cluster."""
        spec = DeviceSpec.from_string(name)
        for job in self.server_def.cluster.job:
            if job.name == spec.job and spec.task in job.tasks:
                address: str = job.tasks[spec.task]
                return address
        raise errors.NotFoundError(None, None, f"There is no task {name} in the cluster.")

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


def _matches(name: str, filters: Sequence[DeviceSpec]) -> bool:
    spec = DeviceSpec.from_string(name)
    return not filters or any(
        wanted.job in (None, spec.job)
        and wanted.replica in (None, spec.replica)
        and wanted.task in (None, spec.task)
        for wanted in filters
    )


def not_found(handle: str) -> errors.OpError:
    """The error of a request for a session that the master does not have."""
    return errors.AbortedError(
        None,
        None,
        f"Session {handle} is not found. Possibly, this master has restarted.",
    )
