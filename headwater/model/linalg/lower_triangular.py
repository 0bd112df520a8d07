"""A linear operator of the lower triangle of a matrix."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.linalg import support
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.linalg.band_part import matrix_band_part
from headwater.ops.linalg.diagonal import matrix_diag_part
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_prod, reduce_sum
from headwater.ops.math.sign import absolute


@export(
    "linalg.LinearOperatorLowerTriangular",
    "contrib.linalg.LinearOperatorLowerTriangular",
    "contrib.linalg.LinearOperatorTriL",
)
class LinearOperatorLowerTriangular(LinearOperator):
    """The operator of the lower triangle of a square matrix; elements above it are ignored."""

    def __init__(
        self,
        tril: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        """Makes the operator.

        Args:
            tril: a tensor of shape [batch..., n, n].
            is_non_singular: as for every operator; follows from a diagonal without zeros.
            is_self_adjoint: as for every operator.
            is_positive_definite: as for every operator.
            is_square: None or True.
            name: the name of the operator.

        Raises:
            ValueError: if `is_square` is False or the rank is too small.
        """
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        with name_scope(name, values=[tril]):
            self._tril = convert_to_tensor(tril, name="tril")
            support.check_least_rank(self._tril, "tril", 2)
        super().__init__(
            dtype=self._tril.dtype,
            graph_parents=[self._tril],
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
        )

    def _get_tril(self) -> Tensor:
        return matrix_band_part(self._tril, -1, 0)

    def _get_diag(self) -> Tensor:
        return matrix_diag_part(self._tril)

    def _shape(self) -> TensorShape:
        return self._tril.get_shape()

    def _shape_tensor(self) -> Tensor:
        return shape_of(self._tril)

    def _assert_non_singular(self) -> Any:
        return support.assert_no_entries_with_modulus_zero(
            self._get_diag(), message="Singular operator:  Diagonal contained zero values."
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._get_tril(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _determinant(self) -> Tensor:
        return reduce_prod(self._get_diag(), axis=[-1])

    def _log_abs_determinant(self) -> Tensor:
        return reduce_sum(build.Log(absolute(self._get_diag())), axis=[-1])

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = support.adjoint_if(adjoint_arg, rhs)
        return support.matrix_triangular_solve_with_broadcast(
            self._get_tril(), rhs, lower=True, adjoint=adjoint
        )

    def _to_dense(self) -> Tensor:
        return self._get_tril()
