"""Ops of one run that wait for each other."""

from __future__ import annotations

import importlib.util
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling.segment import Segment

SOURCE = Path(__file__).with_name("waiting_graphs.py")
_spec = importlib.util.spec_from_file_location("waiting_graphs", SOURCE)
waiting_graphs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(waiting_graphs)

# One that hangs fails after this many milliseconds.
LIMIT = tf.RunOptions(timeout_in_ms=20_000)


def session_of(mode):
    """A session that interprets (-1), or compiles at once (1)."""
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = mode
    return tf.Session(config=config)


@pytest.mark.parametrize(
    ("seed", "mode"),
    [*((seed, -1) for seed in range(24)), (24, 0), (25, 0), (26, 1), (27, 1)],
)
def test_random_graphs_that_wait(seed, mode):
    with session_of(mode) as session:
        found = waiting_graphs.results(tf, session, seed, resource=seed % 2 == 1)
    np.testing.assert_allclose(found, waiting_graphs.expected(seed), rtol=2e-4, atol=1e-5)


_IN_TENSORFLOW = """
import tensorflow as tf
for seed in range(16):
    with tf.Graph().as_default(), tf.Session() as session:
        found = results(tf, session, seed, seed % 2 == 1, ordered=True)
    np.testing.assert_allclose(found, expected(seed), rtol=2e-4, atol=1e-5)
print("equal")
"""


@pytest.mark.oracle
def test_random_graphs_wait_in_tensorflow_too(oracle):
    assert oracle(SOURCE.read_text() + _IN_TENSORFLOW).split()[-1] == "equal"


@pytest.mark.parametrize("mode", [-1, 0, 1])
def test_a_pipeline_with_summaries(mode):
    # The summary of the input's queue shares a segment with what waits for the batch.
    data = np.arange(60, dtype="f").reshape(20, 3)
    x, y = tf.train.slice_input_producer(
        [tf.constant(data), tf.constant(np.arange(20) % 3)], num_epochs=3, shuffle=False
    )
    xs, ys = tf.train.batch([x, y], batch_size=10)
    w = tf.Variable(tf.zeros([3, 3]))
    loss = tf.losses.sparse_softmax_cross_entropy(ys, tf.matmul(xs * 0.01, w))
    tf.summary.scalar("loss", loss)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    merged = tf.summary.merge_all()
    losses, tags = [], []
    with session_of(mode) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                losses.append(session.run([train, loss])[1])
                summary = tf.Summary.FromString(session.run(merged, options=LIMIT))
                tags.append([v.tag for v in summary.value])
        coordinator.request_stop()
        coordinator.join(threads)
    # Values of TensorFlow 1.15.5.
    np.testing.assert_allclose(losses, [1.0986123, 1.0985581, 1.0985041], rtol=1e-6)
    assert tags == [["input_producer/input_producer/fraction_of_32_full",
                     "batch/fraction_of_32_full", "loss"]] * 3  # fmt: skip


def barrier(parties=2):
    met = threading.Barrier(parties)
    return lambda x: (met.wait(10), x)[1]


@pytest.mark.parametrize("count", [2, 5])
def test_python_functions_meet(count, session):
    meet = barrier(count)
    found = [tf.py_func(meet, [tf.constant(float(i))], tf.float32) * 2.0 for i in range(count)]
    for _ in range(3):
        assert session.run(found, options=LIMIT) == [2.0 * i for i in range(count)]
    assert session.run(found) == [2.0 * i for i in range(count)]


def test_python_functions_that_depend_on_each_other_run_in_the_thread_of_the_run(session):
    threads = []

    def note(x):
        threads.append(threading.get_ident())
        return x

    first = tf.py_func(note, [1.0], tf.float32)
    second = tf.py_func(note, [first + 1.0], tf.float32)
    assert session.run([second, first]) == [2.0, 1.0]
    assert threads == [threading.get_ident()] * 2


