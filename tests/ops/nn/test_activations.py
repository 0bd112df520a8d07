"""Activations: values, types, shapes and names."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal
REAL_TYPES = "float32 float64 int32 int64 uint8 int16 int8 uint16 float16".split()


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_activations():
    x = [[-2.0, 0.0, 3.0]]
    a = np.array(x)
    variable = tf.Variable(x)
    with tf.Session() as session:
        session.run(variable.initializer)
        for given in (x, a.astype(np.float32), variable):
            equal(session.run(tf.nn.relu(given)), [[0, 0, 3]])
    equal(value(tf.nn.crelu(x)), [[0, 0, 3, 2, 0, 0]])
    close(value(tf.nn.elu(x)), np.where(a < 0, np.exp(a) - 1, a), 1e-6)
    close(value(tf.nn.softplus(x)), np.log1p(np.exp(a)), 1e-6)
    close(value(tf.nn.softsign(x)), a / (abs(a) + 1), 1e-6)
    for f in (tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.softplus, tf.sigmoid, tf.tanh):
        assert f(x).get_shape().as_list() == [1, 3]


@pytest.mark.parametrize("dtype", REAL_TYPES)
def test_relu_of_all_types(dtype):
    x = np.array([0, 3, 9] if dtype.startswith("u") else [-4, 3, 9], dtype)
    result = value(tf.nn.relu(x))
    assert result.dtype == dtype
    equal(result, np.maximum(x, 0))
    equal(value(tf.nn.relu6(x)), np.minimum(np.maximum(x, 0), 6))


def test_tanh_of_a_sparse_tensor():
    x = tf.SparseTensor([[0, 1]], [0.5], [2, 2])
    result = value(tf.tanh(x))
    close(result.values, np.tanh([0.5]), 1e-6)


def test_sigmoid_of_all_types():
    for dtype in (np.float32, np.float64, np.complex64):
        x = np.array([-1, 0.5], dtype)
        close(value(tf.sigmoid(x)), 1 / (1 + np.exp(-x)), 1e-5)


@pytest.mark.parametrize("act", [tf.nn.relu, tf.nn.softmax, tf.sigmoid, tf.tanh])
def test_activations_with_a_name(act):
    """`act(preactivate, 'activation')` of the summaries tutorial."""
    result = act(tf.constant([[1.0, 2.0]]), "activation")
    assert result.op.name.startswith("activation")


def test_activations_keep_shapes():
    for f in (tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.softplus, tf.nn.softsign, tf.sigmoid,
              tf.tanh):  # fmt: skip
        for shape in ((), (3,), (2, 0, 3), (2, 3, 4)):
            assert value(f(numbers(*shape))).shape == shape
    assert tf.nn.elu(tf.constant(1.0, tf.float64)).dtype == tf.float64
