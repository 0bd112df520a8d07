"""Operation and Tensor: places, control inputs, attributes, constructors."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.graph import Operation, Tensor


def pair():
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="a")
    b = tf.constant([[1.0, 1.0], [0.0, 1.0]], name="b")
    return a, b, tf.matmul(a, b, name="c")


def test_an_operation_knows_its_place():
    a, b, c = pair()
    op = c.op
    assert (op.type, list(op.inputs), op.outputs) == ("MatMul", [a, b], [c])
    assert op.control_inputs == [] and isinstance(op.outputs, list)
    assert a.consumers() == [op] and c.consumers() == []
    assert op.values()[0] is c
    assert op.node_def.name == "c" and op.op_def.name == "MatMul"
    assert any("pair" in str(line) for line in op.traceback)


def test_running_ops_and_tensors():
    a, _, c = pair()
    assert not isinstance(c, np.ndarray)
    with tf.Session() as session:
        np.testing.assert_array_equal(c.eval(), [[1, 3], [3, 7]])
        np.testing.assert_array_equal(session.run(c), c.eval(session=session))
        assert isinstance(c.eval(), np.ndarray)
        assert c.op.run() is None
        np.testing.assert_array_equal(c.eval(feed_dict={a: np.eye(2)}), [[1, 1], [0, 1]])
    with pytest.raises(ValueError, match="No default session"):
        c.eval()
    with pytest.raises(ValueError, match="No default session"):
        c.op.run()


def test_control_inputs_run_first():
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign(5.0)]):
        read = tf.identity(v.read_value())
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(read) == 5.0


def test_attributes():
    op = pair()[2].op
    assert op.get_attr("transpose_a") is False and op.get_attr("T") == tf.float32
    with pytest.raises(ValueError, match="no_such"):
        op.get_attr("no_such")


def test_constructors_check_their_arguments():
    graph = tf.get_default_graph()
    a = tf.constant(1.0)
    for name in ("", "/a", "a b", "-a"):
        with pytest.raises(ValueError, match="is not a valid"):
            graph.create_op("Identity", [a], [tf.float32], name=name or " ")
    node = a.op.node_def
    with pytest.raises(TypeError, match="node_def needs to be a NodeDef: 3"):
        Operation(3, graph)
    with pytest.raises(TypeError, match="g needs to be a Graph: graph"):
        Operation(node, "graph")
    with pytest.raises(TypeError, match="input needs to be a Tensor: 3"):
        Operation(node, graph, inputs=[3])
    with pytest.raises(
        TypeError, match="Control input must be an Operation, a Tensor, or IndexedSlices:"
    ):
        Operation(node, graph, control_inputs=[3])
    with pytest.raises(TypeError, match="op needs to be an Operation: op"):
        Tensor("op", 0, tf.float32)
    op = graph.create_op("Identity", [a], [tf.float32])
    assert len(op.outputs) == 1
