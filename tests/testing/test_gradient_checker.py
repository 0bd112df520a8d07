from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.compat.modules import make_module

compute_gradient = tf.test.compute_gradient


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_jacobians(session):
    x = tf.constant([[1.0, 2.0]])
    y = tf.square(x) * tf.constant(2.0)
    np.random.seed(1)
    theoretical, numeric = compute_gradient(x, [1, 2], y, [1, 2])
    # The values of release 1.15 for this seed.
    np.testing.assert_allclose(theoretical, np.diag([1.668088, 2.881298]), rtol=1e-6)
    np.testing.assert_allclose(numeric, np.diag([1.6680657, 2.8812287]), rtol=1e-6)
    assert theoretical.dtype == numeric.dtype == np.float32
    # The next numbers of the generator: compiling programs has not drawn any.
    (first, _), (second, _) = compute_gradient([x, x], [[1, 2]] * 2, y, [1, 2])
    np.testing.assert_allclose(first, np.diag([4.5749926e-04, 1.2093303]), rtol=1e-6)
    np.testing.assert_allclose(second, np.diag([0.58702356, 0.36935437]), rtol=1e-6)
    assert 0 < tf.test.compute_gradient_error(x, [1, 2], y, [1, 2]) < 1e-4


def test_steps_under_their_internal_names(session):
    steps = make_module("tensorflow.python.ops.gradient_checker")
    x = tf.placeholder(tf.float32, [2])
    y = tf.square(x)
    dx, dy = steps._compute_dx_and_dy(x, y, [2])
    at, expected = np.float32([1, 2]), np.diag([2, 4])
    found = [
        steps._compute_theoretical_jacobian(x, [2], at, dy, [2], dx, extra_feed_dict={}),
        steps._compute_numeric_jacobian(x, [2], at, y, [2], 0.5, extra_feed_dict={}),
        *steps._compute_gradient(x, [2], dx, y, [2], dy, at, 0.5),
    ]
    for jacobian in found:
        np.testing.assert_array_equal(jacobian, expected)


def test_nodes(session):
    x = tf.constant([[1.0, 2.0]])
    y = tf.square(x)
    before = len(session.graph.get_operations())
    compute_gradient(x, [1, 2], y, [1, 2])
    names = [op.name for op in session.graph.get_operations()[before:]]
    assert names == [
        "Const_1",
        "Identity",
        "gradients/grad_ys_0",
        "gradients/Square_grad/Const",
        "gradients/Square_grad/Mul",
        "gradients/Square_grad/Mul_1",
    ]


def test_complex_numbers_have_two_rows(session):
    z = tf.constant([1 + 1j, 2 + 3j])
    theoretical, numeric = compute_gradient(
        z, [2], z * z, [2], np.array([1 + 2j, 3], np.complex128)
    )
    expected = np.zeros([4, 4])
    expected[:2, :2] = [[2, 4], [-4, 2]]
    expected[2:, 2:] = [[6, 0], [0, 6]]
    np.testing.assert_allclose(theoretical, expected)
    np.testing.assert_allclose(numeric, expected, atol=1e-6)
    theoretical, numeric = compute_gradient(z, [2], tf.abs(z), [2])
    assert theoretical.shape == numeric.shape == (4, 2)
    np.testing.assert_allclose(theoretical, numeric, atol=1e-6)


def test_slices(session):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    rows = tf.gather(x, [1, 1])
    theoretical, numeric = compute_gradient(x, [2, 2], rows * rows, [2, 2], delta=1e-2)
    np.testing.assert_allclose(theoretical, numeric, atol=1e-3)


def test_nothing_to_differentiate(session):
    x = tf.constant([[1.0, 2.0]])
    theoretical, numeric = compute_gradient(x, [1, 2], tf.zeros([0, 2]) * x, [0, 2])
    assert theoretical.shape == numeric.shape == (2, 0)


def test_wrong_arguments(session):
    x = tf.constant([[1.0, 2.0]])
    with pytest.raises(AssertionError, match=r"^x_shape = \[1, 2\], init_data shape = \[3\]$"):
        compute_gradient(x, [1, 2], x * x, [1, 2], x_init_value=np.ones([3]))
    with pytest.raises(AssertionError, match=r"^dx = None$"):
        compute_gradient(x, [1, 2], tf.zeros([2]), [2])


def test_not_a_number(session):
    @tf.RegisterGradient("GradientThatIsNoNumber")
    def gradient(op, grad):
        return grad * float("nan")

    with session.graph.gradient_override_map({"Identity": "GradientThatIsNoNumber"}):
        x = tf.constant(1.0)
        y = tf.identity(x)
    assert np.isnan(tf.test.compute_gradient_error(x, (), y, ()))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_differences_have_the_type_of_x(session, kind):
    start = np.array([0.3, 0.7], kind)
    x = tf.constant(start, tf.float64)
    theoretical, numeric = compute_gradient(x, [2], tf.sin(x) * x, [2], x_init_value=start)
    assert theoretical.dtype == numeric.dtype == np.float64
    np.testing.assert_allclose(theoretical, numeric, atol=1e-6)
    np.testing.assert_array_equal(start, np.array([0.3, 0.7], kind))
