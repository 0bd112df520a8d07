"""Branches and loops as the engine runs them: interpreted, compiled, and as programs."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.graph import build


@pytest.fixture(autouse=True, params=["auto", "always", "never"])
def jit_mode(request, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", request.param)
    with tf.Graph().as_default():
        yield request.param


def results(fetch, feed_dict=None, times=3):
    """The values of several runs in one session, all variables initialized once."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(fetch, feed_dict) for _ in range(times)]


def test_only_the_branch_taken_runs():
    p = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.int32, [])
    y = tf.cond(p, lambda: 10 // x, lambda: x)
    assert results(y, {p: True, x: 3}) == [3, 3, 3]
    assert results(y, {p: False, x: 0}) == [0, 0, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        results(y, {p: True, x: 0})


def test_a_branch_of_constants():
    p = tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
    assert results(y, {p: True}) == [1] * 3
    assert results(y, {p: False}) == [2] * 3


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables_change_in_the_branch_taken_only(use_resource):
    p = tf.placeholder(tf.bool, [])
    with tf.variable_scope("scope", use_resource=use_resource):
        v = tf.get_variable("v", initializer=1.0)
        w = tf.get_variable("w", initializer=1.0)
    update = tf.cond(p, lambda: v.assign_add(1.0), lambda: w.assign_add(10.0))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run(update, {p: k % 2 == 0}) for k in range(6)]
        assert found == [2.0, 11.0, 3.0, 21.0, 4.0, 31.0]
        assert session.run([v, w]) == [4.0, 31.0]


def test_an_uninitialized_variable_on_the_other_branch():
    p = tf.placeholder(tf.bool, [])
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    y = tf.cond(p, lambda: v + 1.0, lambda: 0.0)
    with tf.Session() as session:
        assert [session.run(y, {p: False}) for _ in range(4)] == [0.0] * 4
        with pytest.raises(tf.errors.FailedPreconditionError, match="reading resource variable v"):
            session.run(y, {p: True})


@pytest.mark.parametrize("resource", [False, True])
def test_a_first_value_is_assigned_and_later_ones_are_added(resource):
    x = tf.placeholder(tf.float32, [])
    v = tf.Variable(0.0, use_resource=resource)
    known = tf.is_variable_initialized(v)
    y = tf.cond(known, lambda: tf.assign_add(v, x), lambda: tf.assign(v, x))
    with tf.Session() as session:
        assert [session.run(y, {x: 3.0}) for _ in range(4)] == [3.0, 6.0, 9.0, 12.0]


def test_an_update_that_is_never_taken_needs_no_value():
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [])
    v = tf.Variable(0.0)
    y = tf.cond(p, lambda: tf.assign_add(v, x), lambda: x * 2)
    with tf.Session() as session:
        assert [session.run(y, {p: False, x: 3.0}) for _ in range(4)] == [6.0] * 4
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value Variable"):
            session.run(y, {p: True, x: 3.0})


def test_a_predicate_that_a_program_computes():
    x = tf.placeholder(tf.float32, [100, 100])
    y = tf.matmul(x, x)
    z = tf.cond(tf.reduce_sum(y) > 0, lambda: tf.reduce_max(y), lambda: tf.reduce_min(y) * 2)
    ones = np.ones([100, 100], np.float32)
    assert results(z, {x: ones}) == [100.0] * 3
    turn = np.kron(np.float32([[0, 1], [-1, 0]]), np.eye(50, dtype=np.float32))
    with tf.Session() as session:
        for _ in range(3):
            assert session.run(z, {x: turn}) == -2.0
            assert session.run(z, {x: ones}) == 100.0


def test_fetching_what_was_not_taken():
    taken, other = build.Switch(tf.constant([1, 2]), tf.constant(False))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Retval\[0\] does not have value"):
        results(tf.identity(other))
    assert np.array_equal(results(taken)[2], [1, 2])


