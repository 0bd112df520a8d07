"""Peers: the workers of a cluster as a master or another worker calls them."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from headwater.base import errors
from headwater.base.cancellation import Cancellation
from headwater.base.dead import DEAD
from headwater.base.rendezvous import Edge
from headwater.base.waiting import Waiting
from headwater.distributed.calls import Call
from headwater.distributed.pushes import Push
from headwater.distributed.stubs import Stub
from headwater.distributed.task import task_name
from headwater.distributed.tensors import TensorFields, array_of, arrays_of
from headwater.distributed.threads import run_in_thread
from headwater.distributed.transport import (
    HEADWATER_DEVICE,
    WORKER,
    WORKER_METHODS,
)
from headwater.distributed.worker import Worker
from headwater.engine.devices import Device
from headwater.protos.lazy import worker_pb2


class Peer(ABC):
    """A worker, in this process or in another one.

    Attributes:
        takes_pushes: whether values can be sent to it that it has not asked for.
    """

    takes_pushes = True

    @abstractmethod
    def devices(self, timeout: float | None = None) -> list[Device]:
        """The devices of its task.

        Raises:
            DeadlineExceededError: if it cannot be reached in time.
        """

    @abstractmethod
    def create_session(self, handle: str, server_def: Any, config: Any) -> None:
        """Makes the state of a session."""

    @abstractmethod
    def delete_session(self, handle: str) -> None:
        """Frees what belongs to a session."""

    @abstractmethod
    def register(self, session: str, graph_def: Any, config: Any) -> str:
        """Registers a part of a graph; returns its handle."""

    @abstractmethod
    def deregister(self, session: str, handle: str) -> None:
        """Frees a part of a graph."""

    @abstractmethod
    def start(
        self,
        session: str,
        handle: str,
        number: int,
        feeds: Mapping[str, Any],
        fetches: Sequence[str],
        stop: Cancellation,
        stats: Any = None,
    ) -> Call:
        """Begins to run a part of a graph.

        Args:
            session: the handle of the session.
            handle: the handle of the graph.
            number: the number of the step.
            feeds: what is fed, by key.
            fetches: the keys of what is fetched.
            stop: ends the run.
            stats: a StepStats that takes what ran and when, or None.

        Returns:
            The call, whose result is the values of the fetches.
        """

    @abstractmethod
    def cleanup(self, number: int, later: bool = False) -> None:
        """Ends a step.

        Args:
            number: its number.
            later: whether that may wait for the next call.
        """

    @abstractmethod
    def clear(self, containers: Sequence[str]) -> None:
        """Forgets what containers hold."""

    @abstractmethod
    def receive(self, edge: Edge, number: int, work: Waiting) -> Callable[[], object]:
        """Has a value sent from there; returns what ends the request."""

    @abstractmethod
    def put(self, number: int, values: Mapping[str, Any], is_followed: bool) -> Call | None:
        """Sends values of a step there.

        Args:
            number: the number of the step.
            values: values by key, which nobody changes afterwards.
            is_followed: whether a call has begun that runs the step there; it ends when the values
                have arrived, and fails if they are lost.

        Returns:
            The call, or None if there is no need to wait for one.
        """


class LocalPeer(Peer):
    """A worker of this process.

    Args:
        worker: the worker.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    def devices(self, timeout: float | None = None) -> list[Device]:
        return list(self.worker.devices)

    def create_session(self, handle: str, server_def: Any, config: Any) -> None:
        name = task_name(server_def.job_name, server_def.task_index)
        self.worker.create_session(handle, config, config.isolate_session_state, name)

    def delete_session(self, handle: str) -> None:
        self.worker.delete_session(handle)

    def register(self, session: str, graph_def: Any, config: Any) -> str:
        return self.worker.register(session, graph_def, True)

    def deregister(self, session: str, handle: str) -> None:
        self.worker.deregister(handle)

    def start(
        self,
        session: str,
        handle: str,
        number: int,
        feeds: Mapping[str, Any],
        fetches: Sequence[str],
        stop: Cancellation,
        stats: Any = None,
    ) -> Call:
        call = Call()

        def run() -> None:
            try:
                values = self.worker.run(handle, number, feeds, fetches, stop, stats)
            except errors.OpError as error:
                call.fail(error)
            except Exception as error:
                call.fail(errors.InternalError(None, None, f"{type(error).__name__}: {error}"))
            else:
                call.finish(values)

        run_in_thread(run)
        return call

    def cleanup(self, number: int, later: bool = False) -> None:
        self.worker.cleanup(number)

    def clear(self, containers: Sequence[str]) -> None:
        self.worker.task.clear(containers)

    def receive(self, edge: Edge, number: int, work: Waiting) -> Callable[[], object]:
        given = self.worker.give(edge.key, number)
        given.then(lambda: _pass_on(given, work))
        return given.withdraw

    def put(self, number: int, values: Mapping[str, Any], is_followed: bool) -> Call | None:
        self.worker.put(number, values)
        return None


