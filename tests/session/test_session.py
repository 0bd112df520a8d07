from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.base import cancellation, errors
from headwater.protos import config_pb2


def sleeping(seconds, value=1.0):
    def sleep():
        time.sleep(seconds)
        return np.float32(value)

    return tf.py_func(sleep, [], tf.float32)


def waiting(condition, ready, woken=lambda: None):
    """A tensor whose op waits as a queue does."""

    def wait():
        with condition:
            woken()
            cancellation.wait_for(condition, ready, "Dequeue operation was cancelled")
        return np.float32(1)

    return tf.py_func(wait, [], tf.float32)


def test_a_run_that_takes_too_long_changes_nothing(session):
    v = tf.Variable(1.0)
    session.run(v.initializer)
    with tf.control_dependencies([v.assign_add(1.0)]):
        slow = tf.identity(sleeping(0.05))
    after = slow * 2.0
    with pytest.raises(errors.DeadlineExceededError, match="Timed out waiting for notification"):
        session.run(after, options=tf.RunOptions(timeout_in_ms=10))
    assert session.run(v) == 1.0
    assert session.run(after, options=tf.RunOptions(timeout_in_ms=60000)) == 2.0
    assert session.run(v) == 2.0


def test_the_configuration_limits_every_run():
    condition = threading.Condition()
    x = waiting(condition, lambda: False)
    with (
        tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=20)) as session,
        pytest.raises(errors.DeadlineExceededError, match="Timed out waiting for notification"),
    ):
        session.run(x)


def test_closing_a_session_wakes_what_waits():
    condition, entered = threading.Condition(), threading.Event()
    x = waiting(condition, lambda: False, entered.set)
    session = tf.Session()
    found = []

    def run():
        try:
            session.run(x)
        except errors.CancelledError as error:
            found.append(error.message)

    thread = threading.Thread(target=run)
    thread.start()
    entered.wait()
    session.close()
    thread.join()
    assert found[0].startswith("Dequeue operation was cancelled")


INTERRUPTED = """
import os, signal, threading
import numpy as np
import headwater as tf
n = 2000
v = tf.Variable(tf.zeros([n]), name="v")
w = tf.Variable(tf.zeros([n]), name="w")
x = tf.placeholder(tf.float32, [n, n])
step = tf.group(
    v.assign_add(tf.ones([n]) + 0.0 * tf.reduce_sum(tf.matmul(x, x))),
    w.assign_add(tf.ones([n])),
)
session = tf.Session()
session.run(tf.global_variables_initializer())
data = np.zeros([n, n], np.float32)
for _ in range(3):
    session.run(step, {x: data})
running = False
def handle(*_):
    # One interrupt a run, and none outside: a busy machine delivers them at any time.
    global running
    if running:
        running = False
        raise KeyboardInterrupt
signal.signal(signal.SIGINT, handle)
stop = threading.Event()
def interrupt():
    while not stop.wait(0.07):
        os.kill(os.getpid(), signal.SIGINT)
thread = threading.Thread(target=interrupt)
thread.start()
interrupts = 0
while interrupts < 8:
    try:
        running = True
        session.run(step, {x: data})
        running = False
    except KeyboardInterrupt:
        interrupts += 1
stop.set()
thread.join()
a, b = session.run([v, w])
assert (a == a[0]).all() and (b == a).all(), (a, b)
print("equal")
"""


@pytest.mark.slow
def test_an_interrupt_leaves_whole_updates():
    environment = {**os.environ, "PYTHONPATH": str(Path(tf.__file__).parents[1])}
    result = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, env=environment
    )
    assert result.stdout == "equal\n", result.stderr


