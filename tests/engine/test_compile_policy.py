"""What is compiled, and when: what it costs to interpret decides."""

import os
import subprocess
import sys

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling import compile_policy
from headwater.engine.compiling.compile_policy import (
    LATER_SHAPES,
    LATEST_ITERATION,
    LATEST_LOOP_RUN,
    LATEST_RUN,
    worthwhile_after,
)
from headwater.engine.compiling.segment import Segment
from headwater.engine.loops.loop import Loop


@pytest.fixture(autouse=True)
def _as_in_programs(monkeypatch):
    # Other tests compile sooner.
    monkeypatch.setattr(compile_policy, "LATEST_RUN", LATEST_RUN)
    monkeypatch.setattr(compile_policy, "LATEST_LOOP_RUN", LATEST_LOOP_RUN)
    monkeypatch.setattr(compile_policy, "LATEST_ITERATION", LATEST_ITERATION)
    monkeypatch.setattr(compile_policy, "LATER_SHAPES", LATER_SHAPES)
    monkeypatch.setenv("HEADWATER_JIT", "auto")


def programs_of(session):
    """The compiled programs of a session, those of loops included."""
    steps = [step for plan in session._plans.values() for step in plan.schedule.steps]
    return [p for s in steps if isinstance(s, (Segment, Loop)) for p in s._programs.values()]


def runs_until_compiled(session, fetch, feeds):
    for run in range(1, 20):
        session.run(fetch, feeds)
        if programs_of(session):
            return run
    return None


def layers(size):
    x = tf.placeholder(tf.float32, [None, size])
    w = tf.Variable(tf.ones([size, size]) / size)
    loss = tf.reduce_sum(tf.square(tf.tanh(tf.matmul(x, w)) + 1.0))
    return x, w, w.assign_sub(0.1 * tf.gradients(loss, w)[0])


@pytest.mark.parametrize(("size", "run"), [(4, LATEST_RUN), (1500, 2)])
def test_the_less_a_run_costs_the_later_it_is_compiled(size, run):
    x, w, train = layers(size)
    with tf.Session() as session:
        session.run(w.initializer)
        feeds = {x: np.ones([2, size], np.float32)}
        assert runs_until_compiled(session, train.op, feeds) == run


@pytest.mark.parametrize(("iterations", "run"), [(3, LATEST_LOOP_RUN), (400, 2)])
def test_a_loop_is_compiled_the_sooner_the_more_iterations_it_has(iterations, run):
    x = tf.placeholder(tf.float32, [3])
    y = tf.while_loop(
        lambda i, _: i < iterations, lambda i, v: (i + 1, tf.tanh(v) + tf.sin(v)), [0, x]
    )[1]
    with tf.Session() as session:
        assert runs_until_compiled(session, y, {x: np.ones(3)}) == run


@pytest.mark.parametrize(("size", "run"), [(4, LATEST_RUN * LATER_SHAPES), (1500, 7)])
def test_cheap_programs_for_more_shapes_are_compiled_later(size, run):
    x, w, train = layers(size)
    with tf.Session() as session:
        session.run(w.initializer)
        for _ in range(LATEST_RUN):
            session.run(train.op, {x: np.ones([2, size])})
        assert len(programs_of(session)) == 1
        for _ in range(run - 1):
            session.run(train.op, {x: np.ones([3, size])})
        assert len(programs_of(session)) == 1
        session.run(train.op, {x: np.ones([3, size])})
        assert len(programs_of(session)) == 2


def test_cheap_loops_for_more_shapes_are_compiled_later():
    x = tf.placeholder(tf.float32, [None])
    y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, tf.tanh(v) + tf.sin(v)), [0, x])[1]
    with tf.Session() as session:
        assert runs_until_compiled(session, y, {x: np.ones(3)}) == LATEST_LOOP_RUN
        for _ in range(LATEST_LOOP_RUN * LATER_SHAPES - 1):
            session.run(y, {x: np.ones(4)})
        assert len(programs_of(session)) == 1
        session.run(y, {x: np.ones(4)})
        assert len(programs_of(session)) == 2


def test_estimates_are_bounded():
    assert worthwhile_after(30, 30, 100, latest=8) == 8
    assert worthwhile_after(30, 30, 50_000_000, latest=8) == 0
    assert 2 < worthwhile_after(100, 100, 4_000_000, latest=8) < 8
    assert worthwhile_after(0, 0, 0, latest=8) == 8
    assert worthwhile_after(30, 30, 100, latest=8, later_shapes=True) == 8 * LATER_SHAPES


def test_a_very_long_program_of_little_work_is_compiled_late():
    assert 20 < worthwhile_after(100_000, 100_000, 1_000_000, latest=5) < 50
    assert worthwhile_after(100_000, 100_000, 1 << 36, latest=5) == 0


_SMALL_TEST_SUITE = """
import sys
import numpy as np
import headwater as tf

for size in range(2, 6):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, size])
        y = tf.map_fn(lambda row: tf.reduce_sum(row) * row, x)
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.tanh(y), lambda: -y)
        slope = tf.gradients(tf.reduce_sum(tf.nn.softmax(y) * 2.0), x)[0]
        for rows in (1, 2, 2, 3):
            session.run([y, slope], {x: np.ones([rows, size])})
print("jax" in sys.modules)
"""


def test_a_suite_of_small_graphs_does_not_load_jax():
    environment = {**os.environ, "HEADWATER_JIT": "auto"}
    done = subprocess.run(
        [sys.executable, "-c", _SMALL_TEST_SUITE],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.stdout.strip() == "False", done.stderr
