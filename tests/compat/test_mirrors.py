from __future__ import annotations

import ast
import importlib
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.compat import install as hook
from headwater.compat.mirrors import mirrored_paths


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def internal():
    hook.install()
    try:
        yield lambda name: importlib.import_module(f"tensorflow.python.{name}")
    finally:
        hook.uninstall()


def test_every_mirror_can_be_imported(internal):
    for path in mirrored_paths():
        mirror = importlib.import_module(mirrored_paths()[path])
        module = importlib.import_module(path)
        for name, value in vars(mirror).items():
            if not name.startswith("__") and value is not Any:
                assert hasattr(module, name)


def test_shapes(internal):
    shapes = internal("framework.common_shapes")
    assert shapes.broadcast_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])).as_list() == [2, 3]
    assert shapes.broadcast_shape(tf.TensorShape(None), tf.TensorShape([3])).ndims is None
    with pytest.raises(ValueError, match=r"^Incompatible shapes for broadcasting: \(2,\) and \(3"):
        shapes.broadcast_shape(tf.TensorShape([2]), tf.TensorShape([3]))
    assert shapes.is_broadcast_compatible(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    assert not shapes.is_broadcast_compatible(tf.TensorShape([2]), tf.TensorShape([3]))
    assert not shapes.is_broadcast_compatible(tf.TensorShape(None), tf.TensorShape([3]))
    assert shapes.rank(tf.zeros([2])) == 1 and shapes.has_fully_defined_shape(tf.zeros([2]))
    assert shapes.scalar_shape(None)[0].as_list() == []
    assert shapes.unknown_shape(tf.zeros([2]).op)[0].ndims is None


def test_tensor_util(internal):
    util = internal("framework.tensor_util")
    assert util.constant_value_as_shape(tf.constant([2, -1])).as_list() == [2, None]
    assert util.constant_value_as_shape(tf.constant(-1)).ndims is None
    with pytest.raises(ValueError, match=r"^Received a scalar value '2' as shape"):
        util.constant_value_as_shape(tf.constant(2))
    with pytest.raises(ValueError, match=r"^Received a scalar with unknown value as shape"):
        util.constant_value_as_shape(tf.placeholder(tf.int32, []))
    proto = util.make_tensor_proto(np.ones([2, 3]))
    assert util.ShapeEquals(proto, [2, 3]) and not util.ShapeEquals(proto, [3])
    assert util.ShapeEquals(proto, tf.TensorShape([2, 3]).as_proto())
    with pytest.raises(TypeError, match=r"^shape is not a list or tuple$"):
        util.ShapeEquals(proto, 3)
    with pytest.raises(TypeError, match=r"^tensor_proto is not a tensor_pb2\.TensorProto object$"):
        util.ShapeEquals(3, [2])
    found = [util.is_tensor(x) for x in (tf.constant(1), tf.Variable(1), 3, np.ones(1))]
    assert found == [True, True, False, False]
    assert util.TensorShapeProtoToList(tf.TensorShape([2, None]).as_proto()) == [2, -1]


def test_registry(internal):
    registry = internal("framework.registry").Registry("things")
    registry.register(int)
    assert registry.lookup("int") is int and list(registry.list()) == ["int"]
    with pytest.raises(KeyError, match=r"Registering two things with name 'int'! \(Previous reg"):
        registry.register(3, "int")
    with pytest.raises(LookupError, match=r"^things registry has no entry for: b$"):
        registry.lookup("b")


def test_slices_of_tensors(internal):
    math_ops = internal("ops.math_ops")
    slices = math_ops._as_indexed_slices(tf.ones([2, 3]))
    wide = tf.IndexedSlices(slices.values, tf.cast(slices.indices, tf.int64), slices.dense_shape)
    found = math_ops._as_indexed_slices_list([slices, wide])
    assert [x.indices.dtype for x in found] == [tf.int64] * 2
    with pytest.raises(TypeError, match=r"^Not a Tensor or IndexedSlices: <class 'int'>$"):
        math_ops._as_indexed_slices(3)
    with pytest.raises(TypeError, match=r"^Expected a list or tuple, not a <class 'int'>$"):
        math_ops._as_indexed_slices_list(3)
    with tf.Session() as session:
        assert session.run(math_ops.reduced_shape([2, 3, 4], [-1, 0])).tolist() == [1, 3, 1]


def test_shapes_as_nodes(internal):
    array_ops = internal("ops.array_ops")
    x = tf.ones([2])
    for name, kind in (("shape", "Shape"), ("size", "Size"), ("rank", "Rank")):
        function = getattr(array_ops, f"{name}_internal")
        assert function(x, optimize=False).op.type == kind
        assert function(x).op.type == "Const"


def test_default_graphs(internal, graph):
    ops = internal("framework.ops")
    stack = ops._default_graph_stack
    assert stack.get_default() is graph is stack.stack[-1] and not stack.is_cleared()
    with stack.get_controller(tf.Graph()) as other:
        assert stack.get_default() is other
        with tf.name_scope("a"):
            assert ops.get_name_scope() == "a"
    with tf.Session() as session, ops.default_session(session):
        assert tf.get_default_session() is session


def test_gradient_functions(internal, graph):
    ops = internal("framework.ops")
    x = tf.constant(1.0)
    assert ops.get_gradient_function(x.op) is None
    assert ops.get_gradient_function(tf.equal(x, x).op) is None
    assert callable(ops.get_gradient_function(tf.sin(x).op))
    square = tf.raw_ops.MatrixExponential(input=tf.zeros([2, 2]))
    assert callable(ops.get_gradient_function(square.op))
    with graph.gradient_override_map({"Sin": "NobodyHasRegisteredThis"}):
        y = tf.sin(x)
    with pytest.raises(LookupError, match="NobodyHasRegisteredThis"):
        ops.get_gradient_function(y.op)


def test_structures(internal):
    nest = internal("util.nest")
    assert nest._sequence_like((1,), [2]) == (2,) and not nest._is_namedtuple((1,))
    assert list(nest._yield_value({"b": 1, "a": 2})) == [2, 1]
    assert nest.flatten([1, [2]]) == [1, 2]


def test_comparison_of_protos(internal):
    compare = internal("util.protobuf.compare")
    case = tf.test.TestCase()
    value = tf.Summary.Value
    compare.assertProtoEqual(case, "tag: 'a'", value(tag="a"))
    compare.assertProtoEqual(
        case, value(simple_value=1.0000001), value(simple_value=1), normalize_numbers=True
    )
    with pytest.raises(AssertionError, match="differ in the last digits"):
        compare.assertProtoEqual(case, value(simple_value=1.0000001), value(simple_value=1))
    with pytest.raises(AssertionError, match=r"^hey:\n- tag"):
        compare.assertProtoEqual(case, value(tag="a"), value(tag="b"), msg="hey")
    assert compare.ProtoEq(value(tag="a"), value(tag="a"))


def test_names_in_scopes():
    framework = tf.contrib.framework
    assert framework.strip_name_scope("^foo/bar", "foo") == "^bar"
    assert framework.prepend_name_scope("^bar", "foo") == "^foo/bar"


def test_reachable_tensors(internal):
    utils = internal("keras.utils.tf_utils")
    x = tf.placeholder(tf.float32, [2], name="x")
    y = x * 2
    z = tf.concat([y, y], 0)
    assert utils.get_reachable_from_inputs([x]) == {x, y.op, y, z.op, z}
    assert z not in utils.get_reachable_from_inputs([x], targets=[y])
    for v in (tf.Variable(1.0), tf.Variable(1.0, use_resource=True)):
        w = v + 1
        assert {v, w} <= utils.get_reachable_from_inputs([v])
    with pytest.raises(TypeError, match="Expected Operation, Variable, or Tensor, got 3"):
        utils.get_reachable_from_inputs([3])


def test_symbolic_tensors(internal):
    utils = internal("keras.utils.tf_utils")

    class Lazy:
        """What a library makes and registers."""

    symbolic = [tf.constant(1), tf.Variable(1.0), tf.SparseTensor([[0]], [1], [1])]
    assert utils.are_all_symbolic_tensors(symbolic)
    assert not utils.is_symbolic_tensor(3)
    assert not utils.is_symbolic_tensor(Lazy())
    utils.register_symbolic_tensor_type(Lazy)
    assert utils.is_symbolic_tensor(Lazy())
    assert utils.is_tensor_or_tensor_list([symbolic[0], 3])


def test_shapes_as_tuples(internal):
    utils = internal("keras.utils.tf_utils")
    shapes = {"a": tf.TensorShape([None, 2]), "b": [(3,), None]}
    assert utils.convert_shapes(shapes) == {"a": (None, 2), "b": [(3,), None]}
    assert utils.convert_shapes((1, 2), to_tuples=False).as_list() == [1, 2]

    @utils.shape_type_conversion
    def output_shape(self, shape):
        return (*shape, 1) if isinstance(shape, tuple) else None

    assert output_shape(None, tf.TensorShape([2])).as_list() == [2, 1]
    with pytest.raises(ValueError, match="Received non-atomic and non-sequence element: 3"):
        utils.convert_shapes([3, object])


def test_notes_on_syntax_trees(internal):
    anno, node = internal("autograph.pyct.anno"), ast.parse("x").body[0]
    assert not anno.hasanno(node, anno.Basic.QN)
    with pytest.raises(KeyError):
        anno.getanno(node, anno.Basic.QN)
    anno.setanno(node, anno.Basic.QN, "x")
    other = ast.parse("y").body[0]
    anno.copyanno(node, other, anno.Basic.QN)
    assert anno.getanno(other, anno.Basic.QN) == "x"
    anno.delanno(node, anno.Basic.QN)
    assert anno.keys(node) == frozenset()
    assert anno.getanno(node, anno.Basic.QN, default=None) is None


def test_names_that_a_program_does_not_use(internal):
    namer = internal("autograph.core.naming").Namer({"a": 1})
    assert [namer.new_symbol("a", {"a_1"}) for _ in range(2)] == ["a_2", "a_3"]
    assert namer.new_symbol("b", set()) == "b"


def test_conversion_on_request(internal):
    api, ctx = internal("autograph.impl.api"), internal("autograph.core.ag_ctx")

    def magnitude(x):
        return x if x > 0 else -x

    converted = api.tf_convert(magnitude, ctx.control_status_ctx())
    with tf.Session() as session:
        assert session.run(converted(tf.constant(-2))) == 2
    off = ctx.ControlStatusCtx(ctx.Status.DISABLED)
    assert api.tf_convert(magnitude, off) is magnitude
    options = internal("autograph.core.converter").ConversionOptions
    feature = tf.autograph.experimental.Feature
    assert options(recursive=True, optional_features=feature.LISTS).uses(feature.LISTS)
    assert not options(optional_features=()).uses(feature.LISTS)
    assert options(True) == options(recursive=True)


def test_modules_that_are_imported_and_not_used(internal):
    module = internal("autograph.converters.break_statements")
    with pytest.raises(AttributeError, match=r"break_statements\.transform yet, an internal name"):
        _ = module.transform
