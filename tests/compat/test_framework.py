from __future__ import annotations

import importlib

import pytest

import headwater
from headwater.compat import install as hook


@pytest.fixture
def tensorflow_python():
    hook.install()
    try:
        yield lambda name: importlib.import_module(f"tensorflow.python.{name}")
    finally:
        hook.uninstall()


def test_shapes(tensorflow_python):
    shapes = tensorflow_python("framework.tensor_shape")
    assert shapes.TensorShape is headwater.TensorShape
    assert shapes.scalar().as_list() == []
    assert shapes.vector(3).as_list() == [3]
    assert shapes.matrix(2, None).as_list() == [2, None]
    assert shapes.unknown_shape().ndims is None
    assert shapes.unknown_shape(2).as_list() == [None, None]
    assert shapes.as_shape([1, 2]).as_list() == [1, 2]
    assert shapes.as_dimension(3).value == 3


def test_graph_mode(tensorflow_python):
    ops = tensorflow_python("framework.ops")
    assert ops.uid() < ops.uid()
    assert not isinstance(headwater.constant(1), ops.EagerTensor)
    assert issubclass(ops.EagerTensor, headwater.Tensor)
    assert ops.executing_eagerly_outside_functions() is False
    context = tensorflow_python("eager.context")
    assert context.in_graph_mode()
    assert not context.in_eager_mode()


def test_generated_functions(tensorflow_python):
    tensor = tensorflow_python("ops.gen_math_ops").add(1, 2, name="sum")
    assert (tensor.op.type, tensor.op.name) == ("Add", "sum")
    assert tensorflow_python("ops.math_ops").add_v2(1, 2).op.type == "AddV2"
    assert tensorflow_python("ops.gen_array_ops").zeros_like(1).op.type == "ZerosLike"
    with pytest.raises(AttributeError, match=r"Headwater has no tensorflow\.python\.ops\.gen_"):
        _ = tensorflow_python("ops.gen_math_ops").no_such_op


def test_generated_functions_of_contrib_packages(tensorflow_python):
    module = importlib.import_module("tensorflow.contrib.rnn.ops.gen_gru_ops")
    x = headwater.ones([2, 3])
    r, u, c, h = module.gru_block_cell(
        x,
        x,
        headwater.ones([6, 6]),
        headwater.ones([6, 3]),
        headwater.ones([6]),
        headwater.ones([3]),
    )
    assert {t.op.type for t in (r, u, c, h)} == {"GRUBlockCell"}
    with pytest.raises(
        ImportError, match=r"No module named 'tensorflow\.contrib\.no_such_package'\. Headwater"
    ):
        importlib.import_module("tensorflow.contrib.no_such_package.ops.gen_x_ops")
