"""GraphDefs: export, import, freezing, op lists and tensor protos."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf import text_format

import headwater as tf
from headwater.base import errors

equal = np.testing.assert_array_equal


def test_graph_defs():
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


def test_freezing():
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


def test_an_op_dict_is_accepted():
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="a")
    found = tf.import_graph_def(graph.as_graph_def(), return_elements=["a:0"], op_dict={})
    assert found[0].name == "import/a:0"


def test_import_graph_def():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, name="x")
        tf.add(x, 1.0, name="y")
        definition = graph.as_graph_def()
    tf.import_graph_def(definition)
    assert tf.get_default_graph().get_operation_by_name("import/y").type == "Add"
    new = tf.constant(4.0)
    op, out = tf.import_graph_def(definition, {"x:0": new}, ["y", "y:0"], name="again")
    assert isinstance(op, tf.Operation) and op.inputs[0] is new and out is op.outputs[0]
    with tf.Session() as session:
        assert session.run(out) == 5.0
    for arguments in ((3,), (definition, {1: 2}), (definition, None, [3])):
        with pytest.raises(
            TypeError,
            match=r"graph_def must be a GraphDef proto\.|input_map must be a dictionary|"
            r"return_elements must be a list of",
        ):
            tf.import_graph_def(*arguments)
    for arguments in ((definition, {"z:0": new}), (definition, None, ["z:0"])):
        with pytest.raises(ValueError, match="not found in graph"):
            tf.import_graph_def(*arguments)
    definition.node[-1].input[0] = "nowhere"
    with pytest.raises(ValueError, match="Node 'y': Unknown input node 'nowhere'"):
        tf.import_graph_def(definition)


def test_unknown_attributes_with_their_default_are_removed():
    definition = tf.GraphDef()
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="c")
        definition.CopyFrom(graph.as_graph_def())
    definition.node[0].attr["future"].i = 7
    producer = tf.OpList() if hasattr(tf, "OpList") else None
    if producer is None:
        from headwater.protos import op_def_pb2

        producer = op_def_pb2.OpList()
    op_def = producer.op.add()
    op_def.CopyFrom(tf.constant(0.0).op.op_def)
    op_def.attr.add(name="future", type="int").default_value.i = 7
    tf.import_graph_def(definition, producer_op_list=producer, name="in")
    assert tf.get_default_graph().get_operation_by_name("in/c").type == "Const"


def test_utilities_for_tensor_protos_and_op_lists():
    util = tf.contrib.util
    assert util.constant_value(tf.constant(3)) == 3
    equal(util.constant_value(tf.shape(tf.zeros([2, 3]))), [2, 3])
    assert util.constant_value(tf.random_uniform([1])) is None
    for x in (3, [1.5, 2.0], np.int8([[1]]), np.float64(2.0), b"text"):
        assert util.make_ndarray(util.make_tensor_proto(x)).tolist() == np.asarray(x).tolist()
    filled = util.make_ndarray(util.make_tensor_proto([7], shape=[2, 2]))
    equal(filled, [[7, 7], [7, 7]])
    with pytest.raises(
        ValueError, match=r"Too many elements provided\. Needed at most 2, but received 3"
    ):
        util.make_tensor_proto([1, 2, 3], shape=[2])
    with pytest.raises((TypeError, ValueError), match=r"None values not supported\."):
        util.make_tensor_proto(None)
    graph_def = tf.get_default_graph().as_graph_def()
    graph_def.node.add(name="z", op="NoSuchOp")
    assert "NoSuchOp" in util.ops_used_by_graph_def(graph_def)
    with pytest.raises(ValueError, match="Op NoSuchOp is used by the graph, but is not registered"):
        util.stripped_op_list_for_graph(graph_def)
    del graph_def.node[-1]
    names = {op.name for op in util.stripped_op_list_for_graph(graph_def).op}
    assert {"Const", "RandomUniform"} <= names


def test_a_constant_whose_value_is_of_another_type(session):
    # TensorFlow 1.15.5 makes the kernels of all ops of a run before it starts.
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="c")
        tf.constant([1, 2], name="d")
        definition = graph.as_graph_def()
    definition.node[0].attr["dtype"].type = tf.int32.as_datatype_enum
    c, d = tf.import_graph_def(definition, return_elements=["c:0", "d:0"])
    equal(session.run(d), [1, 2])
    text = r"Type mismatch between value \(float\) and dtype \(int32\)"
    again = [session.make_callable(c + 1), session.make_callable(c)]
    in_loop = tf.while_loop(
        lambda x: x < 10,
        lambda x: x + tf.import_graph_def(definition, return_elements=["c:0"])[0],
        [0],
    )
    in_function = tf.data.Dataset.range(3).map(
        lambda x: x + tf.cast(tf.import_graph_def(definition, return_elements=["c:0"])[0], tf.int64)
    )
    element = tf.data.make_one_shot_iterator(in_function).get_next()
    for call in (*again, *again, lambda: session.run(in_loop), lambda: session.run(element)):
        with pytest.raises(errors.InvalidArgumentError, match=text):
            call()
    assert session.run(c, {c: 3}) == 3
