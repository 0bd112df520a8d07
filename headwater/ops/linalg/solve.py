"""Inverses, determinants and systems of linear equations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.blas import decomposition
from headwater.base.checks import require
from headwater.base.lazy import lax, scipy_linalg
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
from headwater.ops.linalg.compositions import (
    check_square,
    diagonal,
    invalid,
    lower_triangle,
    matmul,
    square_shape,
    transposed,
    upper_triangle,
    wide,
)

_TYPES = "double, float, half, complex64, complex128"


def _adjoint(xp: ArrayModule, x: Array) -> Array:
    return xp.conj(xp.swapaxes(x, -1, -2))


def _solved(xp: ArrayModule, text: str, compute: Callable[[], Any], *inputs: Any) -> Array:
    """A result of LAPACK; raises TensorFlow's error if the matrix is singular."""
    try:
        result = compute()
    except np.linalg.LinAlgError:
        raise invalid(text, "a matrix with linearly dependent rows has no inverse.") from None
    if xp is not np:
        # A result that is not finite makes the op run again on the host, which decides the outcome.
        require(xp, xp.isfinite(result), lambda: invalid(text))
    return result.astype(inputs[0].dtype)


@decomposition
def kernel_inverse(xp: ArrayModule, x: Array, *, adjoint: bool) -> Array:
    check_square(x)
    matrix = wide(_adjoint(xp, x) if adjoint else x)
    text = "Input is not invertible."
    return _solved(xp, text, lambda: xp.linalg.inv(matrix), x)


@decomposition
def kernel_solve(xp: ArrayModule, matrix: Array, rhs: Array, *, adjoint: bool) -> Array:
    check_square(matrix)
    _check_right(matrix, rhs)
    left = wide(_adjoint(xp, matrix) if adjoint else matrix)
    right = wide(rhs)
    text = "Input matrix is not invertible."
    return _solved(xp, text, lambda: xp.linalg.solve(left, right), matrix, rhs)


def _check_right(matrix: Array, rhs: Array) -> None:
    if rhs.ndim < 2 or rhs.shape[-2] != matrix.shape[-2]:
        raise invalid(
            "Input matrix and rhs are incompatible: "
            f"{shapes.show(matrix.shape)} vs. {shapes.show(rhs.shape)}"
        )


@decomposition
def kernel_triangular_solve(
    xp: ArrayModule, matrix: Array, rhs: Array, *, lower: bool, adjoint: bool
) -> Array:
    check_square(matrix)
    _check_right(matrix, rhs)
    text = "Input matrix is not invertible."
    require(
        xp,
        xp.diagonal(matrix, axis1=-2, axis2=-1) != 0,
        lambda: invalid(text, "a triangular matrix must have no zeros on its diagonal."),
    )
    left, right = wide(matrix), wide(rhs)
    if xp is not np:
        result = lax.linalg.triangular_solve(
            left,
            right,
            left_side=True,
            lower=lower,
            transpose_a=adjoint,
            conjugate_a=adjoint,
        )
        return result.astype(matrix.dtype)
    result = np.empty_like(right)
    for position in np.ndindex(matrix.shape[:-2]):
        result[position] = scipy_linalg.solve_triangular(
            left[position],
            right[position],
            trans="C" if adjoint else "N",
            lower=lower,
            check_finite=False,
        )
    return result.astype(matrix.dtype)


@decomposition
def kernel_determinant(xp: ArrayModule, x: Array) -> Array:
    check_square(x)
    return xp.linalg.det(wide(x)).astype(x.dtype)


@decomposition
def kernel_log_determinant(xp: ArrayModule, x: Array) -> tuple[Array, ...]:
    check_square(x)
    sign, logarithm = xp.linalg.slogdet(wide(x))
    return sign.astype(x.dtype), logarithm.astype(x.dtype)


def reference_inverse(x: Array, *, adjoint: bool) -> Array:
    wide_x = x.astype(np.result_type(x, np.float64))
    eye = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    result = np.linalg.solve(wide_x, eye)
    return (np.conj(np.swapaxes(result, -1, -2)) if adjoint else result).astype(x.dtype)


def reference_solve(matrix: Array, rhs: Array, *, adjoint: bool) -> Array:
    return (reference_inverse(matrix, adjoint=adjoint) @ rhs).astype(matrix.dtype)


def reference_triangular_solve(matrix: Array, rhs: Array, *, lower: bool, adjoint: bool) -> Array:
    triangle = np.tril(matrix) if lower else np.triu(matrix)
    return reference_solve(triangle, rhs, adjoint=adjoint)


def _as_type_of(value: Array, x: Array) -> Array:
    return (value if x.dtype.kind == "c" else value.real).astype(x.dtype)


def reference_determinant(x: Array) -> Array:
    return _as_type_of(np.prod(np.linalg.eigvals(x.astype(np.complex128)), axis=-1), x)


def reference_log_determinant(x: Array) -> tuple[Array, Array]:
    value = np.prod(np.linalg.eigvals(x.astype(np.complex128)), axis=-1)
    return _as_type_of(value / np.abs(value), x), np.log(np.abs(value)).astype(x.dtype)