def test_short_python_functions_keep_their_order(session):
    order = []
    for i in range(20):
        tf.add_to_collection("calls", tf.py_func(lambda x: order.append(int(x)), [i], []))
    session.run(tf.get_collection("calls"))
    assert order == list(range(20))


def test_a_python_function_waits_for_a_queue_of_the_same_run(session):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    taken, put = queue.dequeue(), queue.enqueue(5.0)
    inner = tf.py_func(lambda: session.run(taken), [], tf.float32)
    with tf.control_dependencies([tf.py_func(barrier(1), [1.0], tf.float32)]):
        outer = inner + 1.0
    assert session.run([outer, put], options=LIMIT)[0] == 6.0


def test_the_error_of_one_python_function_ends_a_run_in_which_another_one_waits(session):
    released = threading.Event()

    def fail(x):
        raise ValueError("no such thing")

    waits = tf.py_func(lambda x: (released.wait(10), x)[1], [1.0], tf.float32)
    fails = tf.py_func(fail, [2.0], tf.float32, name="fails")
    v = tf.Variable(1.0)
    update = v.assign_add(waits + fails)
    session.run(v.initializer)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)no such thing.*fails"):
        session.run(update)
    released.set()
    assert session.run(v) == 1.0


def test_a_time_limit_ends_a_run_whose_python_functions_wait(session):
    released = threading.Event()
    waits = [tf.py_func(lambda x: (released.wait(30), x)[1], [1.0], tf.float32) for _ in range(2)]
    with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out"):
        session.run(waits, options=tf.RunOptions(timeout_in_ms=200))
    released.set()


def test_python_functions_of_variables_and_branches_meet(session):
    meet = barrier()
    v = tf.Variable([1.0, 2.0])
    taken = tf.cond(tf.size(v) > 1, lambda: tf.py_func(meet, [v], tf.float32) + 1.0, lambda: v)
    other = tf.py_func(meet, [v * 2.0], tf.float32)
    with tf.control_dependencies([taken, other]):
        update = v.assign(v + 1.0)
    session.run(v.initializer)
    for i in range(3):
        results = session.run([taken, other, update.op], options=LIMIT)
        np.testing.assert_array_equal(results[0], [2.0 + i, 3.0 + i])
        np.testing.assert_array_equal(results[1], [2.0 + 2 * i, 4.0 + 2 * i])


def test_python_functions_of_one_iteration_meet(session):
    meet = barrier()

    def body(i, total):
        a = tf.reshape(tf.py_func(meet, [i], tf.int32), [])
        b = tf.reshape(tf.py_func(meet, [i * 10], tf.int32), [])
        return i + 1, total + a + b

    _, total = tf.while_loop(lambda i, _: i < 4, body, [0, 0])
    assert session.run(total, options=LIMIT) == 66


def test_queue_ops_of_one_iteration_wait_for_each_other(session):
    queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])

    def body(i, total):
        taken = queue.dequeue()
        with tf.control_dependencies([queue.enqueue(i * i)]):
            return i + 1, total + taken

    _, total = tf.while_loop(lambda i, _: i < 5, body, [0, 0])
    for _ in range(2):
        assert session.run(total, options=LIMIT) == 30


def test_a_loop_takes_what_the_rest_of_the_run_puts_into_a_queue(session):
    queue = tf.FIFOQueue(2, tf.int32, shapes=[[]])
    v = tf.Variable(0)

    def body(i, total):
        return i + 1, total + queue.dequeue()

    _, total = tf.while_loop(lambda i, _: i < 6, body, [0, 0])
    put = queue.enqueue_many([tf.range(1, 7)])
    update = v.assign_add(total)
    session.run(v.initializer)
    for i in range(3):
        assert session.run([update, put], options=LIMIT)[0] == 21 * (i + 1)


