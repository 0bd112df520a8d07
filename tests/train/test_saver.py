from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import headwater as tf

# Runs in either system: writes or reads these variables.
MODEL = """
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="layer/weights")
n = tf.Variable(np.int64(7), name="step")
s = tf.Variable([b"one", b""], name="words")
r = tf.get_variable("resource", initializer=[1.5, -2.5], use_resource=True)
p = tf.get_variable("parts", [5, 2], initializer=tf.zeros_initializer,
                    partitioner=tf.fixed_size_partitioner(2))
change = [v.assign(v * 2), n.assign_add(1), r.assign([8, 9])] + [x.assign(x + 3) for x in p]
"""
PRINT = """
    for x in [v, n, s, r] + list(p):
        print(np.asarray(sess.run(x)).tolist())
"""
WRITE = (
    MODEL
    + """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(change)
    tf.train.Saver().save(sess, PATH)
"""
    + PRINT
)
READ = (
    MODEL
    + """
with tf.Session() as sess:
    tf.train.Saver().restore(sess, PATH)
"""
    + PRINT
)
READ_GRAPH = (
    """
saver = tf.train.import_meta_graph(PATH + ".meta")
v, n, s, r, *p = [x for x in tf.global_variables()]
with tf.Session() as sess:
    saver.restore(sess, PATH)
"""
    + PRINT
)
VALUES = """\
[[2.0, 4.0], [6.0, 8.0]]
8
[b'one', b'']
[8.0, 9.0]
[[3.0, 3.0], [3.0, 3.0], [3.0, 3.0]]
[[3.0, 3.0], [3.0, 3.0]]
"""


def ours(source, path):
    lines = []
    names = {"tf": tf, "np": np, "PATH": path, "print": lambda line: lines.append(f"{line}\n")}
    tf.reset_default_graph()
    exec(source, names)
    return "".join(lines)


def theirs(oracle, source, path):
    return oracle(f"import numpy as np, tensorflow as tf\nPATH = {path!r}\n{source}")


def test_values_come_back(tmp_path):
    path = str(tmp_path / "model")
    assert ours(WRITE, path) == VALUES
    assert ours(READ, path) == VALUES
    assert ours(READ_GRAPH, path) == VALUES


@pytest.mark.oracle
def test_tensorflow_reads_our_checkpoints(tmp_path, oracle):
    path = str(tmp_path / "model")
    assert ours(WRITE, path) == VALUES
    assert theirs(oracle, READ, path) == VALUES
    assert theirs(oracle, READ_GRAPH, path) == VALUES


@pytest.mark.oracle
def test_we_read_checkpoints_of_tensorflow(tmp_path, oracle):
    path = str(tmp_path / "model")
    assert theirs(oracle, WRITE, path) == VALUES
    assert ours(READ, path) == VALUES
    assert ours(READ_GRAPH, path) == VALUES


def test_some_checkpoints_are_kept_for_good(tmp_path, session, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("headwater.train.checkpoints.saver.time.time", lambda: now[0])
    v = tf.Variable(0.0)
    saver = tf.train.Saver(max_to_keep=2, keep_checkpoint_every_n_hours=1)
    session.run(v.initializer)
    for step in range(10):
        saver.save(session, str(tmp_path / "m"), step, write_meta_graph=False)
        now[0] += 1000
    kept = sorted(p.stem for p in Path(tmp_path).glob("*.index"))
    assert kept == ["m-4", "m-8", "m-9"]
    assert [Path(p).name for p in saver.last_checkpoints] == ["m-8", "m-9"]


def test_graph_with_collections_comes_back(tmp_path):
    v = tf.Variable([1.0, 2.0], name="v")
    tf.add_to_collection("double", v * 2)
    tf.add_to_collection("numbers", 3)
    tf.add_to_collection("texts", "a")
    tf.add_to_collection("objects", object())
    path = str(tmp_path / "graph.meta")
    proto = tf.train.Saver().export_meta_graph(path, as_text=True)
    assert sorted(proto.collection_def) == [
        *("double", "numbers", "texts", "trainable_variables", "variables")
    ]
    with tf.Graph().as_default() as graph:
        saver = tf.train.import_meta_graph(path, import_scope="inner")
        assert saver.saver_def.restore_op_name == "inner/save/restore_all"
        assert [x.name for x in tf.global_variables()] == ["inner/v:0"]
        assert tf.get_collection("double")[0].name == "inner/mul:0"
        assert (graph.get_collection("numbers"), graph.get_collection("texts")) == (
            [3],
            ["inner/a"],
        )
    with pytest.raises(OSError, match="does not exist"):
        tf.train.import_meta_graph(str(tmp_path / "none"))
