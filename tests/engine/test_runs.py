"""Runs: tiers, host ops between programs, values as keys, failures without effect, threads."""

from __future__ import annotations

import threading
import time
import tracemalloc

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling.segment import Segment
from headwater.graph import build


def variable(value, name=None):
    array = np.asarray(value)
    ref = build.VariableV2(shape=array.shape, dtype=array.dtype, name=name)
    return ref, build.Assign(ref, array)


def plan_of(session, *fetches):
    (plan,) = [p for key, p in session._plans.items() if all(f in key for f in fetches)]
    return plan


def programs(plan):
    return sum(len(s._programs) for s in plan.schedule.steps if isinstance(s, Segment))


@pytest.fixture
def auto_session(monkeypatch):
    """A session that chooses the tier itself, in whatever mode the suite runs."""
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    with tf.Session() as session:
        yield session


def test_the_second_run_of_a_shape_compiles(auto_session):
    session = auto_session
    x = tf.placeholder(tf.float32, [None])
    y = build.Mul(x, 2.0)
    counts = []
    for size in (300, 300, 300, 400, 400):
        np.testing.assert_array_equal(session.run(y, {x: np.ones(size)}), np.full(size, 2.0))
        counts.append(programs(plan_of(session, y)))
    assert counts == [0, 1, 1, 1, 2]


def test_shapes_that_never_come_back_are_never_compiled(auto_session):
    session = auto_session
    x = tf.placeholder(tf.float32, [None])
    y = build.Mul(x, 2.0)
    for size in range(1, 40):
        assert session.run(y, {x: np.ones(size)}).shape == (size,)
    assert programs(plan_of(session, y)) == 0


def test_shapes_that_seldom_come_back_are_not_compiled(auto_session):
    session = auto_session
    x = tf.placeholder(tf.float32, [None])
    y = build.Mul(x, 2.0)
    for _ in range(3):
        for size in range(1, 101):
            session.run(y, {x: np.ones(size)})
    assert programs(plan_of(session, y)) == 0


@pytest.mark.parametrize(("mode", "expected"), [("always", 1), ("never", 0)])
def test_the_environment_chooses_the_tier(monkeypatch, mode, expected):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    session = tf.Session()
    x = tf.placeholder(tf.float32, [2])
    y = build.Add(x, x)
    for _ in range(3):
        np.testing.assert_array_equal(session.run(y, {x: [1, 2]}), [2, 4])
    assert programs(plan_of(session, y)) == expected


def test_a_few_ops_on_a_few_elements_are_not_worth_a_program(auto_session):
    session = auto_session
    x = tf.placeholder(tf.float32, [3])
    y = build.Mul(x, 2.0)
    for _ in range(3):
        session.run(y, {x: [1, 2, 3]})
    assert programs(plan_of(session, y)) == 0


def test_a_mode_that_does_not_exist_is_refused(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "sometimes")
    with pytest.raises(ValueError, match="Received: 'sometimes'"):
        tf.Session()


def test_what_a_run_returns_belongs_to_the_caller(session):
    v, init = variable(np.zeros(4, np.float32))
    constant = tf.constant([1.0, 2.0])
    session.run(init)
    for _ in range(3):
        value, fixed = session.run([v, constant])
        value += 5
        fixed += 5
    np.testing.assert_array_equal(session.run(v), np.zeros(4))
    np.testing.assert_array_equal(session.run(constant), [1, 2])


def test_a_variable_does_not_share_memory_with_what_was_fed(session):
    v, init = variable(np.zeros(100_000, np.float32))
    x = tf.placeholder(tf.float32, [100_000])
    assign = build.Assign(v, build.Identity(x))
    session.run(init)
    for i in range(4):
        fed = np.full(100_000, i, np.float32)
        session.run(assign.op, {x: fed})
        fed[:] = -1
        np.testing.assert_array_equal(session.run(v)[::9999], np.full(11, i))


def test_a_failed_run_leaves_the_variables_alone(session):
    v, init = variable(np.array([1.0, 2.0], np.float32))
    x = tf.placeholder(tf.float32, None)
    update = build.AssignAdd(v, [1.0, 1.0])
    with tf.control_dependencies([update]):
        bad = build.Add(build.Identity(v), x)
    session.run(init)
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(bad, {x: np.ones(3)})
        assert caught.value.op.name == bad.op.name
        assert "test_runs.py" in caught.value.message
        np.testing.assert_array_equal(session.run(v), [1, 2])


def test_a_failed_host_op_takes_back_what_compiled_ops_have_done(session):
    v, init = variable(np.float32(1.0))
    missing = tf.placeholder(tf.float32, [], name="missing")
    update = build.AssignAdd(v, 1.0)
    with tf.control_dependencies([update]):
        late = build.Add(missing, 1.0)
    session.run(init)
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="placeholder tensor 'missing'"):
            session.run([late, update])
        assert session.run(v) == 1


def test_reading_an_uninitialized_variable_names_it(session):
    v, _ = variable(np.float32(1.0), name="weights")
    y = build.Add(build.Identity(v), 1.0)
    for _ in range(3):
        with pytest.raises(tf.errors.FailedPreconditionError) as caught:
            session.run(y)
        assert "Attempting to use uninitialized value weights" in caught.value.message
        assert caught.value.hint
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value weights"
    ):
        session.run(v)


