"""Statements on graphs (lines 7995 to 8072 and 9307 to 9904)."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from google.protobuf import text_format

import headwater as tf


def test_7995_to_8058_graph_defs():
    v = tf.Variable([1.0], name="v")
    (v + 1.0) * 2.0
    definition = tf.get_default_graph().as_graph_def()
    again = tf.GraphDef()
    again.ParseFromString(definition.SerializeToString())
    text = tf.GraphDef()
    text_format.Merge(text_format.MessageToString(definition), text)
    assert again == definition == text
    names = [node.name for node in definition.node]
    assert len(set(names)) == len(names)
    del definition.node[:]
    node = definition.node.add(name="p", op="Placeholder")
    node.attr["dtype"].type = 1
    definition.node.add(name="q", op="Identity", input=["p:0"]).attr["T"].type = 1
    tf.import_graph_def(definition, name="")
    graph = tf.get_default_graph()
    assert graph.get_tensor_by_name("q:0").op.inputs[0] is graph.get_tensor_by_name("p:0")
    assert graph.get_tensor_by_name("p:0").get_shape().ndims is None


def test_8064_to_8072_freezing():
    v = tf.Variable([3.0, 4.0], name="v")
    tf.multiply(v, 2.0, name="out")
    tf.constant(1.0, name="unused")
    with tf.Session() as session:
        session.run(v.initializer)
        frozen = tf.graph_util.convert_variables_to_constants(
            session, tf.get_default_graph().as_graph_def(), ["out"]
        )
    ops = {node.name: node for node in frozen.node}
    assert ops["v"].op == "Const" and "unused" not in ops
    np.testing.assert_array_equal(tf.make_ndarray(ops["v"].attr["value"].tensor), [3, 4])


def test_9307_to_9338_default_graphs():
    assert tf.constant(4.0).graph is tf.get_default_graph()
    with tf.Graph().as_default() as graph:
        assert tf.constant(5.0).graph is graph
        made = []

        def build():
            with graph.as_default():
                made.append(tf.constant(1.0).graph)

        thread = threading.Thread(target=build)
        thread.start()
        thread.join()
    assert made == [graph]


def test_9369_9370_9752_9764_versions_of_graphs():
    graph = tf.get_default_graph()
    tf.constant(1.0, name="a")
    version = graph.version
    tf.constant([2.0, 3.0], name="b")
    assert graph.version > version
    assert [n.name for n in graph.as_graph_def(from_version=version).node] == ["b"]
    node = graph.as_graph_def(add_shapes=True).node[1]
    assert node.attr["_output_shapes"].list.shape[0].dim[0].size == 2
    assert graph.graph_def_versions.producer > 0


def test_9386_9390_finalize():
    graph = tf.get_default_graph()
    graph.finalize()
    assert graph.finalized
    with pytest.raises(RuntimeError):
        tf.constant(1.0)


def test_9396_to_9455_control_dependencies():
    a, b = tf.constant(1.0), tf.constant(2.0)
    graph = tf.get_default_graph()
    with graph.control_dependencies([a]):
        with graph.control_dependencies([b.op]):
            both = tf.constant(3.0)
        with graph.control_dependencies(None):
            none = tf.constant(3.0)
    assert set(both.op.control_inputs) == {a.op, b.op} and none.op.control_inputs == []
    assert tf.constant(4.0).op.control_inputs == []
    for wrong in ([3], 5):
        with pytest.raises(TypeError), graph.control_dependencies(wrong):
            pass


def test_9465_to_9479_devices():
    def by_type(op):
        return "/gpu:0" if op.type == "MatMul" else "/cpu:0"

    with tf.device("/gpu:0"):
        outer = tf.constant([[1.0]])
        with tf.device("/cpu:0"):
            inner = tf.constant([[1.0]])
        with tf.device(None):
            free = tf.constant([[1.0]])
    with tf.device(by_type):
        product, other = tf.matmul(outer, inner), tf.constant(1.0)
    devices = [t.device for t in (outer, inner, free, product, other)]
    gpu, cpu = "/device:GPU:0", "/device:CPU:0"
    assert devices == [gpu, cpu, "", gpu, cpu]


def test_9514_to_9564_names():
    graph = tf.get_default_graph()
    names = [tf.constant(5.0, name="c").op.name, tf.constant(6.0, name="c").op.name]
    with graph.name_scope("nested") as scope:
        names.append(tf.constant(10.0, name="c").op.name)
        for _ in range(2):
            with graph.name_scope("inner"):
                names.append(tf.constant(20.0, name="c").op.name)
        with graph.name_scope(scope):
            names.append(tf.constant(40.0, name="d").op.name)
            with graph.name_scope(""):
                names.append(tf.constant(50.0, name="e").op.name)
    assert names == ["c", "c_1", "nested/c", "nested/inner/c", "nested/inner_1/c", "nested/d", "e"]
    with graph.name_scope("my_layer") as scope:
        assert tf.identity(1.0, name=scope).op.name == "my_layer"


def test_9584_to_9631_9872_collections():
    graph = tf.get_default_graph()
    graph.add_to_collection("a", 1)
    graph.add_to_collections(("a", "b", "b"), 1)
    graph.add_to_collections("name", 2)
    assert graph.get_collection("a") == [1, 1] and graph.get_collection("b") == [1]
    assert graph.get_collection("name") == [2] and graph.get_collection("none") == []
    assert "none" not in graph.get_all_collection_keys()
    graph.get_collection_ref("made").append(3)
    assert graph.get_collection("made") == [3]
    assert set(graph.get_all_collection_keys()) == {"a", "b", "name", "made"}


def test_9651_to_9717_finding_elements():
    graph = tf.get_default_graph()
    c = tf.constant(1.0, name="c")
    v = tf.Variable(1.0, name="v")
    assert graph.as_graph_element("c:0") is c and graph.as_graph_element("c") is c.op
    assert graph.as_graph_element(v) is v._as_graph_element()
    assert graph.get_operation_by_name("c") is c.op and graph.get_tensor_by_name("c:0") is c
    for call in (
        lambda: graph.as_graph_element(3),
        lambda: graph.get_operation_by_name(c),
        lambda: graph.get_tensor_by_name(3),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: graph.as_graph_element("no:0"),
        lambda: graph.get_operation_by_name("no"),
        lambda: graph.get_tensor_by_name("no:0"),
    ):
        with pytest.raises(KeyError):
            call()
    with pytest.raises(ValueError):
        graph.as_graph_element("c:0:0")
    operations = graph.get_operations()
    operations.clear()
    assert graph.get_operations()


def test_9733_to_9787_names_and_ops():
    graph = tf.get_default_graph()
    assert graph.unique_name("x", mark_as_used=False) == "x" == graph.unique_name("x")
    assert graph.unique_name("x") == "x_1"
    with pytest.raises(TypeError):
        graph.create_op("Identity", [3], [tf.float32])
    op = graph.create_op("Identity", [tf.constant(1.0)], [tf.float32])
    assert op.name == "Identity" and len(op.outputs) == 1


def test_9811_9828_gradient_override_map():
    graph = tf.get_default_graph()

    @tf.RegisterGradient("StatementSquare")
    def _gradient(op, grad):
        return grad * 100.0

    x = tf.constant(3.0)
    plain = tf.square(x)
    with graph.gradient_override_map({"Square": "StatementSquare"}):
        custom = tf.square(x)
    with tf.Session() as session:
        values = session.run([tf.gradients(plain, x)[0], tf.gradients(custom, x)[0]])
    assert values == [6.0, 100.0]
    for wrong in (3, {"Square": 3}, {3: "StatementSquare"}):
        with pytest.raises(TypeError), graph.gradient_override_map(wrong):
            pass


def test_9851_9856_9862_colocation():
    graph = tf.get_default_graph()
    a = tf.constant(1.0, name="a")
    with graph.colocate_with(a):
        b = tf.constant(1.0)
        with graph.colocate_with(b, ignore_existing=True):
            c = tf.constant(2.0)
    assert b.op.colocation_groups() == [b"loc:@a"]
    assert c.op.colocation_groups() == [b"loc:@a"]
    with pytest.raises(ValueError), graph.colocate_with(None):
        pass
    # As on the page, where `g` is a graph of an earlier block.
    with tf.Graph().colocate_with(tf.Variable([1.0], name="other")):
        d = tf.constant(1.0)
    assert d.op.colocation_groups() == [b"loc:@" + d.op.name.encode()]


def test_9876_9896_feeding_and_fetching_can_be_forbidden():
    graph = tf.get_default_graph()
    a = tf.constant(1.0)
    assert graph.is_feedable(a) and graph.is_fetchable(a)
    graph.prevent_feeding(a)
    graph.prevent_fetching(a.op)
    assert not graph.is_feedable(a) and not graph.is_fetchable(a.op)
    with tf.Session() as session, pytest.raises(ValueError):
        session.run(a + 1.0, {a: 2.0})
