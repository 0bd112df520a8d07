"""Variables where releases of TensorFlow differ, or where the comparison cases do not reach."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import headwater as tf
from headwater.graph import build
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.variable_creation import create_variable
from headwater.protos import variable_pb2


def run(*fetches, init=True):
    with tf.Session() as session:
        if init:
            session.run(tf.global_variables_initializer())
        values = [session.run(f) for f in fetches]
    return values[0] if len(values) == 1 else values


def test_a_variable_that_depends_on_another_is_initialized_with_it():
    v = tf.Variable(tf.random_normal([3], seed=1))
    w = tf.Variable(v * 2.0 + 1.0)
    u = tf.Variable(v.initialized_value())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first, second, third = session.run([v, w, u])
    np.testing.assert_allclose(second, first * 2.0 + 1.0, rtol=1e-6)
    np.testing.assert_array_equal(third, first)


def test_the_copies_for_safe_initial_values_are_named_after_the_variable():
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.name_scope("a"):
        product = tf.multiply(v, 2.0, name="product")
        tf.Variable(product, name="w")
    assign = tf.get_default_graph().get_operation_by_name("a/w/Assign")
    assert assign.inputs[1].name == "a/product_a/w:0"
    assert assign.inputs[1].op.inputs[1] is product.op.inputs[1]


def test_an_initial_value_without_variables_is_used_as_it_is():
    value = tf.ones([2]) * 3.0
    v = tf.Variable(value)
    assert v.initializer.inputs[1] is value


def test_subclasses_of_variable_are_made_directly():
    class Mine(type(tf.Variable(1.0))):
        pass

    v = Mine([1.0, 2.0])
    assert type(v) is Mine
    np.testing.assert_array_equal(run(v), [1.0, 2.0])


def test_creators_must_be_left_in_order():
    outer = tf.variable_creator_scope(lambda following, **kwargs: following(**kwargs))
    inner = tf.variable_creator_scope(lambda following, **kwargs: following(**kwargs))
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(RuntimeError, match="without proper nesting"):
        outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)


def test_a_creator_may_return_something_else():
    with tf.variable_creator_scope(lambda following, **kwargs: "mine"):
        assert create_variable(initial_value=1.0) == "mine"
        assert tf.get_variable("a", [1], initializer=tf.zeros_initializer()) == "mine"


def test_protos_go_through_bytes():
    v = tf.Variable([1.0, 2.0], name="v", use_resource=True, caching_device="/cpu:0")
    data = v.to_proto().SerializeToString()
    again = tf.Variable.from_proto(variable_pb2.VariableDef.FromString(data))
    assert again.handle is v.handle
    assert again.value() is v.value()
    assert again.shape.as_list() == [2]


def test_a_resource_proto_is_needed_for_a_resource_variable():
    proto = tf.Variable(1.0).to_proto()
    resource = type(tf.Variable(1.0, use_resource=True))
    with pytest.raises(ValueError, match="Trying to restore Variable as ResourceVariable"):
        resource(variable_def=proto)


def test_a_variable_is_destroyed():
    v = tf.Variable([1.0], use_resource=True)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(v.is_initialized())
        session.run(build.DestroyResourceOp(v.handle))
        assert not session.run(v.is_initialized())
        with pytest.raises(
            tf.errors.FailedPreconditionError,
            match="Error while reading resource variable Variable from Container:",
        ):
            session.run(v)


def test_a_temporary_variable_lives_for_a_run():
    t = build.TemporaryVariable(shape=[2], dtype=tf.float32, var_name="t")
    total = tf.assign_add(tf.assign(t, [1.0, 2.0]), [1.0, 1.0])
    value = build.DestroyTemporaryVariable(total, var_name="t")
    np.testing.assert_array_equal(run(value, init=False), [2.0, 3.0])
    np.testing.assert_array_equal(run(value, init=False), [2.0, 3.0])


def test_a_temporary_variable_that_is_not_assigned_has_some_value():
    t = build.TemporaryVariable(shape=[2], dtype=tf.float32, var_name="t")
    assert run(build.DestroyTemporaryVariable(t, var_name="t"), init=False).shape == (2,)


def test_a_fetched_handle_is_the_bytes_that_describe_it():
    variable = tf.get_variable("foo", initializer=[5], use_resource=True)
    with tf.Session() as session:
        before = session.run(variable.handle)
        session.run(variable.initializer)
        after = session.run(variable.handle)
        np.testing.assert_array_equal(session.run(variable), [5])
    for handle in (before, after):
        assert handle.dtype == [("resource", "u1")]
        assert b"foo" in handle.tobytes()


@pytest.mark.parametrize("use_resource", [False, True])
def test_updates_follow_control_dependencies(use_resource):
    v = tf.Variable(1.0, use_resource=use_resource)
    with tf.control_dependencies([v.assign(5.0)]):
        after = v.read_value() + 1.0
    assert run(after) == 6.0


def test_variables_are_updated_from_the_old_values_of_each_other():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    swap = tf.group(a.assign(b + 0.0), b.assign(a + 0.0))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(swap)
        assert session.run([a, b]) == [2.0, 1.0]


def test_integer_rows_are_not_divided_by_zero():
    v = tf.Variable([4, 6])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        run(tf.scatter_div(v, [0], [0]))


def test_resource_variables_are_assigned_in_their_own_graph():
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, use_resource=True)
    assert v.assign(2.0).op.graph is graph
    with pytest.raises(NotImplementedError, match="eager"):
        copy.deepcopy(v)


def test_the_parts_of_a_variable_must_fit_together():
    v, plain = tf.Variable([1.0]), tf.Variable([1.0])
    v._set_save_slice_info(tf.Variable.SaveSliceInfo("w", [2], [0], [1]))
    for shape, parts, partitions, text in (
        ([2], [v, plain], [2], "must have a save_slice_info available"),
        ([3], [v], [1], r"must match shape: \[3\]; but full shapes were: \[\[2\]\]"),
        ([2], [v], [1, 1], r"len\(shape\) != len\(partitions\): \[2\] vs. \[1, 1\]"),
        ([2], [v], [0], "partition values must be positive"),
        ([2], [], [1], "may not be empty"),
    ):
        with pytest.raises(ValueError, match=text):
            PartitionedVariable("w", shape, tf.float32, parts, partitions)


def test_resource_variables_are_filled_with_zeros():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    with tf.Session() as session:
        session.run(tf.contrib.framework.zero_initializer(v))
        assert session.run(v).tolist() == [0.0, 0.0]


def test_strings_are_scattered():
    assert run(tf.scatter_nd([[2], [0]], ["a", "b"], [3]), init=False).tolist() == [b"b", b"", b"a"]
