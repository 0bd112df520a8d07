"""tf.contrib.mixed_precision, with the numbers of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

MP = tf.contrib.mixed_precision


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_a_scale_follows_the_gradients(session):
    manager = MP.ExponentialUpdateLossScaleManager(8.0, 2)
    assert [(v.op.name, v.trainable) for v in tf.global_variables()] == [
        ("loss_scale", False),
        ("good_steps", False),
        ("bad_steps", False),
    ]
    finite = tf.placeholder(tf.bool, [])
    update = manager.update_loss_scale(finite)
    session.run(tf.global_variables_initializer())
    found = []
    for value in [True, True, True, False, False, True, True, False, True, False]:
        session.run(update, {finite: value})
        found.append(session.run(tf.global_variables()))
    np.testing.assert_allclose(
        found,
        [
            [8.0, 1, 0],
            [16.0, 0, 0],
            [16.0, 1, 0],
            [16.0, 0, 1],
            [12.8, 0, 0],
            [12.8, 1, 0],
            [25.6, 0, 0],
            [25.6, 0, 1],
            [25.6, 1, 1],
            [20.48, 0, 0],
        ],
        rtol=1e-6,
    )


def test_a_scale_stays_finite_and_at_least_1(session):
    manager = MP.ExponentialUpdateLossScaleManager(3e38, 1, 1, decr_ratio=1e-39)
    session.run(tf.global_variables_initializer())
    for finite, scale in ((True, np.float32(3e38)), (False, 1.0)):
        session.run(manager.update_loss_scale(tf.constant(finite)))
        assert session.run(manager.get_loss_scale()) == scale


def test_steps_with_gradients_that_are_not_finite_are_skipped(session):
    x = tf.get_variable("x", initializer=[1.0, 2.0])
    factor = tf.placeholder(tf.float32, [])
    manager = MP.ExponentialUpdateLossScaleManager(4.0, 2, 1)
    optimizer = MP.LossScaleOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), manager)
    step = tf.train.get_or_create_global_step()
    pairs = optimizer.compute_gradients(tf.reduce_sum(x * x * factor))
    train = optimizer.apply_gradients(pairs, global_step=step)
    session.run(tf.global_variables_initializer())
    assert session.run(pairs[0][0], {factor: 1.0}).tolist() == [2.0, 4.0]
    expected = [
        (1.0, [0.8, 1.6], 1, 4.0),
        (np.inf, [0.8, 1.6], 1, 3.2),
        (1.0, [0.46, 0.92], 2, 3.2),
        (1.0, [0.062, 0.124], 3, 6.4),
    ]
    for value, weights, steps, scale in expected:
        session.run(train, {factor: value})
        found = session.run([x, step, manager.get_loss_scale()])
        np.testing.assert_allclose(found[0], weights, rtol=1e-5)
        assert (found[1], found[2]) == (steps, np.float32(scale))


def test_a_fixed_scale_of_half_floats_and_rows(session):
    manager = MP.FixedLossScaleManager(5000.0)
    assert manager.update_loss_scale(tf.constant(True)).type == "NoOp"
    x = tf.get_variable("x", initializer=np.float16([1.0, 2.0]))
    rows = tf.get_variable("rows", initializer=np.ones([3, 2], np.float32))
    optimizer = MP.LossScaleOptimizer(tf.train.GradientDescentOptimizer(0.5), manager)
    loss = tf.cast(tf.reduce_sum(tf.gather(rows, [0, 0])), tf.float16) + tf.reduce_sum(x)
    train = optimizer.minimize(lambda: loss)
    session.run(tf.global_variables_initializer())
    session.run(train)
    assert session.run(x).tolist() == [0.5, 1.5]
    assert session.run(rows).tolist() == [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]


def test_wrong_arguments(session):
    with pytest.raises(ValueError, match=r"loss scale must be at least 1\."):
        MP.FixedLossScaleManager(0.5)
    with pytest.raises(TypeError, match="abstract"):
        MP.LossScaleManager()
    optimizer = MP.LossScaleOptimizer(
        tf.train.GradientDescentOptimizer(1.0), MP.FixedLossScaleManager(2.0)
    )
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="None values not supported"):
        optimizer.apply_gradients([(None, tf.get_variable("v", initializer=1.0))])
