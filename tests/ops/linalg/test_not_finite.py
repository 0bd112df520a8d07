"""Matrices with infinities and NaN: every op ends, interpreted and compiled with one result."""

import warnings

import numpy as np
import pytest

import headwater as tf

EIGEN = "Self-adjoint eigen decomposition was not successful. The input might not be valid."
CHOLESKY = "Cholesky decomposition was not successful. The input might not be valid."


def column(x):
    return np.ones((*x.shape[:-1], 1), x.dtype.as_numpy_dtype)


OPS = {
    "svd": tf.linalg.svd,
    "singular values": lambda x: tf.linalg.svd(x, compute_uv=False),
    "full svd": lambda x: tf.linalg.svd(x, full_matrices=True),
    "qr": tf.linalg.qr,
    "eigh": tf.linalg.eigh,
    "eigvalsh": tf.linalg.eigvalsh,
    "cholesky": tf.linalg.cholesky,
    "inv": tf.linalg.inv,
    "det": tf.linalg.det,
    "slogdet": tf.linalg.slogdet,
    "lu": tf.linalg.lu,
    "expm": tf.linalg.expm,
    "sqrtm": tf.linalg.sqrtm,
    "solve": lambda x: tf.linalg.solve(x, column(x)),
    "triangular": lambda x: tf.linalg.triangular_solve(x, column(x)),
    "lstsq": lambda x: tf.linalg.lstsq(x, column(x)),
    "slow lstsq": lambda x: tf.linalg.lstsq(x, column(x), fast=False),
    "gradient of svd": lambda x: tf.gradients(tf.linalg.svd(x, compute_uv=False), x)[0],
    "gradient of cholesky": lambda x: tf.gradients(tf.linalg.cholesky(x), x)[0],
}


def matrix(size, dtype, bad, place):
    rng = np.random.RandomState(size)
    x = rng.randn(size, size).astype(dtype)
    x = x @ x.T.conj() + size * np.eye(size, dtype=dtype)
    x[place] = x[place[::-1]] = bad
    return x


def outcome(session, node, feed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of NumPy about NaN
        try:
            values = session.run(node, feed)
        except tf.errors.InvalidArgumentError as error:
            return error.message
    return [np.isfinite(v) for v in (values if isinstance(values, (list, tuple)) else [values])]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_every_op_ends_alike(op, bad, monkeypatch):
    found = {}
    for tier in ("never", "always"):
        monkeypatch.setenv("HEADWATER_JIT", tier)
        for size, dtype in ((3, np.float32), (40, np.float64), (9, np.complex64)):
            if op.startswith("gradient") and dtype is np.complex64:
                continue
            with tf.Graph().as_default(), tf.Session() as session:
                x = tf.placeholder(dtype, [size, size])
                node = OPS[op](x)
                for place in ((0, 1), (size - 1, size - 1)):
                    feed = {x: matrix(size, dtype, bad, place)}
                    found[tier, size, place] = outcome(session, node, feed)
    for (tier, size, place), result in found.items():
        other = found["never", size, place]
        if isinstance(result, str):
            assert (tier, result) == (tier, other)
        elif op not in ("qr", "lu"):  # whose values before the first NaN depend on the library
            for mine, theirs in zip(result, other):
                np.testing.assert_array_equal(mine, theirs, f"{tier} {size} {place}")


@pytest.fixture(params=["never", "always"])
def run(request, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", request.param)
    return tf.Session().run


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_singular_values_are_nan(run, bad):
    x = np.random.RandomState(0).randn(3, 4, 2)
    sound = run(tf.linalg.svd(tf.constant(x)))
    x[1, 3, 0] = bad
    for mine, other in zip(run(tf.linalg.svd(tf.constant(x))), sound):
        assert np.isnan(mine[1]).all()
        # The other matrices of the batch are not touched.
        np.testing.assert_allclose(mine[[0, 2]], other[[0, 2]])


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (tf.linalg.eigh, EIGEN),
        (tf.linalg.eigvalsh, EIGEN),
        (tf.linalg.cholesky, CHOLESKY),
        (tf.linalg.expm, "Input matrix is not invertible."),
    ],
)
def test_errors(run, op, text):
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        run(op(tf.constant(matrix(3, np.float64, np.inf, (2, 1)))))
    assert raised.value.message.startswith(text)


def test_upper_triangle_is_not_read(run):
    x = np.array([[2.0, np.nan], [0.0, 3.0]])
    values, _ = run(tf.linalg.eigh(tf.constant(x)))
    np.testing.assert_allclose(values, [2, 3])
    np.testing.assert_allclose(run(tf.linalg.cholesky(tf.constant(x))), np.sqrt(np.diag([2, 3])))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_square_roots_and_logarithms_are_nan(run, bad):
    x = matrix(3, np.complex128, bad, (0, 0))
    for op in (tf.linalg.sqrtm, tf.linalg.logm):
        assert np.isnan(run(op(tf.constant(x)))).all()
