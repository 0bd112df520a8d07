"""Adjoints, inverses, Cholesky roots and products of linear operators, by class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.graph import Tensor, build
from headwater.model.linalg.algebra import (
    RegisterAdjoint,
    RegisterCholesky,
    RegisterInverse,
    RegisterMatmul,
    RegisterSolve,
)
from headwater.model.linalg.blocks import LinearOperatorBlockDiag, LinearOperatorKronecker
from headwater.model.linalg.circulant import LinearOperatorCirculant
from headwater.model.linalg.compositions import (
    LinearOperatorAdjoint,
    LinearOperatorComposition,
    LinearOperatorInversion,
)
from headwater.model.linalg.diag import LinearOperatorDiag
from headwater.model.linalg.householder import LinearOperatorHouseholder
from headwater.model.linalg.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from headwater.model.linalg.lower_triangular import LinearOperatorLowerTriangular
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.reshape import expand_dims
from headwater.ops.linalg.cholesky import cholesky
from headwater.ops.math.complex_numbers import conj

if TYPE_CHECKING:
    from headwater.model.linalg.full_matrix import LinearOperatorFullMatrix

DIAGONAL = (LinearOperatorDiag, LinearOperatorScaledIdentity)


def _hints(operator: LinearOperator, *names: str) -> dict[str, Any]:
    return {name: getattr(operator, name) for name in names}


_SAME = ("is_non_singular", "is_self_adjoint", "is_positive_definite")


# Every operator


@RegisterAdjoint(LinearOperator)
def _adjoint(operator: LinearOperator) -> LinearOperatorAdjoint:
    return LinearOperatorAdjoint(operator, is_non_singular=operator.is_non_singular)


@RegisterInverse(LinearOperator)
def _inverse(operator: LinearOperator) -> LinearOperatorInversion:
    return LinearOperatorInversion(operator, is_non_singular=operator.is_non_singular)


@RegisterCholesky(LinearOperator)
def _root(operator: LinearOperatorFullMatrix) -> LinearOperatorLowerTriangular:
    return LinearOperatorLowerTriangular(
        cholesky(operator.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
    )


def _both(a: LinearOperator, b: LinearOperator, name: str) -> bool | None:
    known = getattr(a, name), getattr(b, name)
    return True if all(known) else None


@RegisterMatmul(LinearOperator, LinearOperator)
def _product(a: LinearOperator, b: LinearOperator) -> LinearOperatorComposition:
    square = None
    if a.is_square is not None and b.is_square is not None:
        square = True if a.is_square and b.is_square else None
    non_singular = _both(a, b, "is_non_singular")
    if square and (a.is_non_singular is False or b.is_non_singular is False):
        non_singular = False
    return LinearOperatorComposition(
        operators=[a, b], is_non_singular=non_singular, is_square=square
    )


@RegisterSolve(LinearOperator, LinearOperator)
def _solution(a: LinearOperator, b: LinearOperator) -> LinearOperatorComposition:
    return LinearOperatorComposition(
        operators=[a.inverse(), b],
        is_non_singular=_both(a, b, "is_non_singular"),
        is_square=_both(a, b, "is_square"),
    )


# Adjoints


@RegisterAdjoint(LinearOperatorIdentity)
@RegisterAdjoint(LinearOperatorHouseholder)
@RegisterAdjoint(LinearOperatorZeros)
def _itself(operator: Any) -> Any:
    return operator


@RegisterAdjoint(LinearOperatorDiag)
def _adjoint_diag(operator: Any) -> Any:
    diag = operator.diag if not operator.dtype.is_complex else conj(operator.diag)
    return LinearOperatorDiag(diag=diag, is_square=True, **_hints(operator, *_SAME))


@RegisterAdjoint(LinearOperatorScaledIdentity)
def _adjoint_scaled(operator: Any) -> Any:
    multiplier = operator.multiplier
    return LinearOperatorScaledIdentity(
        num_rows=operator._num_rows,
        multiplier=conj(multiplier) if operator.dtype.is_complex else multiplier,
        is_square=True,
        **_hints(operator, *_SAME),
    )


@RegisterAdjoint(LinearOperatorCirculant)
def _adjoint_circulant(operator: Any) -> Any:
    spectrum = operator.spectrum
    return LinearOperatorCirculant(
        spectrum=conj(spectrum) if spectrum.dtype.is_complex else spectrum,
        input_output_dtype=operator.dtype,
        is_square=True,
        **_hints(operator, *_SAME),
    )


@RegisterAdjoint(LinearOperatorBlockDiag)
def _adjoint_blocks(operator: Any) -> Any:
    return LinearOperatorBlockDiag(
        operators=[o.adjoint() for o in operator.operators],
        is_square=True,
        **_hints(operator, *_SAME),
    )


@RegisterAdjoint(LinearOperatorKronecker)
def _adjoint_kronecker(operator: Any) -> Any:
    return LinearOperatorKronecker(
        operators=[o.adjoint() for o in operator.operators],
        is_square=operator.is_square,
        **_hints(operator, *_SAME),
    )


# Inverses


@RegisterInverse(LinearOperatorIdentity)
@RegisterInverse(LinearOperatorHouseholder)
def _own_inverse(operator: LinearOperator) -> LinearOperator:
    return operator


@RegisterInverse(LinearOperatorDiag)
def _inverse_diag(operator: LinearOperatorDiag) -> LinearOperatorDiag:
    return LinearOperatorDiag(1.0 / operator.diag, is_square=True, **_hints(operator, *_SAME))


@RegisterInverse(LinearOperatorScaledIdentity)
def _inverse_scaled(operator: LinearOperatorScaledIdentity) -> LinearOperatorScaledIdentity:
    return LinearOperatorScaledIdentity(
        num_rows=operator._num_rows,
        multiplier=1.0 / operator.multiplier,
        is_square=True,
        **_hints(operator, *_SAME),
    )


@RegisterInverse(LinearOperatorCirculant)
def _inverse_circulant(operator: LinearOperatorCirculant) -> LinearOperatorCirculant:
    return LinearOperatorCirculant(
        spectrum=1.0 / operator.spectrum,
        input_output_dtype=operator.dtype,
        is_square=True,
        **_hints(operator, *_SAME),
    )


@RegisterInverse(LinearOperatorBlockDiag)
def _inverse_blocks(operator: LinearOperatorBlockDiag) -> LinearOperatorBlockDiag:
    return LinearOperatorBlockDiag(
        operators=[o.inverse() for o in operator.operators],
        is_square=True,
        **_hints(operator, *_SAME),
    )


@RegisterInverse(LinearOperatorKronecker)
def _inverse_kronecker(operator: LinearOperatorKronecker) -> LinearOperatorKronecker:
    return LinearOperatorKronecker(
        operators=[o.inverse() for o in operator.operators],
        is_square=True,
        **_hints(operator, *_SAME),
    )


# Cholesky roots


@RegisterCholesky(LinearOperatorIdentity)
def _root_identity(operator: Any) -> Any:
    return LinearOperatorIdentity(
        num_rows=operator._num_rows,
        batch_shape=operator.batch_shape_tensor(),
        dtype=operator.dtype,
    )


@RegisterCholesky(LinearOperatorDiag)
def _root_diag(operator: LinearOperatorDiag) -> LinearOperatorDiag:
    return LinearOperatorDiag(
        build.Sqrt(operator.diag),
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
    )


@RegisterCholesky(LinearOperatorScaledIdentity)
def _root_scaled(operator: Any) -> Any:
    return LinearOperatorScaledIdentity(
        num_rows=operator._num_rows,
        multiplier=build.Sqrt(operator.multiplier),
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
    )


@RegisterCholesky(LinearOperatorBlockDiag)
def _root_blocks(operator: LinearOperatorBlockDiag) -> LinearOperatorBlockDiag:
    return LinearOperatorBlockDiag(
        operators=[o.cholesky() for o in operator.operators], is_non_singular=True, is_square=True
    )


@RegisterCholesky(LinearOperatorKronecker)
def _root_kronecker(operator: LinearOperatorKronecker) -> LinearOperatorKronecker:
    return LinearOperatorKronecker(
        operators=[o.cholesky() for o in operator.operators], is_non_singular=True, is_square=True
    )


# Products and systems


@RegisterMatmul(LinearOperatorIdentity, LinearOperator)
@RegisterSolve(LinearOperatorIdentity, LinearOperator)
def _right(identity: LinearOperatorIdentity, operator: LinearOperator) -> LinearOperator:
    return operator


@RegisterMatmul(LinearOperator, LinearOperatorIdentity)
def _left(operator: LinearOperator, identity: LinearOperatorIdentity) -> LinearOperator:
    return operator


@RegisterMatmul(LinearOperator, LinearOperatorZeros)
@RegisterMatmul(LinearOperatorIdentity, LinearOperatorZeros)
@RegisterMatmul(LinearOperatorDiag, LinearOperatorZeros)
def _zeros_right(operator: LinearOperator, zeros: LinearOperatorZeros) -> LinearOperatorZeros:
    return zeros


@RegisterMatmul(LinearOperatorZeros, LinearOperator)
@RegisterMatmul(LinearOperatorZeros, LinearOperatorIdentity)
@RegisterMatmul(LinearOperatorZeros, LinearOperatorZeros)
@RegisterMatmul(LinearOperatorZeros, LinearOperatorDiag)
def _zeros_left(zeros: LinearOperatorZeros, operator: LinearOperator) -> LinearOperatorZeros:
    return zeros


@RegisterMatmul(LinearOperatorIdentity, LinearOperatorIdentity)
@RegisterSolve(LinearOperatorIdentity, LinearOperatorIdentity)
def _identities(a: LinearOperatorIdentity, b: LinearOperatorIdentity) -> LinearOperatorIdentity:
    return a


def _numbers(operator: Any) -> Tensor:
    if isinstance(operator, LinearOperatorDiag):
        return operator.diag
    return expand_dims(operator.multiplier, -1)


def _diagonal(a: LinearOperator, b: LinearOperator, numbers: Tensor) -> LinearOperatorDiag:
    return LinearOperatorDiag(
        diag=numbers,
        is_non_singular=_both(a, b, "is_non_singular"),
        is_self_adjoint=_both(a, b, "is_self_adjoint"),
        is_positive_definite=_both(a, b, "is_positive_definite"),
        is_square=True,
    )


def _diagonal_product(a: LinearOperator, b: LinearOperator) -> LinearOperatorDiag:
    return _diagonal(a, b, _numbers(a) * _numbers(b))


def _diagonal_solution(a: LinearOperator, b: LinearOperator) -> LinearOperatorDiag:
    return _diagonal(a, b, _numbers(b) / _numbers(a))


for _left_class, _right_class in (
    (LinearOperatorDiag, LinearOperatorDiag),
    (LinearOperatorDiag, LinearOperatorScaledIdentity),
    (LinearOperatorScaledIdentity, LinearOperatorDiag),
):
    RegisterMatmul(_left_class, _right_class)(_diagonal_product)
    RegisterSolve(_left_class, _right_class)(_diagonal_solution)


def _triangle(
    a: LinearOperator, b: LinearOperator, values: Tensor
) -> LinearOperatorLowerTriangular:
    return LinearOperatorLowerTriangular(
        tril=values, is_non_singular=_both(a, b, "is_non_singular"), is_square=True
    )


@RegisterMatmul(LinearOperatorDiag, LinearOperatorLowerTriangular)
def _diag_times_triangle(
    a: LinearOperatorDiag, b: LinearOperatorLowerTriangular
) -> LinearOperatorLowerTriangular:
    return _triangle(a, b, a.matmul(b.to_dense()))


@RegisterSolve(LinearOperatorDiag, LinearOperatorLowerTriangular)
def _triangle_by_diag(
    a: LinearOperatorDiag, b: LinearOperatorLowerTriangular
) -> LinearOperatorLowerTriangular:
    return _triangle(a, b, a.solve(b.to_dense()))


@RegisterMatmul(LinearOperatorLowerTriangular, LinearOperatorDiag)
def _triangle_times_diag(
    a: LinearOperatorLowerTriangular, b: LinearOperatorDiag
) -> LinearOperatorLowerTriangular:
    return _triangle(a, b, a.to_dense() * expand_dims(b.diag, -2))


def _circulant(
    a: LinearOperatorCirculant, b: LinearOperatorCirculant, spectrum: Tensor
) -> LinearOperatorCirculant:
    return LinearOperatorCirculant(
        spectrum=spectrum,
        input_output_dtype=a.dtype,
        is_non_singular=_both(a, b, "is_non_singular"),
        is_self_adjoint=_both(a, b, "is_self_adjoint"),
        is_positive_definite=_both(a, b, "is_positive_definite"),
        is_square=True,
    )


@RegisterMatmul(LinearOperatorCirculant, LinearOperatorCirculant)
def _circulant_product(
    a: LinearOperatorCirculant, b: LinearOperatorCirculant
) -> LinearOperatorCirculant:
    return _circulant(a, b, a.spectrum * b.spectrum)


@RegisterSolve(LinearOperatorCirculant, LinearOperatorCirculant)
def _circulant_solution(
    a: LinearOperatorCirculant, b: LinearOperatorCirculant
) -> LinearOperatorCirculant:
    return _circulant(a, b, b.spectrum / a.spectrum)
