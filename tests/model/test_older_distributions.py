"""Distributions and linear operators by the names of releases 0.12 and 1.0, with their values."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

ds = tf.contrib.distributions
CHOLESKY = [[1.0, 0.0], [0.5, 2.0]]
PAIR = [1.0, 1.0]
MEANS = [0.0, 1.0]

# Name, arguments, a value, its density in release 1.0.
DENSITIES = [
    ("NormalWithSoftplusSigma", {"mu": 1.0, "sigma": 2.0}, 2.0, 0.1679),
    ("BetaWithSoftplusAB", {"a": 2.0, "b": 3.0}, 0.3, 1.7526),
    ("GammaWithSoftplusAlphaBeta", {"alpha": 2.0, "beta": 3.0}, 0.3, 1.0416),
    ("InverseGammaWithSoftplusAlphaBeta", {"alpha": 2.0, "beta": 3.0}, 0.3, 0.0168),
    ("ExponentialWithSoftplusLam", {"lam": 2.0}, 0.3, 1.1237),
    ("StudentTWithAbsDfSoftplusSigma", {"df": -3.0, "mu": 1.0, "sigma": 2.0}, 2.0, 0.1499),
    ("MultivariateNormalCholesky", {"mu": MEANS, "chol": CHOLESKY}, PAIR, 0.0468),
    ("MultivariateNormalFull", {"mu": MEANS, "sigma": [[2.0, 0.5], [0.5, 1.0]]}, PAIR, 0.0904),
    (
        "MultivariateNormalDiagWithSoftplusStDev",
        {"mu": MEANS, "diag_stdev": [1.0, 2.0]},
        PAIR,
        0.0426,
    ),
    (
        "MultivariateNormalDiagPlusVDVT",
        {"mu": MEANS, "diag_large": [1.0, 2.0], "v": [[0.5], [0.3]], "diag_small": [2.0]},
        PAIR,
        0.0394,
    ),
]


@pytest.mark.parametrize(("name", "arguments", "value", "expected"), DENSITIES)
def test_densities(name, arguments, value, expected):
    distribution = getattr(ds, name)(**arguments)
    with tf.Session() as session:
        density, logarithm = session.run([distribution.pdf(value), distribution.log_pdf(value)])
    np.testing.assert_allclose(density, expected, atol=6e-5)
    np.testing.assert_allclose(np.exp(logarithm), density, rtol=1e-5)


def test_parameters_and_statistics():
    normal = ds.Normal(mu=[0.0, 1.0], sigma=2.0)
    binary = ds.Bernoulli(p=[0.25, 0.75])
    counts = ds.DirichletMultinomial(n=3.0, alpha=[1.0, 2.0])
    with tf.Session() as session:
        values = session.run(
            [normal.mu, normal.sigma, normal.std(), binary.p, binary.q, binary.pmf([0, 1])]
        )
        sizes = session.run([counts.n, counts.alpha_sum, counts.pmf([1.0, 2.0])])
        assert session.run(normal.sample_n(3, seed=1)).shape == (3, 2)
    expected = ([0, 1], 2, [2, 2], [0.25, 0.75], [0.75, 0.25], [0.75, 0.75])
    for value, wanted in zip(values, expected):
        np.testing.assert_allclose(value, wanted, rtol=1e-6)
    np.testing.assert_allclose(sizes, [3.0, 3.0, 0.3], rtol=1e-6)
    assert normal.get_batch_shape() == [2] and normal.get_event_shape() == []
    assert normal.is_continuous and normal.is_reparameterized
    assert not binary.is_continuous and not binary.is_reparameterized


def test_probability_of_a_logit():
    with tf.Session() as session:
        found = session.run(ds.BernoulliWithSigmoidP(p=[0.0, 2.0]).pmf([1, 1]))
    np.testing.assert_allclose(found, 1 / (1 + np.exp([0.0, -2.0])), rtol=1e-6)


def test_means_of_normal_numbers():
    prior = ds.Normal(mu=0.0, sigma=2.0)
    options = {"prior": prior, "sigma": 1.5, "s": tf.constant(3.0), "n": 4}
    posterior = ds.normal_conjugates_known_sigma_posterior(**options)
    predictive = ds.normal_conjugates_known_sigma_predictive(**options)
    with tf.Session() as session:
        values = session.run([posterior.mu, posterior.sigma, predictive.mu, predictive.sigma])
        divergence = session.run(ds.kl(prior, ds.Normal(mu=1.0, sigma=1.0)))
    np.testing.assert_allclose(values, [0.6575, 0.7022, 0.6575, 1.6562], atol=6e-5)
    np.testing.assert_allclose(divergence, 1.3069, atol=6e-5)


def test_linear_operators():
    lower = tf.contrib.linalg.LinearOperatorTriL(CHOLESKY)
    assert isinstance(lower, tf.linalg.LinearOperatorLowerTriangular)
    full = tf.contrib.linalg.LinearOperatorMatrix([[2.0, 1.0], [1.0, 3.0]])
    with tf.Session() as session:
        product = session.run(full.apply(lower.to_dense(), adjoint=True))
        sizes = session.run([full.shape_dynamic(), full.domain_dimension_dynamic()])
    np.testing.assert_allclose(product, np.array([[2, 1], [1, 3]]) @ CHOLESKY)
    assert sizes[0].tolist() == [2, 2] and sizes[1] == 2
