"""gradient_override_map and registered gradients."""

from __future__ import annotations

import pytest

import headwater as tf


def test_gradient_override_map():
    graph = tf.get_default_graph()

    @tf.RegisterGradient("StatementSquare")
    def _gradient(op, grad):
        return grad * 100.0

    x = tf.constant(3.0)
    plain = tf.square(x)
    with graph.gradient_override_map({"Square": "StatementSquare"}):
        custom = tf.square(x)
    with tf.Session() as session:
        values = session.run([tf.gradients(plain, x)[0], tf.gradients(custom, x)[0]])
    assert values == [6.0, 100.0]
    for wrong in (3, {"Square": 3}, {3: "StatementSquare"}):
        with (
            pytest.raises(
                TypeError, match="op_type_map must be a dictionary mapping strings to strings"
            ),
            graph.gradient_override_map(wrong),
        ):
            pass


def test_gradients_and_their_override():
    @tf.RegisterGradient("StatementSub")
    def _gradient(op, grad):
        assert len(op.inputs) == 2
        return grad * 10.0, -grad

    x, y = tf.constant(3.0), tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map({"Sub": "StatementSub"}):
        z = tf.subtract(x, y)
    with tf.Session() as session:
        assert session.run(tf.gradients(z, [x, y])) == [10.0, -1.0]
    for register in (tf.NoGradient, tf.NotDifferentiable):
        with pytest.raises(TypeError, match="op_type must be a string"):
            register(3)
