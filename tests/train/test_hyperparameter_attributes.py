"""The attributes of optimizers that programs read and change: their hyperparameters."""

from __future__ import annotations

import pytest

import headwater as tf


def test_numbers_and_their_tensors(session):
    v = tf.get_variable("v", initializer=[1.0])
    optimizer = tf.train.MomentumOptimizer(0.5, 0.25, use_nesterov=True)
    assert (optimizer._learning_rate, optimizer._momentum) == (0.5, 0.25)
    assert optimizer._use_nesterov is True
    assert optimizer._learning_rate_tensor is None
    optimizer.minimize(v)
    assert session.run([optimizer._learning_rate_tensor, optimizer._momentum_tensor]) == [0.5, 0.25]
    adadelta = tf.train.AdadeltaOptimizer(rho=0.75)
    adadelta.minimize(v)
    assert (adadelta._rho, session.run(adadelta._rho_t)) == (0.75, 0.75)
    with pytest.raises(AttributeError, match="'MomentumOptimizer' object has no attribute '_rho'"):
        optimizer._rho  # noqa: B018


def test_a_number_that_is_changed_counts_in_the_next_step(session):
    v = tf.get_variable("v", initializer=[1.0])
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    optimizer._learning_rate = 2.0
    step = optimizer.minimize(v)
    session.run(tf.global_variables_initializer())
    session.run(step)
    assert session.run(v).tolist() == [-1.0]
    rms = tf.train.RMSPropOptimizer(0.1)
    rms._momentum = 0.5
    rms.minimize(v)
    assert session.run(rms._momentum_tensor) == 0.5
