"""Loops whose shapes depend on integers from outside: one program per set of integers."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import headwater as tf
from headwater.engine.loops.loop import Loop
from headwater.ops.control.stack_resource import StackResource
from headwater.ops.control.traced_resources import Repeated


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


def recurrent_gradients(batch=None):
    """Gradients of a loop over the rows of x, whose shapes are not known, and its loss."""
    x = tf.placeholder(tf.float32, [None, batch, 2])
    weights = tf.constant([[0.5, -1.0], [0.25, 0.75]])
    bias = tf.constant([0.125, -0.25])
    rows = tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x)
    results = tf.TensorArray(tf.float32, tf.shape(x)[0])

    def body(i, state, results):
        state = tf.tanh(tf.matmul(state, weights) + rows.read(i) * bias)
        return i + 1, state, results.write(i, state)

    start = tf.zeros([tf.shape(x)[1], 2])
    count = tf.shape(x)[0]
    _, _, results = tf.while_loop(lambda i, *_: i < count, body, [0, start, results])
    loss = tf.reduce_sum(tf.square(results.stack()))
    return x, [loss, *tf.gradients(loss, [x, weights, bias])]


def test_one_program_is_for_several_lengths(session, monkeypatch):
    x, fetches = recurrent_gradients()
    random = np.random.RandomState(0)
    lengths = [3, 5, 5, 4, 6, 6, 9, 1, 7, 12, 10, 16, 2, 14, 3, 17, 5]
    given = [random.randn(length, 4, 2).astype(np.float32) for length in lengths]
    found = [session.run(fetches, {x: value}) for value in given]
    monkeypatch.setenv("HEADWATER_JIT", "never")
    with tf.Session() as other:
        for value, results in zip(given, found):
            for mine, expected in zip(results, other.run(fetches, {x: value})):
                np.testing.assert_allclose(mine, expected, rtol=2e-5, atol=1e-6)
    loops = loops_of(session)
    assert len(loops) == 2
    for loop in loops:
        assert loop._padded
        assert len(loop._programs) == 1


def test_shapes_that_all_iterations_share_are_known_to_the_program_of_gradients(session):
    x, fetches = recurrent_gradients()
    # The first run is interpreted.
    *_, expected = session.run(fetches, {x: np.full([4, 1, 2], 0.5)})
    for batch in (*[3] * 5, *[1] * 20, 3):
        *_, bias_slope = session.run(fetches, {x: np.full([4, batch, 2], 0.5)})
        np.testing.assert_allclose(bias_slope / batch, expected, rtol=1e-5)
    backward = loops_of(session)[1]
    assert backward._traceable
    assert len(backward._programs) == 2


def test_shapes_that_differ_between_iterations_keep_the_gradients_step_by_step(session):
    x = tf.placeholder(tf.float32, [None])
    count = tf.placeholder(tf.int32, [])
    _, y = tf.while_loop(
        lambda i, _: i < count,
        lambda i, y: (i + 1, tf.concat([y, 2.0 * y], 0) * tf.reduce_mean(y)),
        [0, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    gradient = tf.gradients(y, x)[0]
    # With one iteration, all elements of a stack are the same.
    for times, expected in ((1, 6.0), (1, 6.0), (1, 6.0), (2, 54.0), (2, 54.0), (1, 6.0)):
        np.testing.assert_allclose(session.run(gradient, {x: [1.0, 1.0], count: times}), expected)


def branch_with_a_loop(inner):
    """A loss with a loop in one branch, and its gradients; `inner` puts a branch into the loop."""
    x = tf.placeholder(tf.float32, [None, None, 2])
    weights = tf.constant([[0.5, -1.0], [0.25, 0.75]])

    def step(row, state):
        new = tf.tanh(tf.matmul(state, weights) + row)
        if inner:
            return tf.cond(tf.reduce_sum(new) > 0, lambda: new * state - 1, lambda: new + 1)
        return new

    def several():
        rows = tf.transpose(x, [1, 0, 2])
        count = tf.shape(rows)[0]
        array = tf.TensorArray(tf.float32, count).unstack(rows)
        _, last = tf.while_loop(
            lambda i, _: i < count,
            lambda i, state: (i + 1, step(array.read(i), state)),
            [0, tf.zeros_like(rows[0])],
        )
        return tf.reduce_sum(last * tf.constant([1.0, 2.0]))

    loss = tf.cond(tf.equal(tf.shape(x)[1], 1), lambda: tf.reduce_sum(x), several)
    return x, [loss, *tf.gradients(loss, [x, weights])]


@pytest.mark.parametrize("inner", [False, True])
def test_gradients_of_loops_in_branches_are_programs(inner, session, monkeypatch):
    x, fetches = branch_with_a_loop(inner)
    random = np.random.RandomState(1)
    given = [random.rand(3, steps, 2) - 0.5 for steps in (4, 4, 4, 1, 1, 1, 4, 5, 5, 5, 7, 6)]
    found = [session.run(fetches, {x: value}) for value in given]
    loops = loops_of(session)
    assert len(loops) == 2
    for loop in loops:
        assert loop._traceable
        assert loop._programs
    monkeypatch.setenv("HEADWATER_JIT", "never")
    with tf.Session() as other:
        for value, results in zip(given, found):
            for mine, expected in zip(results, other.run(fetches, {x: value})):
                np.testing.assert_allclose(mine, expected, rtol=2e-5, atol=1e-6)


def test_parts_that_iterations_treat_differently_are_carried_apart(session):
    size = tf.placeholder(tf.int32, [])
    arrays = [tf.TensorArray(tf.float32, size, clear_after_read=False) for _ in range(2)]

    def body(i, first, second):
        value = tf.cast(i, tf.float32)
        return i + 1, first.write(i, value), second.write(size - 1 - i, value)

    _, *arrays = tf.while_loop(lambda i, *_: i < size, body, [0, *arrays])
    stacked = [array.stack() for array in arrays]
    for count in (3, 4, 3, 4, 3, 4, 3):
        upwards, downwards = session.run(stacked, {size: count})
        np.testing.assert_array_equal(upwards, np.arange(count))
        np.testing.assert_array_equal(downwards, np.arange(count)[::-1])
    (loop,) = loops_of(session)
    assert len(loop._programs) == 1


def test_what_is_the_same_in_every_iteration_is_computed_and_kept_once(session, monkeypatch):
    kept = []
    original = StackResource.after_program

    def noting(stack, state):
        kept.append(state[0])
        original(stack, state)

    monkeypatch.setattr(StackResource, "after_program", noting)
    x = tf.placeholder(tf.float32, [None, 3, 3])
    weights = tf.placeholder(tf.float32, [3, 6])

    def body(i, state):
        left, right = tf.split(weights, 2, 1)
        return i + 1, tf.tanh(tf.matmul(state, left) * right)

    count = tf.shape(x)[0]
    _, last = tf.while_loop(lambda i, _: i < count, body, [0, x[0]])
    fetches = [last, *tf.gradients(last, [x, weights])]
    random = np.random.RandomState(0)
    given = [{x: random.rand(4, 3, 3), weights: random.rand(3, 6)} for _ in range(12)]
    found = [session.run(fetches, feeds) for feeds in given]
    monkeypatch.setenv("HEADWATER_JIT", "never")
    with tf.Session() as other:
        for feeds, results in zip(given, found):
            for mine, expected in zip(results, other.run(fetches, feeds)):
                np.testing.assert_allclose(mine, expected, rtol=2e-5, atol=1e-6)
    loops = loops_of(session)
    assert [node.op.type for node in loops[0].once_nodes] == ["Split"]
    assert all(loop._programs for loop in loops)
    # The halves of the weights, but not the states.
    assert {np.shape(rows.element) for rows in kept if isinstance(rows, Repeated)} >= {(3, 3)}
    assert any(not isinstance(rows, Repeated) for rows in kept)


def test_a_variable_that_a_loop_updates_is_read_in_every_iteration(session):
    with tf.variable_scope("", use_resource=True):
        total = tf.get_variable("total", initializer=1.0)

    def body(i, seen):
        doubled = total.read_value() * 2.0
        with tf.control_dependencies([doubled]):
            update = total.assign_add(1.0, read_value=False)
        with tf.control_dependencies([update]):
            return i + 1, tf.identity(seen + doubled)

    _, seen = tf.while_loop(lambda i, _: i < 3, body, [0, 0.0], parallel_iterations=1)
    session.run(total.initializer)
    assert [session.run(seen) for _ in range(8)] == [12.0 + 18.0 * i for i in range(8)]


def test_an_invariant_op_takes_what_the_predicate_takes_too(session):
    limit = tf.placeholder(tf.float32, [2])
    total = tf.while_loop(
        lambda state: state < tf.reduce_sum(limit),
        lambda state: state + tf.reduce_sum(limit * 2.0),
        [1.0],
    )
    assert [session.run(total, {limit: [2.0, n]}) for n in (3.0, 4.0, 5.0)] == [11.0, 13.0, 15.0]


def test_an_invariant_op_that_fails_does_so_only_if_there_is_an_iteration(session):
    x = tf.placeholder(tf.int32, [])
    count = tf.placeholder(tf.int32, [])
    _, total = tf.while_loop(
        lambda i, _: i < count, lambda i, total: (i + 1, total + 12 // x), [0, 0]
    )
    for times in (3, 3, 3, 3, 3, 3):
        assert session.run(total, {x: 4, count: times}) == 9
        assert session.run(total, {x: 0, count: 0}) == 0
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"[Dd]ivision by zero"):
            session.run(total, {x: 0, count: times})


def test_a_stack_of_equal_elements_goes_on_on_the_host():
    stack = StackResource("s", tf.float32)
    stack.after_program((Repeated(np.float32([1, 2])), 3))
    assert len(stack) == 3
    assert stack.rows_shape() == (-1, 2)
    np.testing.assert_array_equal(stack.pop(), [1, 2])
    stack.push(np.float32([3, 4]))
    assert stack.rows_shape() == (3, 2)
    np.testing.assert_array_equal(stack.in_program()[0], [[1, 2], [1, 2], [3, 4]])


def test_equal_integers_on_a_stack_are_one_element_as_in_programs():
    stack = StackResource("s", tf.int32)
    for _ in range(3):
        stack.push(np.int32([2, 1]))
    assert stack.rows_shape() == (-1, 2)
    np.testing.assert_array_equal(stack.same_element(), [2, 1])
    stack.push(np.int32([2, 2]))
    assert stack.rows_shape() == (4, 2)
    assert stack.same_element() is None
    np.testing.assert_array_equal(stack.in_program()[0], [[2, 1], [2, 1], [2, 1], [2, 2]])
