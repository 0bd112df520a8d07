"""Conversion to tensors, conversion functions and shape functions."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


def test_shape_functions():
    with pytest.raises(
        (KeyError, ValueError), match=r".Registering two shape functions with name 'ShapeOfNoOp' !."
    ):
        for _ in range(2):

            @tf.RegisterShape("ShapeOfNoOp")
            def shape(op):
                return [op.inputs[0].get_shape()]


def test_conversion_to_references():
    class Holder:
        def __init__(self, variable):
            self.variable = variable

    asked = []

    def convert(value, dtype=None, name=None, as_ref=False):
        asked.append(as_ref)
        return value.variable._ref() if as_ref else value.variable.value()

    tf.register_tensor_conversion_function(Holder, convert)
    held = Holder(tf.Variable(3.0))
    assert tf.convert_to_tensor(held, as_ref=True).dtype._is_ref_dtype
    assert not tf.convert_to_tensor(held).dtype._is_ref_dtype
    assert asked == [True, False]


def test_conversion_to_tensors():
    t = tf.constant([1.0])
    assert tf.convert_to_tensor(t, name="ignored") is t
    assert tf.convert_to_tensor([[1, 2]]).dtype == tf.int32
    assert tf.convert_to_tensor(np.zeros(2)).dtype == tf.float64
    assert tf.convert_to_tensor(2.0, name="two").op.name == "two"
    assert tf.matmul([[1.0]], np.ones([1, 1], np.float32)).get_shape().as_list() == [1, 1]
    for wrong in (object(), None):
        with pytest.raises(
            (TypeError, ValueError),
            match=r"Failed to convert object of type|None values not supported\.",
        ):
            tf.convert_to_tensor(wrong)

    class Wrong:
        pass

    tf.register_tensor_conversion_function(Wrong, lambda *args, **kwargs: 3)
    with pytest.raises(RuntimeError, match="Conversion function <function"):
        tf.convert_to_tensor(Wrong())
    slices = tf.IndexedSlices(tf.zeros([1, 2]), tf.constant([0]))
    sparse = tf.SparseTensor([[0]], [1.0], [2])
    assert tf.convert_to_tensor_or_indexed_slices(slices) is slices
    assert tf.convert_to_tensor_or_sparse_tensor(sparse) is sparse
    with pytest.raises(ValueError, match="Tensor conversion requested dtype int32 for Tensor"):
        tf.convert_to_tensor_or_indexed_slices(slices, dtype=tf.int32)


def test_conversion_functions_in_order():
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
    with pytest.raises(TypeError, match=r"base_type must be a type or a tuple of types\."):
        tf.register_tensor_conversion_function(3, lambda *a: None)
    with pytest.raises(TypeError, match=r"conversion_func must be callable\."):
        tf.register_tensor_conversion_function(Thing, 3)
