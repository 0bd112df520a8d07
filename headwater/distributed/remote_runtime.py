"""Sessions whose master is a server of another process."""

from __future__ import annotations

import contextlib
import re
import secrets
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation, errors
from headwater.distributed.stubs import Stub
from headwater.distributed.tensors import TensorFields, arrays_of
from headwater.distributed.transport import (
    MASTER,
    MASTER_METHODS,
    NODE,
    failed_node,
)
from headwater.engine.devices import Device
from headwater.engine.state import State
from headwater.graph import Graph, Operation, Tensor
from headwater.graph.traceback import defined_at
from headwater.protos.lazy import master_pb2
from headwater.session.configuration import Configuration
from headwater.session.prepared_run import PreparedRun
from headwater.session.runtimes import Runtime

# How much longer than the master the client waits for the end of a run with a time limit.
_GRACE_SECONDS = 1.0
_CLOSE_SECONDS = 10.0
# The number of RunStepRequest.feed.
_FEED = 2


def address_of(target: str) -> str:
    """The address in a target such as ``grpc://host:port``.

    Raises:
        InvalidArgumentError: if it is none.
    """
    address = target.partition("://")[2]
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isdigit()):
        raise errors.InvalidArgumentError(
            None, None, f'Could not interpret "{address}" as a host-port pair.'
        )
    return address


def open_stub(address: str) -> Stub:
    """The master service at an address."""
    return Stub(address, MASTER, MASTER_METHODS)


class RemotePlan:
    """One kind of run by the names of what is fetched, run and fed.

    Attributes:
        changes: the state of the graph for which it was made.
    """

    def __init__(
        self,
        graph: Graph,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
    ) -> None:
        self.changes = graph.changes
        self.fetches = [tensor.name for tensor in fetches]
        self.targets = [op.name for op in targets]
        self.feeds = [(tensor.name, tensor.dtype) for tensor in feeds]

    def same_work(self, other: Any) -> bool:
        """Whether another plan asks for the same: the master knows the graph."""
        return self.fetches == other.fetches and self.targets == other.targets

    def request(self, handle: str) -> Any:
        """The request for a run, without the fed values."""
        request: Any = master_pb2.RunStepRequest(
            session_handle=handle,
            fetch=self.fetches,
            target=self.targets,
            store_errors_in_response_body=True,
            request_id=secrets.randbits(63),
        )
        return request

    def with_feeds(self, request: Any, feeds: Sequence[Any]) -> TensorFields:
        """A request with the fed values."""
        fields = TensorFields(request, _FEED)
        for (name, dtype), value in zip(self.feeds, feeds):
            fields.add(value, dtype, name)
        return fields


