"""Sessions that are closed while other threads run something in them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headwater as tf


def outcome_of_closing(session, run, begun, go_on=lambda: None):
    """The error that a thread gets when the session is closed after `begun`."""
    outcomes = []

    def attempt():
        try:
            while True:
                run()
        except Exception as error:
            outcomes.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    assert begun.wait(20)
    session.close()
    go_on()
    thread.join(20)
    assert not thread.is_alive()
    return outcomes[0]


def reference():
    return tf.Variable(1.0)


def resource():
    return tf.get_variable("v", initializer=1.0, use_resource=True)


USES = {
    "read": lambda v, x: v + x,
    "update": lambda v, x: v.assign_add(x),
    "update, nothing fetched": lambda v, x: v.assign_add(x).op,
    "host": lambda v, x: tf.as_string(v.assign_add(x)),
    "loop": lambda v, x: tf.while_loop(lambda a: a < 100.0, lambda a: a + v, [x]),
    "nothing more": lambda v, x: x,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("make", [reference, resource])
def test_a_run_that_is_under_way_is_cancelled(make, use):
    # Messages of TensorFlow 1.15.5.
    begun, closed = threading.Event(), threading.Event()

    def value():
        begun.set()
        closed.wait(20)
        return np.float32(1.0)

    x = tf.reshape(tf.py_func(value, [], tf.float32), [])
    fetch = USES[use](make(), x)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    error = outcome_of_closing(session, lambda: session.run(fetch), begun, closed.set)
    assert type(error) is tf.errors.CancelledError
    assert error.message == "Run call was cancelled"
    with pytest.raises(RuntimeError, match=r"^Attempted to use a closed Session\.$"):
        session.run(fetch)


WAITS = {
    "Dequeue operation was cancelled": lambda: tf.FIFOQueue(1, tf.float32).dequeue(),
    "Enqueue operation was cancelled": lambda: tf.FIFOQueue(1, "int32").enqueue_many([range(3)]),
    "TakeGrad operation was cancelled": lambda: tf.ConditionalAccumulator("float").take_grad(1),
}


@pytest.mark.parametrize("text", WAITS)
def test_an_op_that_waits_says_what_was_cancelled(text):
    begun = threading.Event()
    with tf.control_dependencies([tf.py_func(begun.set, [], [])]):
        fetch = WAITS[text]()
    session = tf.Session()
    error = outcome_of_closing(session, lambda: session.run(fetch), begun)
    assert type(error) is tf.errors.CancelledError
    assert error.message.startswith(text)


@pytest.mark.parametrize("mode", [-1, 0, 1])
@pytest.mark.parametrize("make", [reference, resource])
def test_threads_that_train_end_with_the_session(make, mode):
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.global_jit_level = mode
    v, w = make(), tf.Variable(tf.ones([60, 60]))
    steps = [v.assign_add(1.0).op, w.assign(tf.tanh(tf.matmul(w, w))), tf.group(w.assign(w + v))]
    session = tf.Session(config=config)
    session.run(tf.global_variables_initializer())
    begun, errors = [threading.Event() for _ in steps], []

    def train(step, event):
        try:
            for i in range(10**9):
                session.run(step)
                if i == 3:
                    event.set()
        except Exception as error:
            errors.append((type(error), str(error)))

    threads = [threading.Thread(target=train, args=pair) for pair in zip(steps, begun)]
    for thread in threads:
        thread.start()
    for event in begun:
        assert event.wait(60)
    session.close()
    for thread in threads:
        thread.join(20)
    assert len(errors) == len(steps)
    assert set(errors) <= {
        (tf.errors.CancelledError, "Run call was cancelled"),
        (tf.errors.CancelledError, "Session has been closed."),
        (RuntimeError, "Attempted to use a closed Session."),
    }
    assert all(slot.value is None for slot in session._state._slots.values())


def test_a_partial_run_that_waits_is_cancelled():
    begun = threading.Event()
    x = tf.placeholder(tf.float32, [])
    with tf.control_dependencies([tf.py_func(lambda _: begun.set(), [x], [])]):
        fetch = tf.FIFOQueue(1, tf.float32).dequeue()
    session = tf.Session()
    handle = session.partial_run_setup([fetch], [x])
    error = outcome_of_closing(session, lambda: session.partial_run(handle, fetch, {x: 1.0}), begun)
    assert type(error) is tf.errors.CancelledError
    assert error.message.startswith("Dequeue operation was cancelled")
