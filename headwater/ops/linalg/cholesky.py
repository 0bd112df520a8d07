"""The Cholesky decomposition of positive definite matrices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.blas import decomposition
from headwater.base.checks import require
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.linalg.compositions import (
    adjoint,
    check_square,
    diagonal,
    identity_matrix,
    invalid,
    lower_triangle,
    matmul,
    square_shape,
    wide,
    with_diagonal,
)

_FAILURE = "Cholesky decomposition was not successful. The input might not be valid."


@decomposition
def kernel_cholesky(xp: ArrayModule, x: Array) -> Array:
    check_square(x)
    matrix = wide(x)
    if xp is np:
        try:
            return np.linalg.cholesky(matrix).astype(x.dtype)
        except np.linalg.LinAlgError:
            hint = "the matrix must be symmetric (Hermitian) and positive definite."
            raise invalid(_FAILURE, hint) from None
    root = lax.linalg.cholesky(matrix, symmetrize_input=False)
    # A result that is not finite makes the op run again on the host, which decides the outcome.
    require(xp, xp.isfinite(root), lambda: invalid(_FAILURE))
    return xp.tril(root).astype(x.dtype)


@decomposition
def kernel_cholesky_grad(xp: ArrayModule, l: Array, grad: Array) -> Array:  # noqa: E741 (the input's name)
    check_square(l)
    root, slope = wide(l), wide(grad)
    product = xp.swapaxes(root, -1, -2) @ xp.tril(slope)
    half = np.tril(np.ones(root.shape[-2:], root.dtype)) - root.dtype.type(0.5) * np.eye(
        root.shape[-1], dtype=root.dtype
    )
    middle = product * half
    inverse = xp.linalg.inv(root)
    result = xp.swapaxes(inverse, -1, -2) @ middle @ inverse
    # The gradient of a symmetric matrix is symmetric.
    return (root.dtype.type(0.5) * (result + xp.swapaxes(result, -1, -2))).astype(l.dtype)


def reference_cholesky(x: Array) -> Array:
    result = np.zeros(x.shape, np.result_type(x, np.float64))
    for i in range(x.shape[-1]):
        for j in range(i + 1):
            rest = x[..., i, j] - np.sum(result[..., i, :j] * np.conj(result[..., j, :j]), axis=-1)
            result[..., i, j] = np.sqrt(rest) if i == j else rest / result[..., j, j]
    return result.astype(x.dtype)


def gradient_cholesky(op: Operation, grad: Tensor) -> Tensor:
    root = op.outputs[0]
    size = shape_tensor(root)[-1]
    batch = shape_tensor(root)[:-2]
    eye = identity_matrix(size, batch_shape=batch, dtype=root.dtype.base_dtype)
    inverse = build.MatrixTriangularSolve(root, eye)
    middle = matmul(root, grad, adjoint_a=True)
    middle = with_diagonal(middle, 0.5 * diagonal(middle))
    middle = lower_triangle(middle)
    half = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
    return (half + adjoint(half)) * 0.5


def _shape_cholesky_grad(c: shapes.ShapeContext) -> Shape:
    # Different shapes fail only when the op runs, as in TensorFlow.
    return square_shape(c, "l")


_MATRIX = np.array([[4.0, 1.0, -0.5], [1.0, 3.0, 1.0], [-0.5, 1.0, 2.0]])


def samples_cholesky() -> Iterator[Sample]:
    # Only one triangle is read, so single elements must not be changed: no numeric gradients.
    yield Sample(_MATRIX.astype(np.float32), gradient=())
    yield Sample(np.stack([_MATRIX, _MATRIX * 2]), gradient=())
    hermitian = _MATRIX + 0.3j * (np.tril(_MATRIX) - np.triu(_MATRIX))
    yield Sample(hermitian.astype(np.complex64), gradient=())


def samples_cholesky_grad() -> Iterator[Sample]:
    root = np.linalg.cholesky(_MATRIX)
    yield Sample(root, np.tril(np.arange(9.0).reshape(3, 3)), gradient=())
    yield Sample(root.astype(np.float32), np.tril(_MATRIX).astype(np.float32), gradient=())


def _register_cholesky(name: str, batch: bool, types: str) -> None:
    register_op(
        name,
        inputs="input: T",
        outputs="output: T",
        attrs=f"T: {{{types}}}",
        shape=square_shape,
        kernel=kernel_cholesky,
        gradient=None if batch else gradient_cholesky,
        reference=reference_cholesky,
        samples=None if batch else samples_cholesky,
    )


_register_cholesky("Cholesky", batch=False, types="double, float, half, complex64, complex128")
_register_cholesky("BatchCholesky", batch=True, types="double, float")


def _register_cholesky_gradient(name: str, batch: bool, types: str) -> None:
    register_op(
        name,
        inputs="l: T, grad: T",
        outputs="output: T",
        attrs=f"T: {{{types}}}",
        shape=_shape_cholesky_grad,
        kernel=kernel_cholesky_grad,
        samples=None if batch else samples_cholesky_grad,
    )


_register_cholesky_gradient("CholeskyGrad", batch=False, types="half, float, double")
_register_cholesky_gradient("BatchCholeskyGrad", batch=True, types="float, double")


@export("cholesky", "linalg.cholesky", "batch_cholesky")
def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the lower triangular matrices L with L @ adjoint(L) = input.

    Args:
        input: a tensor of shape [..., n, n] of positive definite matrices, of which the lower
            triangles are read.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: from `Session.run` if a matrix is not positive definite.
    """
    return build.Cholesky(input, name=name)


@export("cholesky_solve", "linalg.cholesky_solve", "batch_cholesky_solve")
def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """Solves systems of linear equations whose matrices are given as Cholesky decompositions.

    Args:
        chol: a tensor of shape [..., n, n]: the result of `tf.cholesky`.
        rhs: a tensor of the same type and of shape [..., n, k].
        name: the name scope.

    Returns:
        A tensor of shape [..., n, k].
    """
    with name_scope(name, "cholesky_solve", [chol, rhs]):
        first = build.MatrixTriangularSolve(chol, rhs, adjoint=False, lower=True)
        return build.MatrixTriangularSolve(chol, first, adjoint=True, lower=True)
