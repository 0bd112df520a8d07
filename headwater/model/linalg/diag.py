"""A linear operator of a diagonal matrix."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.linalg import support
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.linalg.diagonal import matrix_diag, matrix_diag_part, matrix_set_diag
from headwater.ops.math.complex_numbers import conj, real
from headwater.ops.math.reduce_functions import reduce_prod, reduce_sum
from headwater.ops.math.sign import absolute


@export("linalg.LinearOperatorDiag", "contrib.linalg.LinearOperatorDiag")
class LinearOperatorDiag(LinearOperator):
    """The operator of a diagonal matrix."""

    def __init__(
        self,
        diag: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        """Makes the operator.

        Args:
            diag: the diagonal, a tensor of shape [batch..., n].
            is_non_singular: as for every operator.
            is_self_adjoint: as for every operator; a real diagonal is always self-adjoint.
            is_positive_definite: as for every operator.
            is_square: None or True.
            name: the name of the operator.

        Raises:
            ValueError: if a hint is wrong or the rank is too small.
        """
        with name_scope(name, values=[diag]):
            self._diag = convert_to_tensor(diag, name="diag")
            support.check_least_rank(self._diag, "diag", 1, "dimension")
            if not self._diag.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real diagonal operator is always self adjoint.")
                is_self_adjoint = True
            if is_square is False:
                raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            dtype=self._diag.dtype,
            graph_parents=[self._diag],
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
        )

    @property
    def diag(self) -> Tensor:
        """The diagonal."""
        return self._diag

    def _shape(self) -> TensorShape:
        shape = self._diag.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Tensor:
        shape = shape_of(self._diag)
        return concat((shape, [shape[-1]]), axis=0)

    def _assert_non_singular(self) -> Any:
        return support.assert_no_entries_with_modulus_zero(
            self._diag, message="Singular operator:  Diagonal contained zero values."
        )

    def _assert_positive_definite(self) -> Any:
        kind = "Complex" if self.dtype.is_complex else "Real"
        part = (
            "entries with non-positive real part"
            if self.dtype.is_complex
            else ("non-positive diagonal entries")
        )
        where = "diagonal " if self.dtype.is_complex else ""
        return assert_positive(
            real(self._diag),
            message=f"{kind} diagonal operator had {where}{part}, thus was not positive definite.",
        )

    def _assert_self_adjoint(self) -> Any:
        return support.assert_zero_imag_part(
            self._diag,
            message="This diagonal operator contained non-zero imaginary values.  "
            " Thus it was not self-adjoint.",
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        diag = conj(self._diag) if adjoint else self._diag
        return expand_dims(diag, -1) * support.adjoint_if(adjoint_arg, x)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return (conj(self._diag) if adjoint else self._diag) * x

    def _determinant(self) -> Tensor:
        return reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Tensor:
        result = reduce_sum(build.Log(absolute(self._diag)), axis=[-1])
        return build.Cast(result, DstT=self.dtype) if self.dtype.is_complex else result

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        diag = conj(self._diag) if adjoint else self._diag
        return support.adjoint_if(adjoint_arg, rhs) * expand_dims(1.0 / diag, -1)

    def _to_dense(self) -> Tensor:
        return matrix_diag(self._diag)

    def _diag_part(self) -> Tensor:
        return self._diag

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return matrix_set_diag(x, self._diag + matrix_diag_part(x))
