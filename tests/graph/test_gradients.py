"""tf.gradients: several outputs, grad_ys, stop_gradient, what has no gradient, devices."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_gradients_of_several_outputs():
    @tf.RegisterGradient("StatementSplit")
    def _gradient(op, *grads):
        assert len(op.outputs) == len(grads) == 2 and op.get_attr("num_split") == 2
        return [None, tf.concat([g * 5.0 for g in grads], 0)]

    x = tf.constant([1.0, 2.0])
    with tf.get_default_graph().gradient_override_map({"Split": "StatementSplit"}):
        a, b = tf.split(x, 2)
    with tf.Session() as session:
        equal(session.run(tf.gradients(a + 3.0 * b, x)[0]), [5, 15])


def test_optimizers_train_what_is_trainable():
    v, w = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(v * w)
    assert [variable for _, variable in pairs] == [v]


def test_gradients():
    x, y = tf.constant(2.0), tf.constant(3.0)
    z = x * y
    grads = tf.gradients([z, x * x], [x, y])
    assert [g.op.name.split("/")[0] for g in grads] == ["gradients"] * 2
    assert value(grads) == [7.0, 2.0]
    assert value(tf.gradients(z, x, grad_ys=[tf.constant(10.0)])) == [30.0]
    assert value(tf.gradients(tf.stop_gradient(x) * x, x)) == [2.0]
    assert tf.gradients(z, tf.constant(1.0)) == [None]
    with pytest.raises(ValueError, match="Passed 2 grad_ys for 1 ys"):
        tf.gradients([z], [x], grad_ys=[1.0, 2.0])
    image = tf.zeros([2, 2, 3])
    with pytest.raises(
        LookupError, match=r"No gradient defined for operation 'adjust_contrast' \(op type:"
    ):
        tf.gradients(tf.image.adjust_contrast(image, 2.0), image)


def test_gradients_beside_their_ops():
    with tf.device("/cpu:0"):
        w = tf.Variable([[1.0]])
    with tf.device("/cpu:1"):
        y = tf.matmul([[2.0]], w)
    (gradient,) = tf.gradients(y, w, colocate_gradients_with_ops=True)
    assert gradient.device == "/device:CPU:1"
    tf.train.GradientDescentOptimizer(0.1).minimize(y, colocate_gradients_with_ops=True)


def test_gradients_and_what_is_not_run():
    logits = numbers(2, 3)
    equal(*value([tf.nn.softmax(logits, 0), tf.nn.softmax(logits, axis=0)]))
    x = tf.Variable([1.0, 2.0])
    (slope,) = tf.gradients([x * 2.0, x * x], x)
    equal(value(slope), [4, 6])
    tf.assert_positive(-x)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(tf.reduce_sum(x * x))
    assert pairs[0][1] is x
    step = optimizer.apply_gradients(pairs)
    with tf.Session() as session:
        session.run(x.initializer)
        session.run(step)
        equal(session.run(x), [0, 0])
    doubled = tf.py_func(lambda a: a * 2, [x], tf.float32)
    assert doubled.op.type == "PyFunc"
    equal(value(doubled), [2, 4])