def shape_solve(c: shapes.ShapeContext) -> Shape:
    matrix = square_shape(c, "matrix")
    rhs = c.with_rank_at_least("rhs", 2)
    if matrix is None or rhs is None:
        return None
    size = c.merge_dims(matrix[-1], rhs[-2])
    batch: Any = c.merge(matrix[:-2], rhs[:-2])
    return (*batch, size, rhs[-1])


def shape_determinant(c: shapes.ShapeContext) -> Shape:
    shape = square_shape(c)
    return None if shape is None else shape[:-2]


def shape_log_determinant(c: shapes.ShapeContext) -> list[Shape]:
    shape = shape_determinant(c)
    return [shape, shape]


def gradient_inverse(op: Operation, grad: Tensor) -> Tensor:
    inverse = op.outputs[0]
    return -matmul(inverse, matmul(grad, inverse, adjoint_b=True), adjoint_a=True)


def gradient_solve(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    matrix, solution = op.inputs[0], op.outputs[0]
    is_adjoint = op.get_attr("adjoint")
    grad_rhs = build.MatrixSolve(matrix, grad, adjoint=not is_adjoint)
    return _gradient_matrix(solution, grad_rhs, is_adjoint), grad_rhs


def _gradient_matrix(solution: Tensor, grad_rhs: Tensor, is_adjoint: bool) -> Tensor:
    if is_adjoint:
        return -matmul(solution, grad_rhs, adjoint_b=True)
    return -matmul(grad_rhs, solution, adjoint_b=True)


def gradient_triangular_solve(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    matrix, solution = op.inputs[0], op.outputs[0]
    is_adjoint, lower = op.get_attr("adjoint"), op.get_attr("lower")
    grad_rhs = build.MatrixTriangularSolve(matrix, grad, lower=lower, adjoint=not is_adjoint)
    grad_matrix = _gradient_matrix(solution, grad_rhs, is_adjoint)
    return (lower_triangle if lower else upper_triangle)(grad_matrix), grad_rhs


def _column(values: Tensor, like: Tensor) -> Tensor:
    """Values of matrices in a shape that multiplies whole matrices."""
    return build.Reshape(values, build.ConcatV2([shape_tensor(like), [1, 1]], 0, name="concat"))


def gradient_determinant(op: Operation, grad: Tensor) -> Tensor:
    inverse = build.MatrixInverse(op.inputs[0], adjoint=True)
    return _column(grad * op.outputs[0], op.outputs[0]) * inverse


def gradient_log_determinant(op: Operation, _: Tensor, grad: Tensor) -> Tensor:
    inverse = build.MatrixInverse(op.inputs[0], adjoint=True)
    return _column(grad, op.outputs[1]) * inverse


_MATRIX = np.array([[4.0, 1.0, -0.5], [0.5, 3.0, 1.0], [-1.0, 0.25, 2.0]])


def samples_square() -> Iterator[Sample]:
    yield Sample(_MATRIX.astype(np.float32))
    yield Sample(np.stack([_MATRIX, _MATRIX.T * 0.7]))
    yield Sample((_MATRIX + 0.5j * _MATRIX.T).astype(np.complex64), rtol=1e-4)


def samples_inverse() -> Iterator[Sample]:
    yield from samples_square()
    yield Sample((_MATRIX + 0.5j * _MATRIX.T).astype(np.complex128), adjoint=True)


def samples_solve() -> Iterator[Sample]:
    rhs = np.array([[1.0, 2.0], [-3.0, 0.5], [0.25, 4.0]])
    yield Sample(_MATRIX.astype(np.float32), rhs.astype(np.float32))
    yield Sample(_MATRIX, rhs, adjoint=True)
    yield Sample(np.stack([_MATRIX, _MATRIX.T]), np.stack([rhs, rhs * 2]))


def samples_triangular() -> Iterator[Sample]:
    for sample in samples_solve():
        yield sample
        yield Sample(*sample.inputs, **{**sample.attrs, "lower": False})


def _register_solve(
    inverse: str, solve: str, triangular_solve: str, batch: bool, types: str
) -> None:
    register_op(
        inverse,
        inputs="input: T",
        outputs="output: T",
        attrs=f"adjoint: bool = false, T: {{{types}}}",
        shape=square_shape,
        kernel=kernel_inverse,
        gradient=None if batch else gradient_inverse,
        reference=reference_inverse,
        samples=None if batch else samples_inverse,
    )
    register_op(
        solve,
        inputs="matrix: T, rhs: T",
        outputs="output: T",
        attrs=f"adjoint: bool = false, T: {{{types}}}",
        shape=shape_solve,
        kernel=kernel_solve,
        gradient=None if batch else gradient_solve,
        reference=reference_solve,
        samples=None if batch else samples_solve,
    )
    register_op(
        triangular_solve,
        inputs="matrix: T, rhs: T",
        outputs="output: T",
        attrs=f"lower: bool = true, adjoint: bool = false, T: {{{types}}}",
        shape=shape_solve,
        kernel=kernel_triangular_solve,
        gradient=None if batch else gradient_triangular_solve,
        reference=reference_triangular_solve,
        samples=None if batch else samples_triangular,
    )


_register_solve("MatrixInverse", "MatrixSolve", "MatrixTriangularSolve", batch=False, types=_TYPES)
_register_solve(
    "BatchMatrixInverse",
    "BatchMatrixSolve",
    "BatchMatrixTriangularSolve",
    batch=True,
    types="double, float",
)


def _register_determinant(name: str, batch: bool, types: str) -> None:
    register_op(
        name,
        inputs="input: T",
        outputs="output: T",
        attrs=f"T: {{{types}}}",
        shape=shape_determinant,
        kernel=kernel_determinant,
        gradient=None if batch else gradient_determinant,
        reference=reference_determinant,
        samples=None if batch else samples_square,
    )


_register_determinant(
    "MatrixDeterminant", batch=False, types="half, float, double, complex64, complex128"
)
_register_determinant(
    "BatchMatrixDeterminant", batch=True, types="float, double, complex64, complex128"
)
register_op(
    "LogMatrixDeterminant",
    inputs="input: T",
    outputs="sign: T, log_abs_determinant: T",
    attrs="T: {half, float, double, complex64, complex128}",
    shape=shape_log_determinant,
    kernel=kernel_log_determinant,
    gradient=gradient_log_determinant,
    reference=reference_log_determinant,
    samples=samples_square,
)


@export("matrix_inverse", "linalg.inv", "batch_matrix_inverse")
def matrix_inverse(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Returns the inverses of matrices.

    Args:
        input: a tensor of shape [..., n, n].
        adjoint: whether the conjugate transposes are inverted.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: from `Session.run` if a matrix is singular.
    """
    return build.MatrixInverse(input, adjoint=bool(adjoint), name=name)


@export("matrix_solve", "linalg.solve", "batch_matrix_solve")
def matrix_solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems of linear equations ``matrix @ x = rhs``.

    Args:
        matrix: a tensor of shape [..., n, n].
        rhs: a tensor of the same type and of shape [..., n, k].
        adjoint: whether the conjugate transposes of the matrices are meant.
        name: the name of the node.

    Returns:
        A tensor of shape [..., n, k].

    Raises:
        InvalidArgumentError: from `Session.run` if a matrix is singular.
    """
    return build.MatrixSolve(matrix, rhs, adjoint=bool(adjoint), name=name)


@export("matrix_triangular_solve", "linalg.triangular_solve", "batch_matrix_triangular_solve")
def matrix_triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solves systems of linear equations with triangular matrices.

    Args:
        matrix: a tensor of shape [..., n, n], of which one triangle is read.
        rhs: a tensor of the same type and of shape [..., n, k].
        lower: whether the lower triangle is meant.
        adjoint: whether the conjugate transposes of the matrices are meant.
        name: the name of the node.

    Returns:
        A tensor of shape [..., n, k].

    Raises:
        InvalidArgumentError: from `Session.run` if a matrix is singular.
    """
    lower = True if lower is None else bool(lower)
    return build.MatrixTriangularSolve(matrix, rhs, lower=lower, adjoint=bool(adjoint), name=name)


@export("matrix_determinant", "linalg.det", "batch_matrix_determinant")
def matrix_determinant(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the determinants of matrices.

    Args:
        input: a tensor of shape [..., n, n].
        name: the name of the node.

    Returns:
        A tensor of shape [...].
    """
    return build.MatrixDeterminant(input, name=name)


@export("linalg.slogdet")
def slogdet(input: TensorLike, name: str | None = None) -> tuple[Tensor, ...]:
    """Returns the signs of determinants and the logarithms of their absolute values.

    Args:
        input: a tensor of shape [..., n, n].
        name: the name of the node.

    Returns:
        A named tuple (sign, log_abs_determinant) of tensors of shape [...].
    """
    return build.LogMatrixDeterminant(input, name=name)


@export("linalg.logdet")
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Returns the logarithms of the determinants of positive definite matrices.

    Args:
        matrix: a tensor of shape [..., n, n].
        name: the name scope.

    Returns:
        A tensor of shape [...].
    """
    with name_scope(name, "logdet", [matrix]):
        root = diagonal(build.Cholesky(matrix))
        if root.dtype.is_complex:
            root = build.Real(root, Tout=root.dtype.real_dtype)
        return 2.0 * build.Sum(build.Log(root), [-1])


@export("linalg.adjoint")
def adjoint_(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Returns the conjugate transposes of matrices.

    Args:
        matrix: a tensor of shape [..., n, m].
        name: the name scope.

    Returns:
        A tensor of shape [..., m, n].
    """
    with name_scope(name, "adjoint", [matrix]):
        matrix = convert_to_tensor(matrix, name="matrix")
        return transposed(matrix, conjugate=matrix.dtype.is_complex)
