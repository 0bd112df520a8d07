"""Helpers of linear operators: checks of values and shapes, solvers that broadcast batches."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import Operation, Tensor, build, convert_to_tensor, name_scope
from headwater.ops.array.broadcast_to import broadcast_to
from headwater.ops.array.concat import concat
from headwater.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, shape
from headwater.ops.control.value_checks import assert_equal, assert_less
from headwater.ops.linalg.cholesky import cholesky_solve
from headwater.ops.linalg.solve import adjoint_ as adjoint_of
from headwater.ops.linalg.solve import matrix_solve, matrix_triangular_solve

real_types = (dtypes.float16, dtypes.float32, dtypes.float64)
all_types = (*real_types, dtypes.complex64, dtypes.complex128)


def check_type(x: Tensor, name: str, allowed: tuple[Any, ...]) -> None:
    """Raises TypeError if an operator does not support the type of a tensor."""
    if x.dtype.base_dtype not in allowed:
        names = ", ".join(f"tf.{dtype.name}" for dtype in allowed)
        raise TypeError(f"Argument {name} must have dtype in [{names}].  Found: {x.dtype}")


def check_least_rank(x: Tensor, name: str, rank: int, noun: str = "dimensions") -> None:
    """Raises ValueError if a tensor is known to have too few dimensions."""
    known = x.get_shape().ndims
    if known is not None and known < rank:
        raise ValueError(f"Argument {name} must have at least {rank} {noun}.  Found: {x}")


def assert_no_entries_with_modulus_zero(
    x: TensorLike, message: str | None = None, name: str = "assert_no_entries_with_modulus_zero"
) -> Operation:
    """Returns an op that fails if an element is zero."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        zero = convert_to_tensor(0, dtype=x.dtype.real_dtype)
        return assert_less(
            zero, build.ComplexAbs(x) if x.dtype.is_complex else build.Abs(x), message=message
        )


def assert_zero_imag_part(
    x: TensorLike, message: str | None = None, name: str = "assert_zero_imag_part"
) -> Operation:
    """Returns an op that fails if an imaginary part is not zero; none if `x` is real."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_complex:
            return build.NoOp()
        zero = convert_to_tensor(0, dtype=x.dtype.real_dtype)
        return assert_equal(zero, build.Imag(x, Tout=x.dtype.real_dtype), message=message)


def assert_compatible_matrix_dimensions(operator: Any, x: Tensor) -> Operation:
    """Returns an op that fails if the columns of an operator are not as many as the rows of x."""
    return assert_equal(
        shape(x)[-2],
        operator.domain_dimension_tensor(),
        message="Dimensions are not compatible.  "
        "shape[-2] of argument to be the same as this operator",
    )


def assert_not_ref_type(x: TensorLike, arg_name: str) -> None:
    """Raises TypeError if a value is a reference variable."""
    if getattr(getattr(x, "dtype", None), "_is_ref_dtype", False):
        raise TypeError(f"Argument {arg_name} cannot be reference type. Found: {type(x)}")


def assert_is_batch_matrix(tensor: Tensor) -> None:
    """Raises ValueError if the static rank of a tensor is less than 2."""
    rank = tensor.get_shape().ndims
    if rank is not None and rank < 2:
        raise ValueError(
            f"Expected [batch] matrix to have at least two dimensions.  Found: {tensor}"
        )


def shape_tensor(shape: TensorLike, name: str | None = None) -> Tensor:
    """Returns a shape as a tensor; an empty one is of int32."""
    is_empty = isinstance(shape, tuple | list) and not shape
    return convert_to_tensor(shape, dtype=dtypes.int32 if is_empty else None, name=name)


def use_operator_or_provided_hint_unless_contradicting(
    operator: Any, hint_attr_name: str, provided_hint_value: bool | None, message: str
) -> bool | None:
    """Returns a hint of an operator, or else the given one.

    Raises:
        ValueError: if both are known and differ.
    """
    own = getattr(operator, hint_attr_name)
    if own is not None and provided_hint_value is not None and own is not provided_hint_value:
        raise ValueError(message)
    return own if own is not None else provided_hint_value


def broadcast_matrix_batch_dims(
    batch_matrices: Iterable[Any], name: str | None = None
) -> list[Tensor]:
    """Returns matrices repeated so that all have the same batch dimensions.

    Args:
        batch_matrices: tensors of shape [batch..., rows, columns].
        name: the name scope.

    Raises:
        ValueError: if a tensor is not a matrix or the batch dimensions do not fit.
    """
    with name_scope(name or "broadcast_matrix_batch_dims", values=batch_matrices):
        if not batch_matrices:
            return []
        matrices = [convert_to_tensor(matrix) for matrix in batch_matrices]
        for matrix in matrices:
            assert_is_batch_matrix(matrix)
        if len(matrices) == 1:
            return matrices
        known = [m.get_shape()[:-2] for m in matrices if m.get_shape().ndims is not None]
        common = functools.reduce(broadcast_static_shape, known) if known else None
        if len(known) == len(matrices) and common is not None and common.is_fully_defined():
            for i, matrix in enumerate(matrices):
                if matrix.get_shape()[:-2] != common:
                    sizes: ShapeLike = matrix.get_shape()[-2:]
                    if sizes.is_fully_defined():
                        sizes = [*common.as_list(), *sizes.as_list()]
                    else:
                        sizes = concat([common.as_list(), shape(matrix)[-2:]], axis=0)
                    matrices[i] = broadcast_to(matrix, sizes)
            return matrices
        batch = functools.reduce(broadcast_dynamic_shape, [shape(m)[:-2] for m in matrices])
        result = []
        for matrix in matrices:
            wide = broadcast_to(matrix, concat([batch, shape(matrix)[-2:]], axis=0))
            if len(known) == len(matrices) and common is not None:
                wide.set_shape(common.concatenate(matrix.get_shape()[-2:]))
            result.append(wide)
        return result


def cholesky_solve_with_broadcast(chol: Tensor, rhs: Tensor, name: str | None = None) -> Tensor:
    """Solves ``A X = rhs`` from the Cholesky root of A; the batches are broadcast."""
    with name_scope(name, "CholeskySolveWithBroadcast", [chol, rhs]):
        chol, rhs = broadcast_matrix_batch_dims([chol, rhs])
        return cholesky_solve(chol, rhs)


def matrix_solve_with_broadcast(
    matrix: Tensor, rhs: Tensor, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves ``A X = rhs``, or with the adjoint of A; the batches are broadcast."""
    with name_scope(name, "MatrixSolveWithBroadcast", [matrix, rhs]):
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return matrix_solve(matrix, rhs, adjoint=adjoint)


def matrix_triangular_solve_with_broadcast(
    matrix: Tensor, rhs: Tensor, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves ``A X = rhs`` for a triangular A; the batches are broadcast."""
    with name_scope(name, "MatrixTriangularSolve", [matrix, rhs]):
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


def adjoint_if(condition: bool, x: Tensor) -> Tensor:
    return adjoint_of(x) if condition else x


def sizes_of(operators: Iterable[Any], rows: bool) -> tuple[list[int | None], bool]:
    """The numbers of rows or columns of operators as far as they are known, and whether all are."""
    dims = [(op.range_dimension if rows else op.domain_dimension).value for op in operators]
    return dims, all(d is not None for d in dims)


def static_or(known: Any, otherwise: Any) -> Any:
    """A number of a static shape, or what `otherwise` makes."""
    return known if known is not None else otherwise()


def epsilon(dtype: DTypeLike) -> float:
    return float(np.finfo(dtype.as_numpy_dtype).eps)
