"""Interpreted nodes as lists of calls: the same values, errors and traces as node by node."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.blocks.host_steps import HostSteps
from headwater.engine.compiling.interpreter import Interpreter


@pytest.fixture
def interpreters(monkeypatch):
    """The interpreters that run, in order."""
    ran = []
    run = Interpreter.run

    def noted(self, values):
        done = run(self, values)
        ran.append((self, done))
        return done

    monkeypatch.setattr(Interpreter, "run", noted)
    return ran


@pytest.fixture
def session(monkeypatch):
    """A session that compiles nothing, so that all of a run is interpreted."""
    monkeypatch.setenv("HEADWATER_JIT", "never")
    with tf.Session() as session:
        yield session


def words_model():
    """Distinct words of a string feed, looked up in a variable, with shapes that change."""
    words = tf.placeholder(tf.string, [None])
    numbers = tf.string_to_hash_bucket_fast(words, 7)
    table = tf.Variable(np.arange(14, dtype=np.float32).reshape(7, 2))
    distinct, positions = tf.unique(numbers)
    rows = tf.gather(tf.gather(table, distinct), positions)
    flat = tf.reshape(rows, tf.stack([tf.shape(words)[0] * 2]))
    return words, numbers, table, flat


def test_lists_of_calls_give_the_values_of_nodes(session, interpreters):
    words, numbers, table, flat = words_model()
    session.run(table.initializer)
    for run in range(12):
        fed = [f"w{i}" for i in np.random.randint(0, 9, 3 + run % 4)]
        ids, found = session.run([numbers, flat], {words: fed})
        expected = np.arange(14, dtype=np.float32).reshape(7, 2)[ids].ravel()
        np.testing.assert_array_equal(found, expected)
    assert interpreters and all(done for _, done in interpreters)


def test_steps_of_the_host_are_joined(session):
    words = tf.placeholder(tf.string, [None])
    results = [tf.where(tf.not_equal(words, w)) for w in ("a", "b")]
    for _ in range(3):
        first, second = session.run(results, {words: ["a", "b", "c"]})
        assert first.ravel().tolist() == [1, 2]
        assert second.ravel().tolist() == [0, 2]
    (plan,) = session._plans.values()
    assert [type(step) for step in plan.schedule.joined] == [HostSteps]
    assert len(plan.schedule.steps) == 4


def test_small_segments_are_joined_with_steps_of_the_host(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    words = tf.placeholder(tf.string, [4])
    ids = tf.string_to_hash_bucket_fast(words, 7)
    text = tf.as_string(ids * 2 + 1)
    with tf.Session() as session:
        for _ in range(4):
            odd, even = session.run([text, ids], {words: ["a", "b", "c", "d"]})
            assert odd.astype(int).tolist() == (2 * even + 1).tolist()
        (plan,) = session._plans.values()
        assert [type(step) for step in plan.schedule.joined] == [HostSteps]


def test_errors_name_the_op_in_every_run(session):
    words = tf.placeholder(tf.string, [None])
    number = tf.string_to_number(tf.string_join([words, "0"]), name="parsed")
    for fed in ("1", "2", "3", "x", "4"):
        if fed == "x":
            with pytest.raises(tf.errors.InvalidArgumentError, match="x0") as error:
                session.run(number, {words: [fed]})
            assert error.value.op.name == "parsed"
        else:
            assert session.run(number, {words: [fed]}).tolist() == [float(fed + "0")]


def test_remembered_shapes_are_not_views_of_feeds(session):
    words = tf.placeholder(tf.string, [None])
    sizes = tf.placeholder(tf.int32, [2])
    wanted = tf.concat([tf.reshape(sizes, [2]), [1]], 0) + tf.reshape(sizes, [2, 1])[0]
    found = tf.shape(tf.reshape(tf.string_join([words]), tf.reshape(sizes, [2])))
    for size in (2, 3, 2, 3, 2):
        fed = np.array([size, 6 // size], np.int32)
        shape, numbers = session.run([found, wanted], {words: ["a"] * 6, sizes: fed})
        assert shape.tolist() == [size, 6 // size]
        assert numbers.tolist() == [2 * size, 6 // size + size, 1 + size]
        # The caller may change what it has fed and fetched.
        shape[:], numbers[:], fed[:] = 0, 0, 0


def test_a_trace_has_every_op(session):
    words = tf.placeholder(tf.string, [None], name="words")
    joined = tf.identity(tf.string_join([words, "!"], name="join"), name="same")
    long = tf.shape(joined, name="shape")[0]
    metadata = tf.RunMetadata()
    for _ in range(3):
        session.run([joined, long], {words: ["a"]})
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run([joined, long], {words: ["a"]}, options=options, run_metadata=metadata)
    traced = {n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats}
    assert traced >= {"join", "same", "shape", "strided_slice"}


def sparse_training(optimizer):
    """A training step whose gradient has rows for the distinct ids of a lookup."""
    words = tf.placeholder(tf.string, [None])
    ids = tf.string_to_hash_bucket_fast(words, 50)
    table = tf.Variable(np.linspace(-1, 1, 150).reshape(50, 3).astype(np.float32))
    distinct, positions = tf.unique(ids)
    rows = tf.gather(tf.gather(table, distinct), positions)
    return words, table, optimizer.minimize(tf.reduce_sum(tf.square(rows)))


@pytest.mark.parametrize(
    "optimizer", [tf.train.AdagradOptimizer, tf.train.FtrlOptimizer, tf.train.AdamOptimizer]
)
def test_rows_of_distinct_ids_need_no_sums(session, optimizer, monkeypatch):
    words, table, train = sparse_training(optimizer(0.1))
    batches = [[f"w{i}" for i in np.random.randint(0, 30, n)] for n in (5, 9, 7, 8, 6, 9, 5, 4)]
    session.run(tf.global_variables_initializer())
    for batch in batches:
        session.run(train, {words: batch})
    joined = session.run(table)
    session.run(tf.global_variables_initializer())
    monkeypatch.setattr(Interpreter, "run", lambda self, values: False)
    for batch in batches:
        session.run(train, {words: batch})
    np.testing.assert_array_equal(session.run(table), joined)


def test_fed_ids_may_be_repeated(session):
    x = tf.placeholder(tf.int64, [None])
    distinct, _ = tf.unique(x)
    flat = tf.reshape(distinct, [-1])
    found, positions = tf.unique(flat)
    sums = tf.unsorted_segment_sum(tf.cast(flat, tf.float32), positions, tf.shape(found)[0])
    for _ in range(4):
        assert session.run(sums, {x: [3, 3, 5]}).tolist() == [3, 5]
        assert session.run(positions, {x: [3, 3, 5]}).tolist() == [0, 1]
        assert session.run(sums, {flat: [3, 3, 5]}).tolist() == [6, 5]
        assert session.run([sums, found], {distinct: [4, 4]})[0].tolist() == [8]
        assert session.run(sums, {x: [3, 5], positions: [1, 1]}).tolist() == [0, 8]


def branches(words, flag):
    """Distinct words on a branch, a default on the other, and an op that waits for a branch."""
    lengths = tf.size(words) * 2 + 1

    def some():
        distinct, positions = tf.unique(words)
        return tf.gather(distinct, positions), tf.shape(distinct)[0] * 2 + lengths

    def none():
        return tf.constant(["none"]), -lengths

    found, count = tf.cond(flag, some, none)
    alone, _ = tf.cond(flag, lambda: [words, lengths], lambda: [words[:1], lengths])
    return tf.string_join([found, tf.as_string(tf.fill(tf.shape(found), count))]), tf.unique(alone)[
        0
    ]


@pytest.mark.parametrize("jit", ["never", "auto"])
def test_branches_are_interpreted(monkeypatch, interpreters, jit):
    monkeypatch.setenv("HEADWATER_JIT", jit)
    words, flag = tf.placeholder(tf.string, [None]), tf.placeholder(tf.bool, [])
    results = branches(words, flag)
    with tf.Session() as session:
        for run in range(8):
            fed = ["a", "b", "a", "c"][: 2 + run % 3]
            joined, distinct = session.run(results, {words: fed, flag: run % 2 == 0})
            count = 2 * len(set(fed)) + 2 * len(fed) + 1 if run % 2 == 0 else -2 * len(fed) - 1
            texts = fed if run % 2 == 0 else ["none"]
            assert [w.decode() for w in joined] == [f"{w}{count}" for w in texts]
            assert len(distinct) == (len(set(fed)) if run % 2 == 0 else 1)
        (plan,) = session._plans.values()
        assert len(plan.schedule.joined) < len(plan.schedule.steps)
    assert interpreters and all(done for _, done in interpreters)


def test_an_update_on_a_branch_that_is_not_taken_leaves_the_variable(session, interpreters):
    flag, text = tf.placeholder(tf.bool, []), tf.placeholder(tf.string, [])
    variable = tf.Variable(1.0)
    added = tf.cond(flag, lambda: tf.group(tf.assign_add(variable, 2.0)), tf.no_op)
    with tf.control_dependencies([added]):
        counted = tf.string_join([text, tf.as_string(variable)])
    session.run(variable.initializer)
    expected = 1.0
    for run in range(6):
        expected += 2.0 * (run % 2)
        found = session.run(counted, {flag: run % 2 == 1, text: "v"})
        assert float(found[1:]) == expected
        assert session.run(variable) == expected
    assert any(done for _, done in interpreters)


def test_errors_on_branches_name_the_op(session):
    flag, index = tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
    rows = tf.unique(tf.constant([5, 5, 7]))[0]
    taken = tf.cond(flag, lambda: tf.gather(rows, index, name="taken"), lambda: tf.constant(0))
    for _ in range(3):
        assert session.run(taken, {flag: True, index: 1}) == 7
        assert session.run(taken, {flag: False, index: 9}) == 0
        with pytest.raises(tf.errors.InvalidArgumentError, match="taken"):
            session.run(taken, {flag: True, index: 9})


def test_ops_with_states_are_listed_too(session, interpreters):
    fed = tf.placeholder(tf.float32, [None])
    number = tf.reduce_sum(fed) + tf.random_uniform([], seed=3)
    found = [session.run(number, {fed: np.zeros(i % 3)}) for i in range(6)]
    assert interpreters and all(done for _, done in interpreters)
    with tf.Session() as other:
        assert found == [other.run(number, {fed: []}) for _ in found]
    assert len(set(found)) == len(found)


def test_a_failed_run_draws_no_numbers(session, interpreters):
    fed = tf.placeholder(tf.float32, [2])
    number = tf.random_uniform([], seed=3)
    checked = tf.check_numerics(fed, "not finite") + number
    drawn = [session.run(checked, {fed: [0, 0]})[0] for _ in range(3)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
        session.run(checked, {fed: [0, np.inf]})
    drawn.append(session.run(checked, {fed: [0, 0]})[0])
    assert interpreters
    with tf.Session() as other:
        assert drawn == [other.run(number) for _ in drawn]
