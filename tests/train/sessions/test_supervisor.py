"""Supervisor: services, errors, workers; values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headwater as tf
from headwater.train.sessions.supervisor_threads import (
    SVStepCounterThread,
    SVSummaryThread,
    SVTimerCheckpointThread,
)


@pytest.fixture(autouse=True)
def _no_threads_left():
    before = set(threading.enumerate())
    yield
    assert not set(threading.enumerate()) - before


def trained() -> tuple[Any, Any, Any]:
    step = tf.Variable(0, name="global_step", trainable=False)
    w = tf.Variable(5.0, name="w")
    loss = tf.square(w)
    tf.summary.scalar("loss", loss)
    return step, tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step), loss


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def events_of(folder: Any) -> list[Any]:
    found = []
    files = sorted(Path(folder).glob("events*"))
    for event in (event for file in files for event in tf.train.summary_iterator(file)):
        kind = event.WhichOneof("what")
        if kind == "session_log":
            kind = tf.SessionLog.SessionStatus.Name(event.session_log.status)
        found.append((event.step, kind, *[v.tag for v in event.summary.value]))
    return found


def test_train_save_restore(tmp_path):
    logdir = str(tmp_path / "new" / "folder")
    for start, end in ((0, 3), (3, 6)):
        with tf.Graph().as_default() as graph:
            step, train, _ = trained()
            supervisor = tf.train.Supervisor(logdir=logdir, save_model_secs=0)
            assert graph.finalized and supervisor.is_chief
            with supervisor.managed_session() as sess:
                assert sess.run(step) == start
                while not supervisor.should_stop():
                    if sess.run(step) == end:
                        supervisor.request_stop()
                    else:
                        sess.run(train)
                supervisor.saver.save(sess, supervisor.save_path, global_step=step)
            assert supervisor.should_stop()
            with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
                sess.run(step)
    assert tf.train.latest_checkpoint(logdir) == f"{logdir}/model.ckpt-6"


def test_defaults():
    trained()
    supervisor = tf.train.Supervisor(logdir=None)
    assert supervisor.global_step is tf.get_default_graph().get_tensor_by_name("global_step:0")
    assert supervisor.init_op.name == "init" and supervisor.init_feed_dict is None
    assert supervisor.ready_for_local_init_op is None
    assert supervisor.summary_op.name == "Merge/MergeSummary:0"
    assert (supervisor.save_summaries_secs, supervisor.save_model_secs) == (120, 600)
    assert supervisor.save_path is None and supervisor.summary_writer is None
    assert isinstance(supervisor.saver, tf.train.Saver)
    assert isinstance(supervisor.session_manager, tf.train.SessionManager)
    assert isinstance(supervisor.coord, tf.train.Coordinator)
    keys = ("init_op", "ready_op", "local_init_op", "summary_op", "global_step", "savers")
    found = [
        supervisor.init_op,
        supervisor.ready_op,
        supervisor._local_init_op,
        supervisor.summary_op,
        supervisor.global_step,
        supervisor.saver,
    ]
    assert [tf.get_collection(key) for key in keys] == [[item] for item in found]
    # Another one finds them in the collections.
    again = tf.train.Supervisor()
    assert again.init_op is supervisor.init_op and again.saver is supervisor.saver


def test_a_global_step_of_a_wrong_type_is_ignored():
    tf.Variable(1.5, name="global_step")
    assert tf.train.Supervisor().global_step is None


def test_nothing_by_default_when_none_is_given():
    tf.Variable(1.0)
    supervisor = tf.train.Supervisor(
        ready_op=None, init_op=None, local_init_op=None, summary_op=None, saver=None,
        global_step=None,
    )  # fmt: skip
    assert [supervisor.ready_op, supervisor.init_op, supervisor.summary_op] == [None] * 3
    assert supervisor.saver is None and supervisor.global_step is None
    with pytest.raises(RuntimeError, match="no init_op or init_fn or local_init_op was given"):
        supervisor.prepare_or_wait_for_session()
    supervisor.stop()


def test_events_of_a_session(tmp_path):
    _, train, _ = trained()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), summary_op=None, save_model_secs=0)
    with supervisor.managed_session(start_standard_services=False) as sess:
        summary = tf.Summary(value=[tf.Summary.Value(tag="mine", simple_value=1.0)])
        sess.run(train)
        supervisor.summary_computed(sess, summary)
        supervisor.summary_computed(sess, summary.SerializeToString(), global_step=9)
        for wrong in (5, "text", None):
            with pytest.raises(TypeError, match="summary must be a Summary proto or a string"):
                supervisor.summary_computed(sess, wrong)
    assert events_of(tmp_path) == [
        (0, "file_version"),
        (0, "graph_def"),
        (0, "meta_graph_def"),
        (1, "summary", "mine"),
        (9, "summary", "mine"),
        (0, "STOP"),
    ]
    assert (tmp_path / "graph.pbtxt").exists()


def test_standard_services(tmp_path):
    trained()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=60)
    sess = supervisor.prepare_or_wait_for_session(start_standard_services=False)
    threads = supervisor.start_standard_services(sess)
    assert [type(t) for t in threads] == [
        SVSummaryThread,
        SVStepCounterThread,
        SVTimerCheckpointThread,
    ]
    wait_until(lambda: tf.train.latest_checkpoint(str(tmp_path)) is not None)
    supervisor.stop()
    sess.close()
    found = events_of(tmp_path)
    assert found[:4] == [
        (0, "file_version"),
        (0, "graph_def"),
        (0, "meta_graph_def"),
        (0, "START"),
    ]
    assert found[-1] == (0, "STOP")
    assert sorted(found[4:-1]) == [
        (0, "CHECKPOINT"),
        (0, "summary", "global_step/sec"),
        (0, "summary", "loss"),
    ]
    assert supervisor.save_path == f"{tmp_path}/model.ckpt"


@pytest.mark.parametrize(
    ("arguments", "kinds"),
    [
        ({"save_summaries_secs": 0}, [SVTimerCheckpointThread]),
        ({"save_model_secs": 0}, [SVSummaryThread, SVStepCounterThread]),
        ({"summary_op": None}, [SVStepCounterThread, SVTimerCheckpointThread]),
        ({"saver": None, "global_step": None}, [SVSummaryThread]),
        ({"summary_writer": None}, [SVTimerCheckpointThread]),
    ],
)
def test_services_can_be_left_out(tmp_path, arguments, kinds):
    trained()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), **arguments)
    sess = supervisor.prepare_or_wait_for_session(start_standard_services=False)
    # None of them has anything to do yet.
    supervisor.coord.request_stop()
    assert [type(t) for t in supervisor.start_standard_services(sess)] == kinds
    supervisor.stop()
    sess.close()


def test_without_a_folder():
    _, train, _ = trained()
    supervisor = tf.train.Supervisor()
    with supervisor.managed_session() as sess:
        sess.run(train)
        assert supervisor.start_standard_services(sess) is None
        with pytest.raises(RuntimeError, match="Writing a summary requires a summary writer"):
            supervisor.summary_computed(sess, tf.Summary())


def test_a_writer_can_outlive_a_session(tmp_path):
    trained()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), summary_op=None)
    for _ in range(2):
        with supervisor.managed_session(
            start_standard_services=False, close_summary_writer=False
        ) as sess:
            supervisor.summary_computed(sess, tf.Summary(value=[{"tag": "t"}]))
    supervisor.summary_writer.close()
    kinds = [event[1] for event in events_of(tmp_path)]
    assert kinds == ["file_version", "graph_def", "meta_graph_def", "summary", "summary"]


def test_loop(tmp_path):
    trained()
    supervisor = tf.train.Supervisor(logdir=None)
    calls = []

    def call(*args: Any, **kwargs: Any) -> None:
        calls.append((args, kwargs))
        if len(calls) == 3:
            supervisor.RequestStop()

    with supervisor.managed_session():
        thread = supervisor.loop(0.001, call, [1], {"b": 2})
        supervisor.wait_for_stop()
    assert calls == [((1,), {"b": 2})] * 3 and not thread.is_alive()
    calls.clear()
    with supervisor.managed_session():
        supervisor.loop(None, call)
        supervisor.WaitForStop()
    assert len(calls) == 3


def test_an_exception_of_a_service_stops_the_loop():
    trained()
    supervisor = tf.train.Supervisor()

    def fail() -> None:
        raise ValueError("bad service")

    with pytest.raises(ValueError, match="bad service"), supervisor.managed_session():
        supervisor.loop(60, fail)
        wait_until(supervisor.should_stop)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("bad"),
        tf.errors.AbortedError(None, None, "bad"),
        KeyboardInterrupt(),
        tf.errors.OutOfRangeError(None, None, "end"),
    ],
)
def test_errors_in_the_block(tmp_path, error):
    trained()
    queue = tf.FIFOQueue(2, tf.float32, shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2))
    value = queue.dequeue()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=0)

    def train() -> None:
        with supervisor.managed_session() as sess:
            sess.run(value)
            raise error

    if isinstance(error, tf.errors.OutOfRangeError):
        train()
    else:
        with pytest.raises(type(error)):
            train()
    assert supervisor.should_stop() and events_of(tmp_path)[-1] == (0, "STOP")


def test_the_end_of_a_queue_ends_training(monkeypatch):
    messages = []
    monkeypatch.setattr(
        "headwater.base.logging.info", lambda text, *args: messages.append(text % args)
    )
    values = tf.train.input_producer([1.0, 2.0, 3.0], num_epochs=2, shuffle=False).dequeue()
    supervisor = tf.train.Supervisor()
    seen = []
    with supervisor.managed_session() as sess:
        while not supervisor.should_stop():
            seen.append(float(sess.run(values)))
    assert seen == [1.0, 2.0, 3.0] * 2
    # The end of the input is not an error.
    assert not [text for text in messages if "Error" in text]


def test_workers(tmp_path):
    with tf.Graph().as_default():
        trained()
        with pytest.raises(ValueError, match="When using replicas, all Variables must have their"):
            tf.train.Supervisor(is_chief=False)
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        trained()
        supervisor = tf.train.Supervisor(
            is_chief=False, logdir=str(tmp_path), recovery_wait_secs=0.01
        )
        assert supervisor.save_path is None and supervisor.summary_writer is None
        assert supervisor.save_model_secs is None and supervisor.save_summaries_secs is None
        with pytest.raises(tf.errors.DeadlineExceededError):
            supervisor.prepare_or_wait_for_session(max_wait_secs=0.05)
        with pytest.raises(RuntimeError, match="Only chief supervisor can start standard services"):
            supervisor.start_standard_services(None)
        with pytest.raises(RuntimeError, match="Writing a summary requires a summary writer"):
            supervisor.summary_computed(None, tf.Summary())
    assert not list(tmp_path.iterdir())


def test_initialization():
    fed = tf.placeholder(tf.float32, [])
    v = tf.Variable(fed)
    seen = []
    supervisor = tf.train.Supervisor(
        init_op=tf.global_variables_initializer(),
        init_feed_dict={fed: 3.5},
        init_fn=lambda sess: seen.append(sess.run(v)),
    )
    with supervisor.managed_session(config=tf.ConfigProto(device_count={"CPU": 1})) as sess:
        assert sess._config.device_count["CPU"] == 1
    assert seen == [3.5]
    tf.reset_default_graph()
    manager = tf.train.SessionManager()
    assert tf.train.Supervisor(session_manager=manager).session_manager is manager


def test_basic_train_loop_begins_again_after_an_aborted_error(tmp_path):
    step, train, _ = trained()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=0)
    calls = []

    def train_step(sess: Any, a: int, b: int) -> None:
        calls.append((a, b))
        sess.run(train)
        if len(calls) == 2:
            supervisor.saver.save(sess, supervisor.save_path, global_step=step)
            sess.run(train)
            raise tf.errors.AbortedError(None, None, "again")
        if len(calls) == 4:
            assert sess.run(step) == 4
            supervisor.request_stop()

    tf.train.basic_train_loop(supervisor, train_step, [1], {"b": 2})
    assert calls == [(1, 2)] * 4
    with pytest.raises(ValueError, match="bad"):
        tf.train.basic_train_loop(tf.train.Supervisor(), lambda sess: int("bad"))


def test_names_of_older_releases(tmp_path):
    trained()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=0)
    sess = supervisor.PrepareSession(start_standard_services=False)
    assert supervisor.StartQueueRunners(sess) == []
    supervisor.SummaryComputed(sess, tf.Summary())
    assert not supervisor.ShouldStop()
    with supervisor.StopOnException():
        raise ValueError("stop")
    assert supervisor.ShouldStop()
    with pytest.raises(ValueError, match="stop"):
        supervisor.Stop()
    sess.close()


def test_a_global_step_in_a_vector(tmp_path):
    # As in programs that pass a list as initial value.
    tf.Variable([123], name="global_step")
    tf.summary.scalar("x", 1.0)
    supervisor = tf.train.Supervisor(logdir=str(tmp_path))
    sess = supervisor.prepare_or_wait_for_session()
    wait_until(lambda: tf.train.latest_checkpoint(str(tmp_path)) is not None)
    supervisor.stop()
    sess.close()
    assert tf.train.latest_checkpoint(str(tmp_path)) == f"{tmp_path}/model.ckpt-123"
    assert {event[0] for event in events_of(tmp_path)} == {0, 123}
    with tf.Session() as sess:
        sess.run(tf.get_collection("init_op"))
        assert tf.train.global_step(sess, "global_step:0") == 123
