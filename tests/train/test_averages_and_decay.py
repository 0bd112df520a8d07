"""Moving averages and exponential decay of the learning rate."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


@pytest.mark.parametrize("step_type", [tf.int32, tf.int64])
def test_exponential_decay(step_type):
    step = tf.placeholder(step_type, [])
    rate = tf.train.exponential_decay(0.1, step, 100, 0.96)
    stairs = tf.train.exponential_decay(tf.constant(0.1), step, 100, 0.96, staircase=True)
    assert rate.op.name == "ExponentialDecay" and rate.dtype == tf.float32
    for n in (0, 50, 199, 250):
        close(value(rate, {step: n}), 0.1 * 0.96 ** (n / 100), rtol=1e-6)
        close(value(stairs, {step: n}), 0.1 * 0.96 ** (n // 100), rtol=1e-6)


def test_moving_averages():
    v = tf.Variable(1.0, name="v")
    t = v * 2.0
    average = tf.train.ExponentialMovingAverage(0.9, name="avg")
    update = average.apply([v, t])
    shadows = [average.average(v), average.average(t)]
    assert isinstance(update, tf.Operation) and update.name == "avg"
    assert tf.trainable_variables() == [v] and tf.moving_average_variables() == [v]
    assert set(shadows) < set(tf.all_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(shadows) == [1.0, 0.0]
        session.run(v.assign(11.0))
        session.run(update)
        close(session.run(shadows), [2.0, 2.2], rtol=1e-5)
    average.apply([tf.Variable(2.0, name="another")])
    with pytest.raises(TypeError, match="The variables must be half, float, or double: Variable:0"):
        average.apply([tf.Variable(3)])


def test_decay_grows_with_the_number_of_updates():
    v, n = tf.Variable(0.0), tf.placeholder(tf.float32)
    average = tf.train.ExponentialMovingAverage(0.99, num_updates=n)
    update = average.apply([v])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(v.assign(10.0))
        session.run(update, {n: 0})
        close(session.run(average.average(v)), 9.0, rtol=1e-6)


def test_names_of_averages(tmp_path):
    with tf.variable_scope("conv/batchnorm"):
        gamma = tf.get_variable("gamma", [], initializer=tf.ones_initializer())
    step = tf.Variable(0, trainable=False, name="global_step")
    average = tf.train.ExponentialMovingAverage(0.5)
    name = average.average_name(gamma)
    assert name == "conv/batchnorm/gamma/ExponentialMovingAverage"
    assert average.average(gamma) is None
    update = average.apply([gamma])
    assert average.average(gamma).op.name == name == average.average_name(gamma)
    restored = average.variables_to_restore()
    assert restored == {name: gamma, "global_step": step}
    assert average.variables_to_restore([gamma]) == restored
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(gamma.assign(3.0))
        session.run(update)
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
        tf.train.Saver(restored).restore(session, path)
        assert session.run(gamma) == 2.0
