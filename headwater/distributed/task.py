"""A task of a cluster in this process: its devices, and the state that its sessions share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from headwater.base import errors
from headwater.engine.devices import Device, local_devices
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
        names: that, and how it is called in clusters that sessions bring along.
        target: the target of the server.
        worker: the worker of the server.
        devices: the devices of this task.
        state: the variables, queues and tables that sessions share by name.
    """

    def __init__(self, server_def: Any) -> None:
        self.server_def = server_def
        self.name = task_name(server_def.job_name, server_def.task_index)
        self.names = {self.name}
        # The addresses of tasks that sessions bring along, by name.
        self._addresses: dict[str, str] = {}
        self.target = ""
        self.worker: Any = None
        self._find_peer: Callable[[str], Any] | None = None
        self._peers: dict[str, Any] = {}
        self.devices = local_devices(server_def.default_session_config, self.name)
        self.state = State(devices=self.devices)
        self.state.default_container = server_def.job_name
        self.state.functions = SessionFunctions(self.state)

    def join(self, worker: Any, find_peer: Callable[[str], Any]) -> None:
        """Gives the task its worker, and a function that finds the worker at an address."""
        self.worker = worker
        self._find_peer = find_peer

    def view(self, cluster: Any, name: str | None = None) -> TaskView:
        """The task as a session sees it.

        Args:
            cluster: the ClusterDef that the session brings along; one without jobs for the
                cluster of the server.
            name: the name of this task in that cluster; None to find it by its address.

        Raises:
            InvalidArgumentError: if the task is not in the cluster.
        """
        if not cluster.job:
            return TaskView(self, self.name, self.server_def.cluster)
        if name is None:
            name = self._own_name_in(cluster)
        for found, address in _addresses_in(cluster).items():
            if self._addresses.get(found) != address:
                self._addresses[found] = address
                self._peers.pop(found, None)
        self.names.add(name)
        return TaskView(self, name, cluster)

    def _own_name_in(self, cluster: Any) -> str:
        own = {self.target.partition("://")[2]}
        own.update(a for n, a in _addresses_in(self.server_def.cluster).items() if n == self.name)
        for name, address in _addresses_in(cluster).items():
            if address in own:
                return name
        raise errors.InvalidArgumentError(
            None,
            None,
            f"The master (current machine) is not included in the provided cluster_def. {cluster}",
        )

    def peer(self, name: str) -> Any:
        """The worker of a task of the cluster."""
        found = self._peers.get(name)
        if found is None:
            assert self._find_peer is not None
            found = self._peers[name] = self._find_peer(name)
        return found

    def address_of(self, name: str) -> str:
        """The address of a task of the cluster."""
        address = self._addresses.get(name) or _addresses_in(self.server_def.cluster).get(name)
        if address is not None:
            return address
        raise errors.NotFoundError(None, None, f"There is no task {name} in the cluster.")

    def clear(self, containers: Sequence[str]) -> None:
        """Forgets what containers hold: the default one if none are named."""
        default = self.state.default_container
        names = [name for name in containers or [default] if name]
        self.state.clear(["" if name == default else name for name in names])


class TaskView:
    """A task as a session sees it: by the names of a cluster.

    Args:
        task: the task.
        name: its name.
        cluster: the ClusterDef.

    Attributes:
        devices: its devices.
    """

    def __init__(self, task: Task, name: str, cluster: Any) -> None:
        self.task = task
        self.name = name
        self.cluster = cluster
        self.devices = renamed(task.devices, name)

    def other_tasks(self, filters: Sequence[str]) -> list[str]:
        """The names of the other tasks of the cluster.

        Args:
            filters: parts of device names; if there are some, only tasks that match one of them.
        """
        specs = [DeviceSpec.from_string(text) for text in filters]
        names = _addresses_in(self.cluster)
        return [name for name in names if name != self.name and _matches(name, specs)]

    def session_state(self, settings: Configuration, isolated: bool = False) -> State:
        """The state of a new session.

        Args:
            settings: the settings of the session.
            isolated: whether it shares nothing.
        """
        if isolated:
            state = State(settings.jit_mode, self.devices, settings.soft_placement)
        else:
            state = SharingState(self.task.state, settings.jit_mode, settings.soft_placement)
            state.devices = self.devices
        state.functions = SessionFunctions(state)
        return state


def task_name(job: str, index: int) -> str:
    """``/job:worker/replica:0/task:0``."""
    return f"/job:{job}/replica:0/task:{index}"


def renamed(devices: Sequence[Device], task: str) -> list[Device]:
    """Devices under another name of their task."""
    return [replace(d, name=f"{task}/device:{d.name.partition('/device:')[2]}") for d in devices]


def _addresses_in(cluster: Any) -> dict[str, str]:
    """The addresses of the tasks of a ClusterDef by name."""
    return {
        task_name(job.name, index): job.tasks[index]
        for job in cluster.job
        for index in sorted(job.tasks)
    }


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
