"""Linear operators give the results of the matrices that they represent."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

L = tf.linalg
RANDOM = np.random.RandomState(3)


def positive(*shape):
    root = RANDOM.uniform(-1, 1, shape)
    return root @ np.swapaxes(root, -1, -2) + 2 * np.eye(shape[-1])


def block_diagonal(*blocks):
    size = sum(b.shape[-1] for b in blocks)
    result, start = np.zeros((size, size)), 0
    for block in blocks:
        stop = start + block.shape[-1]
        result[start:stop, start:stop] = block
        start = stop
    return result


def circulant(column):
    n = len(column)
    return np.array([[column[(i - j) % n] for j in range(n)] for i in range(n)])


def toeplitz(column, row):
    n = len(row)
    return np.array([[row[j - i] if j >= i else column[i - j] for j in range(n)] for i in range(n)])


A, B, C = positive(3, 3), positive(2, 2), positive(2, 3, 3)
U, V = RANDOM.uniform(-1, 1, (3, 2)), RANDOM.uniform(-1, 1, (3, 2))
AXIS = np.array([1.0, -2.0, 0.5])
KERNEL = np.array([5.0, 1.0, -1.0, 0.5])
COLUMN, ROW = np.array([4.0, 1.0, 0.5]), np.array([4.0, -1.0, 2.0])


def full(matrix, **hints):
    return L.LinearOperatorFullMatrix(matrix, **hints)


CASES = {
    "full": (lambda: full(A), A),
    "batch": (lambda: full(C), C),
    "positive definite": (lambda: full(C, is_self_adjoint=True, is_positive_definite=True), C),
    "diagonal": (lambda: L.LinearOperatorDiag(AXIS), np.diag(AXIS)),
    "triangle": (lambda: L.LinearOperatorLowerTriangular(A), np.tril(A)),
    "identity": (lambda: L.LinearOperatorIdentity(3, dtype=tf.float64), np.eye(3)),
    "scaled": (
        lambda: L.LinearOperatorScaledIdentity(3, np.array([2.0, -3.0])),
        np.array([2.0, -3.0])[:, None, None] * np.eye(3),
    ),
    "product": (lambda: L.LinearOperatorComposition([full(A), full(C)]), A @ C),
    "adjoint": (lambda: full(A + np.triu(A)).adjoint(), (A + np.triu(A)).T),
    "inverse": (lambda: full(A).inverse(), np.linalg.inv(A)),
    "blocks": (lambda: L.LinearOperatorBlockDiag([full(A), full(B)]), block_diagonal(A, B)),
    "kronecker": (
        lambda: L.LinearOperatorKronecker([full(A), full(B), full(B)]),
        np.kron(np.kron(A, B), B),
    ),
    "update": (
        lambda: L.LinearOperatorLowRankUpdate(full(A), U, np.array([1.5, 2.0]), V),
        A + U @ np.diag([1.5, 2.0]) @ V.T,
    ),
    "update by itself": (lambda: L.LinearOperatorLowRankUpdate(full(A), U), A + U @ U.T),
    "positive update": (
        lambda: L.LinearOperatorLowRankUpdate(
            full(A, is_self_adjoint=True, is_positive_definite=True), U
        ),
        A + U @ U.T,
    ),
    "circulant": (
        lambda: L.LinearOperatorCirculant(np.fft.fft(KERNEL), input_output_dtype=tf.float64),
        circulant(KERNEL),
    ),
    "reflection": (
        lambda: L.LinearOperatorHouseholder(AXIS),
        np.eye(3) - 2 * np.outer(AXIS, AXIS) / (AXIS @ AXIS),
    ),
    "toeplitz": (lambda: L.LinearOperatorToeplitz(COLUMN, ROW), toeplitz(COLUMN, ROW)),
}


@pytest.mark.parametrize("name", CASES)
def test_an_operator_does_what_its_matrix_does(name):
    make, matrix = CASES[name]
    operator = make()
    n = matrix.shape[-1]
    x = RANDOM.uniform(-1, 1, (*matrix.shape[:-2], n, 2))
    swapped = np.swapaxes(matrix, -1, -2)
    wanted = {
        operator.to_dense(): matrix,
        operator.matmul(x): matrix @ x,
        operator.matmul(x, adjoint=True): swapped @ x,
        operator.matmul(np.swapaxes(x, -1, -2), adjoint_arg=True): matrix @ x,
        operator.matvec(x[..., 0]): (matrix @ x)[..., 0],
        operator.solve(x): np.linalg.solve(matrix, x),
        operator.solve(x, adjoint=True): np.linalg.solve(swapped, x),
        operator.solvevec(x[..., 0]): np.linalg.solve(matrix, x)[..., 0],
        operator.determinant(): np.linalg.det(matrix),
        operator.log_abs_determinant(): np.linalg.slogdet(matrix)[1],
        operator.trace(): np.trace(matrix, axis1=-2, axis2=-1),
        operator.diag_part(): np.diagonal(matrix, axis1=-2, axis2=-1),
        operator.add_to_tensor(np.ones(matrix.shape)): matrix + 1,
    }
    assert operator.shape == matrix.shape
    for tensor, value in wanted.items():
        assert tensor.shape.is_compatible_with(value.shape)
    with tf.Session() as session:
        for found, value in zip(session.run(list(wanted)), wanted.values()):
            np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12)


def test_numbers_of_rows_may_be_fed():
    rows, batch = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    operator = L.LinearOperatorIdentity(rows, batch_shape=batch)
    with tf.Session() as session:
        dense = session.run(operator.to_dense(), {rows: 2, batch: [3]})
    np.testing.assert_array_equal(dense, np.stack([np.eye(2)] * 3))


def test_a_root_times_its_adjoint_is_the_matrix():
    hints = {"is_self_adjoint": True, "is_positive_definite": True}
    operators = [
        full(A, **hints),
        L.LinearOperatorDiag([1.0, 4.0], is_positive_definite=True),
        L.LinearOperatorBlockDiag([full(A, **hints), full(B, **hints)]),
        L.LinearOperatorKronecker([full(A, **hints), full(B, **hints)]),
    ]
    with tf.Session() as session:
        for operator in operators:
            root, dense = session.run([operator.cholesky().to_dense(), operator.to_dense()])
            np.testing.assert_allclose(root @ root.T, dense)


def test_zeros_are_broadcast_with_the_batch():
    operator = L.LinearOperatorZeros(2, 3, batch_shape=[2], is_square=False)
    with tf.Session() as session:
        product = session.run(operator.matmul(np.ones([3, 4], np.float32)))
    np.testing.assert_array_equal(product, np.zeros([2, 2, 4]))


def test_gradients_pass_through_an_operator():
    matrix = tf.constant(A)
    operator = L.LinearOperatorComposition([full(matrix), L.LinearOperatorDiag(AXIS)])
    gradient = tf.gradients(operator.log_abs_determinant(), matrix)[0]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(gradient), np.linalg.inv(A).T)
