"""Shape functions of programs, and native libraries, which cannot be loaded."""

from __future__ import annotations

import pytest

import headwater as tf
from headwater.graph import lookup


@pytest.fixture
def rsqrt():
    record = lookup("RsqrtGrad")
    shape = record.shape
    yield record
    record.shape = shape


def test_a_registered_shape_function_tells_the_shape(rsqrt):
    seen = []

    @tf.RegisterShape("RsqrtGrad")
    def function(op):
        seen.append((op.type, op.get_attr("T"), len(op.inputs)))
        return [tf.TensorShape([7])]

    x = tf.placeholder(tf.float32)
    assert tf.raw_ops.RsqrtGrad(y=x, dy=x).get_shape().as_list() == [7]
    assert seen == [("RsqrtGrad", tf.float32, 2)]
    with pytest.raises(KeyError, match="Registering two shape functions with name 'RsqrtGrad'"):
        tf.RegisterShape("RsqrtGrad")(function)


def test_a_shape_function_of_an_unknown_type_is_taken():
    assert tf.RegisterShape("OnlyInThisTest")(None) is None
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.RegisterShape(3)


@pytest.mark.parametrize("load", [tf.load_op_library, tf.load_file_system_library])
def test_libraries_are_refused(load, tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="cannot open shared object file"):
        load(str(tmp_path / "nothing.so"))
    (tmp_path / "some.so").write_bytes(b"")
    with pytest.raises(tf.errors.UnimplementedError, match="cannot be loaded"):
        load(str(tmp_path / "some.so"))
    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        tf.load_library(str(tmp_path / "nothing"))
