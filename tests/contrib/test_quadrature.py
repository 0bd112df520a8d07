"""Quadrature in tf.contrib.distributions, with the numbers of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

D = tf.contrib.distributions


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


QUANTILES = [[0.60360479, 1.03226447, 1.80422783], [0.2390503, 0.68607086, 2.13582993]]
SIMPLEX = [[[0.41874611, 0.58125389]] * 2, [[0.57234424, 0.82195586], [0.42765576, 0.17804419]]]
SIMPLEX[0][1] = SIMPLEX[0][1][::-1]


@pytest.mark.parametrize(
    ("scheme", "loc", "scale", "count", "grid", "probs"),
    [
        ("lognormal_quantiles", [0.0, -0.5], [1.0, 2.0], 3, QUANTILES, [1 / 3] * 3),
        (
            "lognormal_gauss_hermite",
            [0.0, -0.5],
            [1.0, 2.0],
            3,
            [[-1.73205081, 0.0, 1.73205081], [-3.96410179, -0.5, 2.96410179]],
            [1 / 6, 2 / 3, 1 / 6],
        ),
        # The logits 0 and +-sqrt(3) sigma. TensorFlow 1.15.5 fails here.
        (
            "softmaxnormal_gauss_hermite",
            [[0.0]],
            [[1.0]],
            3,
            [[[0.15032545, 0.5, 0.84967455], [0.84967455, 0.5, 0.15032545]]],
            [1 / 6, 2 / 3, 1 / 6],
        ),
        ("softmaxnormal_quantiles", [[0.0], [1.0]], [[1.0], [2.0]], 2, SIMPLEX, [0.5, 0.5]),
    ],
)
def test_points_and_probabilities(session, scheme, loc, scale, count, grid, probs):
    make = getattr(D, f"quadrature_scheme_{scheme}")
    found = make(tf.constant(loc), tf.constant(scale), count)
    assert [x.shape for x in found] == [np.shape(grid), (count,)]
    for value, expected in zip(session.run(found), (grid, probs), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)
    double = make(tf.constant(loc, tf.float64), tf.constant(scale, tf.float64), count)
    assert [x.dtype for x in double] == [tf.float64, tf.float64]


def test_softmax_normal_needs_one_column(session):
    with pytest.raises(NotImplementedError, match=r"normal_scale.shape\[-1\]=2 is not 1\."):
        D.quadrature_scheme_softmaxnormal_quantiles([0.0, -0.5], [1.0, 2.0], 3)


def compound(scheme="quantiles", **options):
    return D.PoissonLogNormalQuadratureCompound(
        [0.0, -0.5],
        1.0,
        quadrature_size=3,
        quadrature_fn=getattr(D, f"quadrature_scheme_lognormal_{scheme}"),
        **options,
    )


@pytest.mark.parametrize(
    ("scheme", "mean", "variance", "log_prob"),
    [
        (
            "quantiles",
            [3.57046437, 2.0998528],
            [6.86715841, 2.52405906],
            [[-2.59793139, -1.34736633], [-1.69850945, -1.77152562]],
        ),
        (
            "gauss_hermite",
            [1.63819253, 0.99361402],
            [4.95102549, 2.21233749],
            [[-0.95326889, -1.36620998], [-2.00875378, -2.99853492]],
        ),
    ],
)
def test_statistics_of_the_compound(session, scheme, mean, variance, log_prob):
    d = compound(scheme)
    assert (d.batch_shape, d.event_shape, d.quadrature_size) == ((2,), (), 3)
    assert (d.distribution.batch_shape, d.mixture_distribution.batch_shape) == ((2, 3), ())
    found = session.run([d.mean(), d.variance(), d.stddev(), d.log_prob([[0.0, 1.0], [2.0, 3.0]])])
    for value, expected in zip(found, (mean, variance, np.sqrt(variance), log_prob), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5)
    assert session.run([d.batch_shape_tensor(), d.event_shape_tensor()])[0].tolist() == [2]
    with pytest.raises(NotImplementedError, match="mode is not implemented: PoissonLogNormal"):
        d.mode()


def test_samples_of_the_compound(session):
    scalar = D.PoissonLogNormalQuadratureCompound(0.0, 1.0, quadrature_size=3)
    samples = [compound().sample([2], seed=1), scalar.sample([4], seed=5)]
    assert [x.tolist() for x in session.run(samples)] == [[[4, 2], [9, 3]], [1, 2, 2, 2]]


def test_wrong_arguments_of_the_compound(session):
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32 for Tensor"):
        D.PoissonLogNormalQuadratureCompound(0.0, tf.constant(1.0, tf.float64))
    with pytest.raises(ValueError, match=r"Incompatible shapes for broadcasting: \(2,\) and \(3,"):
        D.PoissonLogNormalQuadratureCompound([0.0, 1.0], [1.0, 2.0, 3.0])
    checked = compound(validate_args=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot contain fractional"):
        session.run(checked.prob(1.5))
