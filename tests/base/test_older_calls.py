"""Calls in the order of arguments of older releases."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import headwater as tf
from headwater.base.older_calls import (
    inserted,
    is_no_format,
    is_no_type,
    is_text,
    renamed,
    rewritten,
)

IMAGES = np.ones((1, 4, 4, 2), np.float32)
VOLUMES = np.ones((1, 2, 2, 2, 1), np.float32)
ONES = [1, 1, 1, 1]
ROW = np.array([1, 2, 2], np.int32)


def test_what_is_a_name():
    assert is_text("x") and not is_text(1) and not is_text(None)
    assert is_no_format("conv") and not is_no_format("NCHW") and not is_no_format(3)
    assert is_no_type("idx") and not is_no_type("int64") and not is_no_type(tf.int32)


def test_a_decorated_function_looks_like_itself():
    def function(x, axis=0, name=None):
        """Docstring."""
        return x, axis, name

    decorated = inserted(1, -1)(function)
    assert decorated(3, "n") == (3, -1, "n") == decorated(3, -1, "n")
    assert decorated(3, 2) == (3, 2, None) and decorated(3, axis=2, name="n") == (3, 2, "n")
    assert decorated.__doc__ == "Docstring."
    assert inspect.getfullargspec(decorated).args == ["x", "axis", "name"]
    assert rewritten(lambda args, kwargs: (args[::-1], kwargs))(function)(1, 2, 3) == (3, 2, 1)


# Later releases have inserted arguments before `name` in each of these.
CALLS = {
    "softmax": lambda name: tf.nn.softmax([[1.0, 2.0]], name),
    "log_softmax": lambda name: tf.nn.log_softmax([[1.0, 2.0]], name),
    "softmax_cross_entropy": lambda name: tf.nn.softmax_cross_entropy_with_logits(
        tf.ones([2, 2]), tf.ones([2, 2]), name
    ),
    "depthwise_conv2d": lambda name: tf.nn.depthwise_conv2d(
        IMAGES, tf.ones([2, 2, 2, 1]), ONES, "SAME", name
    ),
    "depthwise_conv2d_native": lambda name: tf.nn.depthwise_conv2d_native(
        IMAGES, tf.ones([2, 2, 2, 1]), ONES, "SAME", name
    ),
    "separable_conv2d": lambda name: tf.nn.separable_conv2d(
        IMAGES, tf.ones([2, 2, 2, 1]), tf.ones([1, 1, 2, 2]), ONES, "SAME", name
    ),
    "conv2d_transpose": lambda name: tf.nn.conv2d_transpose(
        IMAGES, tf.ones([2, 2, 3, 2]), [1, 4, 4, 3], ONES, "SAME", name
    ),
    "conv3d": lambda name: tf.nn.conv3d(VOLUMES, tf.ones([1] * 5), [1] * 5, "SAME", name),
    "conv3d_transpose": lambda name: tf.nn.conv3d_transpose(
        VOLUMES, tf.ones([1] * 5), [1, 2, 2, 2, 1], [1] * 5, "SAME", name
    ),
    "max_pool3d": lambda name: tf.nn.max_pool3d(VOLUMES, [1] * 5, [1] * 5, "SAME", name),
    "avg_pool3d": lambda name: tf.nn.avg_pool3d(VOLUMES, [1] * 5, [1] * 5, "SAME", name),
    "max_pool_with_argmax": lambda name: tf.nn.max_pool_with_argmax(
        IMAGES, ONES, ONES, "SAME", tf.int64, name
    ),
    "range": lambda name: tf.range(1, 4, 1, name),
    "clip_by_norm": lambda name: tf.clip_by_norm(tf.ones([2]), 1.0, name),
    "pack": lambda name: tf.pack([tf.ones([2]), tf.ones([2])], name),
    "unpack": lambda name: tf.unpack(tf.ones([2, 2]), 2, name),
    "split": lambda name: tf.split(0, 3, ROW, name),
    "sparse_split": lambda name: tf.sparse_split(0, 1, tf.SparseTensor([[0]], [1], [2]), name),
    "shape_n": lambda name: tf.shape_n([ROW, ROW], name),
    "unique": lambda name: tf.unique(ROW, name),
    "unique_with_counts": lambda name: tf.unique_with_counts(ROW, name),
    "listdiff": lambda name: tf.listdiff(ROW, ROW, name),
    "cond": lambda name: tf.cond(tf.constant(True), lambda: ROW + 1, lambda: ROW, name),
    "case": lambda name: tf.case(
        [(tf.constant(True), lambda: tf.constant(1))], lambda: tf.constant(2), False, name
    ),
    "while_loop": lambda name: tf.while_loop(
        lambda i: i < 3, lambda i: i + 1, [0], 10, True, False, name
    ),
    "py_func": lambda name: tf.py_func(lambda: np.float32(1), [], tf.float32, name),
    "decode_csv": lambda name: tf.decode_csv("1", [[1]], ",", name),
}


@pytest.mark.parametrize("function", CALLS)
def test_the_name_may_stand_where_it_stood(function):
    result = CALLS[function]("early")
    while isinstance(result, (list, tuple)):
        result = result[0]
    assert getattr(result, "indices", result).op.name.startswith("early")


def test_arguments_before_others():
    loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], 5)
    with tf.Session() as session:
        assert session.run(loop) == 3
        patches = tf.extract_image_patches(IMAGES, "VALID", [1, 2, 2, 1], ONES, ONES)
        newer = tf.extract_image_patches(IMAGES, [1, 2, 2, 1], ONES, ONES, "VALID")
        np.testing.assert_array_equal(*session.run([patches, newer]))
        np.testing.assert_array_equal(session.run(tf.ones_initializer([2], tf.int32)), [1, 1])
        np.testing.assert_array_equal(session.run(tf.zeros_initializer(shape=[2])), [0, 0])
    assert tf.train.RMSPropOptimizer(0.1, 0.9, 0.0, 1e-10, False, "early").get_name() == "early"


def test_reuse_after_the_name_of_a_scope():
    with tf.variable_scope("scope", None, tf.constant_initializer(3.0)) as scope:
        v = tf.get_variable("v", [1])
    assert scope.initializer is not None
    with tf.variable_scope("scope", True):
        assert tf.get_variable("v", [1]) is v
    with (
        tf.variable_scope("scope", False),
        pytest.raises(
            ValueError, match=r"Variable scope/v already exists, disallowed\. Did you mean to"
        ),
    ):
        tf.get_variable("v", [1])
    with tf.variable_scope(None, "default", [v]) as newer:
        assert newer.name == "default"


def test_older_names_of_arguments():
    with tf.Session() as session:
        assert session.run(tf.conj(input=1 + 2j)) == 1 - 2j
        np.testing.assert_array_equal(session.run(tf.where(input=[False, True])), [[1]])
        values, _ = session.run(tf.self_adjoint_eig(input=[[2.0, 0.0], [0.0, 1.0]]))
        np.testing.assert_allclose(values, [1, 2])
        scaled = tf.uniform_unit_scaling_initializer(full_shape=[300, 10])([3000, 10])
        assert 0.099 < abs(session.run(scaled)).max() <= 0.1


def test_renamed_arguments():
    function = renamed(old="new")(lambda new=0: new)
    assert function(old=3) == function(new=3) == function(3) == 3
    with pytest.raises(TypeError, match="got values for both 'old' and 'new'"):
        function(old=1, new=2)


def test_older_names_in_contrib():
    normal = tf.contrib.distributions.MultivariateNormalDiag(mu=[1.0, 2.0], diag_stdev=[3.0, 4.0])
    with tf.Session() as session:
        assert session.run([normal.mean(), normal.stddev()])[1].tolist() == [3.0, 4.0]
    losses = tf.contrib.losses
    x, z = tf.constant([[1.0, 2.0]]), tf.constant([[0.0, 1.0]])
    pairs = [
        (losses.softmax_cross_entropy(x, z, weight=0.5), losses.softmax_cross_entropy(x, z, 0.5)),
        (losses.absolute_difference(x, targets=z), losses.absolute_difference(x, z)),
        (losses.hinge_loss(x, target=z), losses.hinge_loss(x, z)),
        (losses.compute_weighted_loss(x, weight=2.0), losses.compute_weighted_loss(x, 2.0)),
    ]
    distributions = tf.contrib.distributions
    pairs += [
        (one.log_prob(0.5), two.log_prob(0.5))
        for one, two in (
            (distributions.Normal(mu=1.0, sigma=2.0), distributions.Normal(1.0, 2.0)),
            (distributions.Gamma(alpha=1.0, beta=2.0), distributions.Gamma(1.0, 2.0)),
            (distributions.Uniform(a=0.0, b=2.0), distributions.Uniform(0.0, 2.0)),
            (distributions.Exponential(lam=3.0), distributions.Exponential(3.0)),
        )
    ]
    pieces = tf.split_v(tf.range(5), size_splits=[2, 3])
    with tf.Session() as session:
        for one, two in session.run(pairs):
            np.testing.assert_array_equal(one, two)
        assert session.run(pieces[1]).tolist() == [2, 3, 4]
