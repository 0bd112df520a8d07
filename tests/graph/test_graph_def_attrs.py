"""Attrs of an imported GraphDef without a proper value; texts are those of 1.15.5."""

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


@pytest.mark.parametrize(
    ("op_type", "attr"),
    [("Const", "value"), ("Add", "T"), ("VariableV2", "shape"), ("Placeholder", "shape")],
)
def test_a_placeholder_is_no_value_outside_of_functions(op_type, attr):
    graph_def = _with_empty_attr(op_type, attr)
    next(n for n in graph_def.node if n.op == op_type).attr[attr].placeholder = "T"
    text = f"AttrValue had value with unexpected type 'placeholder'\n\t for attr '{attr}'"
    with pytest.raises(ValueError, match=text):
        tf.import_graph_def(graph_def)


@pytest.mark.parametrize("op_type, attr", [("Const", "value"), ("Reshape", "Tshape")])
def test_an_empty_list_is_no_single_value(op_type, attr):
    graph_def = _with_empty_attr(op_type, attr)
    next(n for n in graph_def.node if n.op == op_type).attr[attr].list.SetInParent()
    with pytest.raises(ValueError, match="AttrValue missing value with expected type '"):
        tf.import_graph_def(graph_def)
