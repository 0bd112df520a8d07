"""Linear operators of block diagonal matrices and Kronecker products."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, export, group, name_scope
from headwater.model.linalg import support
from headwater.model.linalg.compositions import (
    _parents,
    check_same_types,
    dynamic_batch,
    static_batch,
)
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import broadcast_static_shape
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.split import split
from headwater.ops.linalg.compositions import transposed
from headwater.ops.math.cast import cast
from headwater.ops.math.powers import power


class _OfOperators(LinearOperator):
    """An operator made of a list of operators."""

    _joint = ""
    _none_text = ""
    _noun = ""

    def __init__(
        self,
        operators: list[LinearOperator],
        is_non_singular: bool | None,
        is_self_adjoint: bool | None,
        is_positive_definite: bool | None,
        is_square: bool | None,
        name: str | None,
    ) -> None:
        self._operators = list(operators)
        if not self._operators:
            raise ValueError(f"{self._none_text} Found: {operators}")
        dtype = check_same_types(self._operators)
        parts = {
            "non-singular": ("is_non_singular", is_non_singular),
            "self-adjoint": ("is_self_adjoint", is_self_adjoint),
            "positive definite": ("is_positive_definite", is_positive_definite),
            "square": ("is_square", is_square),
        }
        hints = {}
        for what, (attribute, given) in parts.items():
            if all(getattr(operator, attribute) for operator in self._operators):
                if given is False:
                    raise ValueError(f"The {self._noun} of {what} operators is always {what}.")
                given = True
            hints[attribute] = given
        name = name or self._joint.join(operator.name for operator in self._operators)
        parents = _parents(self._operators)
        with name_scope(name, values=parents):
            super().__init__(dtype=dtype, graph_parents=parents, name=name, **hints)

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators that this one consists of."""
        return self._operators

    def _assert_each(self, check: str, name: str) -> Any:
        return group(*[getattr(operator, check)() for operator in self.operators], name=name)

    def _assert_non_singular(self) -> Any:
        return self._assert_each("assert_non_singular", "assert_non_singular")

    def _assert_self_adjoint(self) -> Any:
        return self._assert_each("assert_self_adjoint", "assert_self_adjoint")


