"""Graphs: defaults and threads, control dependencies, collections, seeds, finalizing, versions."""

from __future__ import annotations

import threading

import pytest

import headwater as tf


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_default_graphs():
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


def test_versions_of_graphs():
    graph = tf.get_default_graph()
    tf.constant(1.0, name="a")
    version = graph.version
    tf.constant([2.0, 3.0], name="b")
    assert graph.version > version
    assert [n.name for n in graph.as_graph_def(from_version=version).node] == ["b"]
    node = graph.as_graph_def(add_shapes=True).node[1]
    assert node.attr["_output_shapes"].list.shape[0].dim[0].size == 2
    assert graph.graph_def_versions.producer > 0


def test_finalize():
    graph = tf.get_default_graph()
    graph.finalize()
    assert graph.finalized
    with pytest.raises(RuntimeError, match=r"Graph is finalized and cannot be modified\."):
        tf.constant(1.0)


def test_control_dependencies():
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


def test_collections():
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


def test_feeding_and_fetching_can_be_forbidden():
    graph = tf.get_default_graph()
    a = tf.constant(1.0)
    assert graph.is_feedable(a) and graph.is_fetchable(a)
    graph.prevent_feeding(a)
    graph.prevent_fetching(a.op)
    assert not graph.is_feedable(a) and not graph.is_fetchable(a.op)
    with (
        tf.Session() as session,
        pytest.raises(
            ValueError, match=r'Tensor Tensor\("Const:0", shape=\(\), dtype=float32\) may not be'
        ),
    ):
        session.run(a + 1.0, {a: 2.0})


def test_scopes_of_the_default_graph():
    before = tf.constant(1.0)
    with tf.name_scope("n"), tf.device("/cpu:0"), tf.control_dependencies([before]):
        inside = tf.constant(2.0)
        with tf.control_dependencies(None):
            cleared = tf.constant(3.0)
    assert inside.op.name == "n/Const" and inside.op.device == "/device:CPU:0"
    assert inside.op.control_inputs == [before.op] and cleared.op.control_inputs == []


def test_default_graphs_belong_to_threads():
    outer = tf.get_default_graph()
    with tf.Graph().as_default() as graph:
        assert tf.get_default_graph() is graph
        seen = []
        thread = threading.Thread(target=lambda: seen.append(tf.get_default_graph()))
        thread.start()
        thread.join()
        assert seen[0] is not graph
    assert tf.get_default_graph() is outer
    tf.constant(1)
    tf.reset_default_graph()
    assert tf.get_default_graph() is not outer
    assert tf.constant(1).name == "Const:0"


def test_libraries_that_cannot_be_loaded(tmp_path):
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"no library")
    for load in (tf.load_op_library, tf.load_file_system_library):
        with pytest.raises((RuntimeError, tf.errors.OpError)):
            load(str(broken))


def test_collections_of_named_values():
    class Named:
        def __init__(self, name):
            self.name = name

    first, second = Named("a/x"), Named("b/a/x")
    for value in (first, 3, second):
        tf.add_to_collection("k", value)
    assert tf.get_collection("k") == [first, 3, second] and tf.get_collection("none") == []
    assert tf.get_collection("k", scope="a") == [first]
    tf.get_collection("k").append(4)
    assert len(tf.get_collection("k")) == 3
    tf.get_collection_ref("k").append(4)
    assert tf.get_collection("k")[-1] == 4


def test_pairs_of_seeds():
    tf.set_random_seed(7)
    assert tf.get_seed(5) == (7, 5)
    assert all(isinstance(s, int) for s in tf.get_seed(None))


def test_building_graphs():
    x, y = tf.random_normal([10, 10]), tf.random_normal([10, 10])
    assert str(tf.matmul(x, y)) == 'Tensor("MatMul:0", shape=(10, 10), dtype=float32)'
    tf.reset_default_graph()
    a = tf.constant(1)
    assert a.name == "Const:0"
    b = a
    a = a + tf.constant(2)
    assert a is not b and value(a) == 3
