"""Names, name scopes, and finding elements by name."""

from __future__ import annotations

import pytest

import headwater as tf


def names_under(scope):
    tf.reset_default_graph()
    with scope("scope"):
        a = tf.constant(1, name="a")
        b = tf.Variable(1, name="b")
        c = tf.get_variable("c", [])
    return [a.name, b.name, c.name]


def test_names():
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


def test_finding_elements():
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
        with pytest.raises(
            TypeError,
            match=r"Can not convert a int into a Tensor|names are strings \(or similar\), not",
        ):
            call()
    for call in (
        lambda: graph.as_graph_element("no:0"),
        lambda: graph.get_operation_by_name("no"),
        lambda: graph.get_tensor_by_name("no:0"),
    ):
        with pytest.raises(KeyError, match=r'in the graph\."'):
            call()
    with pytest.raises(
        ValueError, match="The name 'c:0:0' looks a like a Tensor name, but is not a valid"
    ):
        graph.as_graph_element("c:0:0")
    operations = graph.get_operations()
    operations.clear()
    assert graph.get_operations()


def test_names_and_ops():
    graph = tf.get_default_graph()
    assert graph.unique_name("x", mark_as_used=False) == "x" == graph.unique_name("x")
    assert graph.unique_name("x") == "x_1"
    with pytest.raises(TypeError, match="Input #0 is not a tensor: 3"):
        graph.create_op("Identity", [3], [tf.float32])
    op = graph.create_op("Identity", [tf.constant(1.0)], [tf.float32])
    assert op.name == "Identity" and len(op.outputs) == 1


def test_op_scope():
    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0)
    with tf.op_scope([a], None, "mine") as scope:
        assert scope == "mine/" and tf.get_default_graph() is graph
        assert tf.constant(2.0).op.name == "mine/Const"
    with tf.op_scope([], "given", "mine") as scope:
        assert scope == "given/"
    with (
        pytest.raises(
            ValueError, match=r"At least one of name \(None\) and default_name \(None\) must be"
        ),
        tf.op_scope([], None),
    ):
        pass
    with (
        pytest.raises(
            ValueError, match=r'Tensor\("Const:0", shape=\(\), dtype=float32\) must be from the'
        ),
        tf.op_scope([a, tf.constant(1.0)], None, "mine"),
    ):
        pass


def test_looking_at_graphs():
    a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
    c = tf.add(a, b, name="c")
    graph = tf.get_default_graph()
    assert len(tf.contrib.graph_editor.get_tensors(graph)) == 3
    with tf.Session() as session:
        assert [op.name for op in session.graph.get_operations()] == ["a", "b", "c"]
    assert list(c.op.values()) == [c] and c.name == "c:0"
    assert [n.name for n in graph.as_graph_def().node] == ["a", "b", "c"]


def test_names_are_made_unique():
    assert [tf.constant(1).name, tf.Variable(1).name] == ["Const:0", "Variable:0"]
    assert names_under(tf.name_scope) == ["scope/a:0", "scope/b:0", "c:0"]
    assert names_under(tf.variable_scope) == ["scope/a:0", "scope/b:0", "scope/c:0"]
    with tf.variable_scope("scope", reuse=True):
        assert tf.constant(1, name="a").name == "scope_1/a:0"
