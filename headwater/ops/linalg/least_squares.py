"""Linear systems that have no or many solutions: the best one in the sense of least squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.blas import decomposition
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.graph.vjp import build_vjp
from headwater.ops.linalg.compositions import (
    finite_matrices,
    identity_matrix,
    invalid,
    matmul,
    wide,
)


@decomposition
def kernel_least_squares(
    xp: ArrayModule, matrix: Array, rhs: Array, l2_regularizer: Array, *, fast: bool
) -> Array:
    if matrix.ndim < 2 or rhs.ndim < 2 or matrix.shape[-2] != rhs.shape[-2]:
        raise invalid(
            "Input matrix and rhs are incompatible: "
            f"{shapes.show(matrix.shape)} vs. {shapes.show(rhs.shape)}"
        )
    a, b = wide(matrix), wide(rhs)
    if not fast:
        a, finite = finite_matrices(xp, a)
        return xp.where(finite, xp.linalg.pinv(a) @ b, np.nan).astype(matrix.dtype)
    transposed = xp.conj(xp.swapaxes(a, -1, -2))
    rows, columns = a.shape[-2:]
    penalty = np.eye(min(rows, columns), dtype=a.dtype) * l2_regularizer.astype(a.dtype)
    if rows >= columns:
        result = xp.linalg.solve(transposed @ a + penalty, transposed @ b)
    else:
        result = transposed @ xp.linalg.solve(a @ transposed + penalty, b)
    return result.astype(matrix.dtype)


def reference_least_squares(
    matrix: Array, rhs: Array, l2_regularizer: Array, *, fast: bool
) -> Array:
    columns = matrix.shape[-1]
    weight = np.sqrt(float(l2_regularizer)) if fast else 0.0
    result = np.zeros((*matrix.shape[:-2], columns, rhs.shape[-1]), np.float64)
    for position in np.ndindex(matrix.shape[:-2]):
        a = np.concatenate([matrix[position], weight * np.eye(columns)])
        b = np.concatenate([rhs[position], np.zeros((columns, rhs.shape[-1]))])
        result[position] = np.linalg.lstsq(a, b, rcond=None)[0]
    return result.astype(matrix.dtype)


def shape_least_squares(c: shapes.ShapeContext) -> Shape:
    matrix = c.with_rank_at_least("matrix", 2)
    rhs = c.with_rank_at_least("rhs", 2)
    c.with_rank("l2_regularizer", 0)
    if matrix is None or rhs is None:
        return None
    c.merge_dims(matrix[-2], rhs[-2])
    batch: Any = c.merge(matrix[:-2], rhs[:-2])
    return (*batch, matrix[-1], rhs[-1])


def gradient_least_squares(op: Operation, grad: Tensor) -> Sequence[Tensor | None]:
    if not op.get_attr("fast"):
        raise ValueError("Gradient not defined for fast=False")
    by_matrix, by_rhs, _ = build_vjp(op, grad)
    return by_matrix, by_rhs, None


def samples_least_squares() -> Iterator[Sample]:
    tall = np.array([[4.0, 1.0], [0.5, 3.0], [-1.0, 0.25]])
    rhs = np.array([[1.0, 2.0], [-3.0, 0.5], [0.25, 4.0]])
    yield Sample(tall, rhs, np.float64(0.5), gradient=(0, 1))
    yield Sample(tall.T.copy(), rhs[:2], np.float64(0.25), gradient=(0, 1))
    yield Sample(
        tall.astype(np.float32), rhs.astype(np.float32), np.float64(0), fast=False, gradient=()
    )


def _register_least_squares(name: str, types: str) -> None:
    register_op(
        name,
        inputs="matrix: T, rhs: T, l2_regularizer: double",
        outputs="output: T",
        attrs=f"T: {{{types}}}, fast: bool = true",
        shape=shape_least_squares,
        kernel=kernel_least_squares,
        gradient=gradient_least_squares if name == "MatrixSolveLs" else None,
        reference=reference_least_squares,
        samples=samples_least_squares if name == "MatrixSolveLs" else None,
    )


_register_least_squares("MatrixSolveLs", "double, float, half, complex64, complex128")
_register_least_squares("BatchMatrixSolveLs", "double, float")


@export("matrix_solve_ls", "linalg.lstsq", "batch_matrix_solve_ls")
def matrix_solve_ls(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: TensorLike = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """Solves linear systems in the sense of least squares.

    Args:
        matrix: a tensor of shape [..., m, n].
        rhs: a tensor of the same type and of shape [..., m, k].
        l2_regularizer: the weight of the squared solution, which is added to the squared error.
        fast: whether the normal equations are solved by a Cholesky decomposition; else a slower
            way is taken, which works for dependent columns too (but ignores the regularizer).
        name: the name scope.

    Returns:
        A tensor of shape [..., n, k].
    """
    if not fast:
        return build.MatrixSolveLs(matrix, rhs, l2_regularizer, fast=False, name=name)
    with name_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]) as scope:
        matrix = convert_to_tensor(matrix, name="matrix")
        rhs = convert_to_tensor(rhs, name="rhs", dtype=matrix.dtype.base_dtype)
        shape = matrix._shape
        if shape is None or len(shape) < 2 or None in shape[-2:]:
            return build.MatrixSolveLs(matrix, rhs, l2_regularizer, fast=True, name=scope)
        tall = shape[-2] >= shape[-1]
        root = _gramian_root(matrix, l2_regularizer, tall)
        if tall:
            return _cholesky_solve(root, matmul(matrix, rhs, adjoint_a=True))
        return matmul(matrix, _cholesky_solve(root, rhs), adjoint_a=True)


def _gramian_root(matrix: Tensor, l2_regularizer: float, tall: bool) -> Tensor:
    """The Cholesky decomposition of adjoint(A) A + l2 I (or A adjoint(A) + l2 I)."""
    gramian = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if isinstance(l2_regularizer, Tensor) or l2_regularizer != 0:
        whole = shape_tensor(matrix)
        batch = whole[:-2]
        size = whole[-1] if tall else whole[-2]
        eye = identity_matrix(size, batch_shape=batch, dtype=matrix.dtype.base_dtype)
        gramian = gramian + l2_regularizer * eye
    return build.Cholesky(gramian)


def _cholesky_solve(root: Tensor, rhs: Tensor) -> Tensor:
    with name_scope(None, "cholesky_solve", [root, rhs]):
        first = build.MatrixTriangularSolve(root, rhs, adjoint=False, lower=True)
        return build.MatrixTriangularSolve(root, first, adjoint=True, lower=True)
