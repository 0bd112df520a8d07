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


HALVES = np.linspace(-12, 12, 4001).astype(np.float16)
ROWS = (np.random.RandomState(1).randn(300, 70) * 5).astype(np.float16)


def _log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


@pytest.mark.parametrize(
    ("name", "given", "exact"),
    [
        ("elu", HALVES, lambda x: np.where(x < 0, np.expm1(x), x)),
        (
            "selu",
            HALVES,
            lambda x: 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x),
        ),
        ("softplus", HALVES, lambda x: np.log1p(np.exp(x))),
        ("softmax", ROWS, lambda x: np.exp(_log_softmax(x))),
        ("log_softmax", ROWS, _log_softmax),
    ],
)
def test_activations_of_half_precision_are_rounded_once(name, given, exact):
    wanted = exact(given.astype(np.float64))
    found = value(getattr(tf.nn, name)(given))
    assert found.dtype == np.float16
    # Half a unit in the last place; float32 in between may tip a tie or cancel near zero.
    close(found, wanted, rtol=2**-11 * 1.01, atol=2.0**-22)


@pytest.mark.parametrize(("name", "scale"), [("elu", 1.0), ("selu", 1.7580993408473766)])
def test_gradients_of_exponential_units_in_half_precision(name, scale):
    x = tf.constant(HALVES)
    wide = HALVES.astype(np.float64)
    wanted = np.where(wide < 0, scale * np.exp(wide), 1.0 if scale == 1.0 else 1.0507009873554805)
    # The gradient is computed from the rounded output, as in TensorFlow: at most one unit.
    close(value(tf.gradients(getattr(tf.nn, name)(x), x)[0]), wanted, rtol=1e-3, atol=1e-3)
