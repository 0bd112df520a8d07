"""A linear operator plus a matrix of low rank."""

from __future__ import annotations

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.linalg import support
from headwater.model.linalg.diag import LinearOperatorDiag
from headwater.model.linalg.identity import LinearOperatorIdentity
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.concat import concat
from headwater.ops.array.shape import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
)
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.linalg.cholesky import cholesky
from headwater.ops.linalg.diagonal import matrix_diag_part
from headwater.ops.linalg.solve import matrix_determinant, slogdet
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum


@export("linalg.LinearOperatorLowRankUpdate", "contrib.linalg.LinearOperatorLowRankUpdate")
class LinearOperatorLowRankUpdate(LinearOperator):
    """The operator ``L + U D V^H`` with few columns in U and V."""

    def __init__(
        self,
        base_operator: LinearOperator,
        u: TensorLike,
        diag_update: TensorLike | None = None,
        v: TensorLike | None = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        """Makes the operator.

        Args:
            base_operator: L, of shape [batch..., rows, columns].
            u: U, a tensor of shape [batch..., rows, k].
            diag_update: the diagonal of D, shape [batch..., k]; None is the identity.
            v: V, a tensor of shape [batch..., columns, k]; None is U.
            is_diag_update_positive: whether the diagonal of D is positive.
            is_non_singular: as for every operator.
            is_self_adjoint: as for every operator.
            is_positive_definite: as for every operator.
            is_square: as for every operator.
            name: the name of the operator.

        Raises:
            ValueError: if the shapes do not fit or a hint is wrong.
        """
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Default diagonal is the identity, which is positive.  However, user set "
                    "'is_diag_update_positive' to False."
                )
            is_diag_update_positive = True
        self._use_cholesky = bool(
            base_operator.is_positive_definite
            and base_operator.is_self_adjoint
            and is_diag_update_positive
            and v is None
        )
        if base_operator.is_self_adjoint and v is None:
            complex_update = diag_update is not None and base_operator.dtype.is_complex
            if is_self_adjoint is False and not complex_update:
                raise ValueError("Arguments imply this is self-adjoint operator.")
            is_self_adjoint = is_self_adjoint if complex_update else True
        if self._use_cholesky:
            if is_positive_definite is False or is_self_adjoint is False:
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = True
            is_self_adjoint = True
        values = [*base_operator.graph_parents, u, diag_update, v]
        with name_scope(name, values=[value for value in values if value is not None]):
            self._u = convert_to_tensor(u, name="u")
            self._v = self._u if v is None else convert_to_tensor(v, name="v")
            self._diag_update = None
            if diag_update is not None:
                self._diag_update = convert_to_tensor(diag_update, name="diag_update")
            self._base_operator = base_operator
            parents = [*base_operator.graph_parents, self._u, self._v, self._diag_update]
            super().__init__(
                dtype=base_operator.dtype,
                graph_parents=[parent for parent in parents if parent is not None],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )
            self._is_diag_update_positive = is_diag_update_positive
            self._set_diag_operators(self._diag_update, is_diag_update_positive)
            self._check_shapes()

    def _set_diag_operators(self, diag_update: Tensor | None, positive: bool | None) -> None:
        self._diag_operator: LinearOperator
        if diag_update is not None:
            self._diag_operator = LinearOperatorDiag(diag_update, is_positive_definite=positive)
            return
        known = self._u.get_shape()[-1:].as_list() if self._u.get_shape().ndims else [None]
        rank = shape_of(self._u)[-1] if known[0] is None else known[0]
        self._diag_operator = LinearOperatorIdentity(num_rows=rank, dtype=self.dtype)

    def _check_shapes(self) -> None:
        shape = self.base_operator.shape
        u, v = self._u.get_shape(), self._v.get_shape()
        if shape.ndims is not None and u.ndims is not None and v.ndims is not None:
            shape[-2].assert_is_compatible_with(u[-2])
            shape[-1].assert_is_compatible_with(v[-2])
        if self._diag_update is not None and u.ndims is not None and v.ndims is not None:
            u[-1].assert_is_compatible_with(v[-1])
            if self._diag_update.get_shape().ndims is not None:
                u[-1].assert_is_compatible_with(self._diag_update.get_shape()[-1])

    @property
    def base_operator(self) -> LinearOperator:
        """L."""
        return self._base_operator

    @property
    def u(self) -> Tensor:
        """U."""
        return self._u

    @property
    def v(self) -> Tensor:
        """V."""
        return self._v

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether the diagonal of D is positive."""
        return self._is_diag_update_positive

    @property
    def diag_update(self) -> Tensor | None:
        """The diagonal of D, or None."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """D."""
        return self._diag_operator

    def _shape(self) -> TensorShape:
        batch = broadcast_static_shape(self.base_operator.batch_shape, self._u.get_shape()[:-2])
        return batch.concatenate(self.base_operator.shape[-2:])

    def _shape_tensor(self) -> Tensor:
        batch = broadcast_dynamic_shape(
            self.base_operator.batch_shape_tensor(), shape_of(self._u)[:-2]
        )
        return concat([batch, self.base_operator.shape_tensor()[-2:]], axis=0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        product = matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        product = self._diag_operator.matmul(product, adjoint=adjoint)
        base = self.base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        return matmul(left, product) + base

    def _make_capacitance(self) -> Tensor:
        """The matrix ``D^-1 + V^H L^-1 U`` of the Woodbury formula."""
        solved = self.base_operator.solve(self._u)
        return self._diag_operator.inverse().add_to_tensor(matmul(self._v, solved, adjoint_a=True))

    def _determinant(self) -> Tensor:
        base = self.base_operator.determinant()
        diag = self._diag_operator.determinant()
        if self._use_cholesky:
            root = matrix_diag_part(cholesky(self._make_capacitance()))
            return build.Exp(2 * reduce_sum(build.Log(root), axis=[-1])) * diag * base
        return matrix_determinant(self._make_capacitance()) * diag * base

    def _log_abs_determinant(self) -> Tensor:
        base = self.base_operator.log_abs_determinant()
        base += self._diag_operator.log_abs_determinant()
        if self._use_cholesky:
            root = matrix_diag_part(cholesky(self._make_capacitance()))
            return base + 2 * reduce_sum(build.Log(root), axis=[-1])
        return slogdet(self._make_capacitance())[1] + base

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        left, right = (self._u, self._v) if adjoint else (self._v, self._u)
        solved = self.base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(left, solved, adjoint_a=True)
        if self._use_cholesky:
            root = cholesky(self._make_capacitance())
            inner = support.cholesky_solve_with_broadcast(root, inner)
        else:
            inner = support.matrix_solve_with_broadcast(
                self._make_capacitance(), inner, adjoint=adjoint
            )
        return solved - self.base_operator.solve(matmul(right, inner), adjoint=adjoint)
