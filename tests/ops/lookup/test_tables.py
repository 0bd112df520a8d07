"""Tables: what they share, how they are kept, and the arguments of earlier releases."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.state import State

LOOKUP = tf.contrib.lookup


def int64(values):
    return tf.constant(values, tf.int64)


def filled(name, **kwargs):
    initializer = LOOKUP.KeyValueTensorInitializer(["a", "b"], np.array([1, 2], np.int64))
    return LOOKUP.HashTable(initializer, -1, name=name, **kwargs)


def test_a_table_and_a_variable_of_one_name_do_not_touch():
    table = LOOKUP.MutableHashTable(tf.int64, tf.int64, -1, name="first")
    shared = tf.contrib.lookup.HashTable(
        LOOKUP.KeyValueTensorInitializer(["a"], int64([4])), -1, shared_name="second"
    )
    variable = tf.Variable(1.0, name="second")
    with tf.Session() as session:
        session.run([variable.initializer, tf.tables_initializer()])
        session.run(table.insert(int64([1]), int64([2])))
        assert session.run(variable) == 1.0
        assert session.run(shared.size()) == 1


def test_tables_live_as_long_as_their_session():
    table = filled("table")
    with tf.Session() as session:
        session.run(table.init)
        assert session.run(table.size()) == 2
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.FailedPreconditionError, match=r"Table not initialized\."),
    ):
        session.run(table.lookup(tf.constant(["a"])))


def test_a_state_forgets_its_tables():
    op = filled("table").resource_handle.op
    state = State()
    first = state.slot_of(op).value
    state.clear()
    assert state.slot_of(op).value is not first


def test_nodes_of_one_shared_name_with_other_types_are_refused():
    first = filled("first", shared_name="both")
    strings = LOOKUP.KeyValueTensorInitializer(int64([1]), tf.constant(["x"]))
    second = LOOKUP.HashTable(strings, "", name="second", shared_name="both")
    with tf.Session() as session:
        session.run(first.init)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Conflicting key/value dtypes"):
            session.run(second.init)


def test_shared_name_stood_before_the_name():
    table = LOOKUP.MutableHashTable(tf.int64, tf.int64, -1, "common", "mine", False)
    assert table.resource_handle.op.name == "mine"
    assert table.resource_handle.op.get_attr("shared_name") == b"common"
    assert not tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)


def test_dense_tables_need_no_deleted_key():
    table = LOOKUP.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0)
    with tf.Session() as session:
        session.run(table.insert(int64([5, -1]), int64([50, 10])))
        assert session.run(table.lookup(int64([5, -1, 7]))).tolist() == [50, 10, -1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="no deleted_key"):
            session.run(table.remove(int64([5])))


def test_dense_tables_grow():
    table = LOOKUP.MutableDenseHashTable(tf.int64, tf.int64, -1, 0, -1, initial_num_buckets=4)
    keys = np.arange(1, 101, dtype=np.int64)
    with tf.Session() as session:
        session.run(table.insert(keys, keys * 2))
        session.run(table.remove(tf.constant(keys[::2])))
        found = session.run(table.lookup(tf.constant(keys)))
        exported = session.run(table.export()[0])
    np.testing.assert_array_equal(found, np.where(keys % 2 == 1, -1, keys * 2))
    assert exported.shape == (128, 1)


def test_a_saver_saves_tables(tmp_path):
    table = LOOKUP.MutableHashTable(tf.string, tf.float32, [0.0, 0.0], name="table")
    dense = LOOKUP.MutableDenseHashTable(tf.int64, tf.int64, -1, 0, -1, name="dense")
    saver = tf.train.Saver(tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS))
    find = table.lookup(tf.constant(["a", "b"]))
    find_dense = dense.lookup(int64([3, 4]))
    with tf.Session() as session:
        session.run(table.insert(tf.constant(["a"]), tf.constant([[1.0, 2.0]])))
        session.run(dense.insert(int64([3]), int64([30])))
        path = saver.save(session, str(tmp_path / "model"))
    with tf.Session() as session:
        session.run(table.insert(tf.constant(["b"]), tf.constant([[9.0, 9.0]])))
        session.run(dense.insert(int64([4]), int64([40])))
        saver.restore(session, path)
        assert session.run(find).tolist() == [[1.0, 2.0], [0.0, 0.0]]
        assert session.run(find_dense).tolist() == [30, -1]


def test_tables_of_old_graphs_have_string_handles():
    graph = tf.Graph()
    with graph.as_default():
        handle = tf.raw_ops.HashTable(key_dtype=tf.string, value_dtype=tf.int64)
        init = tf.raw_ops.InitializeTable(table_handle=handle, keys=["a"], values=int64([3]))
        found = tf.raw_ops.LookupTableFind(
            table_handle=handle, keys=["a", "b"], default_value=int64(-1)
        )
    with tf.Session(graph=graph) as session:
        session.run(init)
        assert session.run(found).tolist() == [3, -1]
    assert handle.dtype == tf.string._as_ref


def test_an_empty_line_is_a_word(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"a\r\n\nb")
    table = LOOKUP.index_table_from_file(str(path))
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert session.run(table.lookup(tf.constant(["a", "", "b"]))).tolist() == [0, 1, 2]
        assert session.run(table.size()) == 3


def entries_of(table, session):
    return session._state.slot_of(table.resource_handle.op).value._rows


def test_tables_with_equal_entries_share_them():
    first, second = filled("first"), filled("second")
    initializer = LOOKUP.KeyValueTensorInitializer(["b", "a"], np.array([2, 1], np.int64))
    turned = LOOKUP.HashTable(initializer, -1, name="turned")
    words = tf.placeholder(tf.string, [None])
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert entries_of(first, session) is entries_of(second, session)
        assert entries_of(turned, session) is not entries_of(first, session)
        for table in (first, second, turned):
            assert session.run(table.lookup(words), {words: ["b", "c"]}).tolist() == [2, -1]


def test_tables_of_equal_numbers_with_other_signs_stay_apart():
    def table(value, name):
        initializer = LOOKUP.KeyValueTensorInitializer(["a"], np.array([value], np.float32))
        return LOOKUP.HashTable(initializer, 1.0, name=name)

    values = [
        table(value, name).lookup(tf.constant(["a"])) for value, name in ((0.0, "p"), (-0.0, "n"))
    ]
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert np.signbit(session.run(values)).tolist() == [[False], [True]]
