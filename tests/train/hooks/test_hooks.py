"""Hooks of monitored sessions; the values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import headwater as tf
from headwater.train.hooks import timers
from headwater.train.hooks.stop_at_step import MultiStepStopAtStepHook


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is logged at level INFO and above, formatted."""
    found: list[str] = []

    def note(msg: Any, *args: Any, **kwargs: Any) -> None:
        found.append(str(msg) % args if args else str(msg))

    for name in ("info", "warning", "error"):
        monkeypatch.setattr(f"headwater.base.logging.{name}", note)
    return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A list whose only element is what time.time() returns."""
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    return now


def counted() -> tuple[Any, Any]:
    step = tf.train.get_or_create_global_step()
    return step, step.assign_add(1)


def events_of(folder: Path) -> list[Any]:
    tf.summary.FileWriterCache.clear()
    return [e for path in sorted(folder.glob("events*")) for e in tf.train.summary_iterator(path)]


def test_timer_triggers_first_and_then_every_so_many_steps():
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    assert timer.last_triggered_step() is None and timer.should_trigger_for_step(1)
    assert timer.update_last_triggered_step(1) == (None, None)
    assert [timer.should_trigger_for_step(s) for s in (1, 2, 3, 4)] == [False, False, False, True]
    assert timer.update_last_triggered_step(5)[1] == 4
    assert timer.last_triggered_step() == 5
    timer.reset()
    assert timer.last_triggered_step() is None and timer.should_trigger_for_step(5)


def test_timer_triggers_every_so_many_seconds(clock):
    timer = tf.train.SecondOrStepTimer(every_secs=2.0)
    timer.update_last_triggered_step(1)
    clock[0] += 1.5
    assert not timer.should_trigger_for_step(2)
    clock[0] += 0.5
    assert timer.should_trigger_for_step(2)
    # The step of the last trigger never triggers again.
    assert not timer.should_trigger_for_step(1)
    assert timer.update_last_triggered_step(4) == (2.0, 3)


def test_timer_wants_one_interval():
    with pytest.raises(ValueError, match="Either every_secs or every_steps should be provided"):
        tf.train.SecondOrStepTimer()
    with pytest.raises(ValueError, match="Can not provide both every_secs and every_steps"):
        tf.train.SecondOrStepTimer(1.0, 1)


def test_never_trigger_timer():
    timer = timers.NeverTriggerTimer()
    assert not timer.should_trigger_for_step(1)
    assert timer.update_last_triggered_step(1) == (None, None)
    assert timer.last_triggered_step() is None


@pytest.mark.parametrize(("limits", "end"), [({"last_step": 4}, 4), ({"num_steps": 3}, 5)])
def test_stop_at_step(limits, end):
    step, train = counted()
    hook = tf.train.StopAtStepHook(**limits)
    hook.begin()
    with tf.Session() as sess:
        sess.run(step.assign(2))
        hooked = tf.train.SessionRunContext(None, sess)
        hook.after_create_session(sess, None)
        seen = []
        while not hooked.stop_requested:
            seen.append(sess.run(train))
            hook.after_run(hooked, tf.train.SessionRunValues(seen[-1], None, None))
    assert seen == list(range(3, end + 1))


def test_stop_at_step_reads_the_step_again():
    # The fetched step may be stale; only the value after the run counts.
    step, train = counted()
    hook = tf.train.StopAtStepHook(last_step=2)
    hook.begin()
    with tf.Session() as sess:
        sess.run(step.initializer)
        context = tf.train.SessionRunContext(None, sess)
        hook.after_run(context, tf.train.SessionRunValues(1, None, None))
        assert not context.stop_requested
        sess.run([train])
        sess.run([train])
        hook.after_run(context, tf.train.SessionRunValues(1, None, None))
        assert context.stop_requested


@pytest.mark.parametrize("kind", [tf.train.StopAtStepHook, MultiStepStopAtStepHook])
def test_stop_at_step_wants_one_limit(kind):
    with pytest.raises(ValueError, match="One of num_steps or last_step must be specified"):
        kind()
    with pytest.raises(ValueError, match="Only one of num_steps or last_step can be specified"):
        kind(num_steps=1, last_step=1)
    with pytest.raises(RuntimeError, match="Global step should be created to use StopAtStepHook"):
        kind(last_step=1).begin()


def test_multi_step_stop_makes_the_last_run_shorter():
    step = tf.train.get_or_create_global_step()
    hook = MultiStepStopAtStepHook(num_steps=7, steps_per_run=3)
    hook.begin()
    steps_per_run = tf.get_collection("hooks_steps_per_run")[0]
    train = step.assign_add(tf.to_int64(steps_per_run))
    with tf.Session() as sess:
        sess.run([step.initializer, steps_per_run.initializer])
        hook.after_create_session(sess, None)
        context = tf.train.SessionRunContext(None, sess)
        seen = []
        while not context.stop_requested:
            seen.append(sess.run(train))
            hook.after_run(context, None)
    assert seen == [3, 6, 7]
    with pytest.raises(ValueError, match="steps_per_run should be greater than 0"):
        MultiStepStopAtStepHook(num_steps=1, steps_per_run=0)


def test_global_step_waiter(messages, monkeypatch):
    step, _ = counted()
    hook = tf.train.GlobalStepWaiterHook(5)
    hook.begin()
    with tf.Session() as sess:
        sess.run(step.initializer)
        sleeps = []

        def sleep(seconds: float) -> None:
            sleeps.append(seconds)
            sess.run(step.assign_add(3))

        monkeypatch.setattr(time, "sleep", sleep)
        context = tf.train.SessionRunContext(None, sess)
        assert hook.before_run(context) is None
        assert sleeps == [0.5, 0.5]
        sess.run(step.assign(0))
        hook.before_run(context)
    assert sleeps == [0.5, 0.5]
    assert messages == ["Waiting for global step 5 before starting training."]


def test_logging_every_n_iterations_and_at_the_end(messages, clock):
    x = tf.Variable(1.5, name="x")
    add = x.assign_add(1.0)
    hook = tf.train.LoggingTensorHook({"b": x, "a": "x:0"}, every_n_iter=2, at_end=True)
    with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
        del messages[:]
        for _ in range(3):
            sess.run(add)
            clock[0] += 0.5
        assert messages == ["a = 2.5, b = 2.5", "a = 4.5, b = 4.5 (1.000 sec)"]
    assert messages[2] == "a = 4.5, b = 4.5 (0.500 sec)"


def test_logging_keeps_the_order_of_a_list_and_takes_a_formatter(messages):
    x = tf.constant(1.25, name="x")
    tf.constant([0.0000001, 2.0], name="y")
    hooks = [
        tf.train.LoggingTensorHook(["y:0", "x"], every_n_secs=100.0),
        tf.train.LoggingTensorHook([x], at_end=True, formatter=lambda v: f"x is {v[x]}"),
    ]
    with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
        del messages[:]
        sess.run(x)
        sess.run(x)
    assert messages == ["y:0 = [0.0000001 2.       ], x = 1.25", "x is 1.25"]


def test_logging_refuses_bad_intervals_and_tensors():
    with pytest.raises(ValueError, match="exactly one of every_n_iter and every_n_secs"):
        tf.train.LoggingTensorHook(["t"])
    with pytest.raises(ValueError, match="exactly one of every_n_iter and every_n_secs"):
        tf.train.LoggingTensorHook(["t"], every_n_iter=5, every_n_secs=5)
    with pytest.raises(ValueError, match="invalid every_n_iter=0"):
        tf.train.LoggingTensorHook(["t"], every_n_iter=0)
    tf.unstack(tf.constant([1, 2]), name="two")
    with pytest.raises(ValueError, match="Name two is ambiguous, as this `Operation` has multiple"):
        tf.train.LoggingTensorHook(["two"], every_n_iter=1).begin()
    with tf.Graph().as_default():
        other = tf.constant(1)
    with pytest.raises(ValueError, match="should have graph attribute that is equal to current"):
        tf.train.LoggingTensorHook([other], every_n_iter=1).begin()


def test_nan_tensor(messages):
    loss = tf.placeholder(tf.float32, [])
    with tf.train.SingularMonitoredSession(
        hooks=[tf.train.NanTensorHook(loss, fail_on_nan_loss=False)]
    ) as sess:
        sess.run(loss, {loss: 1.0})
        assert not sess.should_stop()
        sess.run(loss, {loss: float("nan")})
        assert sess.should_stop()
    assert messages[-1] == "Model diverged with loss = NaN."
    with (
        pytest.raises(tf.train.NanLossDuringTrainingError, match=r"^NaN loss during training\.$"),
        tf.train.SingularMonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as sess,
    ):
        sess.run(loss, {loss: float("nan")})


def test_feed_fn_and_final_ops():
    x = tf.placeholder(tf.float32, [])
    last = tf.Variable(0.0)
    assign = last.assign(x)
    values = iter((1.0, 2.0))
    final = tf.train.FinalOpsHook({"twice": last * x}, final_ops_feed_dict={x: 10.0})
    hooks = [tf.train.FeedFnHook(lambda: {x: next(values)}), final]
    with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
        assert final.final_ops_values is None
        assert [sess.run(assign), sess.run(assign)] == [1.0, 2.0]
    assert final.final_ops_values == {"twice": 20.0}


def test_final_ops_that_read_input(messages):
    value = tf.data.Dataset.range(1).make_one_shot_iterator().get_next()
    sess = tf.train.SingularMonitoredSession(hooks=[tf.train.FinalOpsHook(value)])
    sess.run(value)
    with pytest.raises(tf.errors.OutOfRangeError):
        sess.close()
    assert messages[-1].startswith("An OutOfRangeError or StopIteration exception is raised by")


def test_step_counter(tmp_path, messages, clock):
    _, train = counted()
    hook = tf.train.StepCounterHook(every_n_steps=2, output_dir=str(tmp_path))
    with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
        for _ in range(5):
            clock[0] += 0.25
            sess.run(train)
    assert [m for m in messages if "sec" in m] == ["global_step/sec: 4", "global_step/sec: 4"]
    found = [(e.step, v.tag, v.simple_value) for e in events_of(tmp_path) for v in e.summary.value]
    assert found == [(3, "global_step/sec", 4.0), (5, "global_step/sec", 4.0)]


def test_step_counter_warns_of_a_step_that_stands_still(monkeypatch):
    warnings = []
    monkeypatch.setattr(
        "headwater.base.logging.log_first_n", lambda level, msg, n, *args: warnings.append(args)
    )
    counted()
    one = tf.constant(1)
    with tf.train.SingularMonitoredSession(hooks=[tf.train.StepCounterHook()]) as sess:
        sess.run(one)
        assert not warnings
        sess.run(one)
    assert warnings == [(0, 0)]
    with pytest.raises(ValueError, match="exactly one of every_n_steps and every_n_secs"):
        tf.train.StepCounterHook(every_n_steps=None)


@pytest.mark.parametrize("as_list", [False, True])
def test_summary_saver(tmp_path, as_list):
    step, train = counted()
    summary = tf.summary.scalar("value", step)
    hook = tf.train.SummarySaverHook(
        save_steps=2,
        output_dir=str(tmp_path),
        summary_op=[summary, summary] if as_list else summary,
    )
    with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
        for _ in range(4):
            sess.run(train)
    found = events_of(tmp_path)
    assert [e.step for e in found if e.session_log.status == tf.SessionLog.START] == [1]
    steps = [e.step for e in found for v in e.summary.value if v.tag == "value"]
    assert steps == ([1, 1, 3, 3] if as_list else [1, 3])


def test_summary_saver_arguments(tmp_path):
    with pytest.raises(ValueError, match="Exactly one of scaffold or summary_op must be provided"):
        tf.train.SummarySaverHook(save_steps=1)
    with pytest.raises(ValueError, match="Exactly one of scaffold or summary_op must be provided"):
        tf.train.SummarySaverHook(1, scaffold=tf.train.Scaffold(), summary_op="op")
    # A scaffold without summaries, and no writer: nothing is written, nothing fails.
    _, train = counted()
    scaffold = tf.train.Scaffold()
    hooks = [tf.train.SummarySaverHook(1, scaffold=scaffold)]
    with tf.train.SingularMonitoredSession(hooks=hooks, scaffold=scaffold) as sess:
        assert sess.run(train) == 1


class Listener(tf.train.CheckpointSaverListener):
    """Notes the order of its calls."""

    def __init__(self, calls: list[Any], stop_at: int | None = None) -> None:
        self.calls, self.stop_at = calls, stop_at

    def begin(self):
        self.calls.append("begin")

    def before_save(self, session, global_step_value):
        self.calls.append(("before", int(global_step_value)))

    def after_save(self, session, global_step_value):
        self.calls.append(("after", int(global_step_value)))
        return global_step_value == self.stop_at

    def end(self, session, global_step_value):
        self.calls.append(("end", int(global_step_value)))


def test_checkpoint_saver_and_its_listeners(tmp_path, messages):
    _, train = counted()
    calls: list[Any] = []
    hook = tf.train.CheckpointSaverHook(
        str(tmp_path), save_steps=2, saver=tf.train.Saver(), listeners=[Listener(calls)]
    )
    with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
        for _ in range(3):
            sess.run(train)
    save = lambda step: [("before", step), ("after", step)]  # noqa: E731
    assert calls == ["begin", *save(0), *save(2), *save(3), ("end", 3)]
    path = tmp_path / "model.ckpt"
    saved = [m for m in messages if "Saving" in m]
    assert saved == [f"Saving checkpoints for {s} into {path}." for s in (0, 2, 3)]
    assert tf.train.latest_checkpoint(str(tmp_path)) == f"{path}-3"
    assert (tmp_path / "graph.pbtxt").exists()
    logs = [e for e in events_of(tmp_path) if e.WhichOneof("what") == "session_log"]
    assert [(e.step, e.session_log.checkpoint_path) for e in logs] == [
        (s, str(path)) for s in (0, 2, 3)
    ]


def test_a_listener_can_stop_training(tmp_path, messages):
    _, train = counted()
    calls: list[Any] = []
    hook = tf.train.CheckpointSaverHook(
        str(tmp_path), save_steps=1, saver=tf.train.Saver(), listeners=[Listener(calls, 2)]
    )
    with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
        while not sess.should_stop():
            sess.run(train)
    assert calls[-1] == ("end", 2)
    assert any("A CheckpointSaverListener requested that training be" in m for m in messages)


def test_checkpoint_saver_by_time(tmp_path, clock, messages):
    _, train = counted()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_secs=2, scaffold=tf.train.Scaffold())
    hook._scaffold.finalize()
    tf.get_default_graph()._unsafe_unfinalize()
    with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
        for _ in range(5):
            clock[0] += 1.0
            sess.run(train)
    steps = [m.split()[3] for m in messages if "Saving" in m]
    assert steps == ["0", "2", "4", "5"]


def test_checkpoint_saver_finds_the_saver(tmp_path):
    step, _ = counted()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1)
    hook.begin()
    with tf.Session() as sess:
        sess.run(step.initializer)
        with pytest.raises(RuntimeError, match="No items in collection savers"):
            hook.after_create_session(sess, None)
        savers = [tf.train.Saver(), tf.train.Saver()]
        tf.add_to_collection(tf.GraphKeys.SAVERS, savers[0])
        hook.after_create_session(sess, None)
        assert savers[0].last_checkpoints == [f"{tmp_path}/model.ckpt-0"]
        tf.add_to_collection(tf.GraphKeys.SAVERS, savers[1])
        second = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1)
        second.begin()
        with pytest.raises(RuntimeError, match="More than one item in collection savers"):
            second.after_create_session(sess, None)
    with pytest.raises(ValueError, match="You cannot provide both saver and scaffold"):
        tf.train.CheckpointSaverHook("d", 1, saver=savers[0], scaffold=tf.train.Scaffold())


@pytest.mark.parametrize(
    "make",
    [
        lambda d: tf.train.CheckpointSaverHook(d, save_steps=1),
        lambda d: tf.train.StepCounterHook(),
        lambda d: tf.train.SummarySaverHook(1, output_dir=d, summary_op="op"),
        lambda d: tf.train.ProfilerHook(1, output_dir=d),
    ],
)
def test_hooks_need_a_global_step(tmp_path, make):
    with pytest.raises(RuntimeError, match="Global step should be created to use "):
        make(str(tmp_path)).begin()


def test_profiler(tmp_path, messages):
    _, train = counted()
    product = tf.matmul(tf.ones([20, 20]), tf.ones([20, 20]), name="product")
    hook = tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path), show_memory=True)
    with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
        for _ in range(5):
            sess.run([train, product])
    files = sorted(path.name for path in tmp_path.glob("timeline*"))
    assert files == ["timeline-2.json", "timeline-4.json"]
    names = {
        e.get("args", {}).get("name")
        for e in json.loads((tmp_path / files[0]).read_text())["traceEvents"]
    }
    assert "product" in names
    assert f"Saving timeline for 2 into '{tmp_path}/timeline-2.json'." in messages
    tags = [e.tagged_run_metadata.tag for e in events_of(tmp_path) if e.tagged_run_metadata.tag]
    assert tags == ["step_2", "step_4"]
