"""Linear operators of reflections and of Toeplitz matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import errors
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.linalg import support
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, zeros
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.reverse import reverse
from headwater.ops.array.shape import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
)
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.math.cast import cast
from headwater.ops.math.complex_numbers import conj
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum


@export("linalg.LinearOperatorHouseholder")
class LinearOperatorHouseholder(LinearOperator):
    """The operator of the reflection across the hyperplane orthogonal to a vector."""

    def __init__(
        self,
        reflection_axis: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        """Makes the operator.

        Args:
            reflection_axis: the vectors, a tensor of shape [batch..., n].
            is_non_singular: as for every operator.
            is_self_adjoint: None or True.
            is_positive_definite: None or False.
            is_square: None or True.
            name: the name of the operator.

        Raises:
            ValueError: if a hint is wrong or the rank is too small.
        """
        with name_scope(name, values=[reflection_axis]):
            self._reflection_axis = convert_to_tensor(reflection_axis, name="reflection_axis")
            support.check_least_rank(self._reflection_axis, "reflection_axis", 1, "dimension")
            if is_self_adjoint is False:
                raise ValueError("A Householder operator is always self adjoint.")
            if is_positive_definite:
                raise ValueError("A Householder operator is always non-positive definite.")
            if is_square is False:
                raise ValueError("A Householder operator is always square.")
        super().__init__(
            dtype=self._reflection_axis.dtype,
            graph_parents=[self._reflection_axis],
            is_non_singular=is_non_singular,
            is_self_adjoint=True,
            is_positive_definite=False,
            is_square=True,
            name=name,
        )

    @property
    def reflection_axis(self) -> Tensor:
        """The vectors."""
        return self._reflection_axis

    def _shape(self) -> TensorShape:
        shape = self._reflection_axis.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Tensor:
        shape = shape_of(self._reflection_axis)
        return concat((shape, [shape[-1]]), axis=0)

    def _unit_axis(self) -> Tensor:
        axis = self._reflection_axis
        squares = reduce_sum(axis * conj(axis), axis=[-1], keepdims=True)
        return axis * build.Rsqrt(squares)

    def _assert_non_singular(self) -> Tensor:
        return build.NoOp(name="assert_non_singular")

    def _assert_positive_definite(self) -> Tensor:
        raise errors.InvalidArgumentError(
            None, None, "Householder operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> Tensor:
        return build.NoOp(name="assert_self_adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        axis = expand_dims(self._unit_axis(), -1)
        x = support.adjoint_if(adjoint_arg, x)
        return x - 2 * axis * matmul(axis, x, adjoint_a=True)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _batch_of(self, make: Callable[..., Any]) -> Tensor:
        known = self.batch_shape
        sizes: TensorLike = (
            known.as_list() if known.is_fully_defined() else self.batch_shape_tensor()
        )
        return make(sizes, dtype=self.dtype)

    def _trace(self) -> Tensor:
        return cast(self.domain_dimension_tensor() - 2, self.dtype) * self._batch_of(ones)

    def _determinant(self) -> Tensor:
        return -self._batch_of(ones)

    def _log_abs_determinant(self) -> Tensor:
        return self._batch_of(zeros)

    def _diag_part(self) -> Tensor:
        axis = self._unit_axis()
        return 1.0 - 2 * axis * conj(axis)

    def _to_dense(self) -> Tensor:
        axis = expand_dims(self._unit_axis(), -1)
        dense = -2 * matmul(axis, axis, adjoint_b=True)
        diagonal = build.MatrixDiagPart(dense)
        return build.MatrixSetDiag(dense, 1 + diagonal)


@export("linalg.LinearOperatorToeplitz")
class LinearOperatorToeplitz(LinearOperator):
    """The operator of matrices that are constant along each diagonal."""

    def __init__(
        self,
        col: TensorLike,
        row: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        """Makes the operator.

        Args:
            col: the first column, a tensor of shape [batch..., n].
            row: the first row, a tensor of shape [batch..., n].
            is_non_singular: as for every operator.
            is_self_adjoint: as for every operator.
            is_positive_definite: as for every operator.
            is_square: None or True.
            name: the name of the operator.

        Raises:
            ValueError: if `is_square` is False or the shapes do not fit.
        """
        with name_scope(name, values=[row, col]):
            self._row = convert_to_tensor(row, name="row")
            self._col = convert_to_tensor(col, name="col")
            for value, what in ((self._col, "col"), (self._row, "row")):
                support.check_least_rank(value, what, 1, "dimension")
            sizes = [
                v.get_shape()[-1:].as_list()
                for v in (self._row, self._col)
                if v.get_shape().ndims is not None
            ]
            if len(sizes) == 2 and None not in (*sizes[0], *sizes[1]) and sizes[0] != sizes[1]:
                raise ValueError(
                    "Expected square matrix, got row and col with mismatched dimensions."
                )
            if is_square is False:
                raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            dtype=self._row.dtype,
            graph_parents=[self._row, self._col],
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
        )

    @property
    def col(self) -> Tensor:
        """The first column."""
        return self._col

    @property
    def row(self) -> Tensor:
        """The first row."""
        return self._row

    def _shape(self) -> TensorShape:
        shape = broadcast_static_shape(self._row.get_shape(), self._col.get_shape())
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Tensor:
        shape = broadcast_dynamic_shape(shape_of(self._row), shape_of(self._col))
        return concat((shape, [shape[-1]]), axis=0)

    def _assert_self_adjoint(self) -> Any:
        return assert_equal(
            self.row,
            self.col,
            message="row and col are not the same, and so this operator is not self-adjoint.",
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self.to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _first_of_diagonals(self) -> Tensor:
        return self._col[..., :1]

    def _trace(self) -> Tensor:
        return reduce_sum(self.diag_part(), axis=-1)

    def _diag_part(self) -> Tensor:
        sizes = self.shape
        if sizes.is_fully_defined():
            wanted: Array = sizes.as_list()[:-1]
        else:
            wanted = self.shape_tensor()[:-1]
        return self._first_of_diagonals() * ones(wanted, dtype=self.dtype)

    def _to_dense(self) -> Tensor:
        sizes = broadcast_dynamic_shape(shape_of(self._row), shape_of(self._col))
        row = build.BroadcastTo(self._row, sizes)
        col = build.BroadcastTo(self._col, sizes)
        # All diagonals from the lowest to the highest; row i of the matrix begins n - 1 - i later.
        diagonals = concat([reverse(col[..., 1:], axis=[-1]), row], axis=-1)
        n = sizes[-1]
        steps = build.Range(0, n, 1)
        indices = (n - 1) - expand_dims(steps, -1) + expand_dims(steps, 0)
        result = build.GatherV2(diagonals, indices, -1)
        result.set_shape(self.shape)
        return result