def test_loops_that_meet(session):
    meet = barrier()

    def loop(step):
        def body(i):
            return tf.reshape(tf.py_func(meet, [i + step], tf.int32), [])

        return tf.while_loop(lambda i: i < 4 * step, body, [0])

    assert session.run([loop(1), loop(3)], options=LIMIT) == [4, 12]


def test_the_error_of_one_queue_ends_a_run_that_waits_for_others(session):
    empty, closed = (tf.FIFOQueue(3, tf.float32, shapes=[[]], name=name) for name in "ab")
    one, two, three = empty.dequeue(), closed.dequeue(), empty.dequeue()
    total = one + 2.0 * two + 4.0 * three
    closing = closed.close()
    timer = threading.Timer(0.2, lambda: session.run(closing))
    timer.start()
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(total)
    timer.join()
    # Nothing waits any more: what is put now stays.
    session.run([empty.enqueue(5.0), empty.enqueue(6.0)])
    assert session.run(empty.size()) == 2


def test_no_thread_is_left(session):
    meet = barrier()
    found = [tf.py_func(meet, [float(i)], tf.float32) for i in range(2)]
    before = threading.active_count()
    for _ in range(20):
        session.run(found)
    # Idle threads end by themselves, after about a second.
    deadline = time.monotonic() + 30
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= before


def test_an_update_comes_after_the_reads_that_wait(session):
    # f has to wait for the queue, and reads v; the update of v does not wait.
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    u, v = tf.Variable(1.0), tf.Variable(2.0)
    step = tf.group(u.assign(queue.dequeue() * v), v.assign(v + 10.0), queue.enqueue(u * 3.0))
    session.run([u.initializer, v.initializer])
    session.run(step, options=LIMIT)
    assert session.run([u, v]) == [6.0, 12.0]
    session.run(step, options=LIMIT)
    assert session.run([u, v]) == [18.0 * 12.0, 22.0]


def test_a_value_lives_while_one_of_its_readers_waits_longer_than_another(session):
    # `middle` becomes ready when the first of two waits ends; its last reader then runs at once.
    first, second = (tf.FIFOQueue(1, tf.float32, shapes=[[4]]) for _ in range(2))
    middle = tf.tanh(first.dequeue())
    late = tf.as_string(second.dequeue() + middle)
    early = tf.as_string(middle * 2.0)
    values = []
    thread = threading.Thread(
        target=lambda: values.append(session.run([late, early], options=LIMIT))
    )
    thread.start()
    session.run(first.enqueue(np.zeros(4)))
    while session.run(first.size()):
        time.sleep(0.01)
    session.run(second.enqueue(np.ones(4)))
    thread.join()
    assert values[0][0].tolist() == [b"1.000000"] * 4
    assert values[0][1].tolist() == [b"0.000000"] * 4


def test_a_training_step_stays_one_segment(session):
    queue = tf.FIFOQueue(4, tf.float32, shapes=[[8, 3]])
    step = tf.train.get_or_create_global_step()
    w = tf.Variable(tf.ones([3, 2]))
    loss = tf.reduce_mean(tf.matmul(queue.dequeue(), w) ** 2) + tf.nn.l2_loss(w)
    rate = tf.train.exponential_decay(0.1, step, 10, 0.9)
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        session.run(queue.enqueue(np.ones([8, 3])))
        session.run([train, loss])
    (plan,) = (p for p in session._plans.values() if loss in p.fetched)
    assert sum(isinstance(s, Segment) for s in plan.schedule.steps) == 1


