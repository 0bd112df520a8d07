"""Views of dictionaries as lists of variables, Dimensions among the numbers of shapes."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

SHAPE = (2, tf.Dimension(3))


@pytest.mark.parametrize("optimizer", [tf.train.GradientDescentOptimizer, tf.train.AdamOptimizer])
@pytest.mark.parametrize("view", [dict.values, lambda d: {v: k for k, v in d.items()}.keys()])
def test_views_are_lists_of_variables(optimizer, view):
    variables = {"a": tf.Variable(1.0), "b": tf.Variable(2.0)}
    loss = variables["a"] ** 2 + variables["b"] ** 2
    pairs = optimizer(0.1).compute_gradients(loss, view(variables))
    assert [v for _, v in pairs] == list(variables.values())
    step = optimizer(0.1).minimize(loss, var_list=view(variables))
    both = tf.group(view({"s": step, "t": loss}) if view is dict.values else [step])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(both)
        assert session.run(variables["a"]) < 1


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize(
    "function",
    [
        tf.random_normal,
        tf.random_uniform,
        tf.truncated_normal,
        tf.zeros,
        tf.ones,
        lambda shape: tf.fill(shape, 1.0),
        lambda shape: tf.random_gamma(shape, 1.0),
        lambda shape: tf.random_poisson(1.0, shape),
        lambda shape: tf.reshape(tf.zeros([6]), shape),
    ],
)
def test_shapes_may_mix_numbers_and_dimensions(function, kind):
    result = function(kind(SHAPE))
    assert result.get_shape().as_list() == [2, 3]
    with tf.Session() as session:
        assert session.run(result).shape == (2, 3)


def test_output_shapes_may_mix_numbers_and_dimensions():
    size = tf.Dimension(8)
    x, kernel = np.ones([2, 8, 8, 3], np.float32), np.ones([1, 1, 4, 3], np.float32)
    plane = tf.nn.conv2d_transpose(x, kernel, [2, size, 8, tf.Dimension(4)], [1, 1, 1, 1])
    space = tf.nn.conv3d_transpose(x[None], kernel[None], [1, 2, size, 8, 4], [1, 1, 1, 1, 1])
    with tf.Session() as session:
        assert session.run(plane).shape == (2, 8, 8, 4)
        assert session.run(space).shape == (1, 2, 8, 8, 4)
