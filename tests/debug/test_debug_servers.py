"""Sessions and hooks that send watched tensors to a gRPC debug server."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest

import headwater as tf
from headwater import debug as tf_debug
from headwater.debug.lib import grpc_debug_server
from headwater.protos import debug_service_pb2, event_pb2
from headwater.session.watching import server_stream


class Server:
    """An EventListener: keeps the events of each stream."""

    def __init__(self) -> None:
        self.streams: list[list[Any]] = []
        self.failing = False
        # The changes that the next run gets, and what is called with each value.
        self.changes: list[Any] = []
        self.on_value: Callable[[], None] = lambda: None
        self._server = grpc.server(futures.ThreadPoolExecutor(4))
        handler = grpc.stream_stream_rpc_method_handler(
            self._send_events, request_deserializer=event_pb2.Event.FromString
        )
        service = grpc.method_handlers_generic_handler(
            "tensorflow.EventListener", {"SendEvents": handler}
        )
        self._server.add_generic_rpc_handlers((service,))
        self.address = f"localhost:{self._server.add_insecure_port('localhost:0')}"
        self._server.start()

    def _send_events(self, events: Iterator[Any], context: Any) -> Iterator[bytes]:
        self.streams.append([])
        for event in events:
            if self.failing:
                context.abort(grpc.StatusCode.INTERNAL, "the server is full")
            self.streams[-1].append(event)
            if event.summary.value:
                self.on_value()
            if event.graph_def:
                continue
            reply = debug_service_pb2.EventReply(debug_op_state_changes=self.changes)
            self.changes = []
            yield reply.SerializeToString()

    def stop(self) -> None:
        self._server.stop(None).wait()

    def values(self) -> dict[str, Any]:
        """The values of the last stream by the names of tensors and debug ops."""
        parts: dict[str, bytes] = {}
        for event in self.streams[-1]:
            for value in event.summary.value:
                about = json.loads(value.metadata.plugin_data.content)
                assert value.metadata.plugin_data.plugin_name == "debugger"
                assert about["chunkIndex"] < about["numChunks"]
                parts.setdefault(value.node_name, b"")
                parts[value.node_name] += value.tensor.tensor_content
        return parts


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()


@pytest.fixture
def y() -> Any:
    x = tf.constant([1.0, 2.0], name="x")
    return tf.multiply(x, tf.placeholder(tf.float32, [], name="factor"), name="y")


def floats(*values: float) -> bytes:
    return np.array(values, np.float32).tobytes()


def test_a_session_sends_facts_graph_and_values(
    session: tf.Session, server: Server, y: Any
) -> None:
    wrapped = tf_debug.GrpcDebugWrapperSession(session, server.address)
    assert wrapped.run(y, {"factor:0": 3.0}).tolist() == [3.0, 6.0]
    assert wrapped.run(y, {"factor:0": 5.0}).tolist() == [5.0, 10.0]
    # Each run is a stream: the graph of each device first, then its facts, then the values.
    assert len(server.streams) == 2
    graph, facts, *_ = server.streams[1]
    message = json.loads(facts.log_message.message)
    assert (message["output_names"], message["grpc_path"]) == (["y:0"], "")
    key, index, count, data = graph.graph_def.split(b"|", 3)
    _, device, time = key.split(b",")
    assert (index, count, device) == (b"0", b"1", b"/job:localhost/replica:0/task:0/device:CPU:0")
    assert int(time) == graph.wall_time
    assert "y" in {node.name for node in tf.GraphDef.FromString(data).node}
    assert server.values()["y:0:DebugIdentity"] == floats(5, 10)


def test_a_hook_watches_what_it_is_told(session: tf.Session, server: Server, y: Any) -> None:
    hook = tf_debug.GrpcDebugHook(
        [f"grpc://{server.address}"],
        watch_fn=lambda fetches, feeds: tf_debug.WatchOptions(node_name_regex_whitelist="y"),
    )
    with tf.train.SingularMonitoredSession([hook]) as monitored:
        monitored.run(y, {"factor:0": 3.0})
    assert server.values() == {"y:0:DebugIdentity": floats(3, 6)}


def test_large_values_and_graphs_go_in_chunks(
    session: tf.Session, server: Server, y: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_stream, "_CHUNK_BYTES", 5)
    tf_debug.GrpcDebugWrapperSession(session, server.address).run(y, {"factor:0": 3.0})
    assert server.values()["y:0:DebugIdentity"] == floats(3, 6)
    chunks = [event.graph_def.split(b"|", 3) for event in server.streams[0] if event.graph_def]
    assert [int(index) for _, index, _, _ in chunks] == list(range(int(chunks[0][2])))
    data = b"".join(chunk for *_, chunk in chunks)
    assert "y" in {node.name for node in tf.GraphDef.FromString(data).node}


def test_servers_that_fail(
    session: tf.Session, server: Server, y: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A wrapper session would keep the error of the run to itself, as in TensorFlow.
    options = tf.RunOptions()
    tf_debug.watch_graph(options, session.graph, debug_urls=f"grpc://{server.address}")
    server.failing = True
    with pytest.raises(tf.errors.UnavailableError, match="failed: the server is full"):
        session.run(y, {"factor:0": 3.0}, options)
    server.stop()
    monkeypatch.setattr(server_stream, "_CONNECT_SECONDS", 0.1)
    text = f"Failed to connect to gRPC channel at {server.address} within a timeout of 0.1 s"
    with pytest.raises(tf.errors.FailedPreconditionError, match=text):
        session.run(y, {"factor:0": 3.0}, options)


def change(state: str, node: str) -> Any:
    kind = debug_service_pb2.EventReply.DebugOpStateChange
    return kind(state=state, node_name=node, output_slot=0, debug_op="DebugIdentity")


def gated_options(session: tf.Session, server: Server) -> Any:
    options = tf.RunOptions()
    gated = "DebugIdentity(gated_grpc=true)"
    urls = f"grpc://{server.address}"
    tf_debug.watch_graph(options, session.graph, debug_ops=gated, debug_urls=urls)
    return options


def test_gated_debug_ops_send_what_the_server_enables(
    session: tf.Session, server: Server, y: Any
) -> None:
    options = gated_options(session, server)

    def sent(*changes: Any) -> set[str]:
        server.changes = list(changes)
        assert session.run(y, {"factor:0": 3.0}, options).tolist() == [3.0, 6.0]
        return set(server.values())

    assert sent() == set()
    assert sent(change("READ_ONLY", "y")) == {"y:0:DebugIdentity"}
    assert sent() == {"y:0:DebugIdentity"}
    assert sent(change("READ_ONLY", "x")) == {"y:0:DebugIdentity", "x:0:DebugIdentity"}
    assert sent(change("DISABLED", "y")) == {"x:0:DebugIdentity"}


def test_a_run_waits_at_a_breakpoint(session: tf.Session, server: Server, y: Any) -> None:
    arrived, released = threading.Event(), threading.Event()

    def wait() -> None:
        arrived.set()
        assert released.wait(60)

    server.on_value = wait
    server.changes = [change("READ_WRITE", "y")]
    options = gated_options(session, server)
    results: list[Any] = []
    run = threading.Thread(
        target=lambda: results.append(session.run(y, {"factor:0": 3.0}, options))
    )
    run.start()
    assert arrived.wait(60)
    assert run.is_alive() and not results
    released.set()
    run.join()
    assert results[0].tolist() == [3.0, 6.0]


def test_closing_the_session_ends_the_wait(session: tf.Session, server: Server, y: Any) -> None:
    arrived, released = threading.Event(), threading.Event()

    def wait() -> None:
        arrived.set()
        assert released.wait(60)

    server.on_value = wait
    server.changes = [change("READ_WRITE", "y")]
    options = gated_options(session, server)
    failures: list[Exception] = []

    def run() -> None:
        try:
            session.run(y, {"factor:0": 3.0}, options)
        except tf.errors.OpError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert arrived.wait(60)
    session.close()
    released.set()
    thread.join()
    assert isinstance(failures[0], tf.errors.CancelledError)


class Handler(grpc_debug_server.EventListenerBaseStreamHandler):
    """Keeps what a run sends."""

    def __init__(self, kept: dict[str, Any]) -> None:
        self.kept = kept

    def on_core_metadata_event(self, event: Any) -> None:
        self.kept["outputs"] = json.loads(event.log_message.message)["output_names"]

    def on_graph_def(self, graph_def: Any, device_name: str, wall_time: int) -> None:
        self.kept[device_name] = {node.name for node in graph_def.node}

    def on_value_event(self, event: Any) -> None:
        value = event.summary.value[0]
        self.kept[value.node_name] = tf.make_ndarray(value.tensor).tolist()


class Servicer(grpc_debug_server.EventListenerBaseServicer):
    """The server of the library, with what it has got."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("localhost", 0))
            port = free.getsockname()[1]
        self.kept: dict[str, Any] = {}
        self.tracebacks: list[Any] = []
        self.files: list[Any] = []
        self.url = f"grpc://localhost:{port}"
        super().__init__(port, lambda: Handler(self.kept))

    def SendTracebacks(self, request: Any, context: Any) -> Any:
        self.tracebacks.append(request)
        return super().SendTracebacks(request, context)

    def SendSourceFiles(self, request: Any, context: Any) -> Any:
        self.files += request.source_files
        return super().SendSourceFiles(request, context)

    def values(self) -> dict[str, Any]:
        """The values since the last call."""
        names = [name for name in self.kept if name.endswith(":DebugIdentity")]
        return {name: self.kept.pop(name) for name in names}


