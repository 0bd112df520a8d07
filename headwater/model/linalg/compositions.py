"""Linear operators derived from others: the adjoint, the inverse and the product."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from headwater.base.tensor_shape import TensorShape
from headwater.graph import Tensor, export, name_scope
from headwater.model.linalg import support
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.concat import concat
from headwater.ops.array.shape import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
)
from headwater.ops.linalg.solve import adjoint_
from headwater.ops.math.complex_numbers import conj

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def _parents(operators: Sequence[LinearOperator]) -> list[Tensor]:
    return [parent for operator in operators for parent in operator.graph_parents]


def check_same_types(operators: list[LinearOperator]) -> DType:
    """Returns the type of operators.

    Raises:
        TypeError: if they have different ones.
    """
    dtype = operators[0].dtype
    if any(operator.dtype != dtype for operator in operators):
        named = "   ".join(f"('{o.name}', tf.{o.dtype.name})" for o in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {named}")
    return dtype


def static_batch(operators: list[LinearOperator]) -> TensorShape:
    return functools.reduce(broadcast_static_shape, [op.batch_shape for op in operators])


def dynamic_batch(operators: list[LinearOperator]) -> Tensor:
    shapes = [op.batch_shape_tensor() for op in operators]
    return functools.reduce(broadcast_dynamic_shape, shapes)


class _Derived(LinearOperator):
    """An operator derived from one other."""

    _suffix = ""
    _hint_texts: ClassVar[dict[str, str]]

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes the operator.

        Args:
            operator: the operator from which this one follows.
            is_non_singular: as for every operator; that of `operator` if it is known.
            is_self_adjoint: as for every operator; that of `operator` if it is known.
            is_positive_definite: as for every operator; that of `operator` if it is known.
            is_square: as for every operator; that of `operator` if it is known.
            name: the name of the operator.

        Raises:
            ValueError: if a hint contradicts that of `operator`.
        """
        self._operator = operator
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
        }
        for hint, given in hints.items():
            hints[hint] = support.use_operator_or_provided_hint_unless_contradicting(
                operator, hint, given, self._hint_texts[hint]
            )
        name = name or operator.name + self._suffix
        with name_scope(name, values=operator.graph_parents):
            super().__init__(
                dtype=operator.dtype, graph_parents=operator.graph_parents, name=name, **hints
            )

    @property
    def operator(self) -> LinearOperator:
        """The operator from which this one is derived."""
        return self._operator

    def _assert_non_singular(self) -> Any:
        return self.operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self.operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self.operator.assert_self_adjoint()


def _texts(verb: str, positive: str) -> dict[str, str]:
    return {
        "is_non_singular": f"The {verb} of a non-singular operator is always non-singular.",
        "is_self_adjoint": f"The {verb} of a self-adjoint operator is always self-adjoint.",
        "is_positive_definite": f"The {verb} of a {positive} operator is always {positive}.",
        "is_square": f"The {verb} of a square operator is always square.",
    }


@export("linalg.LinearOperatorAdjoint")
class LinearOperatorAdjoint(_Derived):
    """The conjugate transpose of an operator."""

    _suffix = "_adjoint"
    _hint_texts = _texts("adjoint", "positive-definite")

    def _shape(self) -> TensorShape:
        shape = self.operator.shape
        if shape.ndims is None:
            return shape
        sizes = shape.as_list()
        return TensorShape([*sizes[:-2], sizes[-1], sizes[-2]])

    def _shape_tensor(self) -> Tensor:
        shape = self.operator.shape_tensor()
        return concat([shape[:-2], [shape[-1], shape[-2]]], axis=-1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self.operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self.operator.matvec(x, adjoint=not adjoint)

    def _determinant(self) -> Tensor:
        return conj(self.operator.determinant())

    def _log_abs_determinant(self) -> Tensor:
        return self.operator.log_abs_determinant()

    def _trace(self) -> Tensor:
        return conj(self.operator.trace())

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self.operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self.operator.solvevec(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Tensor:
        return adjoint_(self.operator.to_dense())

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return self.to_dense() + x


@export("linalg.LinearOperatorInversion")
class LinearOperatorInversion(_Derived):
    """The inverse of an operator."""

    _suffix = "_inv"
    _hint_texts = _texts("inverse", "positive-definite")

    def _shape(self) -> TensorShape:
        return self.operator.shape

    def _shape_tensor(self) -> Tensor:
        return self.operator.shape_tensor()

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Tensor:
        return 1.0 / self.operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        return -1.0 * self.operator.log_abs_determinant()

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)


@export("linalg.LinearOperatorComposition", "contrib.linalg.LinearOperatorComposition")
class LinearOperatorComposition(LinearOperator):
    """The product of operators."""

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
            is_self_adjoint: as for every operator.
            is_positive_definite: as for every operator.
            is_square: as for every operator.
            name: the name of the operator; the names of the factors joined by ``_o_``.

        Raises:
            TypeError: if the factors have different types.
            ValueError: if there is none, or `is_non_singular` is wrong.
        """
        if not hasattr(operators, "__iter__"):
            raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(operators)}')
        self._operators = list(operators)
        if not self._operators:
            raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
        dtype = check_same_types(self._operators)
        if all(operator.is_non_singular for operator in self._operators):
            if is_non_singular is False:
                raise ValueError(
                    "The composition of non-singular operators is always non-singular."
                )
            is_non_singular = True
        name = name or "_o_".join(operator.name for operator in self._operators)
        parents = _parents(self._operators)
        with name_scope(name, values=parents):
            super().__init__(
                dtype=dtype,
                graph_parents=parents,
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _shape(self) -> TensorShape:
        columns = self.operators[0].domain_dimension
        for operator in self.operators[1:]:
            columns.assert_is_compatible_with(operator.range_dimension)
            columns = operator.domain_dimension
        matrix = TensorShape([self.operators[0].range_dimension, columns])
        return static_batch(self.operators).concatenate(matrix)

    def _shape_tensor(self) -> Tensor:
        rows = self.operators[0].range_dimension_tensor()
        columns = self.operators[-1].domain_dimension_tensor()
        return concat((dynamic_batch(self.operators), [rows, columns]), 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        order = self.operators if adjoint else list(reversed(self.operators))
        result = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.matmul(result, adjoint=adjoint)
        return result

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

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        order = list(reversed(self.operators)) if adjoint else self.operators
        result = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.solve(result, adjoint=adjoint)
        return result
