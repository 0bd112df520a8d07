"""Node compositions shared by the linear algebra files: products, adjoints, identities."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.dtypes import DType
from headwater.base.typing import Array, NestedTensors, Shape, TensorLike
from headwater.graph import (
    ShapeContext,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    filled,
    name_scope,
    rank_tensor,
    zeros_of,
)


def invalid(text: str, hint: str | None = None) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text, hint=hint)


def square_shape(c: ShapeContext, name: str = "input") -> Shape:
    """The shape of an input that is a matrix or batch of matrices with as many rows as columns."""
    shape = c.with_rank_at_least(name, 2)
    if shape is None:
        return None
    size = c.merge_dims(shape[-2], shape[-1])
    return (*shape[:-2], size, size)


def check_square(x: Array) -> None:
    """Raises TensorFlow's error if an array is not a batch of square matrices."""
    if x.ndim < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got {x.ndim}")
    if x.shape[-1] != x.shape[-2]:
        raise invalid("Input matrix must be square.")


def wide(x: Array) -> Array:
    """Half precision as float32, in which LAPACK can compute."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def finite_matrices(xp: Any, x: Array) -> tuple[Any, Any]:
    """Matrices for algorithms that may not terminate on infinities or NaN.

    Args:
        xp: the array module of the kernel.
        x: an array of shape [..., m, n].

    Returns:
        The array with zeros for matrices that are not finite, and which ones are, in the shape
        [..., 1, 1].
    """
    finite = xp.all(xp.isfinite(x), axis=(-2, -1), keepdims=True)
    if xp is np and finite.all():
        return x, finite
    return xp.where(finite, x, x.dtype.type(0)), finite


def matmul(
    a: Tensor,
    b: Tensor,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Tensor:
    """The product of matrices or batches of them, as `tf.matmul` makes it."""
    with name_scope(None, "MatMul", [a, b]) as scope:
        # A gradient may be slices.
        a, b = convert_to_tensor(a), convert_to_tensor(b)
        rank_a, rank_b = a._rank(), b._rank()
        if rank_a is None or rank_a > 2 or rank_b is None or rank_b > 2:
            return build.BatchMatMulV2(a, b, adj_x=adjoint_a, adj_y=adjoint_b, name=scope)
        if adjoint_a and a.dtype.is_complex:
            a = build.Conj(a)
        if adjoint_b and b.dtype.is_complex:
            b = build.Conj(b)
        return build.MatMul(a, b, transpose_a=adjoint_a, transpose_b=adjoint_b, name=scope)


def transposed(x: Tensor, conjugate: bool = False) -> Tensor:
    """Matrices with rows and columns exchanged, as `tf.matrix_transpose` makes them."""
    with name_scope(None, "matrix_transpose", [x]):
        x = convert_to_tensor(x)
        rank = x._rank()
        if rank is not None:
            order: list[int] = [*range(rank - 2), rank - 1, rank - 2]
        else:
            whole = rank_tensor(x)
            leading = build.Range(0, whole - 2, 1, name="Range")
            order = build.ConcatV2([leading, [whole - 1, whole - 2]], 0, name="concat")
        make = build.ConjugateTranspose if conjugate else build.Transpose
        return make(x, order, name="transpose")


def adjoint(x: Tensor) -> Tensor:
    """Conjugate transposes, as `tf.linalg.adjoint` makes them."""
    with name_scope(None, "adjoint", [x]):
        return transposed(x, conjugate=x.dtype.is_complex)


def diagonal_matrix(x: Tensor) -> Tensor:
    return build.MatrixDiag(x, name="diag")


def diagonal(x: Tensor) -> Tensor:
    return build.MatrixDiagPart(x, name="diag_part")


def with_diagonal(x: Tensor, values: Tensor) -> Tensor:
    return build.MatrixSetDiag(x, values, name="set_diag")


def lower_triangle(x: Tensor) -> Tensor:
    return build.MatrixBandPart(x, -1, 0)


def upper_triangle(x: Tensor) -> Tensor:
    return build.MatrixBandPart(x, 0, -1)


def identity_matrix(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    batch_shape: TensorLike | None = None,
    dtype: DType = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Identity matrices; see `tf.eye`."""
    with name_scope(name, "eye", [num_rows, num_columns, batch_shape]):
        for number in (num_rows, num_columns):
            if isinstance(number, (list, tuple, str, bytes, float)):
                raise TypeError("num_rows and num_columns must be positive integer values.")
        square = num_columns is None
        batch = [] if batch_shape is None else batch_shape
        columns = num_rows if square else num_columns
        sizes: NestedTensors = [num_rows, columns]
        known = not isinstance(num_rows, Tensor) and not isinstance(columns, Tensor)
        square = square or (known and num_rows == columns)
        size = min(num_rows, columns) if known else build.Minimum(num_rows, columns)
        shape: Any
        known_batch = not isinstance(batch, Tensor) and not any(
            isinstance(d, Tensor) for d in batch
        )
        if known and known_batch:
            diagonal_shape: list[int] = [*(int(d) for d in batch), size]
            shape = [*(int(d) for d in batch), *sizes]
        else:
            batch = convert_to_tensor(batch, name="shape", dtype=dtypes.int32)
            diagonal_shape = build.ConcatV2([batch, [size]], 0, name="concat")
            shape = None if square else build.ConcatV2([batch, sizes], 0, name="concat")
        ones = _repeated(1, diagonal_shape, dtype)
        if square:
            return diagonal_matrix(ones)
        return with_diagonal(_repeated(0, shape, dtype), ones)


def _repeated(value: int, shape: TensorLike, dtype: DType) -> Tensor:
    if isinstance(shape, Tensor):
        if not value:
            return zeros_of(shape, dtype)
        with name_scope(None, "ones", [shape]) as scope:
            return build.Fill(shape, constant_node(value, dtype), name=scope)
    with name_scope(None, "ones" if value else "zeros") as scope:
        return filled(tuple(shape), dtype, value, scope)
