"""Attributes of graphs, ops and variables with underscores that libraries read."""

from __future__ import annotations

import pytest

import headwater as tf


def test_attributes_of_graphs_and_ops():
    graph = tf.get_default_graph()
    a = tf.constant(1.0, name="a")
    b = tf.add(a, a, name="b")
    assert graph._version == graph.version == 2
    assert [graph._nodes_by_id[i].name for i in sorted(graph._nodes_by_id)] == ["a", "b"]
    assert graph._graph_key == graph._graph_key != tf.Graph()._graph_key
    assert b.op._node_def == b.op.node_def
    assert b.op._op_def.name == "Add"
    assert b.op._traceback == b.op.traceback
    assert not b.op._is_stateful
    assert tf.Variable(1.0).op._is_stateful
    b.op._set_attr("_mark", tf.AttrValue(i=3))
    b.op._clear_attr("_mark")
    with pytest.raises(ValueError, match="has no attr named '_mark'"):
        b.op.get_attr("_mark")


@pytest.mark.parametrize("use_resource", [False, True])
def test_attributes_of_variables(use_resource):
    v = tf.get_variable("v", [2], use_resource=use_resource)
    assert v._in_graph_mode
    assert v._graph_key == tf.get_default_graph()._graph_key
    if use_resource:
        assert v._handle_name == "v:0"
        assert v._read_variable_op().shape.as_list() == [2]
        with pytest.raises(NotImplementedError, match="only available when eager execution"):
            v.numpy()