@pytest.fixture
def servicer() -> Iterator[Servicer]:
    made = Servicer()
    with pytest.raises(ValueError, match="Server has not started running"):
        made.stop_server()
    made.run_server(blocking=False)
    with pytest.raises(ValueError, match="Server has already started running"):
        made.run_server()
    yield made
    made.stop_server().wait()
    with pytest.raises(ValueError, match="Server has already stopped"):
        made.stop_server()


def test_a_session_sends_what_a_server_asks_for(
    session: tf.Session, servicer: Servicer, y: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_stream, "_CHUNK_BYTES", 5)
    wrapped = tf_debug.TensorBoardDebugWrapperSession(session, servicer.url)
    feed = {"factor:0": 3.0}
    wrapped.run(y, feed)
    assert servicer.kept["outputs"] == ["y:0"] and servicer.values() == {}
    assert "y" in servicer.kept["/job:localhost/replica:0/task:0/device:CPU:0"]
    watches = servicer.gated_grpc_debug_watches()
    assert ("y", 0, "DebugIdentity") in watches
    servicer.request_watch("y", 0, "DebugIdentity", breakpoint=True)
    wrapped.run(y, feed)
    assert servicer.values() == {"y:0:DebugIdentity": [3.0, 6.0]}
    assert servicer.breakpoints == {("y", 0, "DebugIdentity")}
    servicer.request_unwatch("y", 0, "DebugIdentity")
    servicer.request_watch("x", 0, "DebugIdentity")
    wrapped.run(y, feed)
    assert servicer.values() == {"x:0:DebugIdentity": [1.0, 2.0]}
    assert servicer.breakpoints == set()
    # The lines and their files are sent once.
    (traceback,) = servicer.tracebacks
    names = {entry.name for entry in traceback.graph_traceback.log_entries}
    assert {"x", "y", "factor"} <= names
    (file,) = [file for file in servicer.files if file.file_path == __file__]
    assert file.lines[0] == Path(__file__).read_text().split("\n")[0]


def test_a_hook_sends_what_a_server_asks_for(
    session: tf.Session, servicer: Servicer, y: Any
) -> None:
    hook = tf_debug.TensorBoardDebugHook([servicer.url], send_traceback_and_source_code=False)
    servicer.request_watch("y", 0, "DebugIdentity")
    with tf.train.SingularMonitoredSession([hook]) as monitored:
        monitored.run(y, {"factor:0": 3.0})
    assert servicer.values() == {"y:0:DebugIdentity": [3.0, 6.0]}
    assert servicer.tracebacks == []


@pytest.mark.parametrize(
    ("addresses", "text"),
    [
        (1337, "Expected type str or list in grpc_debug_server_addresses"),
        (["localhost:1337", 1338], "Expected type str in list grpc_debug_server_addresses"),
    ],
)
def test_addresses_of_other_types(session: tf.Session, addresses: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        tf_debug.GrpcDebugWrapperSession(session, addresses)
