"""Programs in two phases: checks come before updates, and updates of rows are in place."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling.phases import late_nodes
from headwater.engine.compiling.segment import Segment

RUNS = 4


@pytest.fixture
def session():
    with tf.Session() as session:
        yield session


def segments(session, fetch):
    (plan,) = [p for key, p in session._plans.items() if fetch in key]
    return [s for s in plan.schedule.steps if isinstance(s, Segment)]


def test_a_failed_check_after_an_update_leaves_the_variables_alone(session):
    table = tf.Variable(tf.zeros([4, 300]))
    count = tf.Variable(0)
    rows = tf.placeholder(tf.int32, [None])
    counted = tf.assign_add(count, 1)
    with tf.control_dependencies([counted]):
        changed = tf.scatter_add(table, rows, tf.ones([2, 300]))
    session.run(tf.global_variables_initializer())
    for run in range(RUNS):
        session.run(changed.op, {rows: [0, 1]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 9 is not in"):
            session.run(changed.op, {rows: [0, 9]})
        assert session.run(count) == run + 1
        expected = np.zeros((4, 300), np.float32)
        expected[:2] = run + 1
        np.testing.assert_array_equal(session.run(table), expected)


def test_a_check_may_depend_on_an_update(session):
    position = tf.Variable(0)
    table = tf.Variable(np.arange(600.0).reshape(2, 300))
    moved = tf.assign_add(position, 1)
    row = tf.gather(table, moved)
    session.run(tf.global_variables_initializer())
    np.testing.assert_array_equal(session.run(row), np.arange(300.0) + 300)
    for _ in range(RUNS):
        with pytest.raises(tf.errors.InvalidArgumentError, match="= 2 is not in"):
            session.run(row)
        assert session.run(position) == 1


def test_old_and_new_values_of_rows_in_one_run(session):
    table = tf.Variable(np.ones((3, 300), np.float32))
    other = tf.Variable(np.ones((3, 300), np.float32))
    rows = tf.placeholder(tf.int32, [None])
    before = tf.gather(table, rows)
    with tf.control_dependencies([before]):
        changed = tf.scatter_add(table, rows, tf.gather(other, rows))
        changed_too = tf.scatter_sub(other, rows, before)
    after = tf.gather(changed, rows)
    session.run(tf.global_variables_initializer())
    table_now, other_now = np.ones(300), np.ones(300)
    for _ in range(RUNS):
        old, new, _ = session.run([before, after, changed_too.op], {rows: [1]})
        np.testing.assert_array_equal(old[0], table_now)
        table_now, other_now = table_now + other_now, other_now - table_now
        np.testing.assert_array_equal(new[0], table_now)
    np.testing.assert_array_equal(session.run(other)[1], other_now)
    np.testing.assert_array_equal(session.run(other)[0], np.ones(300))


def test_what_depends_on_no_update_belongs_to_the_first_phase(session):
    table = tf.Variable(tf.zeros([4, 300]))
    rows = tf.placeholder(tf.int32, [None])
    gathered = tf.gather(table, rows)
    changed = tf.scatter_add(table, rows, gathered + 1.0)
    total = tf.reduce_sum(changed)
    session.run(tf.global_variables_initializer())
    assert session.run(total, {rows: [3]}) == 300.0
    (segment,) = segments(session, total)
    late, made, updated = late_nodes(segment)
    assert [n.op.type for n in late] == ["ScatterAdd", "Sum"]
    assert len(made) == 1
    assert updated == segment.updated


def test_a_failure_of_a_later_program_takes_back_an_earlier_one(session):
    count = tf.Variable(tf.zeros([300]))
    size = tf.placeholder(tf.int32, [])
    counted = tf.assign_add(count, tf.ones([300]))
    length = tf.cast(tf.reduce_sum(counted), tf.int32) // 300
    table = tf.Variable(tf.zeros([300]))
    with tf.control_dependencies([counted]):
        row = tf.gather(table, tf.zeros([length], tf.int32) + size)
    session.run(tf.global_variables_initializer())
    for run in range(RUNS):
        assert session.run(row, {size: 0}).shape == (run + 1,)
        with pytest.raises(tf.errors.InvalidArgumentError, match="= 300 is not in"):
            session.run(row, {size: 300})
        assert session.run(count)[0] == run + 1


def test_updates_that_check_values_are_found_out(session, monkeypatch):
    monkeypatch.setattr("headwater.engine.compiling.phases._checking_types", set())
    table = tf.Variable(np.zeros((2, 300), np.float32))
    numbers = tf.Variable(np.zeros((), np.int32))
    rows = tf.placeholder(tf.int32, [None])
    gathered = tf.gather(table, rows)
    with tf.control_dependencies([gathered]):
        counted = tf.count_up_to(numbers, 2)
        changed = tf.assign_add(table, tf.ones([2, 300]))
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        session.run([counted, changed.op], {rows: [1]})
    for _ in range(RUNS):
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
            session.run([counted, changed.op], {rows: [1]})
    assert session.run(table)[0, 0] == 2.0


def test_a_known_failure_tells_values_that_only_a_run_knows(session):
    values = tf.placeholder(tf.float32, [None])
    check = tf.Assert(tf.constant(False), [values])
    with tf.control_dependencies([check]):
        total = tf.reduce_sum(values)
    for _ in range(RUNS):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed: \[3 3 3"):
            session.run(total, {values: np.full(300, 3.0)})


def test_checks_of_one_shape_are_one_reduction(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    with tf.Session() as session:
        _checks_of_one_shape(session)


def _checks_of_one_shape(session):
    tables = [tf.Variable(np.full((n, 300), n, np.float32)) for n in (3, 4, 5, 6)]
    rows = [tf.placeholder(tf.int32, shape) for shape in ([2], [2], [2], [3])]
    picked = [tf.gather(table, row) for table, row in zip(tables, rows)]
    total = tf.add_n([tf.reduce_sum(x, 0) for x in picked])
    session.run(tf.global_variables_initializer())
    good = [[2, 2], [3, 0], [4, 1], [5, 5, 0]]
    for _ in range(RUNS):
        assert set(session.run(total, dict(zip(rows, good)))) == {2.0 * (3 + 4 + 5) + 3 * 6}
    (segment,) = segments(session, total)
    (program,) = segment._programs.values()
    assert program._first.as_text().count(" = pred[] reduce(") <= 2
    for i, wrong in enumerate(good):
        bad = [*good[:i], [*wrong[:-1], len(good) + 9], *good[i + 1 :]]
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"= 13 is not in \[0, {i + 3}\)"):
            session.run(total, dict(zip(rows, bad)))
