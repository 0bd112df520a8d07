"""Programs that several steps need in the same run are compiled at the same time."""

import threading

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling import expected
from headwater.engine.compiling.program import Program
from headwater.engine.compiling.segment import Segment
from headwater.engine.loops.loop import Loop
from headwater.engine.loops.program import LoopProgram


@pytest.fixture
def together(monkeypatch):
    """For each step that compiles, how many programs of other steps are compiled with its own."""
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    counts: list[int] = []

    def in_threads(first, others):
        counts.append(len(others))
        return run(first, others)

    run = expected.in_threads
    monkeypatch.setattr(expected, "in_threads", in_threads)
    return counts


def steps(x):
    """Three segments with steps on the host between them."""
    for _ in range(3):
        x = tf.py_func(lambda v: v, [tf.tanh(x * 2.0) + 1.0], tf.float32)
        x.set_shape([400, 400])
    return x


def outputs_of_recurrent_network(x):
    cell = tf.nn.rnn_cell.BasicRNNCell(4)
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(cell, cell, x, dtype=tf.float32)
    loss = tf.reduce_sum(tf.square(tf.concat(outputs, 2)))
    return tf.gradients(loss, [x, *tf.trainable_variables()])


def programs_of(session):
    steps = [step for plan in session._plans.values() for step in plan.schedule.steps]
    return [len(s._programs) for s in steps if isinstance(s, (Segment, Loop))]


def test_segments_are_compiled_with_the_first_one(together, rng):
    x = tf.placeholder(tf.float32, [400, 400])
    y = steps(x)
    value = rng.normal(size=(400, 400)).astype(np.float32)
    with tf.Session() as session:
        wanted = session.run(y, {x: value})
        assert together == []
        found = [session.run(y, {x: value}) for _ in range(2)]
        assert programs_of(session) == [1, 1, 1]
    assert together == [2]
    np.testing.assert_allclose(found, [wanted] * 2, rtol=1e-5)


def test_loops_and_segments_are_compiled_with_the_first_one(together, rng):
    x = tf.placeholder(tf.float32, [3, 5, 4])
    gradients = outputs_of_recurrent_network(x)
    value = rng.normal(size=(3, 5, 4)).astype(np.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        wanted = session.run(gradients, {x: value})
        found = [session.run(gradients, {x: value}) for _ in range(3)]
        assert sum(programs_of(session)) > 4
    assert max(together) >= 4
    for values in found:
        for one, other in zip(values, wanted):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_a_program_for_other_shapes_than_those_of_the_run_waits_for_them(together, rng):
    x = tf.placeholder(tf.float32, [None, 5, 4])
    gradients = outputs_of_recurrent_network(x)
    values = [rng.normal(size=(n, 5, 4)).astype(np.float32) for n in (3, 2)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        wanted = [session.run(gradients, {x: v}) for v in values]
        # The runs before had other shapes.
        found = [session.run(gradients, {x: v}) for v in values * 2]
    for one, other in zip(found, wanted * 2):
        for a, b in zip(one, other):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("program", [Program, LoopProgram])
def test_a_program_that_cannot_be_compiled_early_is_left_to_its_step(
    together, rng, monkeypatch, program
):
    name = "compile" if program is Program else "__init__"
    make, run = getattr(program, name), expected.in_threads
    early, failed = threading.local(), []

    def marked(task):
        def call():
            early.is_now = True
            try:
                task()
            finally:
                early.is_now = False

        return call

    def fail_once(self, *arguments):
        if getattr(early, "is_now", False) and not failed:
            failed.append(self)
            raise RuntimeError("not now")
        return make(self, *arguments)

    monkeypatch.setattr(
        expected, "in_threads", lambda first, others: run(first, list(map(marked, others)))
    )

    monkeypatch.setattr(program, name, fail_once)
    x = tf.placeholder(tf.float32, [3, 5, 4])
    gradients = outputs_of_recurrent_network(x)
    value = rng.normal(size=(3, 5, 4)).astype(np.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        wanted = session.run(gradients, {x: value})
        for _ in range(2):
            found = session.run(gradients, {x: value})
    assert failed
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
