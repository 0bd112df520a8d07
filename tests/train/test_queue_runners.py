"""Coordinators and queue runners: who stops whom, and what is told."""

from __future__ import annotations

import sys
import threading
import time

import pytest

import headwater as tf
from headwater.graph.collection_protos import proto_functions_of
from headwater.protos import queue_runner_pb2


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_a_stop_reaches_all_threads():
    coord = tf.train.Coordinator()
    assert not coord.should_stop()
    assert not coord.wait_for_stop(0.01)
    threads = [threading.Thread(target=coord.wait_for_stop) for _ in range(3)]
    for thread in threads:
        thread.start()
    coord.register_thread(threads[0])
    coord.request_stop()
    coord.join(threads[1:])
    assert coord.should_stop() and coord.joined
    coord.clear_stop()
    assert not coord.should_stop() and not coord.joined


def test_join_raises_the_first_error():
    coord = tf.train.Coordinator()

    def fail(text: str, wait: float) -> None:
        time.sleep(wait)
        with coord.stop_on_exception():
            raise RuntimeError(text)

    threads = [threading.Thread(target=fail, args=a) for a in (("first", 0.0), ("second", 0.1))]
    for thread in threads:
        thread.start()
    with pytest.raises(RuntimeError, match="first"):
        coord.join(threads)
    with pytest.raises(RuntimeError, match="first"):
        coord.raise_requested_exception()


def test_request_stop_takes_what_sys_tells():
    coord = tf.train.Coordinator()
    try:
        raise KeyError("lost")
    except KeyError:
        coord.request_stop(sys.exc_info())
    with pytest.raises(KeyError, match="lost"):
        coord.join([])
    with pytest.raises(ValueError, match="3-tuple"):
        tf.train.Coordinator().request_stop((1, 2))


def test_a_reported_tuple_is_logged_with_its_traceback(caplog):
    caplog.set_level("INFO", logger="tensorflow")
    error = ValueError("mine")
    for report in (lambda: error, sys.exc_info):
        caplog.clear()
        try:
            raise error
        except ValueError:
            tf.train.Coordinator().request_stop(report())
        logged = caplog.records[0].getMessage()
        if report is sys.exc_info:
            assert logged == "Error reported to Coordinator: mine"
            assert "raise error" in caplog.text
        else:
            assert logged == "Error reported to Coordinator: <class 'ValueError'>, mine"
            assert "raise error" not in caplog.text


def test_the_end_of_the_input_is_no_error():
    coord = tf.train.Coordinator()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    coord.join([])
    own = tf.train.Coordinator(clean_stop_exception_types=(ValueError,))
    own.request_stop(ValueError("fine"))
    own.join([])


def test_threads_that_do_not_stop():
    go = threading.Event()
    thread = threading.Thread(target=go.wait, name="slow")
    thread.start()
    coord = tf.train.Coordinator()
    coord.request_stop()
    with pytest.raises(RuntimeError, match="threads still running: slow"):
        coord.join([thread], stop_grace_period_secs=0.05)
    again = tf.train.Coordinator()
    again.request_stop()
    again.join([thread], stop_grace_period_secs=0.05, ignore_live_threads=True)
    go.set()
    thread.join()


def test_after_join_errors_are_raised_at_once():
    coord = tf.train.Coordinator()
    coord.join([])
    coord.request_stop()
    with pytest.raises(ValueError, match="late"):
        coord.request_stop(ValueError("late"))


def test_looper_thread():
    coord = tf.train.Coordinator()
    calls: list[int] = []

    def count(step: int, limit: int = 4) -> None:
        calls.append(step)
        if len(calls) == limit:
            coord.request_stop()

    tf.train.LooperThread.loop(coord, 0.001, count, args=(2,), kwargs={"limit": 3})
    coord.join()
    assert calls == [2, 2, 2]
    with pytest.raises(ValueError, match="must be a Coordinator"):
        tf.train.LooperThread("coord", 1.0)


def test_a_queue_runner_fills_and_closes(session):
    v = tf.Variable(0, trainable=False)
    queue = tf.FIFOQueue(10, tf.int32, [[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(v.count_up_to(3))])
    session.run(v.initializer)
    (thread,) = runner.create_threads(session, start=True)
    thread.join(10)
    assert not thread.is_alive()
    assert not runner.exceptions_raised
    assert session.run(queue.dequeue_many(3)).tolist() == [0, 1, 2]
    with pytest.raises(tf.errors.OutOfRangeError, match="is closed"):
        session.run(queue.dequeue())
    assert runner.name == queue.name


def test_errors_of_a_queue_runner_without_a_coordinator(session, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda args: None)
    queue = tf.FIFOQueue(10, tf.float32, [[]])
    bad = tf.check_numerics(tf.constant(float("inf")), "too large")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(bad)])
    (thread,) = runner.create_threads(session, start=True)
    thread.join(10)
    (error,) = runner.exceptions_raised
    assert isinstance(error, tf.errors.InvalidArgumentError)


def test_a_coordinator_ends_a_blocked_queue_runner(session):
    queue = tf.FIFOQueue(2, tf.float32, [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coord)
    assert len(threads) == 3
    assert all(thread.daemon for thread in threads)
    assert not tf.train.start_queue_runners(session, coord)
    assert session.run(queue.dequeue()) == 1.0
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=10)
    assert not any(thread.is_alive() for thread in threads)


def test_queue_runners_as_protos(session):
    queue = tf.FIFOQueue(10, tf.float32, [[]], name="queue")
    closed = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)], queue_closed_exception_types=closed)
    proto = runner.to_proto()
    assert proto == queue_runner_pb2.QueueRunnerDef(
        queue_name="queue",
        enqueue_op_name=["queue_enqueue"],
        close_op_name="queue_Close",
        cancel_op_name="queue_Close_1",
        queue_closed_exception_types=[11, 1],
    )
    back = tf.train.QueueRunner.from_proto(proto)
    assert back.to_proto() == proto
    assert back.queue_closed_exception_types == closed
    assert proto_functions_of("queue_runners") is not None
    with pytest.raises(ValueError, match="mutually exclusive"):
        tf.train.QueueRunner(queue, [queue.enqueue(1.0)], queue_runner_def=proto)


def test_queue_runners_in_meta_graphs(session):
    names = tf.train.string_input_producer(["a", "b"], num_epochs=1, shuffle=False)
    tf.identity(names.dequeue(), name="next")
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default(), tf.Session() as other:
        tf.train.import_meta_graph(meta)
        other.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(other, coord)
        assert [other.run("next:0") for _ in range(2)] == [b"a", b"b"]
        with pytest.raises(tf.errors.OutOfRangeError):
            other.run("next:0")
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)


def test_no_session():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="No default session"):
            tf.train.start_queue_runners()
        with pytest.raises(TypeError, match="must be a `tf"):
            tf.train.start_queue_runners("session")
