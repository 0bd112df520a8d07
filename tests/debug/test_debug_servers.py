"""Sessions and hooks that send watched tensors to a gRPC debug server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc
import numpy as np
import pytest

import headwater as tf
from headwater import debug as tf_debug
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
    # Each run is a stream: its facts first, then the graph of each device, then the values.
    assert len(server.streams) == 2
    facts, graph, *_ = server.streams[1]
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
