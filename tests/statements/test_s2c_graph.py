"""Statements S1 to S86: operations, tensors, types, shapes, graphs, seeds, devices."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headwater as tf
from headwater.graph import Operation, Tensor

S = tf.TensorShape


def pair():
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="a")
    b = tf.constant([[1.0, 1.0], [0.0, 1.0]], name="b")
    return a, b, tf.matmul(a, b, name="c")


def test_s1_s4_s8_s12_s14_an_operation_knows_its_place():
    a, b, c = pair()
    op = c.op
    assert (op.type, list(op.inputs), op.outputs) == ("MatMul", [a, b], [c])
    assert op.control_inputs == [] and isinstance(op.outputs, list)
    assert a.consumers() == [op] and c.consumers() == []
    assert op.values()[0] is c
    assert op.node_def.name == "c" and op.op_def.name == "MatMul"
    assert any("pair" in str(line) for line in op.traceback)


def test_s2_s6_s13_s15_running_ops_and_tensors():
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


def test_s3_control_inputs_run_first():
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign(5.0)]):
        read = tf.identity(v.read_value())
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(read) == 5.0


def test_s5_s21_devices_of_ops_and_tensors():
    free = tf.constant(1.0)
    with tf.device("/cpu:0"):
        placed = tf.constant(1.0)
    assert free.op.device == "" and not free.device
    assert placed.op.device == "/device:CPU:0" == placed.device


def test_s7_attributes():
    op = pair()[2].op
    assert op.get_attr("transpose_a") is False and op.get_attr("T") == tf.float32
    with pytest.raises(ValueError, match="no_such"):
        op.get_attr("no_such")


def test_s9_s10_s11_s20_constructors_check_their_arguments():
    graph = tf.get_default_graph()
    a = tf.constant(1.0)
    for name in ("", "/a", "a b", "-a"):
        with pytest.raises(ValueError, match="is not a valid"):
            graph.create_op("Identity", [a], [tf.float32], name=name or " ")
    node = a.op.node_def
    with pytest.raises(TypeError):
        Operation(3, graph)
    with pytest.raises(TypeError):
        Operation(node, "graph")
    with pytest.raises(TypeError):
        Operation(node, graph, inputs=[3])
    with pytest.raises(TypeError):
        Operation(node, graph, control_inputs=[3])
    with pytest.raises(TypeError):
        Tensor("op", 0, tf.float32)
    op = graph.create_op("Identity", [a], [tf.float32])
    assert len(op.outputs) == 1


def test_s16_s17_s18_s19_static_shapes():
    assert repr(tf.zeros([2, 3]).get_shape()) == "TensorShape([Dimension(2), Dimension(3)])"
    assert "Dimension(None)" in repr(tf.placeholder(tf.float32, [None]).get_shape())
    x, y = tf.zeros([2, 3]), tf.zeros([4, 2])
    with pytest.raises(ValueError):
        tf.matmul(x, y)
    product = tf.matmul(x, y, transpose_a=True, transpose_b=True)
    assert product.get_shape().as_list() == [3, 4]
    image = tf.image.decode_png(tf.placeholder(tf.string), channels=3)
    assert image.get_shape().as_list() == [None, None, 3]
    image.set_shape([28, None, None])
    image.set_shape([None, 28, 3])
    assert image.get_shape().as_list() == [28, 28, 3]
    with pytest.raises(ValueError):
        image.set_shape([29, 28, 3])


TYPES = (
    "float16 float32 float64 bfloat16 complex64 complex128 int8 int16 int32 int64 uint8 uint16"
    " bool string qint8 quint8 qint16 quint16 qint32"
).split()


@pytest.mark.parametrize("name", TYPES)
def test_s22_s24_s28_s31_types_and_their_references(name):
    dtype = getattr(tf, name)
    reference = tf.as_dtype(name + "_ref")
    assert reference.base_dtype is dtype and reference._is_ref_dtype
    assert tf.as_dtype(name) is dtype is tf.as_dtype(dtype)
    assert tf.as_dtype(dtype.as_datatype_enum) is dtype
    if name not in ("string",) and not name.startswith("q"):
        assert tf.as_dtype(dtype.as_numpy_dtype) is dtype
    # S23
    assert dtype.is_compatible_with(dtype) and dtype.is_compatible_with(reference)
    assert not reference.is_compatible_with(dtype) and reference.is_compatible_with(reference)


def test_s23_s25_s26_s27_s29_s30_what_types_are():
    assert tf.float32.is_compatible_with("float32") and tf.float32.is_compatible_with(np.float32)
    assert tf.complex64.real_dtype is tf.float32 and tf.complex128.real_dtype is tf.float64
    assert [n for n in TYPES if getattr(tf, n).is_floating] == [
        "float16",
        "float32",
        "float64",
        "bfloat16",
    ]
    integers = ["int8", "int16", "int32", "int64", "uint8", "uint16"]
    assert [n for n in TYPES if getattr(tf, n).is_integer] == integers
    assert [n for n in TYPES if getattr(tf, n).is_quantized] == TYPES[-5:]
    assert [n for n in TYPES if getattr(tf, n).is_complex] == ["complex64", "complex128"]
    assert [n for n in TYPES if getattr(tf, n).is_unsigned] == ["uint8", "uint16"]
    assert tf.int8.min == -128 and tf.uint16.max == 65535
    assert tf.float32.max == np.finfo(np.float32).max
    for name in ("string", "complex64", "qint8"):
        with pytest.raises(TypeError):
            getattr(tf, name).max  # noqa: B018
    for wrong in (5000, -1):
        with pytest.raises(TypeError):
            tf.DType(wrong)
    for wrong in ("no_type", object(), None, [3]):
        with pytest.raises(TypeError):
            tf.as_dtype(wrong)


def test_s32_s33_scopes_of_the_default_graph():
    before = tf.constant(1.0)
    with tf.name_scope("n"), tf.device("/cpu:0"), tf.control_dependencies([before]):
        inside = tf.constant(2.0)
        with tf.control_dependencies(None):
            cleared = tf.constant(3.0)
    assert inside.op.name == "n/Const" and inside.op.device == "/device:CPU:0"
    assert inside.op.control_inputs == [before.op] and cleared.op.control_inputs == []


def test_s34_s35_s36_s37_s38_conversion_to_tensors():
    t = tf.constant([1.0])
    assert tf.convert_to_tensor(t, name="ignored") is t
    assert tf.convert_to_tensor([[1, 2]]).dtype == tf.int32
    assert tf.convert_to_tensor(np.zeros(2)).dtype == tf.float64
    assert tf.convert_to_tensor(2.0, name="two").op.name == "two"
    assert tf.matmul([[1.0]], np.ones([1, 1], np.float32)).get_shape().as_list() == [1, 1]
    for wrong in (object(), None):
        with pytest.raises((TypeError, ValueError)):
            tf.convert_to_tensor(wrong)

    class Wrong:
        pass

    tf.register_tensor_conversion_function(Wrong, lambda *args, **kwargs: 3)
    with pytest.raises(RuntimeError):
        tf.convert_to_tensor(Wrong())
    slices = tf.IndexedSlices(tf.zeros([1, 2]), tf.constant([0]))
    sparse = tf.SparseTensor([[0]], [1.0], [2])
    assert tf.convert_to_tensor_or_indexed_slices(slices) is slices
    assert tf.convert_to_tensor_or_sparse_tensor(sparse) is sparse
    with pytest.raises(ValueError):
        tf.convert_to_tensor_or_indexed_slices(slices, dtype=tf.int32)


def test_s39_s40_default_graphs_belong_to_threads():
    outer = tf.get_default_graph()
    with tf.Graph().as_default() as graph:
        assert tf.get_default_graph() is graph
        seen = []
        thread = threading.Thread(target=lambda: seen.append(tf.get_default_graph()))
        thread.start()
        thread.join()
        assert seen[0] is not graph
    assert tf.get_default_graph() is outer
    tf.constant(1)
    tf.reset_default_graph()
    assert tf.get_default_graph() is not outer
    assert tf.constant(1).name == "Const:0"


def test_s41_s42_s43_s44_import_graph_def():
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
        with pytest.raises(TypeError):
            tf.import_graph_def(*arguments)
    for arguments in ((definition, {"z:0": new}), (definition, None, ["z:0"])):
        with pytest.raises(ValueError):
            tf.import_graph_def(*arguments)
    definition.node[-1].input[0] = "nowhere"
    with pytest.raises(ValueError):
        tf.import_graph_def(definition)


def test_s46_unknown_attributes_with_their_default_are_removed():
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


def test_s47_s48_libraries_that_cannot_be_loaded(tmp_path):
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"no library")
    for load in (tf.load_op_library, tf.load_file_system_library):
        with pytest.raises((RuntimeError, tf.errors.OpError)):
            load(str(broken))


def test_s49_s50_s51_collections():
    class Named:
        def __init__(self, name):
            self.name = name

    first, second = Named("a/x"), Named("b/a/x")
    for value in (first, 3, second):
        tf.add_to_collection("k", value)
    assert tf.get_collection("k") == [first, 3, second] and tf.get_collection("none") == []
    assert tf.get_collection("k", scope="a") == [first]
    tf.get_collection("k").append(4)
    assert len(tf.get_collection("k")) == 3
    tf.get_collection_ref("k").append(4)
    assert tf.get_collection("k")[-1] == 4


def test_s52_optimizers_train_what_is_trainable():
    v, w = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(v * w)
    assert [variable for _, variable in pairs] == [v]


def test_s53_s54_s55_gradients_and_their_override():
    @tf.RegisterGradient("StatementSub")
    def _gradient(op, grad):
        assert len(op.inputs) == 2
        return grad * 10.0, -grad

    x, y = tf.constant(3.0), tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map({"Sub": "StatementSub"}):
        z = tf.subtract(x, y)
    with tf.Session() as session:
        assert session.run(tf.gradients(z, [x, y])) == [10.0, -1.0]
    for register in (tf.NoGradient, tf.NotDifferentiable):
        with pytest.raises(TypeError):
            register(3)


def test_s57_to_s60_shapes_merge_and_join():
    assert S([None, 3]).merge_with([2, None]).as_list() == [2, 3]
    with pytest.raises(ValueError):
        S([1]).merge_with([2])
    assert S([1]).concatenate(None).ndims is None
    assert S([1]).concatenate([None]).as_list() == [1, None]
    assert S(None).ndims is None and S(None).dims is None
    assert S([1, None]).ndims == 2 and S([1, None]).dims[1].value is None
    assert [d.size for d in S([3, None]).as_proto().dim] == [3, -1]
    assert S(None).as_proto().unknown_rank


@pytest.mark.parametrize(
    ("shape", "yes", "no"),
    [
        (None, [None, [3], [None, 2]], []),
        ([None, None], [[32, 784], None], [[None], [None, None, None]]),
        ([32, None], [[32, 1], [None, None], None], [[32], [32, None, 1], [64, None]]),
        ([32, 784], [[32, None], [None, 784], [None, None], None], [[32, 1, 784], [None]]),
    ],
)
def test_s61_to_s65_compatibility(shape, yes, no):
    shape = S(shape)
    assert shape.is_compatible_with(shape)
    assert all(shape.is_compatible_with(y) and S(y).is_compatible_with(shape) for y in yes)
    assert not any(shape.is_compatible_with(n) or S(n).is_compatible_with(shape) for n in no)


def test_s66_to_s70_ranks_and_sizes():
    assert S(None).with_rank(2).as_list() == [None, None]
    bad = [
        lambda: S([1]).with_rank(2),
        lambda: S([1]).with_rank_at_least(2),
        lambda: S([1, 2]).with_rank_at_most(1),
        lambda: S([1]).assert_has_rank(2),
        lambda: S([1]).assert_same_rank([1, 2]),
        lambda: S([1]).assert_is_compatible_with([2]),
        lambda: S([None]).assert_is_fully_defined(),
    ]
    for call in bad:
        with pytest.raises(ValueError):
            call()
    assert S(7).as_list() == [7]
    with pytest.raises((TypeError, ValueError)):
        S("x")
    assert (S([2, 3]).num_elements(), S([None]).num_elements()) == (6, None)


def test_s71_s72_s73_dimensions():
    D = tf.Dimension
    assert D(3).is_compatible_with(None) and not D(3).is_compatible_with(4)
    with pytest.raises(ValueError):
        D(3).assert_is_compatible_with(4)
    merged = [D(3).merge_with(3), D(3).merge_with(None), D(None).merge_with(3)]
    assert [d.value for d in merged] == [3, 3, 3]
    assert D(None).merge_with(None).value is None
    with pytest.raises(ValueError):
        D(3).merge_with(4)


def test_s74_op_scope():
    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0)
    with tf.op_scope([a], None, "mine") as scope:
        assert scope == "mine/" and tf.get_default_graph() is graph
        assert tf.constant(2.0).op.name == "mine/Const"
    with tf.op_scope([], "given", "mine") as scope:
        assert scope == "given/"
    with pytest.raises(ValueError), tf.op_scope([], None):
        pass
    with pytest.raises(ValueError), tf.op_scope([a, tf.constant(1.0)], None, "mine"):
        pass


def test_s75_pairs_of_seeds():
    tf.set_random_seed(7)
    assert tf.get_seed(5) == (7, 5)
    assert all(isinstance(s, int) for s in tf.get_seed(None))


def test_s76_s77_s79_conversion_functions_in_order():
    class Thing:
        pass

    order = []

    def function(name, result):
        def convert(value, dtype=None, name_=None, as_ref=False, **_):
            order.append(name)
            return result()

        return lambda value, dtype=None, name=None, as_ref=False: convert(value)

    tf.register_tensor_conversion_function(
        (Thing,), function("late", lambda: tf.constant(5.0)), priority=200
    )
    tf.register_tensor_conversion_function(Thing, function("first", lambda: NotImplemented))
    tf.register_tensor_conversion_function(Thing, function("second", lambda: NotImplemented))
    tf.register_tensor_conversion_function(Thing, function("soon", lambda: NotImplemented), 50)
    assert tf.convert_to_tensor(Thing()).dtype == tf.float32
    assert order == ["soon", "first", "second", "late"]
    with pytest.raises(TypeError):
        tf.register_tensor_conversion_function(3, lambda *a: None)
    with pytest.raises(TypeError):
        tf.register_tensor_conversion_function(Thing, 3)


def test_s80_to_s86_device_specs():
    with tf.device(tf.DeviceSpec(job="ps", device_type="GPU", device_index=0)):
        assert tf.constant(1.0).op.device == "/job:ps/device:GPU:0"
    with tf.device(tf.DeviceSpec(job="train")):
        with tf.device(tf.DeviceSpec(job="ps", device_type="GPU", device_index=0)):
            assert tf.constant(1.0).op.device == "/job:ps/device:GPU:0"
        with tf.device(tf.DeviceSpec(device_type="GPU", device_index=1)):
            assert tf.constant(1.0).op.device == "/job:train/device:GPU:1"
    assert tf.DeviceSpec(device_type="CPU").to_string() == "/device:CPU:*"
    spec = tf.DeviceSpec.from_string("/job:a/replica:1/task:2/cpu:3")
    assert (spec.job, spec.replica, spec.task) == ("a", 1, 2)
    assert (spec.device_type, spec.device_index) == ("CPU", 3)
    assert spec.to_string() == "/job:a/replica:1/task:2/device:CPU:3"
    empty = tf.DeviceSpec()
    assert empty.parse_from_string("/job:b") is empty and empty.job == "b"
    with pytest.raises(ValueError):
        empty.parse_from_string("/job:b/nonsense")
    empty.merge_from(tf.DeviceSpec(task=4, job="c"))
    assert empty.to_string() == "/job:c/task:4"