def _pass_on(given: Waiting, work: Waiting) -> None:
    try:
        work.finish(given.result())
    except errors.OpError as error:
        work.fail(error)


class RemotePeer(Peer):
    """A worker of another process.

    Args:
        address: where it listens.
    """

    def __init__(self, address: str) -> None:
        self._stub = Stub(address, WORKER, WORKER_METHODS)

    def devices(self, timeout: float | None = None) -> list[Device]:
        response = self._stub.call("GetStatus", worker_pb2.GetStatusRequest(), timeout, wait=True)
        self.takes_pushes = any(
            d.physical_device_desc == HEADWATER_DEVICE for d in response.device_attributes
        )
        return [
            Device(d.name, d.device_type, d.memory_limit, d.incarnation)
            for d in response.device_attributes
        ]

    def create_session(self, handle: str, server_def: Any, config: Any) -> None:
        request = worker_pb2.CreateWorkerSessionRequest(
            session_handle=handle, isolate_session_state=config.isolate_session_state
        )
        request.server_def.CopyFrom(server_def)
        self._stub.call("CreateWorkerSession", request)

    def delete_session(self, handle: str) -> None:
        request = worker_pb2.DeleteWorkerSessionRequest(session_handle=handle)
        self._stub.notify("DeleteWorkerSession", request, _CLEANUP_SECONDS)

    def register(self, session: str, graph_def: Any, config: Any) -> str:
        request = worker_pb2.RegisterGraphRequest(
            session_handle=session, graph_def=graph_def, create_worker_session_called=True
        )
        request.graph_options.CopyFrom(config.graph_options)
        try:
            response = self._stub.call("RegisterGraph", request)
        except errors.UnavailableError:
            # The connection was cut while it was unused. Registering twice does no harm.
            response = self._stub.call("RegisterGraph", request)
        handle: str = response.graph_handle
        return handle

    def deregister(self, session: str, handle: str) -> None:
        request = worker_pb2.DeregisterGraphRequest(
            session_handle=session, graph_handle=handle, create_worker_session_called=True
        )
        self._stub.notify("DeregisterGraph", request, _CLEANUP_SECONDS)

    def start(
        self,
        session: str,
        handle: str,
        number: int,
        feeds: Mapping[str, Any],
        fetches: Sequence[str],
        stop: Cancellation,
        stats: Any = None,
    ) -> Call:
        request = worker_pb2.RunGraphRequest(
            session_handle=session,
            graph_handle=handle,
            step_id=number,
            recv_key=fetches,
            store_errors_in_response_body=True,
            create_worker_session_called=True,
            request_id=secrets.randbits(63),
        )
        request.exec_opts.record_timeline = stats is not None
        fields = TensorFields(request, _SEND)
        for key, (value, dtype) in feeds.items():
            fields.add(value, dtype, key)
        call = self._stub.start("RunGraph", fields, partial(_values_of, fetches, stats))
        if stop.cancelled:
            call.cancel()
        return call

    def cleanup(self, number: int, later: bool = False) -> None:
        request = worker_pb2.CleanupGraphRequest(step_id=number)
        self._stub.notify("CleanupGraph", request, _CLEANUP_SECONDS, later)

    def clear(self, containers: Sequence[str]) -> None:
        request = worker_pb2.CleanupAllRequest(container=containers)
        self._stub.call("CleanupAll", request)

    def receive(self, edge: Edge, number: int, work: Waiting) -> Callable[[], object]:
        request = worker_pb2.RecvTensorRequest(
            step_id=number, rendezvous_key=edge.key, request_id=secrets.randbits(63)
        )
        call = self._stub.start("RecvTensor", request)
        call.then(lambda call: _finish_receive(call, work))
        return call.cancel

    def put(self, number: int, values: Mapping[str, Any], is_followed: bool) -> Call | None:
        push = Push(number, values)
        if is_followed and self._stub.post("PutTensors", push):
            return None
        return self._stub.start("PutTensors", push)


# The number of RunGraphRequest.send.
_SEND = 3
# What nobody waits for any more.
_CLEANUP_SECONDS = 10.0


def _values_of(
    fetches: Sequence[str], stats: Any, response: Any, attachments: Sequence[Any]
) -> list[Any]:
    """The values in a RunGraphResponse.

    Raises:
        OpError: if it has an error.
    """
    if response.status_code:
        raise errors.make_error(response.status_code, response.status_error_message)
    if stats is not None:
        stats.MergeFrom(response.step_stats)
    values = arrays_of(response.recv, attachments)
    return [values[key] for key in fetches]


def _finish_receive(call: Call, work: Waiting) -> None:
    try:
        response = call.result()
        value: Any = DEAD
        if not response.is_dead:
            value = array_of(response.tensor, False, call.attachments)
    except Exception as error:
        work.fail(error)
        return
    work.finish((value,))
