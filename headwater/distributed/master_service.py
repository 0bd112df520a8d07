"""The master service: sessions of clients in other processes."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.distributed import server_runtime
from headwater.distributed.task import Task, not_found
from headwater.distributed.tensors import (
    TensorFields,
    array_of,
    arrays_of,
    attachments_of,
    tensor_proto,
)
from headwater.distributed.transport import HEADWATER_DEVICE, wire_text
from headwater.graph import Graph
from headwater.graph.importer import extend_graph
from headwater.protos.lazy import cluster_pb2, device_attributes_pb2, master_pb2
from headwater.session.handles import TensorHandle
from headwater.session.session import Session, open_sessions

# The number of RunStepResponse.tensor.
_TENSOR = 1


class _ClientSession:
    """A session of a client, on a copy of its graph."""

    def __init__(self, session: Session, handle: str) -> None:
        self.session = session
        self.handle = handle
        self.version = 0
        self.lock = threading.Lock()
        self.callables: dict[int, Any] = {}
        self.callable_numbers = itertools.count(1)

    def extend(self, graph_def: Any) -> None:
        extend_graph(self.session.graph, graph_def)

    def types_of(self, names: list[str]) -> list[DType]:
        graph = self.session.graph
        return [graph.as_graph_element(name, allow_operation=False).dtype for name in names]


class MasterService:
    """Answers the requests of clients.

    Args:
        task: the task of the server.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._sessions: dict[str, _ClientSession] = {}

    def methods(self) -> dict[str, Callable[[Any, Any], Any]]:
        """The functions of request and context by method."""
        return {
            "CreateSession": self._create_session,
            "ExtendSession": self._extend_session,
            "PartialRunSetup": self._partial_run_setup,
            "RunStep": self._run_step,
            "CloseSession": self._close_session,
            "ListDevices": self._list_devices,
            "Reset": self._reset,
            "MakeCallable": self._make_callable,
            "RunCallable": self._run_callable,
            "ReleaseCallable": self._release_callable,
        }

    def _session(self, handle: str) -> _ClientSession:
        found = self._sessions.get(handle)
        if found is None or found.session._closed:
            raise not_found(handle)
        return found

    def _create_session(self, request: Any, context: Any) -> Any:
        graph = Graph()
        session = Session(self._task.target, graph, request.config)
        runtime: Any = session._runtime
        found = _ClientSession(session, runtime.handle)
        try:
            found.extend(request.graph_def)
        except BaseException:
            session.close()
            raise
        self._sessions[found.handle] = found
        return master_pb2.CreateSessionResponse(
            session_handle=found.handle, graph_version=found.version
        )

    def _extend_session(self, request: Any, context: Any) -> Any:
        found = self._session(request.session_handle)
        with found.lock:
            if request.current_graph_version != found.version:
                raise errors.AbortedError(
                    None,
                    None,
                    f"Current version is {found.version} but caller expected "
                    f"{request.current_graph_version}.",
                )
            found.extend(request.graph_def)
            found.version += 1
            return master_pb2.ExtendSessionResponse(new_graph_version=found.version)

    def _run_step(self, request: Any, context: Any) -> Any:
        response = master_pb2.RunStepResponse()
        found = self._session(request.session_handle)
        try:
            return self._filled(response, found, request, context)
        except errors.OpError as error:
            if not request.store_errors_in_response_body:
                raise
            response.Clear()
            response.status_code = error.error_code
            response.status_error_message = wire_text(error)
        return response

    def _filled(
        self, response: Any, found: _ClientSession, request: Any, context: Any
    ) -> TensorFields:
        """The response with the fetched values."""
        feeds: dict[Any, Any] = {**arrays_of(request.feed, attachments_of(context), False)}
        fetches = list(request.fetch)
        session = found.session
        with _serving(context):
            if request.partial_run_handle:
                handle = request.partial_run_handle
                values, _ = session.partial_run(handle, (fetches, list(request.target)), feeds)
            else:
                metadata = response.metadata if _is_observed(request.options) else None
                values, _ = session.run(
                    (fetches, list(request.target)), feeds, request.options, metadata
                )
        fields = TensorFields(response, _TENSOR)
        for name, dtype, value in zip(fetches, found.types_of(fetches), values):
            if isinstance(value, TensorHandle):
                raise errors.FailedPreconditionError(
                    None,
                    None,
                    "GetSessionHandle called on null session state\n\t "
                    f"[[{{{{node {name.partition(':')[0]}}}}}]]",
                )
            fields.add(value, dtype, name)
        return fields

    def _partial_run_setup(self, request: Any, context: Any) -> Any:
        session = self._session(request.session_handle).session
        handle = session.partial_run_setup([*request.fetch, *request.target], list(request.feed))
        return master_pb2.PartialRunSetupResponse(partial_run_handle=handle)

    def _close_session(self, request: Any, context: Any) -> Any:
        found = self._session(request.session_handle)
        del self._sessions[request.session_handle]
        found.session.close()
        return master_pb2.CloseSessionResponse()

    def _list_devices(self, request: Any, context: Any) -> Any:
        response = master_pb2.ListDevicesResponse()
        devices = self._task.devices
        if request.session_handle:
            found = self._sessions.get(request.session_handle)
            if found is None or found.session._closed:
                raise errors.InvalidArgumentError(
                    None, None, not_found(request.session_handle).message
                )
            devices = found.session.list_devices()
        for device in devices:
            local = device.name.partition("/device:")[0] in self._task.names
            devices_of = response.local_device if local else response.remote_device
            devices_of.append(device_proto(device))
        return response

    def _reset(self, request: Any, context: Any) -> Any:
        reset(self._task, list(request.container), list(request.device_filters))
        self._sessions.clear()
        return master_pb2.ResetResponse()

    def _make_callable(self, request: Any, context: Any) -> Any:
        found = self._session(request.session_handle)
        handle = next(found.callable_numbers)
        found.callables[handle] = request.options
        return master_pb2.MakeCallableResponse(handle=handle)

    def _run_callable(self, request: Any, context: Any) -> Any:
        found = self._session(request.session_handle)
        options = found.callables.get(request.handle)
        if options is None:
            raise errors.InvalidArgumentError(None, None, "No such callable handle")
        feeds = dict(zip(options.feed, map(array_of, request.feed)))
        fetches = list(options.fetch)
        response = master_pb2.RunCallableResponse()
        with _serving(context):
            values, _ = found.session.run(
                (fetches, list(options.target)), feeds, options.run_options
            )
        for dtype, value in zip(found.types_of(fetches), values):
            response.fetch.append(tensor_proto(value, dtype))
        return response

    def _release_callable(self, request: Any, context: Any) -> Any:
        self._session(request.session_handle).callables.pop(request.handle, None)
        return master_pb2.ReleaseCallableResponse()