def test_an_interrupt_waits_for_the_end_of_an_update():
    seen = []
    with pytest.raises(KeyboardInterrupt), cancellation.uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        seen.append("after")
    assert seen == ["after"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_many_threads_run_while_the_graph_grows(session):
    v = tf.Variable(0.0)
    c = tf.constant(5.0)
    increment = v.assign_add(1.0)
    session.run(v.initializer)
    stop, failures, counts = threading.Event(), [], []

    def run():
        count = 0
        try:
            while not stop.is_set():
                assert session.run(c) == 5.0
                session.run(increment.op)
                count += 1
        except Exception as error:
            failures.append(error)
        counts.append(count)

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for i in range(60):
        x = tf.placeholder(tf.float32)
        tf.gradients(tf.tanh(x) * c, [x])
        assert session.run(x + float(i), {x: 1.0}) == 1.0 + i
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert session.run(v) == sum(counts)


def test_sessions_are_not_entered_twice(session):
    with pytest.raises(RuntimeError, match="Session context managers are not re-entrant"):
        session.__enter__()


def test_reset_closes_the_sessions_of_the_process():
    v = tf.Variable(1.0)
    session = tf.Session()
    session.run(v.initializer)
    tf.Session.reset("", ["elsewhere"])
    with pytest.raises(errors.CancelledError, match="Session has been closed"):
        session.run(v)
    tf.Session.reset(None)
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        tf.Session.reset(3)


def test_a_run_chooses_among_the_thread_pools_of_its_session():
    config = tf.ConfigProto(session_inter_op_thread_pool=[{}, {}])
    with tf.Session() as one, tf.Session(config=config) as two:
        for session, pools in ((one, (-1, 0)), (two, (-1, 0, 1))):
            for pool in pools:
                options = tf.RunOptions(inter_op_thread_pool=pool)
                assert session.run(tf.constant(1), options=options) == 1
            for pool in (-2, len(pools) - 1):
                options = tf.RunOptions(inter_op_thread_pool=pool)
                with pytest.raises(errors.InvalidArgumentError, match=f"thread_pool: {pool}"):
                    session.run(tf.constant(1), options=options)


def test_an_unknown_target_is_not_found():
    with pytest.raises(errors.NotFoundError, match="No session factory registered for the given"):
        tf.Session("INVALID_TARGET")


def test_variables_of_containers_are_their_own(session):
    with tf.container("one"):
        a = tf.Variable(1.0, name="a")
    with tf.Graph().as_default():
        assert a.op.get_attr("container") == b"one"
    session.run(a.initializer)
    session._state.clear(["one"])
    with pytest.raises(
        errors.FailedPreconditionError, match="Attempting to use uninitialized value a"
    ):
        session.run(a)


def test_what_a_sparse_tensor_is_fed_may_leave_out_its_shape(session):
    shape = np.array([7, 9])
    sparse = tf.sparse_placeholder(tf.float32, shape=shape)
    parts = [tf.identity(t) for t in (sparse.indices, sparse.values, sparse.dense_shape)]
    fed = np.array([[3, 2]]), np.array([1.0], np.float32)
    for value in (fed, (*fed, shape)):
        found = session.run(parts, {sparse: value})
        np.testing.assert_array_equal(found[0], fed[0])
        np.testing.assert_array_equal(found[2], shape)


def test_callables_of_options(session):
    x = tf.placeholder(tf.float32)
    y = x + 1.0
    options = config_pb2.CallableOptions()
    options.feed.append(x.name)
    options.fetch.append(y.name)
    options.run_options.trace_level = tf.RunOptions.FULL_TRACE
    call = session._make_callable_from_options(options)
    metadata = tf.RunMetadata()
    assert call(1.0) == [2.0]
    assert call(2.0, run_metadata=metadata) == [3.0]
    assert len(metadata.step_stats.dev_stats) == 1


def test_device_placement_is_printed(capsys):
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v")
    config = tf.ConfigProto(log_device_placement=True, device_count={"CPU": 2})
    with tf.Session(config=config) as session:
        session.run(v.initializer)
        first = capsys.readouterr().out
        session.run(v + 1.0)
        second = capsys.readouterr().out
    place = "/job:localhost/replica:0/task:0/device:CPU"
    assert first.splitlines()[0] == "Device mapping: no known devices."
    assert f"v/Assign: (Assign): {place}:1\n" in first
    assert f"add: (AddV2): {place}:0\n" in second
    assert "v/Assign" not in second


def test_the_whole_graph_is_placed_unless_it_is_pruned():
    with tf.device("/device:GPU:7"):
        tf.constant(1.0, name="far")
    x = tf.constant(2.0)
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError, match="operation far"):
        session.run(x)
    pruned = tf.ConfigProto(graph_options=tf.GraphOptions(place_pruned_graph=True))
    with tf.Session(config=pruned) as session:
        assert session.run(x) == 2.0
    session = tf.InteractiveSession()
    assert x.eval() == 2.0
    session.close()


