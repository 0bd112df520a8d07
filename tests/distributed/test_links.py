"""Connections between tasks: links, broken ones, large messages, TLS."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import headwater as tf
from headwater.base import errors
from headwater.base.dead import DEAD
from headwater.distributed import link_service, links, transport
from headwater.distributed.calls import Call
from headwater.distributed.frames import CALL, NOTICE, Frame, Incoming, Outgoing, prepared
from headwater.distributed.local_cluster import free_ports
from headwater.distributed.pushes import Push
from headwater.distributed.stubs import Stub
from headwater.distributed.transport import WORKER, WORKER_METHODS
from headwater.protos.worker_pb2 import RunGraphRequest
from tests.distributed.proxy import Proxy


class Line:
    """A worker and a parameter server; whatever they exchange passes a proxy."""

    def __init__(self, monkeypatch: Any) -> None:
        worker, ps = free_ports(2)
        self.to_ps, self.to_worker = Proxy(ps), Proxy(worker)
        monkeypatch.setattr(links, "place_at", self._place_at)
        worker_view = {"worker": [f"localhost:{worker}"], "ps": [self.to_ps.address]}
        ps_view = {"worker": [self.to_worker.address], "ps": [f"localhost:{ps}"]}
        self.ps = tf.train.Server(ps_view, job_name="ps", task_index=0)
        self.worker = tf.train.Server(worker_view, job_name="worker", task_index=0)

    def _place_at(self, address: str) -> tuple[str, int, bytes]:
        """Where links are taken: behind the proxy that the address is of."""
        host, port, token = PLACE_AT(address)
        proxy = self.to_ps if address == self.to_ps.address else self.to_worker
        return host, proxy.port_to(port), token

    def cut(self) -> None:
        self.to_ps.cut()
        self.to_worker.cut()

    def close(self) -> None:
        self.to_ps.close()
        self.to_worker.close()


PLACE_AT = links.place_at


@pytest.fixture
def line(monkeypatch: Any) -> Iterator[Line]:
    line = Line(monkeypatch)
    yield line
    line.close()


def variable_of_ps() -> Any:
    with tf.device("/job:ps/task:0"):
        return tf.get_variable("v", initializer=1.0)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two connected sockets for frames."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        one = socket.create_connection(listener.getsockname())
        two, _ = listener.accept()
    with one, two:
        yield prepared(one), prepared(two)


def test_frames_on_a_socket(ends: Any) -> None:
    large = np.arange(3_000_000, dtype=np.float64).view(np.uint8).data
    sent = [
        Frame(CALL, 1, 5, b"small"),
        Frame(CALL, 2, 6, b"with", [large[:100], large, large[:0]]),
        Frame(CALL, 0, 7),
        Frame(CALL, 0, 8, b"x" * 200_000),
        Frame(CALL, 0, 9, b"", [large[:9]] * 1200),
    ]
    outgoing = Outgoing()
    outgoing.put(sent[0])
    outgoing.attach(ends[0])
    for frame in sent[1:]:
        # Nobody reads yet: what the socket does not take must not block.
        outgoing.put(frame)
    incoming = Incoming(ends[1], Outgoing()).frames()
    found = [next(incoming) for _ in sent]
    assert [f[:4] for f in found] == [f[:4] for f in sent]
    assert [bytes(a) for a in found[1].attachments] == [large[:100], large, b""]
    outgoing.close()
    with pytest.raises(errors.UnavailableError, match="Socket closed"):
        next(incoming)
    # It has ended: this is dropped.
    outgoing.put(sent[0])


def test_frames_that_may_wait_come_with_the_next_one(ends: Any) -> None:
    outgoing = Outgoing()
    outgoing.attach(ends[0])
    outgoing.put(Frame(NOTICE, 0, 1), later=True)
    with pytest.raises(BlockingIOError):
        ends[1].recv(1, socket.MSG_DONTWAIT)
    outgoing.put(Frame(CALL, 0, 2))
    incoming = Incoming(ends[1], Outgoing()).frames()
    assert [next(incoming).number for _ in range(2)] == [1, 2]
    # Not too many of them.
    for number in range(100):
        outgoing.put(Frame(NOTICE, 0, number), later=True)
    assert [next(incoming).number for _ in range(64)] == list(range(64))


def test_many_threads_write_frames(ends: Any) -> None:
    outgoing = Outgoing()
    outgoing.attach(ends[0])
    content = np.arange(50_000, dtype=np.uint8).data

    def write(kind: int) -> None:
        for number in range(300):
            outgoing.put(Frame(CALL, kind, number, b"p" * number, [content[: 100 * number]]))

    threads = [threading.Thread(target=write, args=(kind,)) for kind in range(3)]
    for thread in threads:
        thread.start()
    incoming = Incoming(ends[1], Outgoing()).frames()
    found = [next(incoming) for _ in range(900)]
    for kind in range(3):
        own = [frame for frame in found if frame.detail == kind]
        assert [frame.number for frame in own] == list(range(300))
        for frame in own:
            assert len(frame.payload) == frame.number
            assert bytes(frame.attachments[0]) == content[: 100 * frame.number]
    for thread in threads:
        thread.join()


def test_a_link_is_opened_with_the_token_of_the_service(line: Line) -> None:
    host, port, token = links.place_at(line.to_ps.address)
    for first in (b"", b"x" * len(token), token[:-1]):
        with socket.create_connection((host, port)) as stranger:
            stranger.sendall(first)
            stranger.shutdown(socket.SHUT_WR)
            assert stranger.recv(1) == b""


def test_without_a_link_values_travel_by_calls(line: Line, monkeypatch: Any) -> None:
    def place_at(address: str) -> tuple[str, int, bytes]:
        # As if a firewall hid the port of links.
        return "localhost", free_ports(1)[0], b""

    monkeypatch.setattr(links, "place_at", place_at)
    v = variable_of_ps()
    with tf.device("/job:worker/task:0"):
        update = tf.assign_add(v, tf.constant(1.0) + 0.0 * v)
    with tf.Session(line.worker.target) as session:
        session.run(v.initializer)
        for count in range(3):
            assert session.run(update) == 2.0 + count


def test_a_push() -> None:
    values: dict[str, Any] = {
        "scalar": np.float32(3.0) + np.zeros((), np.float32),
        "empty": np.zeros((0, 3), np.int64),
        "large": np.arange(30_000.0)[::-1].reshape(2, -1),
        "dead": DEAD,
        "words": np.array([[b"a", b"\x00\xff"]], object),
        "flags": np.array([True, False]),
        "complex": np.array([1 + 2j], np.complex64),
    }
    push = Push(2**56 + 3, values)
    data, apart = push.split()
    assert [len(a) for a in apart] == [240_000]
    # A second one takes the descriptions that the first one has made.
    for written, beside in ((data, apart), (*push.split(),), (push.joined(), [])):
        received = Push.FromString(written)
        assert received.number == 2**56 + 3
        found = received.values([np.frombuffer(a, np.uint8) for a in beside])
        assert list(found) == list(values)
        assert found["dead"] is DEAD
        for key in values.keys() - {"dead"}:
            assert found[key].dtype == values[key].dtype
            np.testing.assert_array_equal(found[key], values[key])


def test_a_call_ends_once() -> None:
    call, ended = Call(), []
    call.then(ended.append)
    call.finish(3)
    call.fail(errors.InternalError(None, None, "late"))
    call.then(ended.append)
    assert ended == [call, call]
    assert call.result() == 3
    with pytest.raises(errors.DeadlineExceededError):
        Call().result(0.01)


def test_a_link_that_ends_while_a_call_begins(line: Line) -> None:
    stub = Stub(line.to_ps.address, WORKER, WORKER_METHODS)
    request = Push(7, {})
    stub.start("PutTensors", request).result(20)
    ended = stub._link
    assert ended is not None
    line.to_ps.cut()
    while ended.usable:
        time.sleep(0.01)
    # As if it ended between the look at it and the call.
    ended.usable = True
    with mock.patch.object(
        ended, "start", side_effect=lambda *_: setattr(ended, "usable", False)
    ) as start:
        stub.start("PutTensors", request).result(20)
    assert start.call_count == 1
    stub.close()


def test_a_response_that_cannot_be_written(line: Line) -> None:
    stub = Stub(line.to_ps.address, WORKER, WORKER_METHODS)
    request = RunGraphRequest(graph_handle="?", store_errors_in_response_body=True)
    with mock.patch.object(link_service, "framed", side_effect=ValueError("too odd")):
        call = stub.start("RunGraph", request)
        with pytest.raises(errors.InternalError, match="ValueError: too odd"):
            call.result(20)
    stub.close()


def test_large_and_small_values_between_tasks(line: Line) -> None:
    v = variable_of_ps()
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/job:ps/task:0"):
        there = tf.identity(x * v)
    with tf.device("/job:worker/task:0"):
        back = there[::-1] + 1.0
    with tf.Session(line.worker.target) as session:
        session.run(v.initializer)
        for size in (0, 1, 10_000, 1_000_003, 17):
            values = np.arange(size, dtype=np.float32)
            found = session.run([there, back], {x: values})
            np.testing.assert_array_equal(found[0], values)
            np.testing.assert_array_equal(found[1], values[::-1] + 1)
            # The results belong to the caller.
            found[0][:] = 0


def test_a_connection_that_is_cut_in_the_middle_of_a_step(line: Line) -> None:
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", initializer=1.0)
        queue = tf.FIFOQueue(1, tf.float32, shapes=[[]], shared_name="q")
        waiting = queue.dequeue()
    with tf.device("/job:worker/task:0"):
        used = waiting + v
    with tf.Session(line.worker.target) as session:
        session.run(v.initializer)
        # The tasks get to know their parts of the step.
        session.run(queue.enqueue(1.0))
        assert session.run(used) == 2.0
        timer = threading.Timer(0.3, line.cut)
        timer.start()
        started = time.monotonic()
        with pytest.raises((errors.UnavailableError, errors.AbortedError)):
            session.run(used)
        assert time.monotonic() - started < 20
        timer.join()
        # Neither task was restarted: the session goes on, and nothing is lost.
        assert session.run(v) == 1.0
        session.run(queue.enqueue(2.0))
        assert session.run(used) == 3.0


def test_an_update_whose_reply_is_lost_is_not_repeated(line: Line) -> None:
    v = variable_of_ps()
    with tf.device("/job:worker/task:0"):
        one = tf.constant(1.0) + 0.0 * v
    update = v.assign_add(one)
    cuts = 0
    with tf.Session(line.worker.target) as session:
        session.run(v.initializer)
        done = failed = 0
        for count in range(30):
            if count % 6 == 5:
                line.cut()
                cuts += 1
            try:
                session.run(update)
                done += 1
            except (errors.UnavailableError, errors.AbortedError):
                failed += 1
        total = session.run(v)
    # A run that failed may have updated the variable, once.
    assert 1 + done <= total <= 1 + done + failed
    assert done >= 15
    assert cuts == 5


def test_a_slow_connection(line: Line) -> None:
    v = variable_of_ps()
    with tf.device("/job:worker/task:0"):
        twice = v * 2.0
    with tf.Session(line.worker.target) as session:
        session.run(v.initializer)
        line.to_ps.delay = line.to_worker.delay = 0.1
        assert session.run(twice) == 2.0
        with pytest.raises(errors.DeadlineExceededError):
            session.run(twice, options=tf.RunOptions(timeout_in_ms=50))
        line.to_ps.delay = line.to_worker.delay = 0.0
        assert session.run(twice) == 2.0


# Connections are given up after seconds.
@pytest.mark.slow
def test_a_connection_that_is_silent(monkeypatch: Any) -> None:
    monkeypatch.setattr(transport, "PROBE_MS", 1000)
    line = Line(monkeypatch)
    with tf.device("/job:ps/task:0"):
        waiting = tf.FIFOQueue(1, tf.float32, shared_name="q").dequeue()
    try:
        with tf.Session(line.worker.target) as session:
            timer = threading.Timer(0.3, line.to_ps.stall)
            timer.start()
            with pytest.raises(errors.UnavailableError):
                session.run(waiting)
    finally:
        line.close()


def test_the_bound_of_messages(monkeypatch: Any) -> None:
    monkeypatch.setenv("HEADWATER_GRPC_MAX_MESSAGE_BYTES", "100000")
    line = Line(monkeypatch)
    v = variable_of_ps()
    x = tf.placeholder(tf.float32, [None])
    size = tf.placeholder(tf.int32, [])
    with tf.device("/job:ps/task:0"):
        total = tf.reduce_sum(x) * v
        many = tf.fill([size], v)
    try:
        with tf.Session(line.worker.target) as session:
            session.run(v.initializer)
            assert session.run(total, {x: np.ones(20_000)}) == 20_000
            with pytest.raises(errors.ResourceExhaustedError, match="message larger than max"):
                session.run(total, {x: np.ones(30_000)})
            with pytest.raises(errors.ResourceExhaustedError, match="message larger than max"):
                session.run(many, {size: 30_000})
            # Others still arrive.
            assert session.run(many, {size: 3}).tolist() == [1, 1, 1]
    finally:
        line.close()


TLS = Path(__file__).parent / "tls"


def test_tls(monkeypatch: Any) -> None:
    names = {"CERTIFICATE": "task.pem", "KEY": "task.key", "AUTHORITY": "authority.pem"}
    for variable, name in names.items():
        monkeypatch.setenv(f"HEADWATER_TLS_{variable}", str(TLS / name))
    line = Line(monkeypatch)
    v = variable_of_ps()
    with tf.device("/job:worker/task:0"):
        twice = v * 2.0
    try:
        with tf.Session(line.worker.target) as session:
            session.run(v.initializer)
            assert session.run(twice) == 2.0
        address = f"grpc://{line.to_ps.address}"
        config = tf.ConfigProto(operation_timeout_in_ms=500)
        for variable in ("CERTIFICATE", "KEY"):
            monkeypatch.delenv(f"HEADWATER_TLS_{variable}")
        # A client that shows no certificate, and one that does not speak TLS.
        for variable in ("", "AUTHORITY"):
            if variable:
                monkeypatch.delenv(f"HEADWATER_TLS_{variable}")
            with (
                tf.Session(address, config=config) as session,
                pytest.raises((errors.UnavailableError, errors.DeadlineExceededError)),
            ):
                session.run(twice)
    finally:
        line.close()
