"""Monitored sessions: order of calls, stopping, recovery, threads; as TensorFlow 1.15.5."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import headwater as tf
from headwater.train.sessions.wrapped_sessions import (
    CoordinatedSession,
    HookedSession,
    RecoverableSession,
    WrappedSession,
)


@pytest.fixture(autouse=True)
def _no_threads_left():
    """Every test of this file ends all its threads."""
    before = set(threading.enumerate())
    yield
    left = set(threading.enumerate()) - before
    assert not {t for t in left if "QueueRunner" in t.name or "Looper" in t.name}


def counted() -> tuple[Any, Any]:
    step = tf.train.get_or_create_global_step()
    return step, step.assign_add(1)


class Recorder(tf.train.SessionRunHook):
    """Notes the calls, and asks for fetches and feeds."""

    def __init__(self, calls: list[str], name: str = "", request: Any = None) -> None:
        self.calls, self.name, self.request = calls, name, request

    def begin(self):
        self.calls.append(f"{self.name}begin")

    def after_create_session(self, session, coord):
        assert isinstance(session, tf.Session) and isinstance(coord, tf.train.Coordinator)
        self.calls.append(f"{self.name}create")

    def before_run(self, run_context):
        self.calls.append(f"{self.name}before")
        return self.request

    def after_run(self, run_context, run_values):
        self.calls.append(f"{self.name}after")
        self.values = run_values

    def end(self, session):
        assert session.list_devices()  # still open
        self.calls.append(f"{self.name}end")


class FailOnce(tf.train.SessionRunHook):
    """Raises an exception at one run."""

    def __init__(self, at: int, error: BaseException, where: str = "before_run") -> None:
        self.left, self.error, self.where = at, error, where

    def _count(self, where: str) -> None:
        if where == self.where:
            self.left -= 1
            if self.left == 0:
                raise self.error

    def after_create_session(self, session, coord):
        self._count("after_create_session")

    def before_run(self, run_context):
        self._count("before_run")

    def after_run(self, run_context, run_values):
        self._count("after_run")


PREEMPTIONS = [tf.errors.AbortedError, tf.errors.UnavailableError]


def preempted(kind: type = tf.errors.AbortedError) -> Exception:
    return kind(None, None, "the worker has gone")


def test_order_of_calls():
    calls: list[str] = []
    x = tf.constant(2.0)
    hooks = [Recorder(calls, "a.", tf.train.SessionRunArgs({"twice": x * 2.0})), Recorder(calls)]
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        assert tf.get_default_graph().finalized and sess.graph is tf.get_default_graph()
        assert sess.run(x) == 2.0
        assert not sess.should_stop()
    assert calls == (
        "a.begin begin a.create create a.before before a.after after a.end end".split()
    )
    assert hooks[0].values.results == {"twice": 4.0} and hooks[1].values.results is None
    assert hooks[0].values.options == tf.RunOptions()
    assert hooks[0].values.run_metadata == tf.RunMetadata()
    assert not tf.get_default_graph().finalized
    assert sess.should_stop() and sess.graph is None


def test_closed_session():
    x = tf.constant(1)
    sess = tf.train.SingularMonitoredSession()
    raw = sess.raw_session()
    assert isinstance(raw, tf.Session)
    sess.close()
    with pytest.raises(RuntimeError, match="Session is already closed"):
        sess.close()
    assert sess.raw_session() is None and sess.should_stop()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        raw.run(x)


def test_a_graph_that_was_finalized_stays_so():
    x = tf.constant(1)
    tf.train.Scaffold().finalize()
    with tf.train.MonitoredSession() as sess:
        sess.run(x)
    assert tf.get_default_graph().finalized


def test_run_after_a_stop_is_an_error():
    x = tf.constant(1)
    step, train = counted()
    with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(1)]) as sess:
        sess.run(train)
        assert sess.should_stop()
        with pytest.raises(RuntimeError, match="Run called even after should_stop requested"):
            sess.run([x, step])


@pytest.mark.parametrize("error", [tf.errors.OutOfRangeError(None, None, "end"), StopIteration()])
@pytest.mark.parametrize("kind", [tf.train.MonitoredSession, tf.train.SingularMonitoredSession])
def test_the_end_of_the_input_ends_the_block(kind, error):
    calls: list[str] = []
    tf.constant(1)
    with kind(hooks=[Recorder(calls)]):
        raise error
    assert calls[-1] == "end"


@pytest.mark.parametrize(
    "error", [ValueError("bad"), tf.errors.InternalError(None, None, "bad"), KeyboardInterrupt()]
)
@pytest.mark.parametrize("kind", [tf.train.MonitoredSession, tf.train.SingularMonitoredSession])
def test_other_errors_are_raised_and_hooks_not_ended(kind, error):
    calls: list[str] = []
    tf.constant(1)
    with pytest.raises(type(error)), kind(hooks=[Recorder(calls)]) as sess:
        raise error
    assert calls == ["begin", "create"] and sess.should_stop()


@pytest.mark.parametrize("kind", PREEMPTIONS)
@pytest.mark.parametrize("where", ["before_run", "after_run", "after_create_session"])
def test_recovery_from_the_last_checkpoint(tmp_path, kind, where):
    _, train = counted()
    times = 1 if where == "after_create_session" else 3
    hooks = [FailOnce(times, preempted(kind), where), tf.train.StopAtStepHook(last_step=4)]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=hooks, save_checkpoint_steps=2
    ) as sess:
        seen = []
        while not sess.should_stop():
            seen.append(int(sess.run(train)))
    # The third run is made again: from the checkpoint of step 2.
    assert seen == [1, 2, 3, 4]
    assert tf.train.latest_checkpoint(str(tmp_path)) == f"{tmp_path}/model.ckpt-4"


def test_recovery_forgets_what_was_not_saved(tmp_path):
    _, train = counted()
    hook = FailOnce(4, preempted())
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=[hook], save_checkpoint_steps=2
    ) as sess:
        assert [int(sess.run(train)) for _ in range(5)] == [1, 2, 3, 3, 4]


def test_a_singular_session_does_not_recover():
    _, train = counted()
    with (
        pytest.raises(tf.errors.AbortedError),
        tf.train.SingularMonitoredSession(hooks=[FailOnce(1, preempted())]) as sess,
    ):
        sess.run(train)


def test_step_functions_recover_and_see_the_new_session(tmp_path):
    _, train = counted()
    sessions = []

    def step_fn(step_context):
        sessions.append(step_context.session)
        return step_context.session.run(train), step_context.run_with_hooks(train)

    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=[FailOnce(2, preempted())]
    ) as sess:
        assert sess.run_step_fn(step_fn) == (1, 2)
        # Its first run is lost with the session of step 3.
        assert sess.run_step_fn(step_fn) == (1, 2)
    assert len({id(s) for s in sessions}) == 2 and len(sessions) == 3


def test_step_function_that_requests_a_stop():
    tf.constant(1)

    class Model:
        def step_fn(self, step_context):
            step_context.request_stop()

    sess = tf.train.MonitoredSession()
    with sess:
        sess.run_step_fn(Model().step_fn)
        raise AssertionError("the block goes on")
    assert sess.should_stop()
    with tf.train.MonitoredSession() as sess:
        with pytest.raises(ValueError, match=r"Got \('a', 'b'\) instead"):
            sess.run_step_fn(lambda a, b: None)
        with pytest.raises(StopIteration, match="step_fn has requested the iterations to stop"):
            sess.run_step_fn(lambda step_context: step_context.request_stop())


def test_feeds_of_hooks_and_of_the_caller():
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    sums = x + y
    feeds = lambda value: tf.train.SessionRunArgs(None, feed_dict={x: value})  # noqa: E731
    with tf.train.MonitoredSession(hooks=[Recorder([], "", feeds(1.0))]) as sess:
        assert sess.run(sums, {y: 10.0}) == 11.0
        with pytest.raises(RuntimeError, match="Same tensor is fed by a SessionRunHook and user"):
            sess.run(sums, {x: 10.0})
    hooks = [Recorder([], "", feeds(1.0)), Recorder([], "", feeds(2.0))]
    with (
        tf.train.MonitoredSession(hooks=hooks) as sess,
        pytest.raises(RuntimeError, match=r"Same tensor is fed by two hooks\. Conflict\(s\): "),
    ):
        sess.run(sums, {y: 10.0})


def test_options_of_hooks_and_of_the_caller():
    x = tf.constant(1.0) + 2.0
    traced = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, timeout_in_ms=60000)
    watch = tf.RunOptions()
    watch.debug_options.debug_tensor_watch_opts.add(node_name="n")
    hooks = [
        Recorder([], "", tf.train.SessionRunArgs(None, options=traced)),
        Recorder([], "", tf.train.SessionRunArgs(x, options=watch)),
    ]
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        metadata = tf.RunMetadata()
        options = tf.RunOptions(timeout_in_ms=70000, output_partition_graphs=True)
        assert sess.run(x, options=options, run_metadata=metadata) == 3.0
    values = hooks[0].values
    assert values.options.trace_level == tf.RunOptions.FULL_TRACE
    assert values.options.timeout_in_ms == 70000 and values.options.output_partition_graphs
    assert [w.node_name for w in values.options.debug_options.debug_tensor_watch_opts] == ["n"]
    assert values.run_metadata is metadata and metadata.step_stats.dev_stats


def queue_runner_program() -> Any:
    queue = tf.FIFOQueue(2, tf.float32, shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2))
    return queue.dequeue()


@pytest.mark.parametrize("error", [None, ValueError("bad"), KeyboardInterrupt()])
def test_queue_runners_end_with_the_session(error):
    value = queue_runner_program()
    raised = pytest.raises(type(error)) if error else contextlib.nullcontext()
    with raised, tf.train.MonitoredSession() as sess:
        assert sess.run(value) == 1.0
        if error:
            raise error


def test_queue_runners_end_when_a_hook_fails_at_the_start():
    queue_runner_program()
    hook = FailOnce(1, ValueError("bad"), "after_create_session")
    with pytest.raises(ValueError, match="bad"):
        tf.train.MonitoredSession(hooks=[hook])
    assert not tf.get_default_graph().finalized


def test_an_error_of_a_queue_runner_is_raised_at_the_end():
    queue = tf.FIFOQueue(2, tf.float32, shapes=[[]])
    fed = tf.placeholder(tf.float32, [])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(fed)]))
    one = tf.constant(1.0)
    with (
        pytest.raises(
            tf.errors.InvalidArgumentError, match="You must feed a value for placeholder"
        ),
        tf.train.SingularMonitoredSession() as sess,
    ):
        end = time.monotonic() + 20
        coord = sess._coordinated_creator.coord
        while not coord.should_stop() and time.monotonic() < end:
            time.sleep(0.01)
        assert sess.run(one) == 1.0


def test_chief_saves_and_a_new_session_goes_on(tmp_path):
    step, train = counted()
    tf.summary.scalar("step", step)
    for start in (0, 3):
        with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path)) as sess:
            assert sess.run(step) == start
            for _ in range(3):
                sess.run(train)
    assert tf.train.latest_checkpoint(str(tmp_path)) == f"{tmp_path}/model.ckpt-6"


def hook_names(monitored: Any) -> list[str]:
    return [type(hook).__name__ for hook in monitored._hooks]


SERVICES = ["StepCounterHook", "SummarySaverHook", "CheckpointSaverHook"]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, SERVICES),
        ({"log_step_count_steps": None}, SERVICES[1:]),
        ({"log_step_count_steps": 0}, SERVICES[1:]),
        ({"save_summaries_steps": None}, ["StepCounterHook", "CheckpointSaverHook"]),
        ({"save_summaries_steps": 0}, ["StepCounterHook", "CheckpointSaverHook"]),
        ({"save_summaries_secs": 1, "save_summaries_steps": None}, SERVICES),
        ({"save_checkpoint_secs": None}, SERVICES[:2]),
        ({"save_checkpoint_secs": 0, "save_checkpoint_steps": None}, SERVICES[:2]),
        ({"save_checkpoint_steps": 5}, SERVICES),
    ],
)
def test_services_of_a_chief(tmp_path, arguments, names):
    counted()
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), **arguments) as sess:
        assert hook_names(sess) == names


def test_summary_folder_without_checkpoints(tmp_path):
    counted()
    first, last = Recorder([]), Recorder([])
    with tf.train.MonitoredTrainingSession(
        summary_dir=str(tmp_path), chief_only_hooks=[first], hooks=[last]
    ) as sess:
        assert hook_names(sess) == ["Recorder", "StepCounterHook", "SummarySaverHook", "Recorder"]
        assert sess._hooks[0] is first and sess._hooks[-1] is last
    assert list(Path(tmp_path).glob("events*"))
    with tf.train.MonitoredTrainingSession() as sess:
        assert hook_names(sess) == []
    with pytest.raises(ValueError, match="Can not provide both every_secs and every_steps"):
        tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), save_checkpoint_secs=1, save_checkpoint_steps=1
        )


def test_positional_arguments_of_older_releases(tmp_path):
    _, train = counted()
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.train.MonitoredTrainingSession(
        "", True, str(tmp_path), None, [], [], 600, 100, config
    ) as sess:
        assert sess.run(train) == 1 and hook_names(sess) == SERVICES
        assert sess._coordinated_creator.tf_sess._config is config


def test_a_worker_waits_for_its_chief(monkeypatch):
    # Without a chief in this process, the variables are never initialized.
    counted()
    naps: list[float] = []
    monkeypatch.setattr(time, "sleep", naps.append)
    with pytest.raises(
        tf.errors.DeadlineExceededError, match="Session was not ready after waiting 10 secs"
    ):
        tf.train.MonitoredTrainingSession(is_chief=False, max_wait_secs=10)
    assert naps == []
    assert not tf.get_default_graph().finalized


def test_a_worker_has_no_services(tmp_path):
    # A model without variables is ready at once.
    one = tf.constant(1)
    hooks = {"hooks": [Recorder([])], "chief_only_hooks": [Recorder([])]}
    with tf.train.MonitoredTrainingSession(
        is_chief=False, checkpoint_dir=str(tmp_path), **hooks
    ) as sess:
        assert sess.run(one) == 1 and sess._hooks == hooks["hooks"]
    assert not list(tmp_path.iterdir())


def test_restore_from_the_path_of_a_checkpoint(tmp_path):
    step, train = counted()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(step.assign(7))
        path = saver.save(sess, str(tmp_path / "model"))
    with tf.train.SingularMonitoredSession(checkpoint_filename_with_path=path) as sess:
        assert sess.run(train) == 8
    creator = tf.train.ChiefSessionCreator(
        checkpoint_dir=str(tmp_path), checkpoint_filename_with_path=path
    )
    with pytest.raises(
        ValueError, match="Can not provide both checkpoint_dir and checkpoint_filen"
    ):
        tf.train.MonitoredSession(creator)


def test_session_creators_are_abstract():
    with pytest.raises(TypeError, match="abstract"):
        tf.train.SessionCreator()
    for kind in (tf.train.ChiefSessionCreator, tf.train.WorkerSessionCreator):
        assert issubclass(kind, tf.train.SessionCreator)


# The wrappers by themselves


class StopAfter(WrappedSession):
    def __init__(self, sess: Any, count: int) -> None:
        super().__init__(sess)
        self.count = count

    def _check_stop(self):
        self.count -= 1
        return self.count < 0


def test_wrapped_session(session):
    x = tf.constant(3)
    inner = StopAfter(session, 2)
    outer = WrappedSession(inner)
    assert outer.graph is session.graph and outer.sess_str == session.sess_str
    assert outer.run(x) == 3
    assert [outer.should_stop() for _ in range(3)] == [False, False, True]
    outer.close()
    outer.close()
    assert outer.should_stop()


def test_coordinated_session_prefers_the_preemption_of_a_thread(session):
    tf.constant(0)
    coord = tf.train.Coordinator()
    coordinated = CoordinatedSession(session, coord)
    with pytest.raises(TypeError, match="None has invalid type"):
        coordinated.run([None])
    assert not coordinated.should_stop()
    coord.request_stop(ValueError("of a thread"))
    with pytest.raises(TypeError, match="None has invalid type"):
        coordinated.run([None])
    with pytest.raises(ValueError, match="of a thread"):
        coordinated.should_stop()
    coord.clear_stop()
    coord.request_stop(preempted())
    with pytest.raises(tf.errors.AbortedError):
        coordinated.run([None])


def test_coordinated_session_joins_its_threads(session):
    coord = tf.train.Coordinator()
    threads = [tf.train.LooperThread(coord, 0.01, lambda: None) for _ in range(3)]
    for thread in threads:
        thread.start()
    coordinated = CoordinatedSession(session, coord)
    assert not coordinated.should_stop()
    coordinated.close()
    assert coordinated.should_stop() and not any(t.is_alive() for t in threads)


def test_recoverable_session_uses_one_session_after_the_other(session):
    x = tf.constant(5)

    class Aborts:
        def __init__(self, runs: int) -> None:
            self.left = runs

        def run(self, *args: Any, **kwargs: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise preempted()
            return session.run(*args, **kwargs)

        def close(self):
            raise preempted()

    class Creator:
        sessions: list[Any] = [preempted(), Aborts(1), preempted(), Aborts(0), Aborts(2)]  # noqa: RUF012

        def create_session(self):
            made = self.sessions.pop(0)
            if isinstance(made, Exception):
                raise made
            return made

    recoverable = RecoverableSession(Creator())
    assert [recoverable.run(x) for _ in range(3)] == [5, 5, 5]
    with pytest.raises(IndexError, match="pop from empty list"):
        recoverable.run(x)


def test_hooked_session_without_hooks_is_plain(session):
    x = tf.constant(5)
    assert HookedSession(session, []).run({"x": x}) == {"x": 5}
