"""Attrs of an imported GraphDef that have no value; texts are those of 1.15.5."""

from __future__ import annotations

import pytest

import headwater as tf


def _with_empty_attr(op_type, attr):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3])
        tf.reshape(x, [3])
        tf.add(x, tf.constant(1.0))
        tf.Variable(1.0, use_resource=False)
    graph_def = graph.as_graph_def()
    node = next(node for node in graph_def.node if node.op == op_type)
    node.attr[attr].Clear()
    return graph_def


@pytest.mark.parametrize(
    ("op_type", "attr", "kind"),
    [
        ("Const", "value", "tensor"),
        ("Const", "dtype", "type"),
        ("Placeholder", "dtype", "type"),
        ("Add", "T", "type"),
        ("VariableV2", "shape", "shape"),
    ],
)
def test_an_attr_without_a_value_is_refused(op_type, attr, kind):
    text = f"AttrValue missing value with expected type '{kind}'\n\t for attr '{attr}'"
    with pytest.raises(ValueError, match=text):
        tf.import_graph_def(_with_empty_attr(op_type, attr))


@pytest.mark.parametrize(
    ("op_type", "attr"),
    [("Placeholder", "shape"), ("Reshape", "Tshape"), ("VariableV2", "shared_name")],
)
def test_an_attr_without_a_value_has_its_default(op_type, attr):
    tf.import_graph_def(_with_empty_attr(op_type, attr), name="")
    assert op_type in {op.type for op in tf.get_default_graph().get_operations()}
