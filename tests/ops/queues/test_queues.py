"""Ops that wait for each other: in threads, in one run, until they are stopped."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headwater as tf


class Background:
    """Runs of a session in a thread of their own."""

    def __init__(self, run: Callable[[], Any]) -> None:
        self.result: Any = None
        self.error: BaseException | None = None
        self._run = run
        self._thread = threading.Thread(target=self._go, daemon=True)
        self._thread.start()

    def _go(self) -> None:
        try:
            self.result = self._run()
        except tf.errors.OpError as error:
            self.error = error

    def blocks(self) -> bool:
        self._thread.join(0.15)
        return self._thread.is_alive()

    def outcome(self) -> Any:
        self._thread.join(10)
        assert not self._thread.is_alive()
        if self.error is not None:
            raise self.error
        return self.result


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_enqueue_waits_for_room(session):
    q = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    x = tf.placeholder(tf.float32, [])
    put, get = q.enqueue(x), q.dequeue()
    session.run(put, {x: 1.0})
    waiting = Background(lambda: session.run(put, {x: 2.0}))
    assert waiting.blocks()
    assert session.run(get) == 1.0
    waiting.outcome()
    assert session.run(get) == 2.0


def test_dequeue_waits_for_elements(session):
    q = tf.FIFOQueue(10, tf.float32, shapes=[[]])
    many, put = q.dequeue_many(3), q.enqueue_many([[1.0, 2.0]])
    waiting = Background(lambda: session.run(many))
    session.run(put)
    assert waiting.blocks()
    session.run(put)
    np.testing.assert_array_equal(waiting.outcome(), [1.0, 2.0, 1.0])
    assert session.run(q.size()) == 1


def test_a_batch_larger_than_the_queue_passes_through(session):
    q = tf.FIFOQueue(2, tf.int32, shapes=[[]])
    put, get = q.enqueue_many([list(range(10))]), q.dequeue_many(10)
    waiting = Background(lambda: session.run(put))
    np.testing.assert_array_equal(session.run(get), range(10))
    waiting.outcome()


def test_many_threads_lose_nothing(session):
    q = tf.FIFOQueue(3, tf.int32, shapes=[[]])
    x = tf.placeholder(tf.int32, [])
    put, get = q.enqueue(x), q.dequeue()
    writers = [
        Background(lambda i=i: [session.run(put, {x: i * 100 + j}) for j in range(20)])
        for i in range(5)
    ]
    readers = [Background(lambda: [session.run(get) for _ in range(25)]) for _ in range(4)]
    for writer in writers:
        writer.outcome()
    found = sorted(int(v) for reader in readers for v in reader.outcome())
    assert found == sorted(i * 100 + j for i in range(5) for j in range(20))


def test_close_waits_for_those_before_it(session):
    q = tf.FIFOQueue(2, tf.float32, shapes=[[]])
    many, one, end = q.enqueue_many([[1.0, 2.0, 3.0, 4.0]]), q.enqueue(9.0), q.close()
    put = Background(lambda: session.run(many))
    assert put.blocks()
    close = Background(lambda: session.run(end))
    assert close.blocks()
    late = Background(lambda: session.run(one))
    assert late.blocks()
    np.testing.assert_array_equal(session.run(q.dequeue_many(4)), [1.0, 2.0, 3.0, 4.0])
    put.outcome()
    close.outcome()
    with pytest.raises(tf.errors.CancelledError, match="is closed"):
        late.outcome()
    with pytest.raises(tf.errors.OutOfRangeError, match="requested 1, current size 0"):
        session.run(q.dequeue())


def test_close_can_cancel_those_who_wait(session):
    q = tf.FIFOQueue(2, tf.float32, shapes=[[]])
    many = q.enqueue_many([[1.0, 2.0, 3.0, 4.0]])
    put = Background(lambda: session.run(many))
    assert put.blocks()
    session.run(q.close(cancel_pending_enqueues=True))
    with pytest.raises(tf.errors.CancelledError, match="Enqueue operation was cancelled"):
        put.outcome()
    np.testing.assert_array_equal(session.run(q.dequeue_up_to(4)), [1.0, 2.0])


def test_what_a_failed_dequeue_has_taken_goes_back(session):
    q = tf.FIFOQueue(10, tf.float32, shapes=[[]])
    session.run(q.enqueue_many([[1.0, 2.0, 3.0]]))
    get = q.dequeue_many(4)
    many = Background(lambda: session.run(get))
    assert many.blocks()
    session.run(q.close())
    with pytest.raises(tf.errors.OutOfRangeError, match="requested 1, current size 0"):
        many.outcome()
    np.testing.assert_array_equal(session.run(q.dequeue_up_to(5)), [1.0, 2.0, 3.0])


def test_closing_the_session_ends_waiting():
    with tf.Graph().as_default():
        q = tf.FIFOQueue(2, tf.float32, shapes=[[]])
        full = tf.FIFOQueue(1, tf.float32, shapes=[[]])
        get, put = q.dequeue_many(2), full.enqueue_many([[1.0, 2.0]])
        session = tf.Session()
        dequeue = Background(lambda: session.run(get))
        enqueue = Background(lambda: session.run(put))
        assert dequeue.blocks() and enqueue.blocks()
        session.close()
        with pytest.raises(tf.errors.CancelledError, match="Dequeue operation was cancelled"):
            dequeue.outcome()
        with pytest.raises(tf.errors.CancelledError, match="Enqueue operation was cancelled"):
            enqueue.outcome()


def test_time_limit():
    with tf.Graph().as_default():
        q = tf.FIFOQueue(2, tf.float32, shapes=[[]])
        put = q.enqueue_many([[1.0, 2.0, 3.0]])
        with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=50)) as session:
            with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out"):
                session.run(q.dequeue())
            with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out"):
                session.run(put)
            # A cancelled waiter does not block the others.
            assert session.run(q.dequeue()) == 1.0
            session.run(q.enqueue(5.0))
            np.testing.assert_array_equal(session.run(q.dequeue_many(2)), [2.0, 5.0])


def test_interrupt_ends_waiting(session):
    q = tf.FIFOQueue(2, tf.float32, shapes=[[]])
    session.run(q.enqueue(1.0))
    main = threading.get_ident()
    threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        session.run(q.dequeue_many(2))
    assert session.run(q.dequeue()) == 1.0


def test_one_run_fills_and_empties_a_queue(session):
    q = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    x = tf.placeholder(tf.float32, [])
    doubled = 2.0 * q.dequeue()
    put = q.enqueue_many([tf.stack([x, x + 1.0, x + 2.0])])
    rest = q.dequeue_many(2)
    with tf.control_dependencies([put]):
        after = tf.identity(x)
    for value in (1.0, 10.0, 20.0):
        one, two, same, _ = session.run([doubled, rest, after, put], {x: value})
        assert sorted([one / 2, *two]) == [value, value + 1.0, value + 2.0]
        assert same == value


def test_a_failure_ends_what_waits_in_the_same_run(session):
    q = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    bad = tf.check_numerics(tf.placeholder(tf.float32, []), "not a number")
    get = q.dequeue()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a number"):
        session.run([get, bad], {bad.op.inputs[0]: float("nan")})
    session.run(q.enqueue(3.0))
    assert session.run(q.size()) == 1


def test_others_see_variables_as_they_were_before_an_enqueue(session):
    v = tf.Variable(0.0)
    q = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    hold = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    with tf.control_dependencies([v.assign(7.0)]):
        put = q.enqueue(1.0)
    with tf.control_dependencies([put]):
        wait = hold.dequeue()
    session.run(v.initializer)
    waiting = Background(lambda: session.run(wait))
    session.run(q.dequeue())
    assert session.run(v) == 7.0
    assert waiting.blocks()
    session.run(hold.enqueue(0.0))
    waiting.outcome()


def test_elements_do_not_change_with_their_source(session):
    v = tf.Variable([1.0, 2.0])
    x = tf.placeholder(tf.float32, [2])
    q = tf.FIFOQueue(4, tf.float32, shapes=[[2]])
    fed = np.array([5.0, 6.0], np.float32)
    session.run(v.initializer)
    session.run(q.enqueue(v))
    session.run(q.enqueue(x), {x: fed})
    fed[:] = 0.0
    for _ in range(3):
        session.run(v.assign_add([1.0, 1.0]))
    np.testing.assert_array_equal(session.run(q.dequeue_many(2)), [[1.0, 2.0], [5.0, 6.0]])


def test_queues_in_branches_and_loops(session):
    q = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    flag = tf.placeholder(tf.bool, [])
    put = tf.cond(flag, lambda: q.enqueue(1), tf.no_op)
    session.run(put, {flag: False})
    assert session.run(q.size()) == 0
    session.run(put, {flag: True})
    session.run(q.enqueue_many([[2, 3, 4]]))
    total = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + q.dequeue()), [0, 0])[1]
    assert session.run(total) == 10


def test_sessions_have_their_own_queues():
    with tf.Graph().as_default():
        q = tf.FIFOQueue(10, tf.int32, shapes=[[]], shared_name="shared")
        twin = tf.FIFOQueue(10, tf.int32, shapes=[[]], shared_name="shared")
        with tf.Session() as one, tf.Session() as other:
            one.run(q.enqueue(1))
            assert one.run(twin.size()) == 1
            assert other.run(q.size()) == 0


def test_a_waiting_run_leaves_the_others_alone(session):
    q = tf.FIFOQueue(10, tf.float32, shapes=[[]])
    v = tf.Variable(0.0)
    session.run(v.initializer)
    total = q.dequeue() + v
    waiting = Background(lambda: session.run(total))
    start = time.monotonic()
    for _ in range(5):
        session.run(v.assign_add(1.0))
    assert time.monotonic() - start < 10
    assert waiting.blocks()
    session.run(q.enqueue(1.0))
    assert waiting.outcome() == 6.0


@pytest.mark.parametrize(
    ("capacity", "kept", "text"),
    [
        (10, 10, "min_after_dequeue 10 must be < capacity 10"),
        (10, 15, "min_after_dequeue 15 must be < capacity 10"),
        (0, 0, "min_after_dequeue 0 must be < capacity 0"),
        (10, -1, "min_after_dequeue -1 must be >= 0"),
        (-1, -1, "min_after_dequeue -1 must be >= 0"),
        (1, 0, None),
        (-1, 5, None),
    ],
)
def test_a_random_queue_keeps_fewer_elements_than_it_holds(session, capacity, kept, text):
    queue = tf.RandomShuffleQueue(capacity, kept, tf.int32, ((),))
    for op in (queue.queue_ref.op, queue.enqueue(1), queue.size()):
        if text is None:
            session.run(op)
            continue
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"^{text}") as caught:
            session.run(op)
        assert caught.value.op is queue.queue_ref.op
