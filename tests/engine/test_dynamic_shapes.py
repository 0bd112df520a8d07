"""Dynamic shapes: the nodes that depend on them run on the host, the rest compiles."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling.padded_row_updates import RowUpdates
from headwater.engine.compiling.segment import Interpreted, Segment
from headwater.graph import build

SIZE, STEPS = 32, 12


@pytest.fixture(params=["auto", "never"])
def mode(request, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", request.param)
    return request.param


def segments(session, fetch):
    (plan,) = [p for key, p in session._plans.items() if fetch in key]
    return [s for s in plan.schedule.steps if isinstance(s, Segment)], plan


def masked_training():
    """Training on those rows of a batch of fixed size that a mask keeps."""
    x = tf.placeholder(tf.float32, [SIZE, 8])
    w = tf.Variable(np.linspace(-1, 1, 32).reshape(8, 4).astype(np.float32))
    hidden = x
    for _ in range(6):
        hidden = tf.tanh(tf.matmul(hidden, w) @ tf.transpose(w))
    kept = tf.boolean_mask(hidden, x[:, 0] > 0)
    loss = tf.reduce_mean(tf.square(kept))
    for _ in range(8):
        loss = tf.tanh(loss + tf.reduce_sum(tf.square(w)) / 100)
    return x, loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss), w


def losses(session):
    x, loss, step, w = masked_training()
    session.run(tf.global_variables_initializer())
    random = np.random.RandomState(3)
    found = [session.run([loss, step], {x: random.randn(SIZE, 8)})[0] for _ in range(STEPS)]
    return found, session.run(w), step


def test_training_on_masked_rows_compiles_each_part_once(monkeypatch):
    results = {}
    for jit in ("auto", "never"):
        monkeypatch.setenv("HEADWATER_JIT", jit)
        with tf.Graph().as_default(), tf.Session() as session:
            found, w, step = losses(session)
            results[jit] = found, w
            parts, plan = segments(session, step)
        if jit == "auto":
            compiled = [s for s in parts if s._programs]
            kept = [s for s in parts if not s._small and not isinstance(s, Interpreted)]
            assert compiled and all(len(s._programs) == 1 for s in kept)
            assert sum(len(s.nodes) for s in compiled) > 0.6 * len(plan.nodes)
    for one, other in zip(results["auto"], results["never"]):
        np.testing.assert_allclose(one, other, rtol=2e-5)


def test_all_outputs_of_a_type_are_taken_to_change(mode):
    """Also for sizes that were equal by chance in the observed runs."""
    x = tf.placeholder(tf.float32, [2, 16])
    w = tf.Variable(np.ones((16, 16), np.float32))
    total = tf.reduce_sum(w)
    for row in range(2):
        chosen = tf.where(x[row] > 0)
        total += tf.reduce_sum(tf.gather(x[row], chosen[:, 0]))
    for _ in range(12):
        total = tf.reduce_sum(tf.matmul(w, w)) / 4096 + tf.tanh(total)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = np.ones((2, 16), np.float32)
        for count in range(8):
            # Only the second row changes at first.
            values[1, :count] = -1
            values[0, : max(0, count - 5)] = -1
            expected = np.float32(256 + np.maximum(values, 0).sum())
            for _ in range(12):
                expected = np.float32(1) + np.tanh(expected)
            assert session.run(total, {x: values}) == pytest.approx(expected, rel=1e-5)
        if mode == "auto":
            parts, _ = segments(session, total)
            assert max(len(s._programs) for s in parts) == 1


def test_what_changes_may_be_updates_of_variables(mode):
    """Rows found at run time are updated in place, between compiled work on the same variable."""
    x = tf.placeholder(tf.float32, [SIZE])
    v = tf.Variable(np.zeros(SIZE, np.float32), use_resource=False)
    rows = tf.where(x > 0)[:, 0]
    before = tf.reduce_sum(v)
    for _ in range(10):
        before = tf.tanh(before)
    with tf.control_dependencies([before]):
        update = tf.scatter_add(v, rows, tf.gather(x, rows))
    with tf.control_dependencies([update]):
        after = tf.identity(v) * 1.0
        for _ in range(10):
            after = after * 1.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        expected = np.zeros(SIZE, np.float32)
        random = np.random.RandomState(1)
        for _ in range(8):
            values = random.randn(SIZE).astype(np.float32)
            old = np.float32(expected.sum())
            for _ in range(10):
                old = np.tanh(old)
            expected = expected + np.maximum(values, 0)
            got = session.run([before, after], {x: values})
            np.testing.assert_allclose(got[0], old, rtol=1e-4)
            np.testing.assert_allclose(got[1], expected, rtol=1e-5)


def test_fed_shapes_that_change_leave_the_segment_whole(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    x = tf.placeholder(tf.float32, [None])
    chosen = tf.gather(x, tf.where(x > 0)[:, 0])
    total = tf.reduce_sum(chosen)
    for _ in range(8):
        total = tf.tanh(total)
    with tf.Session() as session:
        for size in range(1, 9):
            session.run(total, {x: np.ones(size)})
        parts, _ = segments(session, total)
        assert len(parts) <= 2


def rows_training(optimizer):
    """Training of the rows of a table that a batch names, each once."""
    ids = tf.placeholder(tf.int32, [SIZE])
    table = tf.Variable(np.linspace(-1, 1, 400).reshape(100, 4).astype(np.float32))
    hidden = tf.nn.embedding_lookup(table, ids)
    for _ in range(6):
        hidden = tf.tanh(hidden + 0.1)
    loss = tf.reduce_mean(tf.square(hidden))
    for _ in range(8):
        loss = tf.tanh(loss)
    return ids, table, loss, optimizer.minimize(loss)


@pytest.mark.parametrize("name", ["Adagrad", "Momentum", "GradientDescent", "RMSProp"])
def test_rows_that_a_batch_names_are_updated_by_few_programs(name, monkeypatch):
    arguments = {"Momentum": (0.1, 0.9)}.get(name, (0.1,))
    results = {}
    for jit in ("auto", "never"):
        monkeypatch.setenv("HEADWATER_JIT", jit)
        with tf.Graph().as_default(), tf.Session() as session:
            optimizer = getattr(tf.train, f"{name}Optimizer")(*arguments)
            ids, table, loss, step = rows_training(optimizer)
            session.run(tf.global_variables_initializer())
            random = np.random.RandomState(5)
            found = []
            for limit in (3, 100, 50, 100, 10, 100, 100, 20, 100, 5, 100, 100):
                found.append(session.run([loss, step], {ids: random.randint(0, limit, SIZE)})[0])
            results[jit] = found, session.run(table)
            parts, _ = segments(session, step)
        if jit == "auto":
            assert sum(len(s._programs) for s in parts) <= 5
    for one, other in zip(results["auto"], results["never"]):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-7)


def test_a_row_that_does_not_exist_is_an_error_without_effect(mode):
    x = tf.placeholder(tf.float32, [SIZE])
    offset = tf.placeholder(tf.int64, [])
    table = tf.Variable(np.zeros(SIZE, np.float32), use_resource=False)
    other = tf.Variable(0.0, use_resource=False)
    rows = tf.where(x > 0)[:, 0]
    values = tf.gather(x, rows)
    total = tf.reduce_sum(x)
    for _ in range(8):
        total = total * 1.0
    step = tf.group(tf.scatter_add(table, rows + offset, values), tf.assign_add(other, total))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        random = np.random.RandomState(1)
        expected, sums = np.zeros(SIZE, np.float32), np.float32(0)
        for number in range(8):
            fed = random.randn(SIZE).astype(np.float32)
            fed[-1] = 1.0
            if number % 3 == 2:
                with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[\d+\] = 32"):
                    session.run(step, {x: fed, offset: 1})
            else:
                session.run(step, {x: fed, offset: 0})
                expected, sums = expected + np.maximum(fed, 0), sums + fed.sum()
            np.testing.assert_allclose(session.run(table), expected, rtol=1e-5)
            np.testing.assert_allclose(session.run(other), sums, rtol=1e-4)


def test_rows_of_a_branch_that_is_not_taken_stay(mode):
    x, taken = tf.placeholder(tf.float32, [SIZE]), tf.placeholder(tf.bool, [])
    table = tf.Variable(np.zeros(SIZE, np.float32), use_resource=False)
    total = tf.reduce_sum(x)
    for _ in range(20):
        total = total * 1.0
    rows = tf.where(x > 0)[:, 0]
    step = tf.cond(
        taken, lambda: tf.scatter_add(table, rows, tf.gather(x, rows)), lambda: tf.identity(table)
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        random = np.random.RandomState(2)
        expected = np.zeros(SIZE, np.float32)
        for number in range(12):
            fed = random.randn(SIZE).astype(np.float32)
            session.run([step.op, total], {x: fed, taken: number % 3 > 0})
            if number % 3:
                expected = expected + np.maximum(fed, 0)
            np.testing.assert_allclose(session.run(table), expected, rtol=1e-5)


def test_repeated_rows_are_updated_one_after_the_other(mode):
    x = tf.placeholder(tf.float32, [SIZE])
    table = tf.Variable(np.zeros(SIZE, np.float32), use_resource=False)
    squares = tf.Variable(np.ones(SIZE, np.float32), use_resource=False)
    other = tf.Variable(0.0, use_resource=False)
    rows = tf.where(x > 0)[:, 0]
    rows = tf.concat([rows, rows[:2]], 0)
    total = tf.reduce_sum(x)
    for _ in range(8):
        total = total * 1.0
    update = build.SparseApplyAdagrad(table, squares, 0.5, tf.gather(x, rows), rows)
    step = tf.group(update, tf.assign_add(other, total))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        random = np.random.RandomState(3)
        expected, sums = np.zeros(SIZE, np.float32), np.ones(SIZE, np.float32)
        for _ in range(STEPS):
            fed = random.randn(SIZE).astype(np.float32)
            session.run(step, {x: fed})
            numbers = np.flatnonzero(fed > 0)
            for row in (*numbers, *numbers[:2]):
                sums[row] += fed[row] ** 2
                expected[row] -= 0.5 * fed[row] / np.sqrt(sums[row])
            np.testing.assert_allclose(session.run(table), expected, rtol=1e-5)


def test_variable_that_grows_in_every_run():
    v = tf.Variable(tf.zeros([1, 2]), validate_shape=False)
    x = tf.placeholder(tf.float32, [None, 2])
    grow = tf.assign(v, tf.concat([v, x], 0), validate_shape=False)
    with tf.Session() as sess:
        sess.run(v.initializer)
        for i in range(6):
            # A warning of JAX about its buffer would be an error here.
            sess.run(grow.op, {x: np.full([1, 2], i + 1.0)})
        assert sess.run(v).tolist() == [[float(i)] * 2 for i in range(7)]


def test_check_in_a_branch_that_depends_on_the_shape_of_a_variable():
    v = tf.Variable(tf.zeros([1, 2]), validate_shape=False)
    done = tf.Variable(False)
    x = tf.placeholder(tf.float32, [None, 2])

    def grow():
        grown = tf.assign(v, tf.concat([v, x], 0), validate_shape=False)
        full = tf.equal(tf.shape(grown)[0], 4)
        return tf.cond(full, lambda: tf.assign(done, True), lambda: tf.no_op())

    step = tf.cond(tf.equal(tf.shape(v)[0], 4), lambda: tf.assert_equal(done, True), grow)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = []
        for _ in range(7):
            found.append((bool(sess.run(step, {x: np.ones([1, 2])})), len(sess.run(v))))
        assert found == [
            (False, 2),
            (False, 3),
            (True, 4),
            (True, 4),
            (True, 4),
            (True, 4),
            (True, 4),
        ]
        sess.run(done.assign(False))
        with pytest.raises(tf.errors.InvalidArgumentError, match="did not hold element-wise"):
            sess.run(step, {x: np.ones([1, 2])})


def test_shapes_of_rows_are_computed_where_the_rows_are(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    names = ["a", "b", "c"]
    words = {name: tf.placeholder(tf.string, [None, 1]) for name in names}
    columns = [tf.feature_column.categorical_column_with_hash_bucket(n, 50) for n in names]
    embedded = [tf.feature_column.embedding_column(column, 4) for column in columns]
    hidden = tf.layers.dense(tf.feature_column.input_layer(words, embedded), 1024, tf.tanh)
    hidden = tf.layers.dense(hidden, 256, tf.tanh)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 1)))
    step = tf.train.AdagradOptimizer(0.1).minimize(loss)
    random = np.random.RandomState(0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(24):
            numbers = random.randint(0, 20, (3, 16, 1))
            fed = {words[n]: np.char.add("w", k.astype(str)) for n, k in zip(names, numbers)}
            session.run(step, fed)
        parts, plan = segments(session, step)
    compiled = [part for part in parts if part._programs]
    made = {i: t for node in plan.nodes for i, t in zip(node.outputs, node.op._outputs)}
    assert compiled
    assert not any(made[i].dtype.is_integer for part in compiled for i in part.outputs)


def factorization(users=300, items=400, width=64):
    """Training of two tables and two columns by the rows that a batch names."""
    u, i = (tf.placeholder(tf.int32, [SIZE]) for _ in range(2))
    tables = [
        tf.Variable(np.linspace(-0.1, 0.1, n * width, dtype=np.float32).reshape(n, width))
        for n in (users, items)
    ]
    columns = [tf.Variable(np.zeros(n, np.float32)) for n in (users, items)]
    rows = [tf.nn.embedding_lookup(table, ids) for table, ids in zip(tables, (u, i))]
    found = tf.reduce_sum(rows[0] * rows[1], 1) + tf.gather(columns[0], u)
    error = found + tf.gather(columns[1], i) - 1
    loss = tf.reduce_mean(tf.square(error)) + 0.01 * tf.add_n([tf.nn.l2_loss(r) for r in rows])
    return (u, i), tables, loss, tf.train.AdagradOptimizer(0.1).minimize(loss)


def pairs(count, seed=6):
    random = np.random.RandomState(seed)
    return [(random.randint(0, 300, SIZE), random.randint(0, 400, SIZE)) for _ in range(count)]


def test_what_does_not_need_the_host_is_one_program(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    (u, i), _, loss, step = factorization(width=1024)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for users, items in pairs(12):
            session.run([loss, step], {u: users, i: items})
        parts, _ = segments(session, step)
        compiled = [part for part in parts if part._programs]
        assert len(compiled) == 1
        # The tables are on the host, which overwrites their rows.
        updates = [part for part in parts if isinstance(part, RowUpdates)]
        assert updates and all(s.is_private for part in updates for s in part._slots_updated)


def test_tables_that_are_overwritten_are_seen_as_values(monkeypatch):
    """What has been fetched or assigned does not change with the table."""
    results = {}
    for jit in ("auto", "never"):
        monkeypatch.setenv("HEADWATER_JIT", jit)
        with tf.Graph().as_default(), tf.Session() as session:
            (u, i), tables, loss, step = factorization()
            copy = tf.Variable(tf.zeros([300, 64]))
            keep, product = copy.assign(tables[0]), tf.matmul(tables[0], tables[1], False, True)
            session.run(tf.global_variables_initializer())
            found = []
            for number, (users, items) in enumerate(pairs(30)):
                found.append(session.run([loss, step], {u: users, i: items})[0])
                if number % 5 == 4:
                    found.append(session.run(tables[0]))
                if number % 7 == 6:
                    session.run(keep.op)
                if number % 11 == 10:
                    found.append(session.run(product))
                    session.run(tables[1].assign(session.run(tables[1]) * 0.5))
            results[jit] = [*found, session.run(copy)]
    for one, other in zip(results["auto"], results["never"]):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-7)


def test_failed_step_leaves_overwritten_tables_as_they_were(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    (u, i), tables, loss, step = factorization()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for users, items in pairs(12):
            session.run([loss, step], {u: users, i: items})
        before = session.run(tables)
        wrong = pairs(1)[0][0].copy()
        wrong[5] = 300
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[5\] = 300 is not in"):
            session.run([loss, step], {u: wrong, i: pairs(1)[0][1]})
        for old, now in zip(before, session.run(tables)):
            np.testing.assert_array_equal(old, now)


def test_tables_that_are_read_in_every_step_are_left_to_the_device(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    (u, i), tables, loss, step = factorization()
    norm = tf.reduce_sum(tf.square(tables[0]))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for users, items in pairs(20):
            session.run([loss, step], {u: users, i: items})
            session.run([norm, tables[1]])
        parts, _ = segments(session, step)
        (updates,) = [part for part in parts if isinstance(part, RowUpdates)]
        assert not updates._copies_left and updates._programs
