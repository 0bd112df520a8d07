"""A linear operator that wraps a matrix."""

from __future__ import annotations

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor, export, name_scope
from headwater.model.linalg import support
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.math.matmul import matmul


@export(
    "linalg.LinearOperatorFullMatrix",
    "contrib.linalg.LinearOperatorFullMatrix",
    "contrib.linalg.LinearOperatorMatrix",
)
class LinearOperatorFullMatrix(LinearOperator):
    """The operator of a matrix that is given as a tensor."""

    def __init__(
        self,
        matrix: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        """Makes the operator.

        Args:
            matrix: a floating-point or complex tensor of shape [batch..., rows, columns].
            is_non_singular: as for every operator.
            is_self_adjoint: as for every operator.
            is_positive_definite: as for every operator.
            is_square: as for every operator.
            name: the name of the operator.

        Raises:
            TypeError: if the type is not allowed.
            ValueError: if the rank is too small.
        """
        with name_scope(name, values=[matrix]):
            self._matrix = convert_to_tensor(matrix, name="matrix")
            support.check_type(self._matrix, "matrix", support.all_types)
            support.check_least_rank(self._matrix, "matrix", 2)
        super().__init__(
            dtype=self._matrix.dtype,
            graph_parents=[self._matrix],
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
        )

    def _shape(self) -> TensorShape:
        return self._matrix.get_shape()

    def _shape_tensor(self) -> Tensor:
        return shape_of(self._matrix)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Tensor:
        return self._matrix
