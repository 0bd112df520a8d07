"""Internal names without public ones that the original's own tests and old libraries import."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import headwater as tf
from headwater.compat import install as hook
from headwater.protos import tensor_pb2


@pytest.fixture(autouse=True)
def graph():
    hook.install()
    try:
        with tf.Graph().as_default() as graph:
            yield graph
    finally:
        hook.uninstall()


def internal(name):
    return importlib.import_module(f"tensorflow.{name}")


def test_versions_and_constants():
    versions = internal("python.framework.versions")
    assert versions.VERSION == tf.VERSION and versions.GIT_VERSION == tf.GIT_VERSION
    assert internal("contrib.layers.python.layers.layers").DATA_FORMAT_NCHW == "NCHW"
    assert {tf.float32, tf.qint8} <= internal("python.ops.check_ops").NUMERIC_TYPES
    scopes = internal("python.ops.variable_scope")
    assert scopes._VARSCOPE_KEY == scopes._VARSCOPESTORE_KEY == ("__varscope",)


def test_shape_functions():
    shapes = internal("python.framework.common_shapes")
    size = shapes.get_conv_output_size
    assert size((10, None), (3, 3), (2, 2), b"SAME") == (5, None)
    assert size((10, 7), (3, 3), (2, 2), b"VALID") == (4, 3)
    assert shapes.get2d_conv_output_size(10, None, 3, 3, 2, 2, b"SAME") == (5, None)
    text = r"^Filter must not be larger than the input: Filter: \(3, 3\) Input: \(2, 7\)"
    with pytest.raises(ValueError, match=text):
        size((2, 7), (3, 3), (2, 2), b"VALID")
    with pytest.raises(ValueError, match=r"^Invalid padding: 'VALID'"):
        size((10, 7), (3, 3), (2, 2), "VALID")
    x = tf.nn.relu(tf.zeros([2, 8, 8, 3]))
    assert shapes.unchanged_shape(x.op)[0].as_list() == [2, 8, 8, 3]
    assert shapes.unchanged_shape_with_rank(4)(x.op)[0].as_list() == [2, 8, 8, 3]
    with pytest.raises(ValueError, match=r"^Shape \(2, 8, 8, 3\) must have rank 3"):
        shapes.unchanged_shape_with_rank(3)(x.op)
    assert shapes.no_outputs(None) == []
    y = tf.nn.conv2d(x, tf.zeros([3, 3, 3, 5]), [1, 2, 2, 1], "SAME")
    assert shapes.conv2d_shape(y.op)[0].as_list() == [2, 4, 4, 5]


def test_arrays_appended_to_protos():
    append = internal("python.framework.fast_tensor_util")
    util = internal("python.framework.tensor_util")
    proto = tensor_pb2.TensorProto()
    append.AppendFloat32ArrayToTensorProto(proto, np.array([1, 2], np.float32))
    append.AppendObjectArrayToTensorProto(proto, np.array([b"a", b"b"], object))
    append.AppendComplex64ArrayToTensorProto(proto, np.array([1 + 2j], np.complex64))
    append.AppendFloat16ArrayToTensorProto(proto, np.array([1.5], np.float16))
    assert list(proto.float_val) == [1, 2] and list(proto.string_val) == [b"a", b"b"]
    assert list(proto.scomplex_val) == [1, 2] and list(proto.half_val) == [15872]
    assert util.ExtractBitsFromFloat16(np.float16(1.5)) == 15872
    assert util.GetNumpyAppendFn(np.dtype("float32")) is append.AppendFloat32ArrayToTensorProto
    assert util.GetNumpyAppendFn(np.dtype("S3")) is append.AppendObjectArrayToTensorProto


def test_ops_and_layers():
    ops = internal("python.framework.ops")
    assert ops.get_collection_proto_type("cond_context").DESCRIPTOR.name == "CondContextDef"
    for key in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.GLOBAL_STEP):
        assert ops.get_collection_proto_type(key).DESCRIPTOR.name == "VariableDef"
    assert ops.get_collection_proto_type("unknown") is None
    assert ops.has_default_graph()
    constant = internal("python.framework.constant_op")
    a = tf.constant(1.0, name="a")
    c = tf.add(a, 2.0, name="c")
    d, e = tf.identity(c, name="d"), tf.identity(c, name="e")
    assert constant.is_constant(a) and constant.is_constant(a.op) and not constant.is_constant(c)
    layers = internal("python.layers.utils")
    assert layers.static_shape(tf.zeros([2, 3])) == (2, 3)
    assert layers.get_reachable_from_inputs([a]) == {a, c, d, e}
    assert layers.get_reachable_from_inputs([c], [d]) == {c, d, e}
    v = tf.Variable(1.0, name="v")
    names = sorted(x.name for x in layers.get_reachable_from_inputs([v]))
    assert names == ["v/Assign:0", "v/read:0", "v:0", "v:0"]
    divided = internal("python.ops.math_ops").DivideDelegateWithName(tf.ones([2]), "quotient")
    assert (divided / tf.ones([2])).name == "quotient:0"
    summaries = internal("python.ops.logging_ops")
    assert summaries.get_summary_op() is None
    tf.summary.scalar("s", 1.0)
    merged = summaries.get_summary_op()
    assert merged is summaries.get_summary_op()
    assert tf.get_collection(tf.GraphKeys.SUMMARY_OP) == [merged]


def test_matching_ops():
    match = internal("contrib.graph_editor.tests.match")
    matcher, op_type = match.OpMatcher, match.op_type
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    with tf.control_dependencies([tf.no_op(name="n")]):
        c = tf.add(a, b, name="c")
    tf.identity(c, name="d"), tf.identity(c, name="e")
    assert matcher("^c$")(c.op) and matcher(c.op)(c.op) and matcher(True)(c.op)
    assert not matcher("x")(c.op)
    assert matcher("c").input_ops("a", matcher("b"))(c.op)
    assert matcher("c").input_ops(None, "b")(c.op)
    assert not matcher("c").input_ops("a")(c.op) and not matcher("c").input_ops("b", "a")(c.op)
    assert matcher("c").control_input_ops("n")(c.op)
    assert not matcher("c").control_input_ops()(c.op)
    assert matcher("c").output_ops(["d", "e"])(c.op)
    assert not matcher("c").output_ops("d")(c.op) and not matcher("c").output_ops("d", "e")(c.op)
    assert matcher(op_type("Add"))(c.op) and not op_type(["Const"], c.op)
    with pytest.raises(TypeError, match=r"^Expect tf.Operation, got: "):
        matcher("c")(c)
    with pytest.raises(ValueError, match=r"^Cannot finalize the positive filter: 3"):
        matcher(3)


def test_python_functions_of_graphs(graph):
    scripts = internal("python.ops.script_ops")
    before = scripts._py_funcs.size()
    tf.py_func(lambda x: x, [1.0], tf.float32)
    assert scripts._py_funcs.size() == before + 1
    registry = scripts.FuncRegistry()
    assert [registry.insert(len), registry.insert(len)] == ["pyfunc_0", "pyfunc_1"]
    registry.remove("pyfunc_0")
    assert registry.size() == 1


def test_shapes_of_signatures(graph):
    signatures = internal("python.saved_model.signature_def_utils_impl")
    x = tf.zeros([2, 3])
    info = tf.saved_model.utils.build_tensor_info(x)
    signature = tf.saved_model.signature_def_utils.build_signature_def({"x": info}, {"y": info})
    assert signatures.get_signature_def_input_shapes(signature)["x"].as_list() == [2, 3]
    assert signatures.get_signature_def_output_types(signature) == {"y": tf.float32}
    filtered = internal("python.training.optimizer").get_filtered_grad_fn
    assert filtered(lambda: [(None, 1), (2, 3)])() == [(2, 3)]


def test_byte_code_of_functions():
    utils = internal("python.keras.utils.generic_utils")

    def outer():
        factor = 7
        return lambda x, y=1: x * factor + y

    parts = utils.func_dump(outer())
    assert parts[1:] == ((1,), (7,)) and isinstance(parts[0], str)
    assert utils.func_load(parts)(2) == utils.func_load(*parts)(2) == 15
    assert utils.func_load([parts[0], [2], [4]], globs={"q": 1})(2) == 10


def test_parts_of_tpus():
    ops = internal("python.tpu.ops.tpu_ops")
    shards = internal("python.tpu.tpu_function")
    with shards.tpu_shard_context(4):
        exchanged = ops.all_to_all(tf.zeros([2, 2]), 0, 1, 2)
    groups = tf.contrib.util.constant_value(exchanged.op.inputs[1])
    assert groups.tolist() == [[0, 1, 2, 3]]
    assert ops.tpu_replicated_input([tf.zeros([2])] * 2).op.type == "TPUReplicatedInput"
    estimator = internal("contrib.tpu.python.tpu.tpu_estimator")
    assert estimator.ExportSavedModelApiVersion.V2.value == 2
    assert estimator.BatchConfig(1, 2, 3, [2]).max_enqueued_batches == 10


def test_names_of_predictors_and_inputs(tmp_path):
    predictors = internal("contrib.predictor.saved_model_predictor")
    assert predictors.DEFAULT_TAGS == "serve"
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as session:
        tf.saved_model.simple_save(session, str(tmp_path / "model"), {"x": x}, {"y": x + 1.0})
    found = predictors.get_meta_graph_def(str(tmp_path / "model"), "serve")
    assert list(found.signature_def) == ["serving_default"]
    pandas_io = internal("python.estimator.inputs.pandas_io")
    assert pandas_io.HAS_PANDAS in (True, False)
    path = "contrib.factorization.python.ops.factorization_ops_test_utils"
    assert internal(path).INPUT_MATRIX.shape == (5, 7)
