"""variable_scope and variable_op_scope: reuse, defaults, arguments, partitioners."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def initialized(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(f) for f in fetches]


def test_scopes_and_reuse():
    with tf.variable_scope("foo"):
        v = tf.get_variable("v", [1])
        with tf.variable_scope("bar"):
            assert tf.get_variable("v", [1]).name == "foo/bar/v:0"
    with tf.variable_scope("foo", reuse=True):
        assert tf.get_variable("v", [1]) is v
        with tf.variable_scope("bar"):
            assert tf.get_variable_scope().reuse
    with tf.variable_scope("foo") as scope:
        scope.reuse_variables()
        assert tf.get_variable("v", [1]) is v and tf.get_variable_scope() is scope
    with tf.variable_scope("foo"), pytest.raises(ValueError, match="foo/v already exists"):
        tf.get_variable("v", [1])
    with (
        tf.variable_scope("foo", reuse=True),
        pytest.raises(ValueError, match="foo/new does not exist"),
    ):
        tf.get_variable("new", [1])


def test_defaults_of_scopes():
    with tf.variable_scope(
        "s",
        initializer=tf.constant_initializer(3.0),
        regularizer=lambda w: tf.reduce_sum(w),
    ):
        v = tf.get_variable("v", [2])
        tf.get_variable("free", [2], regularizer=tf.no_regularizer)
    (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    t = tf.get_variable("t", initializer=tf.constant([1.0, 2.0]))
    with tf.variable_scope("p", partitioner=lambda shape, dtype: [2, 1]):
        parts = tf.get_variable("parts", [4, 3], initializer=tf.ones_initializer())
    assert [p.get_shape().as_list() for p in parts] == [[2, 3], [2, 3]]
    values = initialized(v, loss, t, tf.convert_to_tensor(parts))
    equal(values[0], [3, 3])
    assert values[1] == 6.0
    equal(values[2], [1, 2])
    equal(values[3], np.ones([4, 3]))
    with pytest.raises(
        ValueError, match=r"The initializer passed is not valid\. It should be a callable"
    ):
        tf.get_variable("no_shape")


def test_arguments_of_scopes():
    with tf.variable_scope("s", reuse=False):
        tf.get_variable("v", [1])
    with (
        pytest.raises(
            TypeError, match=r"VariableScope: name_or_scope must be a string or VariableScope\."
        ),
        tf.variable_scope(3),
    ):
        pass


def test_variable_op_scope():
    names = []
    for given in (None, None, "given", "given"):
        with tf.variable_op_scope([], given, "default") as scope:
            names.append(scope.name)
            assert tf.get_variable_scope() is scope
    assert names == ["default", "default_1", "given", "given"]


def test_partitioner_of_sizes():
    def counts(shape, *args, dtype=tf.float32, **kwargs):
        make = tf.variable_axis_size_partitioner(*args, **kwargs)
        return make(shape=tf.TensorShape(shape), dtype=dtype)

    assert counts([8, 4], 64) == [2, 1]
    assert counts([8, 4], 1) == [8, 1]
    assert counts([8, 4], 1, max_shards=3) == [3, 1]
    assert counts([8, 4], 32, axis=1) == [1, 4]
    assert counts([8, 2], 64, dtype=tf.string) == [4, 1]
    for wrong in ((0,), (64, 0, 0)):
        with pytest.raises(
            ValueError, match="Both max_shard_bytes and bytes_per_string_element must be"
        ):
            tf.variable_axis_size_partitioner(*wrong)
