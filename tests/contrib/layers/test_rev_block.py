"""Reversible and recomputed layers; values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

L = tf.contrib.layers


def _gradients(is_training, with_side):
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        x = tf.constant(np.arange(24).reshape(4, 6) / 10.0, tf.float32)

        def f(x, side=None):
            y = tf.layers.dense(x, 3, activation=tf.nn.tanh, name="d")
            return y * side[0] if side else y

        def g(x):
            return tf.layers.dense(x, 3, name="e")

        x1, x2 = tf.split(x, 2, axis=1)
        # Made in any case, because op seeds depend on the number of ops.
        side = [tf.constant([0.1, 0.2, 0.3])][: int(with_side)]
        y1, y2 = L.rev_block(x1, x2, f, g, num_layers=2, f_side_input=side, is_training=is_training)
        loss = tf.reduce_mean(tf.square(y1) * 2 + y2**2)
        wanted = [loss, *tf.gradients(loss, [x, *tf.trainable_variables(), *side])]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [np.sum(np.abs(value)) for value in session.run(wanted)]


PLAIN = [5.3394, 8.5065, 7.4648, 1.6504, 11.4557, 2.0272, 8.4907, 1.4046, 9.1559, 1.976]
EFFICIENT = [14.4561, 19.5613, 28.8685, 6.3829, 25.9437, 5.5047, 5.0436, 1.353, 22.303, 5.1162]
SIDE = [9.2005, 12.7108, 2.3744, 0.6, 17.5621, 4.181, 1.6617, 0.294, 18.184, 4.2625, 4.8356]


@pytest.mark.parametrize(
    ("is_training", "with_side", "expected"),
    [(False, False, PLAIN), (True, False, EFFICIENT), (True, True, SIDE)],
)
def test_gradients(is_training, with_side, expected):
    np.testing.assert_allclose(_gradients(is_training, with_side), expected, rtol=1e-4)


def test_inputs_from_outputs():
    with tf.Graph().as_default(), tf.Session() as session:
        block = L.RevBlock(
            lambda x: tf.layers.dense(x, 3, name="d"), lambda x: x * 2.0, num_layers=2, name="rb"
        )
        x = tf.ones([2, 3])
        again = block.backward(*block.forward(x, x * 2))
        session.run(tf.global_variables_initializer())
        for value, expected in zip(session.run(again), (1.0, 2.0)):
            np.testing.assert_allclose(value, np.full([2, 3], expected), rtol=1e-5)
        assert [v.op.name for v in block.variables] == [
            "rb/revlayer_0/f/d/kernel",
            "rb/revlayer_0/f/d/bias",
            "rb/revlayer_1/f/d/kernel",
            "rb/revlayer_1/f/d/bias",
        ]


def test_wrong_number_of_functions():
    with pytest.raises(ValueError, match="f and g must have one function for each of 3 layers"):
        L.RevBlock([tf.identity], tf.identity, num_layers=3)


def test_recomputed_function():
    calls = []

    @L.recompute_grad
    def layer(x, is_recomputing=False):
        calls.append(is_recomputing)
        return tf.layers.dense(x, 3, activation=tf.nn.tanh, name="dense")

    with tf.Graph().as_default():
        tf.set_random_seed(5)
        y = layer(tf.ones([2, 3]) * 0.5)
        found = tf.gradients(y, tf.trainable_variables())
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            kernel, bias = session.run(found)
    assert calls == [False, True]
    np.testing.assert_allclose(bias, 2 * kernel[0], rtol=1e-6)
    with pytest.raises(ValueError, match="All inputs to function must be Tensors"):
        layer(3)
