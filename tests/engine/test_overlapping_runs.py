"""Runs of several threads that update the same variable before either of them has ended."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headwater as tf


def counter(dtype):
    return tf.Variable(tf.constant(0, dtype)).count_up_to(5)


def added(use_resource, shape=()):
    return tf.assign_add(tf.Variable(tf.zeros(shape), use_resource=use_resource), tf.ones(shape))


def added_in_a_loop():
    v = tf.Variable(0.0)

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            return i + 1

    with tf.control_dependencies([tf.while_loop(lambda i: i < 1, body, [0])]):
        return tf.identity(v)


def sampled_classes():
    """A value that an op on the host draws."""
    sampler = tf.nn.uniform_candidate_sampler
    return sampler(tf.zeros([1, 1], tf.int64), 1, 1, False, 1 << 40, seed=1).sampled_candidates


UPDATES = {
    "CountUpTo of int32": lambda: counter(tf.int32),
    "CountUpTo of int64": lambda: counter(tf.int64),
    "AssignAdd": lambda: added(False),
    "AssignAdd of a large variable": lambda: added(False, [2000]),
    "AssignAddVariableOp": lambda: added(True),
    "AssignAdd in a loop": added_in_a_loop,
    "RandomUniform": lambda: tf.random_uniform([], seed=1),
    "RandomUniform of many": lambda: tf.random_uniform([5000], seed=1),
    "UniformCandidateSampler": sampled_classes,
}


class Overlap:
    """A fetch whose run stops after an update until it may go on.

    Args:
        update: what it computes first.
        fails: whether it fails when it goes on.
    """

    def __init__(self, update, fails=False):
        self.started, self.may_end = threading.Event(), threading.Event()
        self.stops = True
        self._fails = fails
        self.fetch = tf.py_func(self._pause, [update], update.dtype, stateful=True)

    def _pause(self, value):
        if self.stops:
            self.started.set()
            assert self.may_end.wait(30)
            if self._fails:
                raise ValueError("too late")
        return value

    def run(self, session, meanwhile):
        """The result of a run, or its error, and that of another run while it stops."""
        outcome = []

        def work():
            try:
                outcome.append(session.run(self.fetch))
            except tf.errors.OpError as error:
                outcome.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        assert self.started.wait(30)
        try:
            other = session.run(meanwhile)
        finally:
            self.may_end.set()
            thread.join()
        return outcome[0], other


@pytest.mark.parametrize("kind", UPDATES)
def test_overlapping_runs_lose_no_update(session, kind):
    update = UPDATES[kind]()
    overlap = Overlap(update)
    session.run(tf.global_variables_initializer())
    overlap.stops = False
    values = [session.run(overlap.fetch) for _ in range(2)]
    overlap.stops = True
    values.extend(overlap.run(session, update))
    assert len({np.asarray(value).tobytes() for value in values}) == 4
    if "Uniform" not in kind:
        start = 0 if "CountUpTo" in kind else 1
        assert [float(np.max(value)) for value in values] == [start + i for i in range(4)]


@pytest.mark.parametrize("fails", [False, True])
def test_an_update_that_another_run_has_seen_is_not_taken_back(session, fails):
    v = tf.Variable(1.0)
    overlap = Overlap(tf.assign_add(v, 10.0), fails)
    session.run(tf.global_variables_initializer())
    first, second = overlap.run(session, tf.assign_add(v, 100.0))
    assert second == 111
    assert isinstance(first, tf.errors.InvalidArgumentError) if fails else first == 11
    assert session.run(v) == 111


def test_an_update_that_no_other_run_has_seen_is_taken_back(session):
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    overlap = Overlap(tf.assign_add(v, 10.0), fails=True)
    session.run(tf.global_variables_initializer())
    first, others = overlap.run(session, [v.read_value(), tf.assign_add(w, 1.0)])
    assert isinstance(first, tf.errors.InvalidArgumentError)
    assert others == [1, 2]
    assert session.run([v, w]) == [1, 2]
    # Nothing of the failed run is left to be published.
    assert session.run(tf.assign_add(v, 1.0)) == 2
    assert session._state.unpublished == {}


def test_an_assignment_follows_the_updates_before_it(session):
    v = tf.Variable(1.0)
    overlap = Overlap(tf.assign_add(v, 10.0))
    session.run(tf.global_variables_initializer())
    overlap.run(session, tf.assign(v, 5.0))
    assert session.run(v) == 5


def test_threads_that_fill_a_queue_take_no_value_twice(session):
    queue = tf.FIFOQueue(100, [tf.float32], [[2]])
    limited = tf.train.limit_epochs(tf.constant(7.0), 60)
    fill = tf.group(queue.enqueue(tf.stack([tf.random_uniform([], seed=2), limited])))
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])

    def work():
        try:
            while True:
                session.run(fill)
        except tf.errors.OutOfRangeError:
            pass

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.run(queue.size()) == 60
    rows = session.run(queue.dequeue_many(60))
    assert len(set(rows[:, 0])) == 60
