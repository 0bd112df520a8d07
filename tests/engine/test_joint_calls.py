"""Equal ops on different values as one call: the values and errors of single calls."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.compiling import interpreter
from headwater.engine.compiling.joint_calls import JointCall
from headwater.train.optimizers import apply_op


@pytest.fixture
def session(monkeypatch):
    """A session that compiles nothing."""
    monkeypatch.setenv("HEADWATER_JIT", "never")
    with tf.Session() as session:
        yield session


@pytest.fixture
def joined(monkeypatch):
    """How many calls each joint call stands for, in order."""
    made = []
    call = JointCall.__call__

    def noted(self, *values):
        made.append(len(self._calls))
        return call(self, *values)

    monkeypatch.setattr(JointCall, "__call__", noted)
    return made


OPTIMIZERS = {
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.1),
}


def trained(name, resource):
    """Variables of three columns after some steps on words of changing number."""
    random = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as session:
        ids = [tf.placeholder(tf.int64, [None]) for _ in range(4)]
        tables = [
            tf.get_variable(
                f"table{i}",
                initializer=random.randn(9, width).astype(np.float32),
                use_resource=resource,
            )
            for i, width in enumerate((2, 2, 2, 3))
        ]
        found = [tf.nn.embedding_lookup(table, i) for table, i in zip(tables, ids)]
        loss = tf.add_n([tf.reduce_sum(tf.square(rows)) for rows in found])
        step = OPTIMIZERS[name]().minimize(loss)
        session.run(tf.global_variables_initializer())
        for run in range(40):
            fed = {i: random.randint(0, 9, 1 + (run + place) % 4) for place, i in enumerate(ids)}
            session.run(step, fed)
        return session.run(tf.global_variables())


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_rows_of_several_variables(monkeypatch, joined, name, resource):
    monkeypatch.setenv("HEADWATER_JIT", "never")
    together = trained(name, resource)
    assert bool(joined) == (name != "sgd")
    monkeypatch.setattr(interpreter, "joined_calls", list)
    for value, expected in zip(together, trained(name, resource)):
        np.testing.assert_array_equal(value, expected)


def test_many_rows_are_updated_in_parts(monkeypatch, joined):
    monkeypatch.setenv("HEADWATER_JIT", "never")
    together = trained("adagrad", False)
    monkeypatch.setattr(apply_op, "_MOST_TOGETHER", 8)
    for value, expected in zip(together, trained("adagrad", False)):
        np.testing.assert_array_equal(value, expected)


def test_the_error_names_the_op_and_leaves_all_variables(session, joined):
    indices = [tf.placeholder(tf.int32, [None]) for _ in range(3)]
    variables = [tf.Variable(np.ones((4, 2), np.float32)) for _ in range(3)]
    optimizer = tf.train.AdagradOptimizer(0.5)
    gradients = [
        (tf.IndexedSlices(tf.ones([tf.size(i), 2]), i, [4, 2]), v)
        for i, v in zip(indices, variables)
    ]
    step = optimizer.apply_gradients(gradients)
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(step, dict(zip(indices, ([0], [1, 2], [3]))))
    before = session.run(tf.global_variables())
    name = f"update_{variables[1].op.name}"
    with pytest.raises(tf.errors.InvalidArgumentError, match=name):
        session.run(step, dict(zip(indices, ([0], [1, 7], [3]))))
    for value, expected in zip(session.run(tf.global_variables()), before):
        np.testing.assert_array_equal(value, expected)
    assert joined


def test_words_are_looked_up_once_in_equal_tables(session, joined):
    def table(words):
        initializer = tf.contrib.lookup.KeyValueTensorInitializer(
            words, np.arange(len(words), dtype=np.int64)
        )
        return tf.contrib.lookup.HashTable(initializer, -1)

    words = tf.placeholder(tf.string, [None])
    tables = [table(["a", "b"]), table(["a", "b"]), table(["b"])]
    found = [each.lookup(words) for each in tables]
    session.run(tf.tables_initializer())
    for _ in range(3):
        results = session.run(found, {words: ["b", "c"]})
        assert [values.tolist() for values in results] == [[1, -1], [1, -1], [0, -1]]
    assert set(joined) == {3}


def test_a_lookup_after_an_insertion_finds_it(session, joined):
    table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
    words, value = tf.placeholder(tf.string, [None]), tf.placeholder(tf.int64, [None])
    before = table.lookup(words)
    with tf.control_dependencies([before]), tf.control_dependencies([table.insert(words, value)]):
        after = table.lookup(words)
    for run in range(4):
        results = session.run([before, after], {words: ["a"], value: [run]})
        assert [values.tolist() for values in results] == [[run - 1], [run]]
