"""Summaries in SQLite databases: the rows are those that 1.15.5 writes for the same program."""

from __future__ import annotations

import functools
import sqlite3

import pytest

import headwater as tf

TENSORS = (
    "SELECT tag_name, plugin_name, step, dtype, shape, Tensors.data FROM Tensors "
    "JOIN Tags ON series = tag_id WHERE dtype IS NOT NULL ORDER BY tag_name, step"
)
STRINGS = (
    "SELECT tag_name, idx, TensorStrings.data FROM TensorStrings "
    "JOIN Tensors ON Tensors.rowid = tensor_rowid JOIN Tags ON series = tag_id "
    "ORDER BY tag_name, idx"
)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "summaries.db")


def write(path, make, graph_def=b"", **names):
    """Writes summaries into a run of the database."""
    names = {"experiment_name": "e", "run_name": "r", "user_name": "me", **names}
    with tf.Graph().as_default():
        writer = tf.contrib.summary.create_db_writer(path, **names)
        with writer.as_default(), tf.contrib.summary.always_record_summaries():
            made = make()
            graph = tf.contrib.summary.graph(tf.constant(graph_def), step=0)
        with tf.Session() as session:
            session.run(writer.init())
            for op in made:
                session.run(op)
            if graph_def:
                session.run(graph)
            session.run(writer.close())


def rows(path, query):
    base = sqlite3.connect(path)
    try:
        return list(base.execute(query))
    finally:
        base.close()


def scalar(step=1):
    return [tf.contrib.summary.scalar("loss", 1.5, step=step)]


def test_values_are_tensors_of_tags(path):
    def make():
        event = tf.Event(wall_time=5.0, step=9)
        event.summary.value.add(tag="event", simple_value=4.0)
        return [
            *scalar(),
            tf.contrib.summary.generic("text", tf.constant(["a", "bc"]), step=1),
            tf.contrib.summary.generic("bytes", tf.constant([[1, 2]], tf.uint8), step=2),
            tf.contrib.summary.histogram("h", tf.constant([2.0]), step=3),
            tf.contrib.summary.import_event(tf.constant(event.SerializeToString())),
        ]

    write(path, make)
    found = rows(path, TENSORS)
    assert [row[:5] for row in found] == [
        ("bytes", "", 2, 4, "1,2"),
        ("event", "scalars", 9, 1, ""),
        ("h", "histograms", 3, 2, "3,3"),
        ("loss", "scalars", 1, 1, ""),
        ("text", "", 1, 7, "2"),
    ]
    assert [row[5] for row in found if row[0] in ("bytes", "event", "loss")] == [
        b"\x01\x02",
        b"\x00\x00\x80@",
        b"\x00\x00\xc0?",
    ]
    assert rows(path, STRINGS) == [("text", 0, b"a"), ("text", 1, b"bc")]
    # An experiment and a run begin with their earliest event.
    assert rows(path, "SELECT started_time, run_name FROM Runs") == [(5.0, "r")]
    assert rows(path, "SELECT started_time, experiment_name FROM Experiments") == [(5.0, "e")]
    assert rows(path, "SELECT user_name FROM Users") == [("me",)]
    assert rows(path, "SELECT finished_time IS NULL FROM Runs") == [(0,)]


def test_a_graph_is_nodes_and_their_inputs(path):
    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:0"):
            x = tf.zeros([4], name="x")
        with tf.control_dependencies([tf.no_op("first")]):
            tf.add(tf.split(x, 2)[1], 1.0, name="z")
    write(path, scalar, graph.as_graph_def().SerializeToString())
    assert rows(path, "SELECT node_id, node_name, op, device FROM Nodes") == [
        (0, "x", "Const", "/device:CPU:0"),
        (1, "first", "NoOp", ""),
        (2, "Const", "Const", ""),
        (3, "split/split_dim", "Const", ""),
        (4, "split", "Split", ""),
        (5, "z/y", "Const", ""),
        (6, "z", "Add", ""),
    ]
    inputs = "SELECT idx, input_node_id, input_node_idx, is_control FROM NodeInputs"
    assert (1, 5, 0, 0) in rows(path, f"{inputs} WHERE node_id = 6")
    assert (0, 4, 1, 0) in rows(path, f"{inputs} WHERE node_id = 6")
    assert rows(path, f"{inputs} WHERE node_id = 3") == [(0, 1, 0, 1)]


def test_runs_of_one_name_replace_each_other_and_need_no_name(path):
    for step in range(2):
        write(path, functools.partial(scalar, step))
    assert rows(path, "SELECT run_name FROM Runs") == [("r",)]
    assert len(rows(path, "SELECT * FROM Tags")) == 2
    write(path, scalar, run_name="")
    assert len(rows(path, "SELECT * FROM Tags WHERE run_id IS NULL")) == 1
    write(path, scalar, experiment_name="")
    query = "SELECT run_name, experiment_id IS NULL FROM Runs ORDER BY rowid"
    assert rows(path, query) == [("r", 0), ("r", 1)]


def test_names_and_files_that_are_refused(path, tmp_path):
    create = tf.contrib.summary.create_db_writer
    with pytest.raises(ValueError, match=r"experiment_name \(a<b\) must match \^"):
        create(path, experiment_name="a<b")
    with pytest.raises(ValueError, match=r"user_name \(A b\) must match \^"):
        create(path, user_name="A b")
    writer = create(str(tmp_path / "missing" / "x.db"), user_name="me")
    (tmp_path / "text.db").write_text("no database " * 100)
    other = create(str(tmp_path / "text.db"), user_name="me")
    with tf.Session() as session:
        text = r"Sqlite::Open\(.*x.db\) failed: unable to open database file"
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.run(writer.init())
        with pytest.raises(tf.errors.InvalidArgumentError, match="file is not a database"):
            session.run(other.init())
