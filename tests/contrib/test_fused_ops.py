"""contrib.framework.fuse_op: one custom op in the place of a part of a graph."""

from __future__ import annotations

import pytest

import headwater as tf


def graph_def():
    with tf.Graph().as_default() as graph:
        a = tf.placeholder(tf.float32, [2], name="A")
        b = tf.placeholder(tf.float32, [2], name="B")
        c = tf.add(a, b, name="C")
        d = tf.square(c, name="D")
        o = tf.identity(tf.multiply(d, tf.negative(c, name="E"), name="F"), name="O")
        tf.add(tf.exp(o, name="H"), tf.sqrt(a, name="K"), name="M")
    return graph.as_graph_def()


def fuse(inputs, outputs, graph=None):
    graph = graph_def() if graph is None else graph
    return tf.contrib.framework.fuse_op(graph, inputs, outputs, [1], True, "op", "Fused")


def test_the_op_stands_between_inputs_and_outputs():
    result = fuse(["C"], ["O"])
    found = [(node.name, node.op, list(node.input)) for node in result.node]
    assert found == [
        ("A", "Placeholder", []),
        ("B", "Placeholder", []),
        ("C", "Add", ["A", "B"]),
        ("op", "Fused", ["C"]),
        ("O", "Identity", ["op"]),
        ("H", "Exp", ["O"]),
        ("K", "Sqrt", ["A"]),
        ("M", "Add", ["H", "K"]),
    ]
    attrs = result.node[3].attr
    assert list(attrs["_output_types"].list.type) == [1] and attrs["_output_quantized"].b
    assert result.versions.producer == graph_def().versions.producer


def test_outputs_are_numbered():
    assert [node.input[0] for node in fuse(["A", "B"], ["D", "E"]).node[3:5]] == ["op", "op:1"]


@pytest.mark.parametrize(
    ("inputs", "outputs", "error", "text"),
    [
        (["D"], ["O"], TypeError, "Node E uses input C not in input_nodes."),
        (["X"], ["O"], AssertionError, "X is not in graph"),
        (["C"], ["X"], AssertionError, "X is not in graph"),
        ("C", ["O"], TypeError, "input_nodes must be a list."),
        (["C"], "O", TypeError, "output_nodes must be a list."),
        (["A"], ["C"], AssertionError, "C has 2 inputs, not one"),
    ],
)
def test_errors(inputs, outputs, error, text):
    with pytest.raises(error, match=text):
        fuse(inputs, outputs)
    with pytest.raises(TypeError, match="graph_def must be a graph_pb2"):
        fuse(inputs, outputs, graph="graph")
