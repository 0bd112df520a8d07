"""Constants of variants, which only TensorProtos can describe."""

from __future__ import annotations

import headwater as tf
from headwater.protos import tensor_pb2


def _number(value):
    proto = tensor_pb2.TensorProto(dtype=tf.variant.as_datatype_enum)
    metadata = value.to_bytes(4, "little", signed=True)
    proto.variant_val.add(type_name="int", metadata=metadata)
    return tf.constant(proto)


def test_variants_of_integers_are_added():
    total = tf.add_n([_number(3), _number(3), _number(5), _number(-4)])
    like = tf.zeros_like(total)
    assert total.dtype == tf.variant
    assert total.shape == ()
    with tf.Session() as session:
        assert session.run([total, like]) == [7, 0]


def test_constants_of_variants_are_written_and_read():
    constant = _number(-5)
    proto = constant.op.node_def.attr["value"].tensor
    assert proto.variant_val[0].type_name == "int"
    with tf.Graph().as_default():
        graph_def = constant.graph.as_graph_def()
        (copy,) = tf.import_graph_def(graph_def, return_elements=[constant.name])
        with tf.Session() as session:
            assert session.run(copy) == -5


def test_a_tensor_proto_is_a_constant():
    constant = tf.constant(tf.make_tensor_proto([1, 2]))
    assert constant.dtype == tf.int32
    with tf.Session() as session:
        assert session.run(constant).tolist() == [1, 2]