def test_updates_that_one_op_waits_for_stay_one_segment(session):
    queues = [tf.FIFOQueue(2, tf.float32, shapes=[[]], name=name) for name in "abcd"]
    one, two, asked, answer = queues
    u, v, w = (tf.Variable(float(i)) for i in range(3))
    updates = [u.assign_add(one.dequeue()), v.assign_add(2.0 * two.dequeue())]
    with tf.control_dependencies(updates):
        ask = asked.enqueue(1.0)
    # Comes only when both updates have been made and somebody has answered.
    last = w.assign_add(answer.dequeue())
    reply = answer.enqueue(asked.dequeue() + 1.0)
    put = [one.enqueue(3.0), two.enqueue(4.0)]
    session.run(tf.global_variables_initializer())
    for count in range(1, 4):
        other = threading.Thread(target=session.run, args=(reply,), daemon=True)
        other.start()
        session.run(put)
        session.run([ask, last])
        other.join(20)
        assert session.run([u, v, w]) == [3.0 * count, 1 + 8.0 * count, 2 + 2.0 * count]
    (plan,) = (p for p in session._plans.values() if last in p.fetched)
    segments = [s for s in plan.schedule.steps if isinstance(s, Segment)]
    assert sorted(sum(n.op.type == "AssignAdd" for n in s.nodes) for s in segments) == [1, 2]


@pytest.mark.parametrize("mode", [0, 1])
def test_threads_that_cut_the_segments_of_one_plan_at_the_same_time(mode):
    # The value of `count` is asked for when the first of them compiles, and shapes change.
    x, count = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [])
    v = tf.Variable(tf.ones([4, 4]))
    rows = tf.reshape(tf.tanh(tf.matmul(x, v)), [count * 2 - count, -1])
    sums = tf.reduce_sum(rows, axis=tf.minimum(count, 1))
    different = tf.unique(tf.cast(tf.reshape(x, [-1]), tf.int32))[0]
    total = tf.reduce_sum(tf.tanh(tf.cast(different, tf.float32)) * 2.0 + 1.0)
    failures = []

    def run(seed):
        rng = np.random.RandomState(seed)
        try:
            for _ in range(6):
                fed = rng.randint(0, 9, [4, 4]).astype("f")
                results = session.run([sums, total], {x: fed, count: 4})
                expected = np.tanh(fed.sum(1)) * 4, (np.tanh(np.unique(fed)) * 2 + 1).sum()
                for result, wanted in zip(results, expected):
                    np.testing.assert_allclose(result, wanted, rtol=1e-4)
        except BaseException as error:
            failures.append(error)

    with session_of(mode) as session:
        session.run(v.initializer)
        threads = [threading.Thread(target=run, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def test_a_trace_has_what_waited_and_what_ran_in_threads(session):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    taken = queue.dequeue(name="taken")
    meet = barrier()
    first = tf.py_func(meet, [1.0], tf.float32, name="first")
    second = tf.py_func(meet, [2.0], tf.float32, name="second")
    put = queue.enqueue(first + second, name="put")
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, timeout_in_ms=20_000)
    assert session.run([taken, put], options=options, run_metadata=metadata)[0] == 3.0
    traced = {
        stats.node_name: stats.all_end_rel_micros
        for device in metadata.step_stats.dev_stats
        for stats in device.node_stats
    }
    assert traced.keys() >= {"taken", "put", "first", "second", "add"}
    assert traced["taken"] >= traced["put"]


def test_only_python_functions_that_something_may_wait_for_run_in_threads(session):
    def note():
        threads.append(threading.current_thread() is threading.main_thread())
        return np.float32(len(threads))

    threads: list[bool] = []
    calls = [tf.py_func(note, [], tf.float32) for _ in range(3)]
    for _ in range(3):
        threads.clear()
        assert sorted(session.run(calls)) == [1.0, 2.0, 3.0]
        # When the last one starts, nothing else is left.
        assert threads == [False, False, True]


def test_the_last_python_function_meets_one_that_waits(session):
    barrier = threading.Barrier(2, timeout=60)

    def meet():
        barrier.wait()
        return threading.current_thread() is threading.main_thread()

    def quick():
        return False

    first, second = (tf.py_func(meet, [], tf.bool) for _ in range(2))
    others = [tf.py_func(quick, [], tf.bool) for _ in range(2)]
    for _ in range(3):
        # One that waits keeps the last one out of the thread of the run.
        assert not any(session.run([first, *others, second]))
