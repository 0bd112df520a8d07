"""Loops whose shapes depend on integers from outside: one program per set of integers."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import headwater as tf
from headwater.engine.loops.loop import Loop


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    gc.collect()
    with tf.Session() as session:
        yield session


def loops_of(session):
    return [n for p in session._plans.values() for n in p.nodes if isinstance(n, Loop)]


def test_a_number_from_outside_that_decides_on_a_shape_is_part_of_the_key(session):
    size = tf.placeholder(tf.int32, [])
    x = tf.placeholder(tf.float32, [None])

    def body(i, total):
        row = tf.reshape(x, tf.stack([size, -1]))
        return i + 1, total + tf.reduce_sum(row[-1] * tf.cast(i, tf.float32))

    _, total = tf.while_loop(
        lambda i, total: (i < 30) & (total < 1e6), body, [0, 0.0], back_prop=False
    )
    values = np.arange(12, dtype=np.float32)
    for count in (3, 3, 3, 3, 4, 4, 4, 3):
        expected = values.reshape(count, -1)[-1].sum() * 435
        assert session.run(total, {size: count, x: values}) == expected
    (loop,) = loops_of(session)
    assert len(loop._programs) == 2


def test_a_value_that_changes_with_the_iteration_keeps_the_loop_step_by_step(session):
    x = tf.placeholder(tf.float32, [6])
    size = tf.placeholder(tf.int32, [])

    def body(i, total):
        parts = tf.reshape(tf.tile(x, [i]), tf.stack([i * size, -1]))
        return i + 1, total + tf.reduce_sum(parts[0])

    _, total = tf.while_loop(lambda i, _: i < 5, body, [1, 0.0], back_prop=False)
    values = np.arange(6, dtype=np.float32)
    for count in (2, 2, 2, 3, 3):
        expected = 4 * values.reshape(count, -1)[0].sum()
        assert session.run(total, {x: values, size: count}) == expected
    (loop,) = loops_of(session)
    assert not loop._programs
