"""Sessions whose master is a server of this process."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation, errors, logging
from headwater.distributed.assignment import assigned, task_of
from headwater.distributed.cluster_partial_run import ClusterPartialRun
from headwater.distributed.cluster_plan import ClusterPlan
from headwater.distributed.partition import partitioned
from headwater.distributed.peers import Peer
from headwater.distributed.remote_runtime import located
from headwater.distributed.task import Task, renamed
from headwater.engine.analysis.ordering import needed_ops
from headwater.engine.devices import Device
from headwater.engine.running.plan import Plan
from headwater.graph import Graph, Operation, Tensor
from headwater.protos.lazy import config_pb2
from headwater.session.configuration import Configuration
from headwater.session.observed_run import ObservedRun
from headwater.session.partial_run import PartialRun
from headwater.session.prepared_run import PreparedRun
from headwater.session.runtimes import Runtime

_CLOSED = "Step was cancelled by an explicit call to `Session::Close()`."
_TIMED_OUT = "Timed out waiting for notification"
# How long a session waits for a worker before it says so.
_PATIENCE_SECONDS = 10.0


class _Request(threading.local):
    """The gRPC context of the request that this thread serves."""

    context: Any = None


request = _Request()


class ServerRuntime(Runtime):
    """Plans runs on the tasks of a cluster; runs that need one task only stay there.

    Args:
        task: the task of the server.
        graph: the graph of the session.
        config: the ConfigProto of the session, or None.
        settings: what it says.
    """

    def __init__(self, task: Task, graph: Graph, config: Any, settings: Configuration) -> None:
        self.task = task
        self._graph = graph
        self._config = config_pb2.ConfigProto() if config is None else config
        self._settings = settings
        self.handle = secrets.token_hex(8)
        self._view = view = task.view(self._config.cluster_def)
        settings.devices = view.devices
        self.state = view.session_state(settings, isolated=self._config.isolate_session_state)
        others = view.other_tasks(list(self._config.device_filters))
        self._peers: dict[str, Peer] = {name: task.peer(name) for name in others}
        if others:
            # The devices of the others are not known yet.
            settings.place_pruned = True
        self._devices: list[Device] = [] if others else list(view.devices)
        self._lock = threading.Lock()

    def _all_devices(self) -> list[Device]:
        """The devices of the cluster; waits until all its tasks can be reached."""
        with self._lock:
            if not self._devices:
                devices = list(self._view.devices)
                for name, peer in self._peers.items():
                    devices += self._devices_of(name, peer)
                if self._peers:
                    self._create_sessions()
                self._devices = devices
            return self._devices

    def _devices_of(self, name: str, peer: Peer) -> list[Device]:
        limit = self._settings.timeout
        with cancellation.running(cancellation.Cancellation(limit, cancellation.current())):
            while True:
                try:
                    found = peer.devices(min(_PATIENCE_SECONDS, limit or _PATIENCE_SECONDS))
                    return renamed(found, name)
                except (errors.UnavailableError, errors.DeadlineExceededError):
                    cancellation.check()
                    if request.context is not None and not request.context.is_active():
                        # The client has gone.
                        raise
                    logging.info("CreateSession still waiting for response from worker: %s", name)

    def _create_sessions(self) -> None:
        for name, peer in self._peers.items():
            job, task = name.split("/")[1][4:], int(name.rpartition(":")[2])
            server_def = type(self.task.server_def)()
            server_def.CopyFrom(self.task.server_def)
            server_def.cluster.CopyFrom(self._view.cluster)
            server_def.job_name, server_def.task_index = job, task
            server_def.default_session_config.CopyFrom(self._config)
            peer.create_session(self.handle, server_def, self._config)
        self.task.worker.adopt_session(self.handle, self.state)

    def plan(
        self,
        graph: Graph,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
    ) -> Any:
        if not self._peers:
            return Plan(graph, self.state, fetches, targets, feeds)
        try:
            devices = self._all_devices()
        except errors.OpError as error:
            raise self._of_task(error) from error
        fed = dict.fromkeys(feeds)
        ops = needed_ops(fetches, targets, fed)
        places = assigned(ops, devices, self._view.name, self._settings.soft_placement)
        if all(task_of(device.name) == self._view.name for device in places.values()):
            return Plan(graph, self.state, fetches, targets, feeds)
        return self._cluster_plan(ops, places, fetches, feeds)

    def _cluster_plan(
        self,
        ops: Sequence[Operation],
        places: dict[Operation, Device],
        fetches: Sequence[Tensor],
        feeds: Sequence[Tensor],
    ) -> ClusterPlan:
        graph = self._graph
        peers = {**self._peers, self._view.name: self.task.peer(self.task.name)}
        pushing = [name for name, peer in peers.items() if peer.takes_pushes]
        parts = partitioned(graph, ops, places, fetches, feeds, self._view.devices[0], pushing)
        own = self._view.name
        return ClusterPlan(
            self.handle, self._config, parts, peers, own, places, fetches, feeds, graph.changes
        )

    def run(
        self,
        prepared: PreparedRun,
        feeds: list[np.ndarray],
        options: Any,
        metadata: Any,
        number: int,
        session: cancellation.Cancellation,
    ) -> list[Any]:
        step = cancellation.Cancellation(parent=session)
        if request.context is not None:
            # The client has gone, or does not wait any longer.
            request.context.add_callback(step.cancel)
        try:
            if isinstance(prepared.plan, ClusterPlan):
                return self._run_on_cluster(prepared.plan, feeds, options, metadata, step)
            run = ObservedRun(self._settings, options, metadata, number)
            with cancellation.running(step):
                return run.execute(prepared, feeds, self.state, step)
        except errors.OpError as error:
            raise self._of_task(error, session) from error

    def _run_on_cluster(
        self,
        plan: ClusterPlan,
        feeds: list[np.ndarray],
        options: Any,
        metadata: Any,
        step: cancellation.Cancellation,
    ) -> list[Any]:
        seconds = self._settings.timeout
        if options is not None and options.timeout_in_ms > 0:
            seconds = options.timeout_in_ms / 1000
        if metadata is not None:
            metadata.Clear()
        traced = metadata is not None and options is not None and options.trace_level > 0
        stats = metadata.step_stats if traced else None
        values = plan.run(feeds, cancellation.Cancellation(seconds, step), stats)
        if metadata is not None and options is not None and options.output_partition_graphs:
            metadata.partition_graphs.extend(part.graph_def for part in plan.parts.values())
        return values

    def _of_task(
        self, error: errors.OpError, session: cancellation.Cancellation | None = None
    ) -> errors.OpError:
        """The error of a run, with the task that it comes from.

        Args:
            error: the error.
            session: what ends all runs of the session.
        """
        if session is not None and session.cancelled and isinstance(error, errors.CancelledError):
            return errors.CancelledError(None, None, _CLOSED)
        if error.message.startswith(_TIMED_OUT):
            return errors.DeadlineExceededError(None, None, "Operation timed out.")
        if isinstance(error, errors.CancelledError) and error.op is None:
            return error
        if error.message.startswith("From /job:"):
            return located(error, self._graph)
        text = f"From {self._view.name}:\n{error.message}"
        return errors.make_error(error.error_code, text, error.node_def, error.op, error.hint)

    def partial_run(self, plan: Any, targets: list[Any], feeds: list[Tensor]) -> Any:
        if not isinstance(plan, ClusterPlan):
            return PartialRun(plan, targets, feeds)

        def run(
            ops: list[Operation], fetches: list[Tensor], fed: list[Tensor], values: list[Any]
        ) -> list[Any]:
            places = {op: plan.places[op] for op in ops}
            part = self._cluster_plan(ops, places, fetches, fed)
            try:
                return part.run(values, cancellation.Cancellation(self._settings.timeout))
            except errors.OpError as error:
                raise self._of_task(error) from error
            finally:
                part.forget()

        return ClusterPartialRun(list(plan.places), targets, feeds, run)

    def list_devices(self) -> list[Device]:
        return list(self._all_devices())

    def close(self) -> None:
        if self._peers and self._devices:
            for peer in self._peers.values():
                peer.delete_session(self.handle)
            self.task.worker.delete_session(self.handle)
        self.state.clear()

    def closed_error(self) -> errors.OpError:
        return errors.AbortedError(None, None, f"Session {self.handle} is not found.")