def test_sessions_have_their_own_variables():
    v, init = variable(np.float32(1.0))
    update = build.AssignAdd(v, 1.0)
    with tf.Session() as one, tf.Session() as two:
        one.run(init)
        two.run(init)
        one.run(update)
        assert (one.run(v), two.run(v)) == (2, 1)


def test_threads_lose_no_update(session):
    v, init = variable(np.zeros(1000, np.float32))
    update = build.AssignAdd(v, np.ones(1000, np.float32))
    read = build.Identity(v)
    session.run(init)
    errors = []

    def work():
        try:
            for _ in range(50):
                session.run(update.op)
                session.run(read)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    np.testing.assert_array_equal(session.run(v), np.full(1000, 400))


def test_a_plan_survives_the_growth_of_the_graph(auto_session):
    session = auto_session
    x = tf.placeholder(tf.float32, [500])
    y = build.Add(x, x)
    for _ in range(3):
        session.run(y, {x: np.ones(500)})
        plan = plan_of(session, y)
        tf.constant(1.0)
    session.run(y, {x: np.ones(500)})
    assert plan_of(session, y) is plan
    assert programs(plan) == 1


def test_feeding_replaces_any_tensor(session):
    x = tf.constant([1.0, 2.0])
    y = build.Add(x, x)
    z = build.Mul(y, 10.0)
    for _ in range(3):
        np.testing.assert_array_equal(session.run(z, {y: [5, 6]}), [50, 60])
        np.testing.assert_array_equal(session.run(z), [20, 40])
        np.testing.assert_array_equal(session.run([y, z], {y: [5, 6]})[0], [5, 6])


def test_variables_do_not_share_buffers(session):
    u, init_u = variable(np.arange(3, dtype=np.float32))
    v, init_v = variable(np.zeros(3, np.float32))
    w, init_w = variable(np.zeros(3, np.float32))
    copy = tf.group(build.Assign(v, build.Identity(u)), build.Assign(w, build.Identity(u)))
    changes = [build.AssignAdd(ref, [1.0, 1.0, 1.0]).op for ref in (u, v, w)]
    session.run([init_u, init_v, init_w])
    for i in range(4):
        session.run(copy)
        for change in changes:
            session.run(change)
        for ref in (u, v, w):
            np.testing.assert_array_equal(session.run(ref), np.arange(3) + i + 1)


def test_a_caller_may_change_what_it_has_fed_as_soon_as_the_run_returns(auto_session):
    session = auto_session
    ref, assign = variable(np.zeros((300, 300), np.float32))
    session.run(assign)
    x = tf.placeholder(tf.float32, [300, 300])
    product = x
    for _ in range(4):
        product = build.MatMul(product, x)
    step = build.AssignAdd(ref, product).op
    fed = np.empty((300, 300), np.float32)
    for number in range(1, 6):
        fed[:] = 0
        np.fill_diagonal(fed, number)
        session.run(step, {x: fed})
        fed[:] = -1
    expected = np.eye(300) * sum(number**5 for number in range(1, 6))
    np.testing.assert_array_equal(session.run(ref), expected)


def test_a_critical_section_is_entered_by_one_run_at_a_time(auto_session):
    session = auto_session
    total = tf.get_variable("total", initializer=0.0, use_resource=True)
    section = tf.CriticalSection()

    def twice():
        read = total.read_value()
        waited = tf.py_func(lambda x: (time.sleep(0.002), x)[1], [read], tf.float32)
        return total.assign(waited + 1.0)

    steps = [section.execute(twice).op for _ in range(2)]
    session.run(tf.global_variables_initializer())
    threads = [
        threading.Thread(target=lambda: [session.run(steps) for _ in range(10)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.run(total) == 80


def test_a_critical_section_that_fails_is_left(auto_session):
    session = auto_session
    x = tf.placeholder(tf.float32, [])
    section = tf.CriticalSection()
    checked = section.execute(lambda: tf.check_numerics(x, "bad"))
    for value in (1.0, np.nan, 2.0, np.nan, 3.0):
        if np.isnan(value):
            with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
                session.run(checked, {x: value})
        else:
            assert session.run(checked, {x: value}) == value


def test_large_results_belong_to_the_caller(session):
    size = 1 << 18
    kept = np.arange(size, dtype=np.int64)
    fed = tf.placeholder(tf.int64, [size])
    variable = tf.Variable(kept, name="large")
    made = tf.py_func(lambda: kept, [], tf.int64)
    strings = tf.decode_raw(kept.tobytes(), tf.int64)
    constant = tf.constant(kept)
    fetches = [fed, variable, made, strings, constant, tf.identity(constant)]
    session.run(variable.initializer)
    for _ in range(2):
        values = session.run(fetches, {fed: kept})
        for position, value in enumerate(values):
            assert value[5] == 5
            value[5] = -position
    assert kept[5] == 5


def test_a_large_result_that_only_the_run_has_is_not_copied(session):
    pixels = np.zeros((1000, 1000, 3), np.uint8)
    file = session.run(tf.image.encode_jpeg(pixels))
    image = tf.image.decode_jpeg(file)
    session.run(image)
    tracemalloc.start()
    value = session.run(image)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert pixels.nbytes == value.nbytes <= peak < 1.5 * pixels.nbytes
