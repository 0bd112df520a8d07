"""Distributions and bijectors: behaviour that the comparisons with TensorFlow do not cover."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.compat.mirrors.ops.distributions.bijector_test_util import (
    assert_bijective_and_finite,
    assert_scalar_congruency,
)
from headwater.model.distributions.arguments import same_dynamic_shape
from headwater.model.distributions.bijector import Bijector, Identity
from headwater.model.distributions.kullback_leibler import registered_kl

ds = tf.distributions


class Cube(Bijector):
    """y = x ** 3 for positive x, with one Jacobian only."""

    def __init__(self):
        super().__init__(forward_min_event_ndims=0)

    def _forward(self, x):
        return x**3.0

    def _inverse(self, y):
        return y ** (1.0 / 3.0)

    def _forward_log_det_jacobian(self, x):
        return np.log(3.0).astype(np.float32) + 2.0 * tf.log(x)


class WrongCube(Cube):
    def _forward_log_det_jacobian(self, x):
        return tf.log(x)


def test_congruency_of_bijectors():
    with tf.Session():
        assert_scalar_congruency(Identity(), -2.0, 2.0)
        assert_scalar_congruency(Cube(), 1.0, 1.5)
        x = np.array([[0.5, 1.0], [1.5, 2.0]], np.float32)
        assert_bijective_and_finite(Cube(), x, x, event_ndims=1)
        with pytest.raises(AssertionError):
            assert_scalar_congruency(WrongCube(), 0.5, 2.0)


def test_divergence_of_the_nearest_pair_of_base_classes():
    class Base(ds.Distribution):
        pass

    class One(Base):
        pass

    class Two(One):
        pass

    def general(a, b, name=None):
        return "general"

    def special(a, b, name=None):
        return "special"

    ds.RegisterKL(Base, Base)(general)
    assert registered_kl(One, Two) is general
    ds.RegisterKL(One, Base)(special)
    assert registered_kl(Two, One) is special
    assert registered_kl(Base, Two) is general
    assert registered_kl(Base, ds.Normal) is None


def test_divergence_that_is_no_number():
    nan = tf.constant(np.nan)
    with tf.Session() as session:
        one, other = ds.Normal(nan, 1.0), ds.Normal(0.0, 1.0)
        assert np.isnan(session.run(ds.kl_divergence(one, other)))
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"assertion failed: \[KL calculation between Normal/ and Normal_1/",
        ):
            session.run(ds.kl_divergence(one, other, allow_nan_stats=False))


@pytest.mark.parametrize(
    "make",
    [
        lambda: ds.Normal(1.0, [2.0, 0.5]),
        lambda: ds.Gamma([2.0, 3.0], 1.5),
        lambda: ds.Beta([2.0, 0.7], 3.0),
        lambda: ds.Laplace([0.0, 1.0], 2.0),
        lambda: ds.Uniform([0.0, 1.0], 3.0),
        lambda: ds.Exponential([0.5, 2.0]),
        lambda: ds.Bernoulli(probs=[0.2, 0.7], dtype=tf.float32),
        lambda: ds.StudentT(8.0, [0.0, 1.0], 2.0),
        lambda: ds.Dirichlet([[1.0, 2.0], [0.7, 3.0]]),
        lambda: ds.Multinomial(6.0, probs=[0.3, 0.7]),
        lambda: ds.DirichletMultinomial(6.0, [1.5, 2.0]),
    ],
)
def test_samples_have_the_stated_mean_and_variance(make):
    distribution = make()
    samples, mean, variance = distribution.sample(20000, seed=3), None, None
    known = [20000, *distribution.batch_shape.as_list(), *distribution.event_shape.as_list()]
    assert samples.get_shape().as_list() == known
    with tf.Session() as session:
        samples, mean, variance = session.run(
            [samples, distribution.mean(), distribution.variance()]
        )
    np.testing.assert_allclose(samples.mean(0), mean, rtol=0.05, atol=0.05)
    np.testing.assert_allclose(samples.var(0), variance, rtol=0.1)


def test_shapes_that_are_known_when_the_graph_runs():
    loc, count = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    distribution = ds.Normal(loc, 1.0)
    samples = distribution.sample(count)
    assert samples.get_shape().ndims is None
    same = same_dynamic_shape(samples, loc)
    with tf.Session() as session:
        feed = {loc: [[0.0], [1.0]], count: [3, 2]}
        assert session.run(samples, feed).shape == (3, 2, 2, 1)
        assert not session.run(same, feed)
        assert session.run(distribution.sample(), feed).shape == (2, 1)


def test_checks_of_values_fail_when_the_graph_runs():
    value = tf.placeholder(tf.float32)
    with tf.Session() as session:
        for distribution, bad in (
            (ds.Beta(1.0, 2.0, validate_args=True), 1.5),
            (ds.Gamma(1.0, 2.0, validate_args=True), -1.0),
            (ds.Bernoulli(0.5, validate_args=True), 0.5),
            (ds.Dirichlet([1.0, 2.0], validate_args=True), [0.5, 0.6]),
            (ds.Multinomial(3.0, [0.1, 0.2], validate_args=True), [1.0, 1.0]),
            (ds.Categorical([0.1, 0.2], validate_args=True), -1.0),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed:"):
                session.run(distribution.log_prob(value), {value: bad})
