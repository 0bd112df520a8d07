"""Systems with matrices that have three diagonals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.lazy import lax, scipy_linalg
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    VJP,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    register_op,
    shapes,
)
from headwater.ops.linalg.compositions import invalid

_TYPES = "T: {double, float, complex64, complex128}"


def kernel_solve(xp: ArrayModule, diagonals: Array, rhs: Array, *, partial_pivoting: bool) -> Array:
    if diagonals.shape[-2] != 3:
        raise invalid(f"Expected diagonals to have 3 rows, got {diagonals.shape[-2]}")
    if diagonals.shape[-1] != rhs.shape[-2]:
        raise invalid(
            "The length of diagonals and the number of rows of the right-hand side differ: "
            f"{diagonals.shape[-1]} vs. {rhs.shape[-2]}"
        )
    if xp is not np:
        upper, middle, lower = (diagonals[..., i, :] for i in range(3))
        count = diagonals.shape[-1]
        lower = xp.where(np.arange(count) == 0, lower.dtype.type(0), lower)
        upper = xp.where(np.arange(count) == count - 1, upper.dtype.type(0), upper)
        return lax.linalg.tridiagonal_solve(lower, middle, upper, rhs)
    bands = np.zeros_like(diagonals)
    bands[..., 0, 1:] = diagonals[..., 0, :-1]
    bands[..., 1, :] = diagonals[..., 1, :]
    bands[..., 2, :-1] = diagonals[..., 2, 1:]
    result = np.empty_like(rhs)
    for position in np.ndindex(diagonals.shape[:-2]):
        try:
            result[position] = scipy_linalg.solve_banded(
                (1, 1), bands[position], rhs[position], check_finite=False
            )
        except np.linalg.LinAlgError:
            raise invalid("The matrix is not invertible.") from None
    return result


def kernel_multiply(
    xp: ArrayModule, superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array
) -> Array:
    upper, middle, lower = (x[..., 0, :, None] for x in (superdiag, maindiag, subdiag))
    zeros = xp.zeros_like(rhs[..., :1, :])
    below = xp.concatenate([rhs[..., 1:, :], zeros], axis=-2)
    above = xp.concatenate([zeros, rhs[..., :-1, :]], axis=-2)
    return middle * rhs + upper * below + lower * above


def _dense(upper: Array, middle: Array, lower: Array) -> Array:
    matrix = np.zeros((*middle.shape, middle.shape[-1]), middle.dtype)
    for i in range(middle.shape[-1]):
        matrix[..., i, i] = middle[..., i]
        if i:
            matrix[..., i - 1, i] = upper[..., i - 1]
            matrix[..., i, i - 1] = lower[..., i]
    return matrix


def reference_solve(diagonals: Array, rhs: Array, *, partial_pivoting: bool) -> Array:
    matrix = _dense(*(diagonals[..., i, :] for i in range(3)))
    return np.linalg.solve(matrix, rhs)


def reference_multiply(superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array) -> Array:
    return _dense(superdiag[..., 0, :], maindiag[..., 0, :], subdiag[..., 0, :]) @ rhs


def shape_solve(c: shapes.ShapeContext) -> Shape:
    diagonals = c.with_rank_at_least("diagonals", 2)
    rhs = c.with_rank_at_least("rhs", 2)
    if diagonals is None or rhs is None:
        return rhs
    c.merge_dims(diagonals[-2], 3)
    size = c.merge_dims(diagonals[-1], rhs[-2])
    batch: Any = c.merge(diagonals[:-2], rhs[:-2])
    return (*batch, size, rhs[-1])


def shape_multiply(c: shapes.ShapeContext) -> Shape:
    return c.with_rank_at_least("rhs", 2)


_DIAGONALS = np.array([[1.0, 2.0, 0.5, 0.0], [4.0, 5.0, 3.0, 6.0], [0.0, 1.5, 1.0, -2.0]])
_RHS = np.array([[1.0, 2.0], [-3.0, 0.5], [0.25, 4.0], [1.5, -1.0]])


def samples_solve() -> Iterator[Sample]:
    yield Sample(_DIAGONALS, _RHS)
    yield Sample(_DIAGONALS.astype(np.float32), _RHS.astype(np.float32))


def samples_multiply() -> Iterator[Sample]:
    yield Sample(*(_DIAGONALS[i : i + 1] for i in range(3)), _RHS)


register_op(
    "TridiagonalSolve",
    inputs="diagonals: T, rhs: T",
    outputs="output: T",
    attrs=f"partial_pivoting: bool = true, {_TYPES}",
    shape=shape_solve,
    kernel=kernel_solve,
    gradient=VJP,
    reference=reference_solve,
    samples=samples_solve,
)
register_op(
    "TridiagonalMatMul",
    inputs="superdiag: T, maindiag: T, subdiag: T, rhs: T",
    outputs="output: T",
    attrs=_TYPES,
    shape=shape_multiply,
    kernel=kernel_multiply,
    gradient=VJP,
    reference=reference_multiply,
    samples=samples_multiply,
)


def _compact(diagonals: TensorLike, diagonals_format: str) -> Tensor:
    """The three diagonals, from the upper to the lower one, as rows.

    Raises:
        ValueError: if the format is unknown.
    """
    if diagonals_format == "compact":
        return convert_to_tensor(diagonals, name="diagonals")
    if diagonals_format == "sequence":
        parts = [convert_to_tensor(d, name="diagonals") for d in diagonals]
        return build.Pack(parts, axis=-2, name="stack")
    if diagonals_format == "matrix":
        matrix = convert_to_tensor(diagonals, name="diagonals")
        zero = np.zeros((), matrix.dtype.as_numpy_dtype)
        upper, middle, lower = (
            build.MatrixDiagPartV2(matrix, k, zero, name="diag_part") for k in (1, 0, -1)
        )
        end = [[0, 0]] * ((matrix._rank() or 2) - 2)
        upper = build.Pad(upper, [*end, [0, 1]])
        lower = build.Pad(lower, [*end, [1, 0]])
        return build.Pack([upper, middle, lower], axis=-2, name="stack")
    raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")


@export("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
) -> Tensor:
    """Solves systems of linear equations whose matrices have three diagonals.

    Args:
        diagonals: a tensor of shape [..., 3, n]: the upper diagonal (its last element does not
            count), the main one, and the lower one (its first element does not count).
        rhs: a tensor of shape [..., n] or [..., n, k].
        diagonals_format: "compact"; "sequence" for a list of three tensors; "matrix".
        transpose_rhs: whether `rhs` is given as [..., k, n].
        conjugate_rhs: whether `rhs` is conjugated.
        name: the name of the node.
        partial_pivoting: whether rows may be exchanged; they always are.

    Returns:
        A tensor of the shape of `rhs`.

    Raises:
        ValueError: if the format is unknown.
    """
    diagonals = _compact(diagonals, diagonals_format)
    rhs = convert_to_tensor(rhs, dtype=diagonals.dtype.base_dtype, name="rhs")
    if conjugate_rhs and rhs.dtype.is_complex:
        rhs = build.Conj(rhs)
    vector = rhs._rank() is not None and rhs._rank() == (diagonals._rank() or 2) - 1
    if vector:
        columns = build.ExpandDims(rhs, -1)
    elif transpose_rhs:
        rank = rhs._rank() or 2
        columns = build.Transpose(rhs, [*range(rank - 2), rank - 1, rank - 2], name="transpose")
    else:
        columns = rhs
    result = build.TridiagonalSolve(
        diagonals, columns, partial_pivoting=partial_pivoting, name=name
    )
    return build.Squeeze(result, squeeze_dims=[-1]) if vector else result


@export("linalg.tridiagonal_matmul")
def tridiagonal_matmul(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices that have three diagonals by matrices.

    Args:
        diagonals: a tensor of shape [..., 3, n]; see `tf.linalg.tridiagonal_solve`.
        rhs: a tensor of shape [..., n, k].
        diagonals_format: "compact"; "sequence" for a list of three tensors; "matrix".
        name: the name of the node.

    Returns:
        A tensor of shape [..., n, k].

    Raises:
        ValueError: if the format is unknown.
    """
    if diagonals_format == "sequence":
        parts = [convert_to_tensor(d, name="diagonals") for d in diagonals]
    else:
        compact = _compact(diagonals, diagonals_format)
        parts = [compact[..., i, :] for i in range(3)]
    rhs = convert_to_tensor(rhs, dtype=parts[0].dtype.base_dtype, name="rhs")
    return build.TridiagonalMatMul(*(build.ExpandDims(p, -2) for p in parts), rhs, name=name)
