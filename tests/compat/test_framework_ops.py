from __future__ import annotations

import importlib

import pytest

import headwater as tf
from headwater.compat import install as hook


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def ops():
    hook.install()
    try:
        yield importlib.import_module("tensorflow.python.framework.ops")
    finally:
        hook.uninstall()


def test_control_outputs():
    x, y, z = (tf.constant(i).op for i in range(3))
    z._add_control_inputs([x, y, y])
    assert z.control_inputs == [x, y]
    assert x._control_outputs == y._control_outputs == [z]
    z._remove_all_control_inputs()
    assert x._control_outputs == []


def test_inputs_of_other_shapes():
    z = tf.constant(2, shape=[3, 1]) + tf.constant(0, shape=[3, 1])
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        z.op._update_input(0, tf.constant(1, shape=[2, 2]))
    assert raised.value.message == "Cannot update edge, incompatible shapes: [2,2] and [3,1]."
    z.op._update_input(0, tf.placeholder(tf.int32, [None, 1]))


def test_operations_are_no_tensors():
    with pytest.raises(TypeError, match=r"^Can't convert Operation 'NoOp' to Tensor \(target dty"):
        tf.convert_to_tensor(tf.no_op())


def test_kernel_labels_are_strings(graph):
    text = "^op_to_kernel_label_map must be a dictionary mapping strings to strings$"
    with pytest.raises(TypeError, match=text), graph._kernel_label_map({1: 2}):
        pass


def test_statistics(ops):
    @ops.RegisterStatistics("MyOpOfStatistics", "flops")
    def count(graph, node):
        return ops.OpStats("flops", 10)

    node = ops._NodeDef("MyOpOfStatistics", "a")
    total = ops.OpStats("flops")
    total += ops.get_stats_for_node_def(None, node, "flops")
    total += ops.get_stats_for_node_def(None, node, "flops")
    assert total.value == 20
    assert ops.get_stats_for_node_def(None, node, "parameters").value is None
    with pytest.raises(KeyError, match="Registering two statistic functions"):
        ops.RegisterStatistics("MyOpOfStatistics", "flops")(count)
    with pytest.raises(ValueError, match="Can't add an OpStat of type flops to one of parameters"):
        total += ops.OpStats("parameters", 1)


def test_graph_of_inputs(ops, graph):
    a = tf.constant(1)
    assert ops._get_graph_from_inputs([3, a]) is graph
    with tf.Graph().as_default():
        b = tf.constant(1)
        assert ops._get_graph_from_inputs([a]) is graph
    with pytest.raises(ValueError, match="must be from the same graph as"):
        ops._get_graph_from_inputs([a, b])
    with pytest.raises(ValueError, match="is not from the passed-in graph"):
        ops._get_graph_from_inputs([b], graph)


def test_small_ones(ops):
    assert ops.is_dense_tensor_like(tf.constant(1))
    assert ops.name_from_scope_name("a/b/") == "a/b"
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    found = ops.convert_n_to_tensor_or_indexed_slices([slices, None, 3.0])
    assert found[:2] == [slices, None] and found[2].dtype is tf.float32
    with pytest.raises(ValueError, match="requested dtype int32 for Tensor with dtype float32"):
        ops.convert_to_tensor_or_indexed_slices(slices, tf.int32)
    with pytest.raises(TypeError, match=r"^Type int does not define a `name` property$"):
        ops.register_dense_tensor_like_type(int)
    dtypes = importlib.import_module("tensorflow.python.framework.dtypes")
    assert dtypes.float32_ref is tf.float32._as_ref
    assert dtypes.bool_ref.name == "bool_ref"
    assert not hasattr(dtypes, "float33_ref")


def test_shapes_of_outputs_are_inferred_again(ops):
    x = tf.placeholder(tf.float32)
    y = x + 1.0
    split = tf.split(x, 2)
    x.set_shape([4])
    assert y.shape.ndims is None
    ops.set_shapes_for_outputs(y.op)
    ops.set_shapes_for_outputs(split[0].op)
    assert y.shape.as_list() == [4]
    assert [part.shape.as_list() for part in split] == [[2], [2]]
    x.set_shape([4])
    other = tf.placeholder(tf.float32)
    total = x + other
    other.set_shape([3])
    with pytest.raises(ValueError, match=r"^Dimensions must be equal, but are 4 and 3 for 'add_1'"):
        ops.set_shapes_for_outputs(total.op)
