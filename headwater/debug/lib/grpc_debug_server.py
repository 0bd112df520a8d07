"""A gRPC debug server: takes the events of watched runs, and enables gated debug ops."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from typing import Any, NamedTuple

from headwater.base.lazy import LazyModule
from headwater.debug.lib import debug_graphs
from headwater.protos.lazy import debug_pb2, debug_service_pb2, event_pb2, graph_pb2

_grpc: Any = LazyModule("grpc")

_SERVICE = "tensorflow.EventListener"
# Requests that several runs send at the same time.
_WORKERS = 10
_Key = tuple[str, int, str]


class DebugWatch(NamedTuple):
    """A debug op of an output of a node."""

    node_name: str
    output_slot: int
    debug_op: str


class EventListenerBaseStreamHandler:
    """What a server does with the events of one run; to be derived from."""

    def on_core_metadata_event(self, event: Any) -> Any:
        """Takes the facts of the run.

        Args:
            event: an Event whose log message is JSON.

        Returns:
            An EventReply with more than the requested changes, or None.
        """
        raise NotImplementedError(
            "on_core_metadata_event() is not implemented in the base servicer class"
        )

    def on_graph_def(self, graph_def: Any, device_name: str, wall_time: int) -> Any:
        """Takes the part of the graph that runs on a device, with its debug nodes.

        Args:
            graph_def: the GraphDef.
            device_name: the device.
            wall_time: when it was sent, in microseconds.

        Returns:
            An EventReply, or None.
        """
        raise NotImplementedError("on_graph_def() is not implemented in the base servicer class")

    def on_value_event(self, event: Any) -> Any:
        """Takes the value of a watched tensor.

        Args:
            event: an Event with one summary value.

        Returns:
            An EventReply, or None.
        """
        raise NotImplementedError("on_value_event() is not implemented in the base servicer class")


class EventListenerBaseServicer:
    """A server; to be derived from.

    Args:
        server_port: its port.
        stream_handler_class: makes the handler of a run, an `EventListenerBaseStreamHandler`.
    """

    def __init__(self, server_port: int, stream_handler_class: Callable[[], Any]) -> None:
        self._server_port = server_port
        self._stream_handler_class = stream_handler_class
        self._server_lock = threading.Lock()
        self._server_started = False
        self._stop_requested = False
        self._stopped = threading.Event()
        self.server: Any = None
        self._changes: queue.Queue[Any] = queue.Queue()
        self._gated_grpc_debug_watches: set[DebugWatch] = set()
        self._breakpoints: set[_Key] = set()

    # The service

    def SendEvents(self, request_iterator: Iterable[Any], context: Any) -> Iterator[Any]:
        """Takes the events of one run, and answers them."""
        del context
        handler = self._stream_handler_class()
        graphs: dict[bytes, dict[int, bytes]] = {}
        values: dict[str, list[Any]] = {}
        for event in request_iterator:
            if event.graph_def:
                found = _whole_graph(event, graphs)
                if found is None:
                    continue
                self._note_gated(found[0])
                reply = handler.on_graph_def(*found)
                if reply is not None:
                    yield self._reply(reply)
            elif event.log_message.message:
                # The run waits for this reply before it sends gated values.
                yield self._reply(handler.on_core_metadata_event(event))
            elif event.summary.value:
                whole = _whole_value(event, values)
                if whole is None:
                    continue
                reply = handler.on_value_event(whole)
                if reply is not None or _watch_of(whole) in self._breakpoints:
                    yield self._reply(reply)

    def SendTracebacks(self, request: Any, context: Any) -> Any:
        """Takes the lines that made the nodes of a graph; to be overridden.

        Args:
            request: a CallTraceback.
            context: the context of gRPC.
        """
        del request, context
        return debug_service_pb2.EventReply()

    def SendSourceFiles(self, request: Any, context: Any) -> Any:
        """Takes source files; to be overridden.

        Args:
            request: a DebuggedSourceFiles.
            context: the context of gRPC.
        """
        del request, context
        return debug_service_pb2.EventReply()

    def _reply(self, reply: Any = None) -> Any:
        """An EventReply with the requested changes."""
        if reply is None:
            reply = debug_service_pb2.EventReply()
        while not self._changes.empty():
            change = self._changes.get()
            reply.debug_op_state_changes.add().CopyFrom(change)
            key = (change.node_name, change.output_slot, change.debug_op)
            if change.state == debug_service_pb2.EventReply.DebugOpStateChange.READ_WRITE:
                self._breakpoints.add(key)
            else:
                self._breakpoints.discard(key)
        return reply

    def _note_gated(self, graph_def: Any) -> None:
        for node in graph_def.node:
            if debug_graphs.is_debug_node(node.name) and node.attr["gated_grpc"].b:
                name, slot, _, debug_op = debug_graphs.parse_debug_node_name(node.name)
                self._gated_grpc_debug_watches.add(DebugWatch(name, slot, debug_op))

    # Start and stop

    def run_server(self, blocking: bool = True) -> None:
        """Starts the server.

        Args:
            blocking: whether to return only when it has been stopped.

        Raises:
            ValueError: if it has been started or stopped before.
        """
        with self._server_lock:
            if self._stop_requested:
                raise ValueError("Server has already stopped")
            if self._server_started:
                raise ValueError("Server has already started running")
            no_limit = [("grpc.max_receive_message_length", -1)]
            pool = futures.ThreadPoolExecutor(max_workers=_WORKERS)
            self.server = _grpc.server(pool, options=no_limit)
            self.server.add_generic_rpc_handlers((_handler(self),))
            self.server.add_insecure_port(f"[::]:{self._server_port}")
            self.server.start()
            self._server_started = True
        if blocking:
            self._stopped.wait()

    def stop_server(self, grace: float = 1.0) -> threading.Event:
        """Stops the server.

        Args:
            grace: how many seconds requests may take to end.

        Returns:
            An event that is set when it has stopped.

        Raises:
            ValueError: if it has not been started, or has been stopped before.
        """
        with self._server_lock:
            if not self._server_started:
                raise ValueError("Server has not started running")
            if self._stop_requested:
                raise ValueError("Server has already stopped")
            self._stop_requested = True
            ended: threading.Event = self.server.stop(grace=grace)
            self._stopped.set()
            return ended

    # Watches

    def request_watch(
        self, node_name: str, output_slot: int, debug_op: str, breakpoint: bool = False
    ) -> None:
        """Enables a gated debug op, from the next reply on.

        Args:
            node_name: the name of the node.
            output_slot: which output of it.
            debug_op: the type of the debug op.
            breakpoint: whether runs wait at it for a reply.
        """
        self._request("READ_WRITE" if breakpoint else "READ_ONLY", node_name, output_slot, debug_op)

    def request_unwatch(self, node_name: str, output_slot: int, debug_op: str) -> None:
        """Disables a gated debug op, from the next reply on.

        Args:
            node_name: the name of the node.
            output_slot: which output of it.
            debug_op: the type of the debug op.
        """
        self._request("DISABLED", node_name, output_slot, debug_op)

    def _request(self, state: str, node_name: str, output_slot: int, debug_op: str) -> None:
        kind = debug_service_pb2.EventReply.DebugOpStateChange
        self._changes.put(
            kind(state=state, node_name=node_name, output_slot=output_slot, debug_op=debug_op)
        )

    @property
    def breakpoints(self) -> set[_Key]:
        """The debug ops at which runs wait: (node, output, debug op)."""
        return self._breakpoints

    def gated_grpc_debug_watches(self) -> list[DebugWatch]:
        """The gated debug ops of the graphs that were sent."""
        return list(self._gated_grpc_debug_watches)


def _watch_of(event: Any) -> _Key:
    node, slot, debug_op = event.summary.value[0].node_name.rsplit(":", 2)
    return node, int(slot), debug_op


def _whole_graph(event: Any, chunks: dict[bytes, dict[int, bytes]]) -> tuple[Any, str, int] | None:
    """The graph, its device and time, when its last chunk is there."""
    key, index, count, data = event.graph_def.split(b"|", 3)
    parts = chunks.setdefault(key, {})
    parts[int(index)] = data
    if len(parts) < int(count):
        return None
    del chunks[key]
    content = b"".join(parts[number] for number in sorted(parts))
    _, device, wall_time = key.decode().split(",", 2)
    return graph_pb2.GraphDef.FromString(content), device, int(wall_time)


def _whole_value(event: Any, chunks: dict[str, list[Any]]) -> Any:
    """The event of a value, when its last chunk is there."""
    value = event.summary.value[0]
    count = json.loads(value.metadata.plugin_data.content or b"{}").get("numChunks", 1)
    if count <= 1:
        return event
    parts = chunks.setdefault(value.node_name, [])
    parts.append(event)
    if len(parts) < count:
        return None
    del chunks[value.node_name]
    whole = type(event)()
    whole.CopyFrom(parts[0])
    tensor = whole.summary.value[0].tensor
    tensor.tensor_content = b"".join(part.summary.value[0].tensor.tensor_content for part in parts)
    for part in parts[1:]:
        tensor.string_val.extend(part.summary.value[0].tensor.string_val)
    return whole


def _handler(servicer: Any) -> Any:
    """The methods of the service, for a server of gRPC."""
    reply = {"response_serializer": lambda message: message.SerializeToString()}
    events = event_pb2.Event.FromString
    tracebacks = debug_service_pb2.CallTraceback.FromString
    files = debug_pb2.DebuggedSourceFiles.FromString
    handlers = {
        "SendEvents": _grpc.stream_stream_rpc_method_handler(
            servicer.SendEvents, request_deserializer=events, **reply
        ),
        "SendTracebacks": _grpc.unary_unary_rpc_method_handler(
            servicer.SendTracebacks, request_deserializer=tracebacks, **reply
        ),
        "SendSourceFiles": _grpc.unary_unary_rpc_method_handler(
            servicer.SendSourceFiles, request_deserializer=files, **reply
        ),
    }
    return _grpc.method_handlers_generic_handler(_SERVICE, handlers)
