"""get_variable: sharing, reuse, captured scopes, names and initializers."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_get_variable():
    with tf.variable_scope("conv1"):
        w = tf.get_variable("weights", [2], initializer=tf.constant_initializer(0.1))
        n = tf.get_variable("n", [5000], initializer=tf.random_normal_initializer(2.0, 0.5))
        u = tf.get_variable("u", [5000], initializer=tf.random_uniform_initializer(-1.0, 3.0))
    assert w.name == "conv1/weights:0"
    with (
        tf.variable_scope("conv1"),
        pytest.raises(ValueError, match="conv1/weights already exists"),
    ):
        tf.get_variable("weights", [2])
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        equal(session.run(w), np.float32([0.1, 0.1]))
        n, u = session.run([n, u])
    assert abs(n.mean() - 2.0) < 0.05 and abs(n.std() - 0.5) < 0.05
    assert -1.0 <= u.min() < -0.9 and 2.9 < u.max() < 3.0


def test_reuse_goes_inwards_and_ends():
    with tf.variable_scope("root"):
        assert not tf.get_variable_scope().reuse
        with tf.variable_scope("foo"):
            tf.get_variable_scope().reuse_variables()
            assert tf.get_variable_scope().reuse
            with tf.variable_scope("bar"):
                assert tf.get_variable_scope().reuse
        assert not tf.get_variable_scope().reuse


def test_captured_scopes():
    with tf.variable_scope("foo") as foo:
        v = tf.get_variable("v", [1])
    with tf.variable_scope(foo):
        w = tf.get_variable("w", [1])
    with tf.variable_scope(foo, reuse=True):
        assert tf.get_variable("v", [1]) is v and tf.get_variable("w", [1]) is w
    with tf.variable_scope("bar"), tf.variable_scope("baz") as other:
        assert other.name == "bar/baz"
        with tf.variable_scope(foo) as again:
            assert again.name == "foo"
            assert tf.constant(1.0).op.name.startswith("bar/baz/foo")


def test_initializers_and_names():
    values = []
    with tf.variable_scope("foo", initializer=tf.constant_initializer(0.4)):
        v = tf.get_variable("v", [1])
        values += [v, tf.get_variable("w", [1], initializer=tf.constant_initializer(0.3))]
        with tf.variable_scope("bar"):
            values.append(tf.get_variable("v", [1]))
        with tf.variable_scope("baz", initializer=tf.constant_initializer(0.2)):
            values.append(tf.get_variable("v", [1]))
        assert (1.0 + v).op.name == "foo/add"
        with tf.name_scope("inside"):
            x = tf.get_variable("x", [1])
            assert (1.0 + x).op.name == "foo/inside/add" and x.name == "foo/x:0"
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        values = [session.run(v)[0] for v in values]
    assert values == [np.float32(x) for x in (0.4, 0.3, 0.4, 0.2)]


def test_sharing():
    with tf.variable_scope("scope"):
        a = tf.get_variable("a", [])
        with pytest.raises(
            ValueError, match=r"Variable scope/a already exists, disallowed\. Did you mean to"
        ):
            tf.get_variable("a", [])
    with tf.variable_scope("scope", reuse=True):
        assert tf.get_variable("a", []) is a
    for _ in range(2):
        with tf.variable_scope("layers", reuse=tf.AUTO_REUSE):
            tf.layers.conv2d(tf.zeros([1, 4, 4, 2]), 3, 3)
    assert len([v for v in tf.global_variables() if v.name.startswith("layers")]) == 2
    with tf.variable_scope(None, default_name="merge") as scope:
        assert scope.name == "merge"
    with tf.variable_scope("named", default_name="merge") as scope:
        assert scope.name == "named"
    for _ in range(2):
        with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
            w = tf.get_variable("w", [2])
    assert tf.contrib.framework.get_variables_by_name("w") == [w]


def test_variables_in_scopes():
    with tf.variable_scope("a_variable_scope") as scope:
        v = tf.get_variable("var3", [1], initializer=tf.constant_initializer(3))
        four = tf.Variable([4], dtype=tf.float32, name="var4")
        scope.reuse_variables()
        again = tf.get_variable(name="var3")
        another = tf.Variable([4], dtype=tf.float32, name="var4")
    assert again is v and v.name == "a_variable_scope/var3:0"
    assert another.name == "a_variable_scope/var4_1:0"
    assert tf.trainable_variables() == [v, four, another]
    assert value([v, another]) == [[3.0], [4.0]]
    assert tf.get_variable("gamma", 5).shape.as_list() == [5]