@export("linalg.LinearOperatorBlockDiag", "contrib.linalg.LinearOperatorBlockDiag")
class LinearOperatorBlockDiag(_OfOperators):
    """The operator of a block diagonal matrix."""

    _joint = "_ds_"
    _none_text = "Expected a non-empty list of operators."
    _noun = "direct sum"

    def __init__(
        self,
        operators: list[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        """Makes the operator.

        Args:
            operators: the blocks, square operators.
            is_non_singular: as for every operator; True if all blocks are.
            is_self_adjoint: as for every operator; True if all blocks are.
            is_positive_definite: as for every operator; True if all blocks are.
            is_square: True.
            name: the name of the operator; the names of the blocks joined by ``_ds_``.

        Raises:
            TypeError: if the blocks have different types.
            ValueError: if there is none, a block is not square or a hint is wrong.
        """
        operators = list(operators)
        if not is_square or any(operator.is_square is False for operator in operators):
            raise ValueError("Can only represent a block diagonal of square matrices.")
        super().__init__(
            operators, is_non_singular, is_self_adjoint, is_positive_definite, True, name
        )

    def _shape(self) -> TensorShape:
        rows, rows_known = support.sizes_of(self.operators, rows=True)
        columns, columns_known = support.sizes_of(self.operators, rows=False)
        matrix = [
            sum(rows) if rows_known else None,  # type: ignore[arg-type]
            sum(columns) if columns_known else None,  # type: ignore[arg-type]
        ]
        return static_batch(self.operators).concatenate(matrix)

    def _shape_tensor(self) -> Tensor:
        if self.shape.is_fully_defined():
            return support.shape_tensor(self.shape.as_list(), name="shape")
        rows = build.AddN([op.range_dimension_tensor() for op in self.operators])
        columns = build.AddN([op.domain_dimension_tensor() for op in self.operators])
        return concat((dynamic_batch(self.operators), [rows, columns]), 0)

    def _assert_positive_definite(self) -> Any:
        return self._assert_each("assert_positive_definite", "assert_positive_definite")

    def _split_input_into_blocks(self, x: Tensor, axis: int = -1) -> list[Tensor]:
        sizes, known = support.sizes_of(self.operators, rows=False)
        if known:
            return split(x, sizes, axis=axis)
        return split(x, [op.domain_dimension_tensor() for op in self.operators], axis=axis)

    def _each(self, method: str, x: Tensor, adjoint: bool, adjoint_arg: bool) -> Tensor:
        blocks = self._split_input_into_blocks(x, axis=-1 if adjoint_arg else -2)
        results = [
            getattr(operator, method)(block, adjoint=adjoint, adjoint_arg=adjoint_arg)
            for operator, block in zip(self.operators, blocks)
        ]
        return concat(support.broadcast_matrix_batch_dims(results), axis=-2)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._each("matmul", x, adjoint, adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._each("solve", rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Tensor:
        result = self.operators[0].determinant()
        for operator in self.operators[1:]:
            result *= operator.determinant()
        return result

    def _log_abs_determinant(self) -> Tensor:
        result = self.operators[0].log_abs_determinant()
        for operator in self.operators[1:]:
            result += operator.log_abs_determinant()
        return result

    def _diag_part(self) -> Tensor:
        columns = [expand_dims(operator.diag_part(), -1) for operator in self.operators]
        joined = concat(support.broadcast_matrix_batch_dims(columns), axis=-2)
        return build.Squeeze(joined, squeeze_dims=[-1])

    def _trace(self) -> Tensor:
        result = self.operators[0].trace()
        for operator in self.operators[1:]:
            result += operator.trace()
        return result

    def _to_dense(self) -> Tensor:
        blocks = support.broadcast_matrix_batch_dims([op.to_dense() for op in self.operators])
        total = self.domain_dimension.value
        width: TensorLike = self.domain_dimension_tensor() if total is None else total
        before: TensorLike = 0
        rows = []
        for operator, block in zip(self.operators, blocks):
            sizes = shape_of(block)[:-1]
            known = operator.domain_dimension.value
            columns = operator.domain_dimension_tensor() if known is None else known
            left = zeros(concat([sizes, [before]], axis=-1), dtype=block.dtype)
            before = before + columns
            right = zeros(concat([sizes, [width - before]], axis=-1), dtype=block.dtype)
            rows.append(concat([left, block, right], axis=-1))
        result = concat(rows, axis=-2)
        result.set_shape(self.shape)
        return result


@export("linalg.LinearOperatorKronecker")
class LinearOperatorKronecker(_OfOperators):
    """The operator of a Kronecker product."""

    _joint = "_x_"
    _none_text = "Expected a list of >=1 operators."
    _noun = "Kronecker product"

    def __init__(
        self,
        operators: list[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes the operator.

        Args:
            operators: the factors, from left to right.
            is_non_singular: as for every operator; True if all factors are.
            is_self_adjoint: as for every operator; True if all factors are.
            is_positive_definite: as for every operator; True if all factors are.
            is_square: as for every operator; True if all factors are.
            name: the name of the operator; the names of the factors joined by ``_x_``.

        Raises:
            TypeError: if the factors have different types.
            ValueError: if there is none or a hint is wrong.
        """
        super().__init__(
            operators, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )

    def _shape(self) -> TensorShape:
        matrix = [1, 1]
        result: list[int | None] = []
        for i, rows in enumerate((True, False)):
            sizes, known = support.sizes_of(self.operators, rows=rows)
            for size in sizes:
                matrix[i] *= size or 0
            result.append(matrix[i] if known else None)
        return static_batch(self.operators).concatenate(result)

    def _shape_tensor(self) -> Tensor:
        rows = self.operators[0].range_dimension_tensor()
        columns = self.operators[0].domain_dimension_tensor()
        for operator in self.operators[1:]:
            rows *= operator.range_dimension_tensor()
            columns *= operator.domain_dimension_tensor()
        return concat((dynamic_batch(self.operators), [rows, columns]), 0)

    def _each(self, method: str, x: Tensor, adjoint: bool, adjoint_arg: bool) -> Tensor:
        """Applies the factors one after the other, each to the first of the axes that are left.

        The rows of `x` are the axes (n1, ..., nk). Each step works on the first axis and moves it
        behind all others, so that in the end the columns come first.
        """
        x = support.adjoint_if(adjoint_arg, x)
        columns = shape_of(x)[-1]
        shape = self.shape
        solved = method == "solve"
        for operator in self.operators:
            known = operator.range_dimension if adjoint != solved else operator.domain_dimension
            if known.value is not None:
                size: TensorLike = known.value
            elif adjoint != solved:
                size = operator.range_dimension_tensor()
            else:
                size = operator.domain_dimension_tensor()
            x = reshape(x, concat([shape_of(x)[:-2], [size, -1]], axis=0))
            x = transposed(getattr(operator, method)(x, adjoint=adjoint))
            whole = shape_of(x)
            x = reshape(x, concat([whole[:-2], [whole[-2] * whole[-1], 1]], axis=0))
        x = transposed(reshape(x, concat([shape_of(x)[:-2], [columns, -1]], axis=0)))
        rank = x.get_shape().ndims
        if shape.ndims is not None and rank is not None:
            rows = shape.as_list()[-1 if adjoint != solved else -2]
            x.set_shape([*[None] * (rank - 2), rows, None])
        return x

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._with_shape(x, self._each("matmul", x, adjoint, adjoint_arg), adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._with_shape(rhs, self._each("solve", rhs, adjoint, adjoint_arg), adjoint_arg)

    def _with_shape(self, x: Tensor, result: Tensor, adjoint_arg: bool) -> Tensor:
        given, own = x.get_shape(), self.shape
        if given.ndims is None or own.ndims is None or not self.is_square:
            return result
        batch = broadcast_static_shape(given[:-2], own[:-2])
        columns = given.as_list()[-2 if adjoint_arg else -1]
        result.set_shape(batch.concatenate([own.as_list()[-2], columns]))
        return result

    def _exponent(self, operator: LinearOperator) -> Tensor:
        whole = self.domain_dimension_tensor()
        return cast(build.FloorDiv(whole, operator.domain_dimension_tensor()), self.dtype)

    def _determinant(self) -> Tensor:
        result: TensorLike = None
        for operator in self.operators:
            factor = power(operator.determinant(), self._exponent(operator))
            result = factor if result is None else result * factor
        return result

    def _log_abs_determinant(self) -> Tensor:
        result: TensorLike = None
        for operator in self.operators:
            part = operator.log_abs_determinant()
            part = part * cast(self._exponent(operator), part.dtype)
            result = part if result is None else result + part
        return result

    def _trace(self) -> Tensor:
        result = self.operators[0].trace()
        for operator in self.operators[1:]:
            result *= operator.trace()
        return result

    def _diag_part(self) -> Tensor:
        result = self.operators[0].diag_part()
        for operator in self.operators[1:]:
            product = expand_dims(result, -1) * expand_dims(operator.diag_part(), -2)
            result = reshape(product, concat([shape_of(product)[:-2], [-1]], axis=0))
        if self.shape.ndims is not None and self.is_square:
            result.set_shape(self.shape[:-1])
        return result

    def _to_dense(self) -> Tensor:
        result = self.operators[0].to_dense()
        for operator in self.operators[1:]:
            block = operator.to_dense()
            left = expand_dims(expand_dims(result, -1), -3)
            # Axes [batch..., m, 1, n, 1] times [batch..., 1, p, 1, q].
            right = expand_dims(expand_dims(block, -3), -2)
            product = left * right
            whole = shape_of(product)
            sizes = [whole[-4] * whole[-3], whole[-2] * whole[-1]]
            result = reshape(product, concat([whole[:-4], sizes], axis=0))
        result.set_shape(self.shape)
        return result