def test_colocated_ops_must_want_one_device():
    with tf.device("/cpu:1"):
        a = tf.constant(1.0, name="a")
    with tf.colocate_with(a):
        b = tf.constant(2.0, name="b")
    b.op._set_device("/cpu:2")
    count = {"CPU": 3}
    refused = pytest.raises(errors.InvalidArgumentError, match="Cannot colocate nodes node b")
    with tf.Session(config=tf.ConfigProto(device_count=count)) as session, refused:
        session.run(b)
    soft = tf.ConfigProto(device_count=count, allow_soft_placement=True)
    with tf.Session(config=soft) as session:
        assert session.run(b) == 2.0


def test_default_sessions_nest_but_for_interactive_ones():
    one, two = tf.Session(), tf.Session()
    outer, inner = one.as_default(), two.as_default()
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(AssertionError, match="Nesting violated"):
        outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    first = tf.InteractiveSession()
    with pytest.warns(UserWarning, match="An interactive session is already active"):
        second = tf.InteractiveSession()
    first.close()
    assert tf.get_default_session() is second
    second.close()


def test_what_is_fetched_in_a_partial_run_is_fetched_once(session):
    x = tf.placeholder(tf.float32, [])
    y, z = x + 1.0, x * 3.0
    handle = session.partial_run_setup([y, z], [x])
    assert session.partial_run(handle, y, {x: 1.0}) == 2.0
    with pytest.raises(errors.InvalidArgumentError, match=r"has already been fetched.$"):
        session.partial_run(handle, y)
    assert session.partial_run(handle, z) == 3.0


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(tf.string, 1), (tf.int32, 2**40), (tf.uint8, -1), (tf.bool, 5), (tf.float32, 2**24 + 1)],
)
def test_integers_that_a_type_cannot_hold_are_not_fed(session, dtype, value):
    x = tf.placeholder(dtype, [])
    with pytest.raises(TypeError, match="is not compatible with Tensor type"):
        session.run(x, {x: value})


def test_zeros_at_the_end_of_fed_strings_stay(session):
    x = tf.placeholder(tf.string, [2])
    found = session.run(x, {x: ["\n\x01\x00", "é"]})
    assert found.tolist() == [b"\n\x01\x00", "é".encode()]


@pytest.mark.parametrize(
    "words", [[b"a\x00", b"", b"c", b"d"], ["a\x00", "", "c", "d"], [b"a\x00", "", "c", b"d"]]
)
def test_fed_strings_are_copied(session, words):
    x = tf.placeholder(tf.string, [None, None])
    held = tf.Variable(x, validate_shape=False)
    fed = np.empty((2, 2), object)
    fed[:] = [words[:2], words[2:]]
    for array in (fed, np.asfortranarray(fed)):
        session.run(held.initializer, {x: array})
        array[:] = b"other"
        assert session.run(held).tolist() == [[b"a\x00", b""], [b"c", b"d"]]


def test_an_op_takes_its_inputs_from_one_loop(session):
    data = tf.placeholder(tf.float32, [])
    one = tf.raw_ops.Enter(data=data, frame_name="one")
    two = tf.raw_ops.Enter(data=data, frame_name="two")
    total = tf.add(one, two, name="total")
    with pytest.raises(
        errors.InvalidArgumentError, match="has inputs from different frames"
    ) as info:
        session.run(total, {data: 1.0})
    assert info.value.op is total.op
    assert "node Enter_1" in info.value.message
    assert "is in frame 'two'" in info.value.message


def test_the_generators_of_the_program_stay_as_they_are(tmp_path):
    random.seed(3)
    np.random.seed(3)
    v = tf.get_variable("v", [3])
    noise = tf.nn.dropout(v + tf.random_normal([3]), 0.5)
    train = tf.train.AdamOptimizer().minimize(tf.reduce_sum(noise))
    elements = tf.data.Dataset.range(9).shuffle(9).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([train, elements])
        tf.train.Saver().save(session, str(tmp_path / "model"))
        session.list_devices()
    found = random.random(), np.random.random_sample()
    random.seed(3)
    np.random.seed(3)
    assert found == (random.random(), np.random.random_sample())