@pytest.mark.parametrize("count", [0, 1, 10, 300])
def test_a_counter(count):
    n = tf.placeholder(tf.int32, [])
    i, s = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [0, 0])
    assert results([i, s], {n: count}) == [[count, count * (count - 1) // 2]] * 3


def test_a_branch_in_a_loop():
    n = tf.placeholder(tf.int32, [])
    y = tf.while_loop(
        lambda i, s: i < n,
        lambda i, s: (i + 1, tf.cond(tf.equal(i % 3, 0), lambda: s + 1.0, lambda: s * 1.5)),
        [0, 1.0],
    )[1]
    expected = np.float32(1)
    for i in range(100):
        expected = expected + np.float32(1) if i % 3 == 0 else expected * np.float32(1.5)
    np.testing.assert_allclose(results(y, {n: 100}), [expected] * 3, rtol=1e-5)


def test_a_failing_check_in_a_branch_of_a_loop():
    n = tf.placeholder(tf.int32, [])
    x = tf.placeholder(tf.int32, [])
    y = tf.while_loop(
        lambda i, s: i < n,
        lambda i, s: (i + 1, tf.cond(i > 80, lambda: s + 10 // x, lambda: s + 1)),
        [0, 0],
    )[1]
    assert results(y, {n: 80, x: 0}) == [80] * 3
    assert results(y, {n: 100, x: 5}) == [81 + 2 * 19] * 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
        results(y, {n: 100, x: 0})


def test_a_loop_in_a_branch_and_a_loop_in_a_loop():
    p = tf.placeholder(tf.bool, [])
    n = tf.placeholder(tf.int32, [])

    def triangle(i, s):
        return i + 1, tf.while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + j), [0, s])[1]

    y = tf.cond(
        p, lambda: tf.while_loop(lambda i, s: i < n, triangle, [0, 0])[1], lambda: tf.negative(n)
    )
    expected = sum(j for i in range(90) for j in range(i))
    assert results(y, {p: True, n: 90}) == [expected] * 3
    assert results(y, {p: False, n: 90}) == [-90] * 3


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables_updated_in_a_loop(use_resource):
    with tf.variable_scope("scope", use_resource=use_resource):
        v = tf.get_variable("v", initializer=0.0)

    def body(i):
        with tf.control_dependencies([v.assign_add(2.0)]):
            return tf.identity(i) + 1

    loop = tf.while_loop(lambda i: i < 100, body, [0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(loop) for _ in range(3)] == [100] * 3
        assert session.run(v) == 600.0


def test_random_numbers_in_a_loop_do_not_depend_on_how_it_runs(monkeypatch):
    y = tf.while_loop(
        lambda i, s: i < 150,
        lambda i, s: (i + 1, s + tf.random_uniform([2], seed=7)),
        [0, tf.zeros([2])],
    )[1]
    found = results(y)
    monkeypatch.setenv("HEADWATER_JIT", "never")
    np.testing.assert_allclose(found, results(y), rtol=1e-5)


def test_shapes_that_grow():
    n = tf.placeholder(tf.int32, [])
    y = tf.while_loop(
        lambda i, s: i < n,
        lambda i, s: (i + 1, tf.concat([s, [i]], 0)),
        [0, tf.zeros([0], tf.int32)],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )[1]
    for found in results(y, {n: 70}):
        assert np.array_equal(found, np.arange(70))


def test_python_functions_in_a_loop():
    seen = []

    def add_two(k):
        seen.append(int(k))
        return k + np.int32(2)

    y = tf.while_loop(
        lambda i: i < 6,
        lambda i: tf.py_func(add_two, [i], tf.int32),
        [0],
        shape_invariants=[tf.TensorShape(None)],
    )
    assert results(y) == [6] * 3
    assert seen == [0, 2, 4] * 3


def test_an_endless_loop_runs_into_its_time_limit():
    y = tf.while_loop(lambda i: i >= 0, lambda i: i * 2 % 7, [1])
    config = tf.ConfigProto(operation_timeout_in_ms=400)
    with (
        tf.Session(config=config) as session,
        pytest.raises(tf.errors.DeadlineExceededError, match="Timed out waiting for notification"),
    ):
        session.run(y)


def test_gradients_through_a_loop_with_arrays():
    x = tf.placeholder(tf.float64, [None, 3])
    w = tf.get_variable("w", initializer=np.linspace(-0.5, 0.5, 9).reshape(3, 3))
    n = tf.shape(x)[0]
    source = tf.TensorArray(tf.float64, n).unstack(x)

    def body(i, h):
        return i + 1, tf.tanh(tf.matmul(h, w) + source.read(i))

    h = tf.while_loop(lambda i, h: i < n, body, [0, tf.zeros([1, 3], tf.float64)])[1]
    loss = tf.reduce_sum(h * h)
    grad = tf.gradients(loss, w)[0]

    def value(weights, inputs):
        state = np.zeros([1, 3])
        for row in inputs:
            state = np.tanh(state @ weights + row)
        return (state * state).sum()

    rng = np.random.default_rng(0)
    for length in (1, 4, 70):
        inputs = rng.normal(size=[length, 3])
        weights = np.linspace(-0.5, 0.5, 9).reshape(3, 3)
        expected = np.zeros([3, 3])
        for i, j in np.ndindex(3, 3):
            step = np.zeros([3, 3])
            step[i, j] = 1e-6
            expected[i, j] = (value(weights + step, inputs) - value(weights - step, inputs)) / 2e-6
        for found in results(grad, {x: inputs}):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_an_array_that_grows():
    x = tf.placeholder(tf.float32, [3])
    n = tf.placeholder(tf.int32, [])

    def body(i, h, written):
        h = tf.sin(h) + x
        return i + 1, h, written.write(i, h)

    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)
    _, _, array = tf.while_loop(
        lambda i, h, written: tf.logical_and(i < n, tf.reduce_sum(h) < 1e9), body, [0, x, array]
    )
    rows, size, last = array.stack(), array.size(), array.read(n - 1)
    start = np.float32([1, 2, 3])
    for count in (3, 70):
        state, expected = start, []
        for _ in range(count):
            state = np.sin(state) + start
            expected.append(state)
        for found in results([rows, size, last], {x: start, n: count}):
            np.testing.assert_allclose(found[0], expected, rtol=1e-5)
            assert found[1] == count
            np.testing.assert_allclose(found[2], expected[-1], rtol=1e-5)


def test_reading_twice_and_out_of_range_in_a_loop():
    n = tf.placeholder(tf.int32, [])
    source = tf.TensorArray(tf.float32, 4, clear_after_read=True).unstack(tf.zeros([4, 2]))

    def total(position):
        return tf.while_loop(
            lambda i, s: i < n,
            lambda i, s: (i + 1, s + source.read(position(i))),
            [0, tf.zeros([2])],
        )[1]

    assert np.array_equal(results(total(lambda i: i), {n: 4})[2], [0, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        results(total(lambda i: i // 2), {n: 2})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tried to read from index 4 but"):
        results(total(lambda i: i), {n: 5})


def test_a_variable_can_be_fed():
    v = tf.Variable(1.0)
    y = v * 2.0 + v
    with tf.Session() as session:
        session.run(v.initializer)
        assert [session.run(y, {v: 5.0}) for _ in range(3)] == [15.0] * 3
        assert session.run(y) == 3.0


def test_a_check_in_a_branch_of_a_branch():
    p = tf.placeholder(tf.bool, [])
    q = tf.placeholder(tf.bool, [])

    def checked():
        with tf.control_dependencies([tf.Assert(q, ["q is", q])]):
            return tf.constant(3)

    y = tf.cond(p, lambda: tf.constant(1), checked)
    assert results(y, {p: True, q: False}) == [1] * 3
    assert results(y, {p: False, q: True}) == [3] * 3
    with tf.Session() as session:
        for _ in range(3):
            assert session.run(y, {p: False, q: True}) == 3
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed: \[q is\]"):
                session.run(y, {p: False, q: False})


def test_references_as_loop_variables():
    v = tf.Variable(3)
    i, x = tf.while_loop(
        lambda i, x: i < 100, lambda i, x: (i + 1, build.RefIdentity(x)), [0, v._ref()]
    )
    assert x.dtype.name == "int32_ref"
    assert results([i, x]) == [[100, 3]] * 3


def test_a_variable_that_enters_a_loop_is_read_there():
    a = tf.get_variable("a", initializer=0)
    b = tf.get_variable("b", initializer=0)

    def body(i):
        with tf.control_dependencies([tf.assign_add(a, 1)]):
            total = tf.assign_add(b, a)
        with tf.control_dependencies([total]):
            return i + 1

    loop = tf.while_loop(lambda i: i < 10, body, [0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(loop)
        assert session.run([a, b]) == [10, 55]


def test_a_predicate_that_a_branch_assigns():
    b = tf.get_variable("b", dtype=tf.bool, initializer=True)
    y = tf.cond(b, lambda: tf.assign(b, False), lambda: tf.constant(True))
    with tf.Session() as session:
        for _ in range(3):
            session.run(b.initializer)
            assert session.run([y, y]) == [False, False]
            assert session.run(y)


def test_a_shape_that_is_a_variable():
    shape = tf.Variable([2, 3])
    x = tf.placeholder(tf.float32, [None])
    y = tf.reshape(x * 2.0, shape)
    with tf.Session() as session:
        session.run(shape.initializer)
        assert [session.run(y, {x: np.arange(6)}).shape for _ in range(3)] == [(2, 3)] * 3
        session.run(shape.assign([3, 2]))
        assert [session.run(y, {x: np.arange(6)}).shape for _ in range(3)] == [(3, 2)] * 3


def test_a_branch_may_assign_what_the_other_one_reads():
    held = tf.Variable(np.eye(2, dtype=np.float32), use_resource=False)
    x, n = tf.placeholder(tf.float32, [2, 2]), tf.placeholder(tf.int32, [])
    chosen = tf.cond(
        tf.equal(n % 2, 0),
        lambda: tf.convert_to_tensor(held.assign(x * 2.0)),
        lambda: tf.convert_to_tensor(held),
    )
    product = tf.matmul(x, chosen)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        kept = np.eye(2)
        for number in range(1, 7):
            fed = np.eye(2) * number
            kept = kept if number % 2 else fed * 2
            np.testing.assert_array_equal(session.run(product, {n: number, x: fed}), fed @ kept)


@pytest.mark.parametrize("kind", [tf.int32, tf.float32, tf.bool, tf.float64])
def test_large_variables_of_all_types_are_updated_in_compiled_branches(session, kind):
    v = tf.Variable(tf.zeros([5000], kind), use_resource=False)
    wants = tf.placeholder(tf.bool)
    one = tf.ones([1], kind)
    result = tf.cond(wants, lambda: tf.scatter_update(v, [1], one), lambda: tf.identity(v))
    session.run(v.initializer)
    for run in range(4):
        found = session.run(result, {wants: run % 2 == 1})
        assert found[1] == (run >= 1) and not found[2:].any()


def test_branches_that_wait_for_a_loop_whose_results_are_not_read(session):
    total = tf.Variable(0.0, use_resource=False)
    wants = tf.placeholder(tf.bool)

    def branch():
        def step(i, x):
            with tf.control_dependencies([tf.assign_add(total, 1.0)]):
                return i + 1, x * 2.0

        results = tf.while_loop(lambda i, x: i < 3, step, [0, tf.zeros([2])])
        with tf.control_dependencies(results):
            return tf.no_op()

    done = tf.cond(wants, branch, tf.no_op)
    session.run(total.initializer)
    for run in range(5):
        session.run(done, {wants: run % 2 == 1})
        assert session.run(total) == 3.0 * ((run + 1) // 2)


def test_axes_that_are_dead():
    x, positive = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.bool, [])
    untaken, axes = build.Switch(tf.constant([1]), positive)
    merged, _ = build.Merge([build.Sum(x, axes), tf.cast(untaken, tf.float32)])
    with tf.Session() as session:
        for turn in range(5):
            value = np.full([2, 3], turn, np.float32)
            assert session.run(merged, {x: value, positive: True}).tolist() == [3 * turn] * 2
            assert session.run(merged, {x: value, positive: False}).tolist() == [1]
