"""Meta graphs: export, import, continued training, variables as protos."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from google.protobuf import wrappers_pb2

import headwater as tf
from headwater.graph.collection_protos import register_proto_function

equal = np.testing.assert_array_equal


@pytest.fixture
def v():
    return tf.Variable([1.0, 2.0, 3.0, 4.0], name="v")


def files(folder):
    return sorted(p.name for p in Path(folder).iterdir())


def test_meta_graphs_continue_training(tmp_path):
    v = tf.Variable(10.0, name="v")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v)
    tf.add_to_collection("train_op", train)
    tf.add_to_collection("options", "lr=0.1")
    meta = tf.train.export_meta_graph(collection_list=["train_op"])
    assert list(meta.collection_def) == ["train_op"]
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        session.run(train)
        tf.train.Saver().save(session, str(tmp_path / "my-model"), global_step=1)
    path = tf.train.latest_checkpoint(str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(session, path)
        session.run(tf.get_collection("train_op")[0])
        assert abs(session.run("v:0") - 6.4) < 1e-5
        assert tf.get_collection("options") == [b"lr=0.1"]


def test_variables_as_protos():
    v = tf.Variable(1.0, name="v")
    proto = v.to_proto()
    assert (proto.variable_name, proto.initializer_name) == ("v:0", "v/Assign")
    assert proto.snapshot_name == "v/read:0"
    again = tf.Variable.from_proto(proto)
    assert again.name == "v:0" and again.initializer is v.initializer


def test_meta_graphs(session, tmp_path, v):
    session.run(v.initializer)
    tf.add_to_collection("out", v * 2.0)
    text = tmp_path / "text.meta"
    meta = tf.train.export_meta_graph(str(text), as_text=True)
    assert "meta_info_def" in text.read_text() and meta.graph_def.node[0].name
    path = tf.train.Saver().save(session, str(tmp_path / "my-model"), global_step=10000)
    assert "my-model-10000.meta" in files(tmp_path)
    with tf.Graph().as_default(), tf.Session() as other:
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(other, path)
        equal(other.run(tf.get_collection("out")[0]), [2, 4, 6, 8])
        assert [x.name for x in tf.global_variables()] == ["v:0"]
    with tf.Graph().as_default():
        tf.constant(1)
        empty = tf.train.export_meta_graph()
        assert tf.train.import_meta_graph(empty, import_scope="again") is None


def test_checkpoints_and_frozen_graphs(tmp_path):
    v = tf.Variable(2.0, name="v")
    tf.multiply(v, 3.0, name="out")
    with tf.Session() as session:
        session.run(v.initializer)
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
        definition = session.graph.as_graph_def()
        frozen = tf.graph_util.convert_variables_to_constants(session, definition, ["out"])
    assert (tmp_path / "m.meta").is_file()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(path + ".meta").restore(session, path)
        assert session.run("out:0") == 6.0
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(frozen, name="")
        assert session.run("out:0") == 6.0


def test_items_of_a_program_become_protos_by_its_functions(tmp_path):
    class Point(NamedTuple):
        x: str

    def to_proto(point, export_scope=None):
        return None if point.x == "left out" else wrappers_pb2.StringValue(value=point.x)

    register_proto_function(
        "points",
        wrappers_pb2.StringValue,
        to_proto=to_proto,
        from_proto=lambda proto, import_scope=None: Point(proto.value),
    )
    for x in ("a", "left out", "b"):
        tf.add_to_collection("points", Point(x))
    graph = tf.train.export_meta_graph(str(tmp_path / "g.meta"))
    assert len(graph.collection_def["points"].bytes_list.value) == 2
    tf.reset_default_graph()
    tf.train.import_meta_graph(graph)
    assert tf.get_collection("points") == [Point("a"), Point("b")]


def test_empty_collections_are_left_out():
    tf.get_default_graph().get_collection_ref("empty")
    tf.layers.dense(tf.ones([1, 1]), 1)
    proto = tf.train.export_meta_graph(collection_list=["empty", "update_ops", "variables", "none"])
    assert list(proto.collection_def) == ["variables"]