class RemoteRuntime(Runtime):
    """Sends the graph and the runs of a session to a master.

    Args:
        target: the target of the session.
        graph: its graph.
        config: its ConfigProto, or None.
        settings: what that says.

    Raises:
        InvalidArgumentError: if the target has no address.
    """

    def __init__(self, target: str, graph: Graph, config: Any, settings: Configuration) -> None:
        self._target = target
        self._graph = graph
        self._config = config
        self._timeout = settings.timeout
        # The master knows the devices.
        settings.place_pruned = True
        settings.log_placement = False
        self._stub = open_stub(address_of(target))
        self._lock = threading.Lock()
        self._handle = ""
        self._version = 0
        # The nodes that the master has.
        self._sent = self._last = 0
        self.state = State(settings.jit_mode, settings.devices)

    def plan(
        self,
        graph: Graph,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
    ) -> RemotePlan:
        return RemotePlan(graph, fetches, targets, feeds)

    def _extend(self) -> None:
        """Creates the session, or sends the nodes that are new."""
        with self._lock:
            nodes = len(self._graph._nodes_by_name)
            if self._handle and nodes == self._sent:
                return
            last = self._graph.version
            if not self._handle:
                request = master_pb2.CreateSessionRequest(
                    graph_def=self._graph.as_graph_def(), target=self._target
                )
                if self._config is not None:
                    request.config.CopyFrom(self._config)
                response = self._stub.call("CreateSession", request, self._timeout, wait=True)
                self._handle, self._version = response.session_handle, response.graph_version
            else:
                request = master_pb2.ExtendSessionRequest(
                    session_handle=self._handle,
                    graph_def=self._graph.as_graph_def(from_version=self._last),
                    current_graph_version=self._version,
                )
                response = self._stub.call("ExtendSession", request, self._timeout)
                self._version = response.new_graph_version
            self._sent, self._last = nodes, last

    def run(
        self,
        prepared: PreparedRun,
        feeds: list[np.ndarray],
        options: Any,
        metadata: Any,
        number: int,
        session: cancellation.Cancellation,
    ) -> list[Any]:
        plan: Any = prepared.plan
        try:
            self._extend()
            request = plan.request(self._handle)
            if options is not None:
                request.options.CopyFrom(options)
            response = self._run(plan, request, feeds, session)
        except errors.OpError as error:
            if session.cancelled and isinstance(error, errors.CancelledError):
                text = "Step was cancelled by an explicit call to `Session::Close()`."
                raise errors.CancelledError(None, None, text) from None
            raise located(error, self._graph) from None
        if metadata is not None:
            metadata.CopyFrom(response[0].metadata)
        return self._values(plan.fetches, response)

    def _values(self, names: Sequence[str], response: Any) -> list[Any]:
        response, attachments = response
        values = arrays_of(response.tensor, attachments)
        return [value[()] if value.ndim == 0 else value for value in map(values.get, names)]  # type: ignore[union-attr,index]

    def _run(
        self,
        plan: RemotePlan,
        request: Any,
        feeds: Sequence[Any],
        session: cancellation.Cancellation,
    ) -> Any:
        """Sends a request for a run; ends it where the run is cancelled here.

        Returns:
            The response, and what came beside it.
        """
        seconds = self._timeout
        if request.options.timeout_in_ms > 0:
            seconds = request.options.timeout_in_ms / 1000
        elif seconds is not None:
            request.options.timeout_in_ms = int(seconds * 1000)
        limit = None if seconds is None else seconds + _GRACE_SECONDS
        call = self._stub.start("RunStep", plan.with_feeds(request, feeds))
        with session.calling(call.cancel):
            response = call.result(limit)
        if response.status_code:
            raise errors.make_error(response.status_code, response.status_error_message)
        return response, call.attachments

    def partial_run(self, plan: Any, targets: list[Any], feeds: list[Tensor]) -> Any:
        self._extend()
        request = master_pb2.PartialRunSetupRequest(
            session_handle=self._handle,
            feed=[name for name, _ in plan.feeds],
            fetch=plan.fetches,
            target=plan.targets,
            request_id=secrets.randbits(63),
        )
        response = self._stub.call("PartialRunSetup", request, self._timeout)
        return _RemotePartialRun(self, response.partial_run_handle, targets, feeds)

    def run_part(self, handle: str, plan: RemotePlan, feeds: Sequence[Any]) -> list[Any]:
        """Goes on with a partial run."""
        request = plan.request(self._handle)
        request.partial_run_handle = handle
        try:
            response = self._run(plan, request, feeds, cancellation.Cancellation())
        except errors.OpError as error:
            raise located(error, self._graph) from None
        return self._values(plan.fetches, response)

    def list_devices(self) -> list[Device]:
        self._extend()
        request = master_pb2.ListDevicesRequest(session_handle=self._handle)
        response = self._stub.call("ListDevices", request, self._timeout)
        return [
            Device(found.name, found.device_type, found.memory_limit, found.incarnation)
            for found in [*response.local_device, *response.remote_device]
        ]

    def close(self) -> None:
        with self._lock:
            handle, self._handle = self._handle, ""
        if handle:
            request = master_pb2.CloseSessionRequest(session_handle=handle)
            # Where the master has gone or was reset, there is nothing left to close.
            with contextlib.suppress(errors.OpError):
                self._stub.call("CloseSession", request, _CLOSE_SECONDS)
        self._stub.close()


class _RemotePartialRun:
    """A partial run at a master; see `PartialRun`."""

    def __init__(
        self, runtime: RemoteRuntime, handle: str, targets: list[Any], feeds: list[Tensor]
    ) -> None:
        self.handle = handle
        self._runtime = runtime
        self._left = {*targets, *feeds}

    @property
    def finished(self) -> bool:
        """Whether everything has been fetched and fed."""
        return not self._left

    def run(
        self, tensors: list[Tensor], ops: list[Operation], feeds: dict[Tensor, np.ndarray]
    ) -> list[Any]:
        """Computes some of the fetches."""
        plan = RemotePlan(self._runtime._graph, tensors, ops, list(feeds))
        values = self._runtime.run_part(self.handle, plan, list(feeds.values()))
        self._left.difference_update(tensors, ops, feeds)
        return values


def located(error: errors.OpError, graph: Graph) -> errors.OpError:
    """The error of a master, with the op and the line of the program that made it."""
    name = failed_node(error.message)
    op = graph._nodes_by_name.get(name) if name else None
    if op is None:
        return error

    def named(match: re.Match[str]) -> str:
        found = graph._nodes_by_name.get(match.group(1))
        place = defined_at(found._stack) if found is not None else ""
        return f"[[node {match.group(1)}{place} ]]"

    text = NODE.sub(named, error.message)
    return errors.make_error(error.error_code, text, op.node_def, op, error.hint)
