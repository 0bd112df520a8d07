"""Decompositions of matrices: QR, singular values, eigenvalues, LU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.blas import decomposition
from headwater.base.checks import require
from headwater.base.deprecation import renamed_argument
from headwater.base.dtypes import DType, as_dtype
from headwater.base.lazy import lax, scipy_linalg
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, DTypeLike, NestedTensors, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    control_dependencies,
    export,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
)
from headwater.ops.linalg.compositions import (
    adjoint,
    check_square,
    diagonal,
    diagonal_matrix,
    finite_matrices,
    identity_matrix,
    invalid,
    lower_triangle,
    matmul,
    square_shape,
    transposed,
    wide,
    with_diagonal,
)

_TYPES = "double, float, half, complex64, complex128"


def _check_matrix(x: Array) -> None:
    if x.ndim < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got {x.ndim}")


def _least(x: int | None, y: int | None) -> int | None:
    return None if x is None or y is None else min(x, y)


# QR


@decomposition
def kernel_qr(xp: ArrayModule, x: Array, *, full_matrices: bool) -> tuple[Array, ...]:
    _check_matrix(x)
    q, r = xp.linalg.qr(wide(x), mode="complete" if full_matrices else "reduced")
    return q.astype(x.dtype), r.astype(x.dtype)


def shape_qr(c: shapes.ShapeContext) -> list[Shape]:
    shape = c.with_rank_at_least("input", 2)
    if shape is None:
        return [None, None]
    batch, (rows, columns) = shape[:-2], shape[-2:]
    if c.attr("full_matrices"):
        return [(*batch, rows, rows), (*batch, rows, columns)]
    least = _least(rows, columns)
    return [(*batch, rows, least), (*batch, least, columns)]


def gradient_qr(op: Operation, grad_q: Tensor, grad_r: Tensor) -> Tensor:
    q, r = op.outputs
    if q.dtype.is_complex:
        raise NotImplementedError(f"QrGrad not implemented for dtype: {q.dtype}")
    shape = r._shape
    if shape is None or None in shape[-2:]:
        raise NotImplementedError("QrGrad not implemented with dynamic shapes.")
    if shape[-2] != shape[-1]:
        raise NotImplementedError(
            "QrGrad not implemented when ncols > nrows or full_matrices is true and ncols != nrows."
        )

    def divided(x: Tensor) -> Tensor:
        """x times the inverse of the adjoint of r."""
        return adjoint(build.MatrixTriangularSolve(r, adjoint(x), lower=False, adjoint=False))

    by_q = matmul(q, grad_q, adjoint_a=True)
    skew_q = by_q - adjoint(by_q)
    by_r = matmul(r, grad_r, adjoint_b=True)
    skew_r = by_r - adjoint(by_r)
    triangle = lower_triangle(skew_q + skew_r)
    inside = matmul(q, grad_r + divided(triangle))
    outside = divided(grad_q - matmul(q, by_q))
    return inside + outside


# Singular values


@decomposition
def kernel_svd(
    xp: ArrayModule, x: Array, *, compute_uv: bool, full_matrices: bool
) -> tuple[Array, ...]:
    _check_matrix(x)
    matrix, finite = finite_matrices(xp, wide(x))

    def known(result: Array, finite: Array) -> Array:
        """NaN where the matrix is not finite."""
        return xp.where(finite, result, np.nan).astype(x.dtype)

    if not compute_uv:
        s = xp.linalg.svd(matrix, compute_uv=False)
        return known(s, finite[..., 0]), np.zeros(0, x.dtype), np.zeros(0, x.dtype)
    u, s, vh = xp.linalg.svd(matrix, full_matrices=full_matrices)
    v = xp.conj(xp.swapaxes(vh, -1, -2))
    return known(s, finite[..., 0]), known(u, finite), known(v, finite)


def shape_svd(c: shapes.ShapeContext) -> list[Shape]:
    shape = c.with_rank_at_least("input", 2)
    if shape is None:
        rest: tuple[int, ...] | None = None if c.attr("compute_uv") else (0,)
        return [None, rest, rest]
    batch, (rows, columns) = shape[:-2], shape[-2:]
    least = _least(rows, columns)
    if not c.attr("compute_uv"):
        return [(*batch, least), (0,), (0,)]
    if c.attr("full_matrices"):
        return [(*batch, least), (*batch, rows, rows), (*batch, columns, columns)]
    return [(*batch, least), (*batch, rows, least), (*batch, columns, least)]


def gradient_svd(op: Operation, grad_s: Tensor, grad_u: Tensor, grad_v: Tensor) -> Tensor:
    """M. Giles, An extended collection of matrix derivative results, section 3.3."""
    a = op.inputs[0]
    slope = diagonal_matrix(grad_s)
    if not op.get_attr("compute_uv"):
        _, u, v = build.Svd(a, compute_uv=True)
        return matmul(u, matmul(slope, v, adjoint_b=True))
    full = op.get_attr("full_matrices")
    shape = a._shape
    if shape is None or None in shape[-2:]:
        raise NotImplementedError(
            "SVD gradient has not been implemented for input with unknown inner matrix shape."
        )
    rows, columns = shape[-2:]
    s, u, v = op.outputs
    # A tall matrix is treated as the adjoint of a wide one.
    tall = rows > columns  # type: ignore[operator]
    if tall:
        rows, columns = columns, rows
        u, v, grad_u, grad_v = v, u, grad_v, grad_u
    with control_dependencies([grad_s, grad_u, grad_v]):
        if full and abs(rows - columns) > 1:  # type: ignore[operator]
            raise NotImplementedError(
                "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True"
            )
        wide_grad = _gradient_wide(s, u, v, slope, grad_u, grad_v, rows, columns, full)
        return transposed(wide_grad) if tall else wide_grad


def _gradient_wide(
    s: Tensor,
    u: Tensor,
    v: Tensor,
    slope: Tensor,
    grad_u: Tensor,
    grad_v: Tensor,
    rows: Any,
    columns: Any,
    full: bool,
) -> Tensor:
    values = diagonal_matrix(s)
    squares = build.Square(s)
    # Where two singular values are equal, the vectors have no derivative: this is infinite then.
    shape = shape_tensor(s)
    eye = identity_matrix(shape[-1], batch_shape=shape[:-1], dtype=s.dtype.base_dtype)
    gaps = build.ExpandDims(squares, -2) - build.ExpandDims(squares, -1) + eye
    weights = with_diagonal(build.Reciprocal(gaps), zeros_like(s))
    inverse_values = diagonal_matrix(build.Reciprocal(s))
    v1, grad_v1 = v[..., :, :rows], grad_v[..., :, :rows]
    by_u = matmul(u, grad_u, adjoint_a=True)
    by_v = matmul(v1, grad_v1, adjoint_a=True)
    by_u, by_v = weights * by_u, weights * by_v
    core = slope + matmul(by_u + adjoint(by_u), values) + matmul(values, by_v + adjoint(by_v))
    inside = matmul(u, matmul(core, v1, adjoint_b=True))
    if rows == columns:
        return inside
    grad_rows = transposed(grad_v1)
    outside = grad_rows - matmul(matmul(grad_rows, v1), v1, adjoint_b=True)
    if full:
        v2, grad_v2 = v[..., :, rows:columns], grad_v[..., :, rows:columns]
        outside = outside - matmul(matmul(v1, grad_v2, adjoint_a=True), v2, adjoint_b=True)
    return inside + matmul(matmul(u, inverse_values), outside)


# Eigenvalues of Hermitian matrices


def _eigh(xp: ArrayModule, x: Array) -> NestedTensors:
    matrix, finite = finite_matrices(xp, xp.tril(x))
    text = "Self-adjoint eigen decomposition was not successful. The input might not be valid."
    require(xp, finite, lambda: invalid(text, "the matrix holds an infinity or NaN."))
    if xp is np:
        return np.linalg.eigh(matrix, UPLO="L")
    return xp.linalg.eigh(matrix, UPLO="L", symmetrize_input=False)


@decomposition
def kernel_eigh(xp: ArrayModule, x: Array, *, compute_v: bool) -> tuple[Array, Array]:
    check_square(x)
    values, vectors = _eigh(xp, wide(x))
    if not compute_v:
        return values.astype(x.dtype), np.zeros(0, x.dtype)
    return values.astype(x.dtype), vectors.astype(x.dtype)


@decomposition
def kernel_eigh_old(xp: ArrayModule, x: Array) -> Array:
    check_square(x)
    values, vectors = _eigh(xp, wide(x))
    return xp.concatenate([values[..., None, :], vectors], axis=-2).astype(x.dtype)


def shape_eigh(c: shapes.ShapeContext) -> list[Shape]:
    shape = square_shape(c)
    values = None if shape is None else shape[:-1]
    return [values, shape if c.attr("compute_v") else (0,)]


def shape_eigh_old(c: shapes.ShapeContext) -> Any:
    shape = square_shape(c)
    if shape is None:
        return None
    size = shape[-1]
    return (*shape[:-2], None if size is None else size + 1, size)


def gradient_eigh(op: Operation, grad_e: Tensor, grad_v: Tensor) -> Tensor:
    e = op.outputs[0]
    with control_dependencies([grad_e, grad_v]):
        if op.get_attr("compute_v"):
            v = op.outputs[1]
            # Where two eigenvalues are equal, the vectors have no derivative.
            gaps = build.ExpandDims(e, -2) - build.ExpandDims(e, -1)
            weights = with_diagonal(build.Reciprocal(gaps), zeros_like(e))
            core = diagonal_matrix(grad_e) + weights * matmul(v, grad_v, adjoint_a=True)
        else:
            v = build.SelfAdjointEigV2(op.inputs[0], compute_v=True)[1]
            core = diagonal_matrix(grad_e)
        grad = matmul(v, matmul(core, v, adjoint_b=True))
        # Only the lower triangle of the input counts: it gets the slopes of both.
        grad = lower_triangle(grad + adjoint(grad))
        return with_diagonal(grad, 0.5 * diagonal(grad))


# LU


@decomposition
def kernel_lu(xp: ArrayModule, x: Array, *, output_idx_type: DType) -> tuple[Array, Array]:
    check_square(x)
    matrix = wide(x)
    if xp is not np:
        lu, _, order = lax.linalg.lu(matrix)
        _check_pivots(xp, lu)
        return lu.astype(x.dtype), order.astype(output_idx_type.numpy_dtype)
    lu = np.empty_like(matrix)
    order = np.empty(x.shape[:-1], output_idx_type.numpy_dtype)
    for position in np.ndindex(x.shape[:-2]):
        lu[position], swaps = scipy_linalg.lu_factor(matrix[position], check_finite=False)
        rows = np.arange(x.shape[-1])
        for i, j in enumerate(swaps):
            rows[[i, j]] = rows[[j, i]]
        order[position] = rows
    _check_pivots(np, lu)
    return lu.astype(x.dtype), order


def _check_pivots(xp: ArrayModule, lu: Array) -> None:
    pivots = xp.diagonal(lu, axis1=-2, axis2=-1)
    require(xp, pivots != 0, lambda: invalid("Input is not invertible."))


def shape_lu(c: shapes.ShapeContext) -> list[Shape]:
    shape = square_shape(c)
    return [shape, None if shape is None else shape[:-1]]


# Registration

_TALL = np.array([[4.0, 1.0, -0.5], [0.5, 3.0, 1.0], [-1.0, 0.25, 2.0], [0.75, -0.5, 1.5]])
_SYMMETRIC = np.array([[4.0, 1.0, -0.5], [1.0, 3.0, 1.0], [-0.5, 1.0, 2.0]])


def samples_qr() -> Iterator[Sample]:
    yield Sample(_TALL.astype(np.float32))
    yield Sample(_TALL.T.copy(), full_matrices=True, gradient=())
    yield Sample(np.stack([_TALL, _TALL * 2]))


def samples_svd() -> Iterator[Sample]:
    # Signs of the vectors are free, so their slopes are not compared with differences.
    yield Sample(_TALL.astype(np.float32), compute_uv=False)
    yield Sample(_TALL.T.copy(), compute_uv=False)
    yield Sample(_TALL, gradient=())
    yield Sample(np.stack([_TALL, _TALL * 2]), full_matrices=True, gradient=())


def samples_eigh() -> Iterator[Sample]:
    # Only one triangle is read, so single elements must not be changed: no numeric gradients.
    yield Sample(_SYMMETRIC.astype(np.float32), compute_v=False, gradient=())
    yield Sample(np.stack([_SYMMETRIC, _SYMMETRIC * 2]), gradient=())


def samples_lu() -> Iterator[Sample]:
    yield Sample(_TALL[:3].astype(np.float32), gradient=())
    yield Sample(np.stack([_TALL[1:], _TALL[:3]]), output_idx_type=np.int64, gradient=())


register_op(
    "Qr",
    inputs="input: T",
    outputs="q: T, r: T",
    attrs=f"full_matrices: bool = false, T: {{{_TYPES}}}",
    shape=shape_qr,
    kernel=kernel_qr,
    gradient=gradient_qr,
    samples=samples_qr,
)


def _register_svd(name: str, types: str) -> None:
    register_op(
        name,
        inputs="input: T",
        outputs="s: T, u: T, v: T",
        attrs=f"compute_uv: bool = true, full_matrices: bool = false, T: {{{types}}}",
        shape=shape_svd,
        kernel=kernel_svd,
        gradient=gradient_svd if name == "Svd" else None,
        samples=samples_svd if name == "Svd" else None,
    )


_register_svd("Svd", _TYPES)
_register_svd("BatchSvd", "double, float, complex64, complex128")


def _register_eigh(name: str, types: str) -> None:
    register_op(
        name,
        inputs="input: T",
        outputs="e: T, v: T",
        attrs=f"compute_v: bool = true, T: {{{types}}}",
        shape=shape_eigh,
        kernel=kernel_eigh,
        gradient=gradient_eigh if name == "SelfAdjointEigV2" else None,
        samples=samples_eigh if name == "SelfAdjointEigV2" else None,
    )


_register_eigh("SelfAdjointEigV2", _TYPES)
_register_eigh("BatchSelfAdjointEigV2", "double, float")


def _register_eigh_old(name: str, types: str) -> None:
    register_op(
        name,
        inputs="input: T",
        outputs="output: T",
        attrs=f"T: {{{types}}}",
        shape=shape_eigh_old,
        kernel=kernel_eigh_old,
    )


_register_eigh_old("SelfAdjointEig", "double, float, half")
_register_eigh_old("BatchSelfAdjointEig", "double, float")
register_op(
    "Lu",
    inputs="input: T",
    outputs="lu: T, p: output_idx_type",
    attrs=f"T: {{{_TYPES}}}, output_idx_type: {{int32, int64}} = int32",
    shape=shape_lu,
    kernel=kernel_lu,
    samples=samples_lu,
)


@export("qr", "linalg.qr")
def qr(
    input: TensorLike, full_matrices: bool = False, name: str | None = None
) -> tuple[Tensor, ...]:
    """Decomposes matrices into orthogonal and upper triangular factors.

    Args:
        input: a tensor of shape [..., m, n].
        full_matrices: whether q is square; else it has min(m, n) columns.
        name: the name of the node.

    Returns:
        A named tuple (q, r) with q @ r = input.
    """
    return build.Qr(input, full_matrices=bool(full_matrices), name=name)


@export("svd", "linalg.svd", "batch_svd")
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> NestedTensors:
    """Decomposes matrices into singular values and vectors: u @ diag(s) @ adjoint(v).

    Args:
        tensor: a tensor of shape [..., m, n].
        full_matrices: whether u and v are square; else they have min(m, n) columns.
        compute_uv: whether the vectors are wanted.
        name: the name of the node.

    Returns:
        The real singular values s, in descending order, and u and v; only s without `compute_uv`.
    """
    s, u, v = build.Svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    real = _real(s)
    return (real, u, v) if compute_uv else real


def _real(x: Tensor) -> Tensor:
    if not x.dtype.is_complex:
        return x
    return build.Real(x, Tout=x.dtype.real_dtype)


@export("self_adjoint_eig", "linalg.eigh", "batch_self_adjoint_eig")
@signature("tensor, name=None")
def self_adjoint_eig(
    tensor: TensorLike | None = None, name: str | None = None, input: TensorLike | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the eigenvalues and eigenvectors of Hermitian matrices.

    Args:
        tensor: a tensor of shape [..., n, n], of which the lower triangles are read.
        name: the name of the node.
        input: the older name of `tensor`.

    Returns:
        The eigenvalues in ascending order, of shape [..., n], and the matrices of eigenvectors.
    """
    tensor = renamed_argument("tensor", tensor, "input", input)
    return tuple(build.SelfAdjointEigV2(tensor, compute_v=True, name=name))


@export("self_adjoint_eigvals", "linalg.eigvalsh", "batch_self_adjoint_eigvals")
def self_adjoint_eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Returns the eigenvalues of Hermitian matrices in ascending order.

    Args:
        tensor: a tensor of shape [..., n, n], of which the lower triangles are read.
        name: the name of the node.

    Returns:
        A tensor of shape [..., n].
    """
    return build.SelfAdjointEigV2(tensor, compute_v=False, name=name)[0]


@export("linalg.lu")
def lu(
    input: TensorLike, output_idx_type: DTypeLike = dtypes.int32, name: str | None = None
) -> tuple[Tensor, ...]:
    """Decomposes matrices into triangular factors with row exchanges.

    Args:
        input: a tensor of shape [..., n, n].
        output_idx_type: int32 or int64, the type of the permutation.
        name: the name of the node.

    Returns:
        A named tuple (lu, p): both triangles in one matrix (the ones on the diagonal of the lower
        one are left out), and the rows in their new order.
    """
    return build.Lu(input, output_idx_type=as_dtype(output_idx_type), name=name)
