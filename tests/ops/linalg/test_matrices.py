"""Diagonals, bands, products, factorizations and solutions."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def spread(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape) + 3 * np.eye(*shape[-2:])


def test_batches_of_diagonals():
    rows = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    matrices = value(tf.batch_matrix_diag(rows))
    equal(matrices, [np.diag(row) for row in rows])
    equal(value(tf.batch_matrix_diag_part(matrices)), rows)
    with pytest.raises(ValueError, match="Shape must be at least rank 1 but is rank 0"):
        tf.batch_matrix_diag(1)
    with pytest.raises(ValueError, match="Shape must be at least rank 2 but is rank 1"):
        tf.batch_matrix_diag_part([1, 2])


def test_bands():
    x = np.array([[0, 1, 2, 3], [-1, 0, 1, 2], [-2, -1, 0, 1], [-3, -2, -1, 0]])
    wanted = [[0, 1, 2, 3], [-1, 0, 1, 2], [0, -1, 0, 1], [0, 0, -1, 0]]
    equal(value(tf.batch_matrix_band_part(x, 1, -1)), wanted)
    wanted = [[0, 1, 0, 0], [-1, 0, 1, 0], [-2, -1, 0, 1], [0, -2, -1, 0]]
    equal(value(tf.batch_matrix_band_part(x, 2, 1)), wanted)
    wide = np.arange(1, 13).reshape(3, 4)
    equal(value(tf.batch_matrix_band_part(wide, 0, -1)), np.triu(wide))
    equal(value(tf.batch_matrix_band_part(wide, -1, 0)), np.tril(wide))
    equal(value(tf.batch_matrix_band_part(wide, 0, 0)), np.triu(np.tril(wide)))


def test_diagonals():
    equal(value(tf.diag([1, 2, 3, 4])), np.diag([1, 2, 3, 4]))
    equal(value(tf.diag_part(np.diag([1, 2, 3, 4]))), [1, 2, 3, 4])
    x = np.arange(1.0, 7).reshape(2, 3)
    tensor = value(tf.diag(x))
    assert tensor.shape == (2, 3, 2, 3)
    equal(tensor.reshape(6, 6), np.diag(x.ravel()))
    equal(value(tf.diag_part(tensor)), x)
    with pytest.raises(ValueError, match="Input must have even and non-zero rank, input rank is 3"):
        tf.diag_part(np.zeros((2, 2, 2)))


def test_trace_and_transpose():
    assert value(tf.trace([[1, 1], [1, 1]])) == 2
    assert value(tf.trace([[1, 2, 3], [4, 5, 6], [7, 8, 9]])) == 15
    x = np.array([[1, 2, 3], [4, 5, 6]])
    turned = tf.transpose(x)
    assert turned.op.name == "transpose"
    equal(value(turned), x.T)
    equal(value(tf.transpose(x, perm=[1, 0])), x.T)
    cubes = np.arange(1, 13).reshape(2, 2, 3)
    equal(value(tf.transpose(cubes, perm=[0, 2, 1])), cubes.transpose(0, 2, 1))


def test_matmul():
    a = tf.constant([1, 2, 3, 4, 5, 6], shape=[2, 3])
    b = tf.constant([7, 8, 9, 10, 11, 12], shape=[3, 2])
    equal(value(tf.matmul(a, b)), [[58, 64], [139, 154]])
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2"):
        tf.matmul(a, a)
    c = tf.constant([[1.0, 0, 2], [0, 3, 0]])
    both = tf.matmul(c, c, transpose_a=True, a_is_sparse=True, b_is_sparse=True)
    equal(*value([both, tf.matmul(c, c, True)]))
    equal(value(tf.matmul(c, c, False, True)), [[5, 0], [0, 9]])


def test_batch_matmul():
    x = np.arange(12).reshape(2, 2, 3) * (1 + 0.5j)
    y = np.arange(12, 24).reshape(2, 3, 2) * (1 - 1j)
    close(value(tf.batch_matmul(x, y)), x @ y)
    close(value(tf.batch_matmul(x, y, adj_x=None, adj_y=None)), x @ y)
    both = value(tf.batch_matmul(x, y, adj_x=True, adj_y=True))
    close(both, x.conj().transpose(0, 2, 1) @ y.conj().transpose(0, 2, 1))


def test_determinant_and_inverse():
    x = spread(2, 3, 3)
    assert value(tf.matrix_determinant(x[0])).shape == ()
    for f in (tf.matrix_determinant, tf.batch_matrix_determinant):
        close(value(f(x)), np.linalg.det(x))
    for f in (tf.matrix_inverse, tf.batch_matrix_inverse):
        close(value(f(x)), np.linalg.inv(x))
        close(value(f(x, adjoint=None)), np.linalg.inv(x))
        close(value(f(x, adjoint=True)), np.linalg.inv(x.transpose(0, 2, 1)))


def test_cholesky():
    x = spread(2, 3, 3)
    positive = x @ x.transpose(0, 2, 1)
    spoiled = np.tril(positive) + np.triu(np.full((3, 3), 77.0), 1)
    for f in (tf.cholesky, tf.batch_cholesky):
        lower = value(f(spoiled))
        close(lower, np.linalg.cholesky(positive))
    rhs = spread(2, 3, 2, seed=1)
    for f, name in ((tf.cholesky_solve, "cholesky_solve"), (tf.batch_cholesky_solve, None)):
        solved = f(lower + np.triu(np.full((3, 3), 5.0), 1), rhs)
        assert name is None or solved.op.name.startswith(name)
        close(positive @ value(solved), rhs)
    a = np.array([[3.0, 1], [1, 3]])
    close(value(tf.cholesky_solve(tf.cholesky(a), [[2.0], [22]])), [[-2], [8]])


def test_eigenvalues():
    """The pages have them as a row above the vectors; later releases give two tensors."""
    x = spread(2, 3, 3)
    x = x + x.transpose(0, 2, 1)
    spoiled = np.tril(x) + np.triu(np.full((3, 3), 77.0), 1)
    for f in (tf.self_adjoint_eig, tf.batch_self_adjoint_eig):
        e, v = value(f(spoiled))
        close(e, np.linalg.eigvalsh(x))
        close(x @ v, v * e[:, None, :], 1e-6, 1e-9)


def test_solutions():
    x, rhs = spread(2, 3, 3), spread(2, 3, 2, seed=1)
    for f in (tf.matrix_solve, tf.batch_matrix_solve):
        close(value(f(x, rhs)), np.linalg.solve(x, rhs))
        close(value(f(x, rhs, adjoint=True)), np.linalg.solve(x.transpose(0, 2, 1), rhs))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Input matrix is not invertible\."):
        value(tf.matrix_solve([[1.0, 2], [2, 4]], [[1.0], [2]]))
    for f in (tf.matrix_triangular_solve, tf.batch_matrix_triangular_solve):
        close(value(f(x, rhs)), np.linalg.solve(np.tril(x), rhs))
        close(value(f(x, rhs, lower=False)), np.linalg.solve(np.triu(x), rhs))
        turned = np.tril(x).transpose(0, 2, 1)
        close(value(f(x, rhs, adjoint=True)), np.linalg.solve(turned, rhs))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5)])
def test_least_squares(shape):
    a, b = spread(*shape), spread(shape[0], 2, seed=1)
    best = np.linalg.lstsq(a, b, rcond=None)[0]
    for f in (tf.matrix_solve_ls, tf.batch_matrix_solve_ls):
        close(value(f(a, b)), best, 1e-6)
        close(value(f(a, b, fast=False)), best, 1e-6)
        close(value(f(a, b, l2_regularizer=9.0, fast=False)), best, 1e-6)
        ridge = np.linalg.solve(a.T @ a + 0.5 * np.eye(shape[1]), a.T @ b)
        close(value(f(a, b, l2_regularizer=0.5)), ridge, 1e-6)
    poor = np.array([[1.0, 1], [1, 1], [1, 1]])
    found = value(tf.batch_matrix_solve_ls(poor[None], np.ones((1, 3, 1)), fast=False))
    close(poor @ found[0], np.ones((3, 1)), 1e-6)
    close(found[0], [[0.5], [0.5]], 1e-6)
