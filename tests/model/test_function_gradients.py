"""Gradients of functions whose bodies have branches and loops."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.compat.internals.functions import Declare
from headwater.model.defun import Defun
from headwater.model.functional_ops import If


@pytest.fixture(autouse=True)
def graph():
    tf.reset_default_graph()


def power(x):
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, a * x], [0, x])[1]


def test_the_gradient_goes_through_a_loop_in_a_function():
    x = tf.placeholder(tf.float32, [])
    gradient = tf.gradients(Defun(tf.float32)(power)(x), x)
    with tf.Session() as session:
        for value in (2.0, 0.5, 2.0):
            assert session.run(gradient, {x: value}) == [4 * value**3]


def test_the_gradient_goes_through_a_branch_in_a_function():
    @Defun(tf.float32)
    def f(v):
        return tf.cond(v > 1.0, lambda: v * v, lambda: v * 3.0)

    x = tf.placeholder(tf.float32, [])
    gradient = tf.gradients(f(x), x)
    with tf.Session() as session:
        found = [session.run(gradient, {x: value}) for value in (2.0, 0.5, 4.0, 0.25)]
    assert found == [[4.0], [3.0], [8.0], [3.0]]


def test_branches_in_loops_in_functions_have_gradients_inside_and_outside():
    def recurrent(x, w):
        x.set_shape([2, 5, 3])
        w.set_shape([6, 3])

        def step(t, h):
            def mixed():
                return tf.tanh(tf.matmul(tf.concat([x[:, t], h], 1), w))

            return t + 1, tf.cond(t > 2, mixed, lambda: h * 2.0 + x[:, t])

        return tf.while_loop(lambda t, h: t < 5, step, [0, tf.zeros([2, 3])])[1]

    random = np.random.RandomState(1)
    x = tf.constant(random.randn(2, 5, 3).astype(np.float32))
    w = tf.constant(random.randn(6, 3).astype(np.float32))
    types = tf.float32, tf.float32
    outside = tf.gradients(Defun(*types)(recurrent)(x, w), [x, w])

    @Defun(*types)
    def inside(x, w):
        return tf.gradients(recurrent(x, w), [x, w])

    plain = tf.gradients(recurrent(x, w), [x, w])
    with tf.Session() as session:
        for _ in range(3):
            for values in zip(*session.run([outside, inside(x, w), plain])):
                np.testing.assert_allclose(values[0], values[2], rtol=1e-5)
                np.testing.assert_allclose(values[1], values[2], rtol=1e-5)


def test_a_function_with_a_loop_is_called_in_a_loop():
    def squares(v):
        v.set_shape([3])
        return tf.map_fn(lambda e: e * e * 0.5, v)

    f = Defun(tf.float32, shape_func=lambda op: [op.inputs[0].shape])(squares)
    x = tf.constant([1.0, 2.0, 0.5])
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, f(a)], [0, x])[1]
    gradient = tf.gradients(y, x)[0]
    with tf.Session() as session:
        for _ in range(3):
            values = session.run([y, gradient])
            np.testing.assert_allclose(values[0], [2.0**-7, 2.0, 2.0**-15])
            np.testing.assert_allclose(values[1], [2.0**-4, 8.0, 2.0**-11])


def test_the_branches_of_if_may_have_loops_and_branches():
    @Defun(tf.float32)
    def other(v):
        return tf.cond(v > -1.0, lambda: v * 2.0, lambda: v * v)

    x = tf.placeholder(tf.float32, [])
    y = If(x > 0.0, [x], Defun(tf.float32)(power), other)[0]
    gradient = tf.gradients(y, x)[0]
    with tf.Session() as session:
        found = [session.run([y, gradient], {x: v}) for v in (2.0, -0.5, -3.0, 2.0)]
    assert found == [[16.0, 32.0], [-1.0, 2.0], [9.0, -6.0], [16.0, 32.0]]


def test_a_declared_function_is_called_before_it_is_defined():
    foo = Declare("Foo", [("x", tf.float32)], [("y", tf.float32)])
    y = foo(2.0)
    with tf.Session() as session:
        with pytest.raises(tf.errors.NotFoundError, match="not registered"):
            session.run(y)

        @Defun(tf.float32, func_name="Foo", out_names=["y"])
        def defined(x):
            return x * x + 1.0

        defined.add_to_graph(tf.get_default_graph())
        assert session.run(foo(3.0)) == 10.0
        assert session.run(y) == 5.0
    with pytest.raises(ValueError, match="Expected number of arguments: 1, received: 2"):
        foo(1.0, 2.0)
