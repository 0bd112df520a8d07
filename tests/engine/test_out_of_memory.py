"""Runs that do not fit into memory: TensorFlow's error each time, and no state changes.

Each test is a process of its own, which may not have more than a few GiB.
"""

from __future__ import annotations

import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")

_START = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (5 << 30, 5 << 30))
import sys
import os
import numpy as np
import headwater as tf
from headwater.engine.compiling import footprint

def fails(fetches, feeds, shape, times=4):
    for _ in range(times):
        try:
            session.run(fetches, feeds)
            session.run(anything)
        except tf.errors.ResourceExhaustedError as error:
            texts = tuple(
                f"OOM when allocating tensor with shape[{each}] and type float on "
                "/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu"
                for each in (shape or "").split()
            )
            assert shape is None or error.message.startswith(texts), error.message
            assert shape is None or error.op is not None
            assert error.hint
        else:
            raise AssertionError("reported as success")

def trained():
    n = tf.placeholder(tf.int32, [])
    v = tf.Variable(tf.ones([500, 500]))
    u = tf.random_uniform([n, n])
    step = v.assign_add(tf.ones([500, 500]) * tf.reduce_sum(tf.matmul(u, u))).op
    return n, v, step

anything = tf.constant(1.0)
session_jit = os.environ["HEADWATER_JIT"]
session = tf.Session()
"""


@pytest.fixture
def run(fork):
    """A function that runs a program in a process whose address space is limited."""

    def run_limited(program: str, jit: str = "auto") -> None:
        code = _START + textwrap.dedent(program)
        done = fork(code, environment={"HEADWATER_JIT": jit}, setup="import headwater, jax")
        assert done.returncode == 0, done.stderr

    return run_limited


@pytest.mark.parametrize("jit", ["auto", "always", "never"])
def test_updates_that_do_not_fit_change_nothing(run, jit):
    run(
        """
        n, v, step = trained()
        session.run(v.initializer)
        for _ in range(2):
            session.run(step, {n: 5})
        before = session.run(v)
        # Kernels on the host draw flat arrays; new shapes are interpreted at first.
        texts = {"always": "60000,60000", "never": "3600000000", "auto": "3600000000 60000,60000"}
        fails(step, {n: 60_000}, texts[session_jit])
        np.testing.assert_array_equal(session.run(v), before)
        session.run(step, {n: 5})
        assert (session.run(v) > before).all()
        session.run(v.initializer)
        assert (session.run(v) == 1).all()
        """,
        jit,
    )


@pytest.mark.parametrize("jit", ["auto", "always", "never"])
def test_results_that_do_not_fit_do_not_end_the_process(run, jit):
    run(
        """
        a, b = tf.placeholder(tf.float32, [None, 1]), tf.placeholder(tf.float32, [1, None])
        total, product = a + b, tf.matmul(a, b)
        big = np.ones([100_000, 1], np.float32)
        for fetch in (total, product):
            fails(fetch, {a: big, b: big.T}, "100000,100000")
            assert session.run(fetch, {a: big[:2], b: big[:3].T}).shape == (2, 3)
        """,
        jit,
    )


def test_a_training_step_that_does_not_fit_leaves_the_optimizer_as_it_was(run):
    run(
        """
        x = tf.placeholder(tf.float32, [None, 4])
        loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 4096, tf.nn.relu)))
        step = tf.train.AdamOptimizer(0.1).minimize(loss)
        session.run(tf.global_variables_initializer())
        small, big = np.ones([3, 4], np.float32), np.ones([300_000, 4], np.float32)
        for _ in range(3):
            session.run(step, {x: small})
        before = session.run(tf.global_variables())
        fails(step, {x: big}, "300000,4096")
        for old, new in zip(before, session.run(tf.global_variables())):
            np.testing.assert_array_equal(old, new)
        session.run(step, {x: small})
        """
    )


def test_loops_that_do_not_fit_can_be_run_again(run):
    run(
        """
        n = tf.placeholder(tf.int32, [])
        def body(i, x):
            return i + 1, tf.reduce_sum(tf.sin(tf.random_uniform([n, n]) + x)) / 1e9
        result = tf.while_loop(lambda i, x: i < 3, body, [0, 0.0])[1]
        fails(result, {n: 60_000}, None)
        for _ in range(3):
            assert np.isfinite(session.run(result, {n: 3}))
        """
    )


def test_what_fails_although_it_barely_fits_loses_nothing(run):
    """The program passes the check, as if more memory were free, but only just enough."""
    run(
        """
        n, v, step = trained()
        session.run(v.initializer)
        for _ in range(2):
            session.run(step, {n: 5})
        before = session.run(v)
        footprint.available_memory = lambda: 15 << 30
        fails(step, {n: 60_000}, "60000,60000")
        np.testing.assert_array_equal(session.run(v), before)
        """,
        "always",
    )


def test_variables_of_an_unexpected_failure_are_empty_and_can_be_set_again(run):
    """The program passes the check, as if it could not fail, so its buffers are donated."""
    run(
        """
        n, v, step = trained()
        session.run(v.initializer)
        session.run(step, {n: 5})
        footprint.available_memory = lambda: sys.maxsize
        session.run(step, {n: 60_000})
        for _ in range(2):
            try:
                session.run(step, {n: 5})
            except (tf.errors.ResourceExhaustedError, tf.errors.FailedPreconditionError) as error:
                last = error
            else:
                raise AssertionError("reported as success")
        assert "Attempting to use uninitialized value" in last.message, last
        session.run(v.initializer)
        session.run(step, {n: 60_000})
        # Nobody has noticed yet.
        session.run(v.initializer)
        assert (session.run(v) == 1).all()
        fails(step, {n: 5}, None, times=1)
        assert (session.run(v) == 1).all()
        session.run(step, {n: 60_000})
        for kind in (tf.errors.ResourceExhaustedError, tf.errors.FailedPreconditionError):
            try:
                session.run(v)
            except kind:
                continue
            raise AssertionError("a value")
        """,
        "always",
    )