class _serving:
    """A with block whose runs end when the client goes away."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __enter__(self) -> None:
        server_runtime.request.context = self._context

    def __exit__(self, *exc: Any) -> None:
        server_runtime.request.context = None


def _is_observed(options: Any) -> bool:
    return bool(
        options.trace_level
        or options.output_partition_graphs
        or options.debug_options.debug_tensor_watch_opts
    )


def device_proto(device: Any) -> Any:
    """A device as a DeviceAttributes proto."""
    return device_attributes_pb2.DeviceAttributes(
        name=device.name,
        device_type=device.device_type,
        memory_limit=device.memory_limit_bytes,
        incarnation=device.incarnation,
        locality=device_attributes_pb2.DeviceLocality(),
        physical_device_desc=HEADWATER_DEVICE,
    )


def reset(task: Task, containers: list[str], filters: Sequence[str] = ()) -> None:
    """Closes the sessions of a master and clears containers of all tasks that can be reached.

    Args:
        task: the task of the master.
        containers: their names; none for the default container.
        filters: parts of device names; if there are some, only of tasks that match one of them.
    """
    for session in open_sessions():
        runtime = session._runtime
        if isinstance(runtime, server_runtime.ServerRuntime) and runtime.task is task:
            session._end_by_reset()
    task.clear(containers)
    view = task.view(cluster_pb2.ClusterDef())
    for name in view.other_tasks(filters):
        with contextlib.suppress(errors.UnavailableError):
            task.peer(name).clear(containers)
