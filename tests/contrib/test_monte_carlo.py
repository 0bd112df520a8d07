"""Expectations from samples, in both forms of the function."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

mc = tf.contrib.bayesflow.monte_carlo
ds = tf.contrib.distributions


def test_importance_sampling_finds_mean_and_variance():
    p = ds.Normal(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    q = ds.Normal(np.zeros(2), np.ones(2))
    mean = mc.expectation_importance_sampler(lambda x: x, p.log_prob, q, n=100000, seed=42)
    square = mc.expectation_importance_sampler(tf.square, p.log_prob, q, n=100000, seed=42)
    assert mean.shape == p.batch_shape
    with tf.Session() as session:
        first, second = session.run([mean, square])
    np.testing.assert_allclose(first, [-1, 1], rtol=0.03)
    np.testing.assert_allclose(np.sqrt(second - first**2), [0.5, 0.5], rtol=0.05)


def test_importance_sampling_in_log_space():
    p = ds.Normal(np.zeros(2), np.array([1.0, 2 / 3]))
    q = ds.Normal(np.array([-1.0, 1.0]), np.ones(2))
    found = mc.expectation_importance_sampler_logspace(
        lambda x: tf.log(tf.square(x)), p.log_prob, q, n=200000, seed=42
    )
    with tf.Session() as session:
        np.testing.assert_allclose(np.exp(session.run(found)), [1, 4 / 9], rtol=0.05)


def test_both_gradients_of_an_expectation():
    x = tf.constant([-10.0, -1.0, 1.0, 10.0])
    p = ds.Normal(x, 1.0)
    samples = p.sample(100000, seed=1)
    through_samples = mc.expectation(lambda u: u, samples, p.log_prob)
    through_score = mc.expectation(lambda u: u, samples, p.log_prob, use_reparametrization=False)
    with tf.Session() as session:
        values = session.run([through_samples, through_score])
        slopes = session.run([tf.gradients(y, x)[0] for y in (through_samples, through_score)])
    for value in values:
        np.testing.assert_allclose(value, [-10, -1, 1, 10], rtol=0.01)
    np.testing.assert_allclose(slopes[0], np.ones(4), rtol=0.03)
    np.testing.assert_allclose(slopes[1], np.ones(4), rtol=0.1)


def test_the_form_of_older_programs():
    p = ds.Normal([1.0, -1.0], [0.3, 0.5])
    z = p.sample(10000, seed=3)
    found = [mc.expectation(lambda x: x, p, z=z, seed=4), mc.expectation(tf.square, p, n=10000)]
    with tf.Session() as session:
        first, second = session.run(found)
    np.testing.assert_allclose(first, [1, -1], rtol=0.02)
    np.testing.assert_allclose(second, [1.09, 1.25], rtol=0.05)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`log_prob` must be a callable"):
        mc.expectation(lambda x: x, [1.0, 2.0], use_reparametrization=False)
    p = ds.Normal(0.0, 1.0)
    for z, n in ((None, None), (tf.zeros([2]), 3)):
        with pytest.raises(ValueError, match="Must specify exactly one of arguments"):
            mc.expectation_importance_sampler(lambda x: x, p.log_prob, p, z=z, n=n)


def test_bijectors_under_their_name_before_1_2():
    bijector = tf.contrib.distributions.bijector
    assert bijector.Exp is tf.contrib.distributions.bijectors.Exp
    assert bijector.Affine is tf.contrib.distributions.bijectors.Affine
