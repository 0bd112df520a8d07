from __future__ import annotations

import functools

import numpy as np
import pytest

import headwater as tf
from headwater.model.custom_gradient import get_dependent_variables
from headwater.model.hessians import hessian_vector_product


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_method():
    class Model:
        @tf.custom_gradient
        def multiply(self, x1, x2):
            """Multiplies."""
            return x1 * x2, lambda dy: (dy * x1, dy * x2)

    a, b = tf.constant(3.0), tf.constant(5.0)
    da, db = tf.gradients(Model().multiply(a, b), [a, b])
    assert (da.eval(), db.eval()) == (3, 5)
    assert Model.multiply.__doc__ == "Multiplies."


def test_gradient_with_a_custom_gradient(session):
    @tf.custom_gradient
    def double(x):
        @tf.custom_gradient
        def gradient(dy):
            return dy * 3, lambda ddy: ddy * 5

        return x * 2, gradient

    x, dy = tf.constant(7.0), tf.constant(1.0)
    y = double(x)
    (dx,) = tf.gradients(y, x, grad_ys=dy)
    (ddy,) = tf.gradients(dx, dy)
    assert session.run([y, dx, ddy]) == [14, 3, 5]


def test_gradient_that_is_an_object_or_a_partial(session):
    class Scale:
        def __call__(self, dy):
            return dy * 3

    def scale(factor, dy):
        return dy * factor

    for gradient in (Scale(), functools.partial(scale, 3)):
        x = tf.constant(7.0)
        y = tf.custom_gradient(lambda x, gradient=gradient: (x * 2, gradient))(x)
        assert session.run(tf.gradients(y, x)) == [3]


def test_layer_with_variables(session):
    @tf.custom_gradient
    def f(x):
        out = tf.layers.dense(x, 3, use_bias=False)

        def gradient(dy, variables=None):
            (dx, _) = tf.gradients(out, [x, variables[0]], grad_ys=dy)
            return dx, [tf.ones((4, 3))]

        return out, gradient

    with tf.variable_scope("f", use_resource=True) as scope:
        before = tf.layers.dense(tf.ones((2, 4)), 4)
        y = f(before)
        *_, kernel = scope.global_variables()
    gradients = tf.gradients(y, [before, kernel])
    session.run(tf.global_variables_initializer())
    assert gradients[0].eval().shape == (2, 4)
    assert gradients[1].eval().sum() == 12


def test_dependent_variables():
    variable = tf.Variable(1.0)
    fixed = tf.Variable(1.0, trainable=False)
    x = tf.constant(2.0)
    assert get_dependent_variables([x], [tf.identity(x) + variable + fixed]) == [variable]
    assert get_dependent_variables({"x": x}, {"y": tf.identity(x) + 5}) == []
    x = tf.identity(variable) * 5
    assert get_dependent_variables([x], [tf.identity(x) + 5]) == []
    assert get_dependent_variables([x], [tf.ones_like(variable)]) == []


def test_pass_through(session):
    x = tf.constant([1.4, 2.6])
    y = tf.grad_pass_through(tf.round)(x)
    np.testing.assert_array_equal(y.eval(), [1, 3])
    (dx,) = tf.gradients(y * [1.0, 2.0], x)
    np.testing.assert_array_equal(dx.eval(), [1, 2])


def test_recomputed(session):
    @tf.recompute_grad
    def f(x):
        w = tf.get_variable("w", [], use_resource=True, initializer=tf.constant_initializer(3.0))
        return tf.square(x) * w

    x = tf.constant(2.0)
    y = f(x)
    count = sum(op.type == "Square" for op in session.graph.get_operations())
    dx, dw = tf.gradients(y, [x, *tf.global_variables()])
    session.run(tf.global_variables_initializer())
    assert session.run([y, dx, dw]) == [12, 12, 4]
    assert sum(op.type == "Square" for op in session.graph.get_operations()) == count + 1
    assert len(tf.global_variables()) == 1


def test_hessian_vector_product():
    matrix = np.arange(9, dtype=np.float32).reshape(3, 3)
    x = tf.constant([[1.0], [2.0], [3.0]])
    y = tf.matmul(x, tf.matmul(matrix, x), transpose_a=True)
    vector = np.array([[1.0], [-1.0], [2.0]], np.float32)
    (product,) = hessian_vector_product(y, [x], [tf.constant(vector)])
    np.testing.assert_allclose(product.eval(), (matrix + matrix.T) @ vector)
    with pytest.raises(ValueError, match=r"^xs and v must have the same length\.$"):
        hessian_vector_product(y, [x], [])


def test_hessian_of_a_quadratic_form():
    matrix = np.random.RandomState(1).randn(4, 4).astype(np.float32)
    x = tf.constant(np.arange(4, dtype=np.float32))
    (hessian,) = tf.hessians(tf.reduce_sum(x[:, None] * matrix * x[None, :]), x)
    np.testing.assert_allclose(hessian.eval(), matrix + matrix.T, rtol=1e-5)
