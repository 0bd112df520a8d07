"""tensorflow.python.ops.linalg.linear_operator_addition: sums of linear operators.

Sums are formed in tiers, the cheapest first, so that as few operators as possible become dense.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from headwater.graph import Tensor, name_scope
from headwater.model.linalg.diag import LinearOperatorDiag
from headwater.model.linalg.full_matrix import LinearOperatorFullMatrix
from headwater.model.linalg.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from headwater.model.linalg.lower_triangular import LinearOperatorLowerTriangular
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.fill import ones
from headwater.ops.array.shape import broadcast_static_shape
from headwater.ops.control.type_checks import assert_proper_iterable

__all__ = ["add_operators"]

_IDENTITY = "identity"
_SCALED_IDENTITY = "scaled_identity"
_DIAG = "diag"
_TRIL = "tril"
_MATRIX = "matrix"
_TYPES: Final = {
    LinearOperatorDiag: _DIAG,
    LinearOperatorLowerTriangular: _TRIL,
    LinearOperatorFullMatrix: _MATRIX,
    LinearOperatorIdentity: _IDENTITY,
    LinearOperatorScaledIdentity: _SCALED_IDENTITY,
}
_IDENTITY_FAMILY = {_IDENTITY, _SCALED_IDENTITY}
_DIAG_LIKE = {_DIAG, _IDENTITY, _SCALED_IDENTITY}
# Those that add themselves to a matrix without becoming one.
_EFFICIENT_ADD_TO_TENSOR = _DIAG_LIKE


@dataclass
class _Hints:
    """What is known of an operator; None is unknown."""

    is_non_singular: bool | None = None
    is_positive_definite: bool | None = None
    is_self_adjoint: bool | None = None

    def of_operator(self) -> dict[str, Any]:
        """The arguments of an operator."""
        return {
            "is_non_singular": self.is_non_singular,
            "is_self_adjoint": self.is_self_adjoint,
            "is_positive_definite": self.is_positive_definite,
        }


def add_operators(
    operators: Sequence[LinearOperator],
    operator_name: str | None = None,
    addition_tiers: Sequence[Sequence[_Adder]] | None = None,
    name: str | None = None,
) -> list[LinearOperator]:
    """Adds operators as far as the tiers allow.

    Args:
      operators: the operators; their domains and ranges have the same dimensions, their batch
        shapes can be broadcast.
      operator_name: the name of each sum; None makes names from those of the terms.
      addition_tiers: lists of adders; each pair of operators that some adder of a tier can add is
        added before the next tier. By default, all become one operator.
      name: the name scope.

    Returns:
      The operators that are left; their sum is that of the given ones.

    Raises:
      TypeError: if something else than an operator is among them.
      ValueError: if there is none, or if their shapes do not fit.
    """
    tiers = _DEFAULT_ADDITION_TIERS if addition_tiers is None else addition_tiers
    assert_proper_iterable(operators)
    rest: list[Any] = list(reversed(operators))
    if not rest:
        raise ValueError(
            f"Argument 'operators' must contain at least one operator.  Found: {operators}"
        )
    if not all(isinstance(operator, LinearOperator) for operator in rest):
        raise TypeError(
            f"Argument 'operators' must contain only LinearOperator instances.  Found: {rest}"
        )
    _static_check_for_same_dimensions(rest)
    _static_check_for_broadcastable_batch_shape(rest)
    with name_scope(name, "add_operators"):
        for tier in tiers:
            rest = _added(rest, tier, operator_name)
    return rest


def _added(
    operators: list[LinearOperator], tier: Sequence[_Adder], name: str | None
) -> list[LinearOperator]:
    left = []
    while operators:
        first = operators.pop()
        second, adder = _pop_a_match_at_tier(first, operators, tier)
        if adder is None:
            left.append(first)
        else:
            operators.append(adder.add(first, second, name))
    return left


def _pop_a_match_at_tier(
    op1: LinearOperator, operator_list: list[LinearOperator], tier: Sequence[_Adder]
) -> tuple[Any, _Adder | None]:
    """Removes the last operator to which an adder can add `op1`: (it, the adder) or Nones."""
    for position in reversed(range(len(operator_list))):
        for adder in tier:
            if adder.can_add(op1, operator_list[position]):
                return operator_list.pop(position), adder
    return None, None


def _infer_hints_allowing_override(
    op1: LinearOperator, op2: LinearOperator, hints: _Hints | None
) -> _Hints:
    """What is known of a sum; given hints win."""
    found = hints or _Hints()

    def known_of_both(given: bool | None, first: bool | None, second: bool | None) -> bool | None:
        return True if given is None and first and second else given

    self_adjoint = known_of_both(found.is_self_adjoint, op1.is_self_adjoint, op2.is_self_adjoint)
    definite = known_of_both(
        found.is_positive_definite, op1.is_positive_definite, op2.is_positive_definite
    )
    non_singular = known_of_both(found.is_non_singular, definite, definite)
    return _Hints(non_singular, definite, self_adjoint)


def _static_check_for_same_dimensions(operators: Sequence[LinearOperator]) -> None:
    """Raises ValueError if the known dimensions of domains or of ranges differ."""
    for what in ("domain", "range"):
        found = [
            (operator.name, getattr(operator, f"{what}_dimension").value) for operator in operators
        ]
        if len({size for _, size in found if size is not None}) > 1:
            raise ValueError(f"Operators must have the same {what} dimension. Found: {found}")


def _static_check_for_broadcastable_batch_shape(operators: Sequence[LinearOperator]) -> None:
    """Raises ValueError if the known batch shapes cannot be broadcast."""
    shape = operators[0].batch_shape
    for operator in operators[1:]:
        shape = broadcast_static_shape(shape, operator.batch_shape)


class _Adder(abc.ABC):
    """Adds operators of some types."""

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    @abc.abstractmethod
    def can_add(self, op1: Any, op2: Any) -> bool:
        """Says whether this adds two operators."""

    @abc.abstractmethod
    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Hints
    ) -> LinearOperator:
        """Returns the sum."""

    def add(
        self,
        op1: LinearOperator,
        op2: LinearOperator,
        operator_name: str | None,
        hints: _Hints | None = None,
    ) -> LinearOperator:
        """Returns the sum of two operators.

        Args:
          op1: the one.
          op2: the other.
          operator_name: the name of the sum; None makes one of the names of both.
          hints: what is known of the sum.
        """
        updated = _infer_hints_allowing_override(op1, op2, hints)
        if operator_name is None:
            operator_name = f"Add/{op1.name}__{op2.name}/"
        with name_scope(self.name.lstrip("_")):
            return self._add(op1, op2, operator_name, updated)


class _AddAndReturnScaledIdentity(_Adder):
    """Adds multiples of the identity."""

    def can_add(self, op1: Any, op2: Any) -> bool:
        return {_type(op1), _type(op2)} <= _IDENTITY_FAMILY

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Hints
    ) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            num_rows=op1.range_dimension_tensor(),
            multiplier=_multiplier(op1) + _multiplier(op2),
            name=operator_name,
            **hints.of_operator(),
        )


def _multiplier(operator: Any) -> Tensor:
    if _type(operator) == _SCALED_IDENTITY:
        multiplier: Tensor = operator.multiplier
        return multiplier
    return ones(operator.batch_shape_tensor(), dtype=operator.dtype)


class _AddAndReturnDiag(_Adder):
    """Adds operators that have a diagonal only."""

    def can_add(self, op1: Any, op2: Any) -> bool:
        return {_type(op1), _type(op2)} <= _DIAG_LIKE

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Hints
    ) -> LinearOperator:
        return LinearOperatorDiag(
            diag=op1.diag_part() + op2.diag_part(), name=operator_name, **hints.of_operator()
        )


class _AddAndReturnTriL(_Adder):
    """Adds lower triangular operators and those that have a diagonal only."""

    def can_add(self, op1: Any, op2: Any) -> bool:
        return {_type(op1), _type(op2)} <= {*_DIAG_LIKE, _TRIL}

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Hints
    ) -> LinearOperator:
        return LinearOperatorLowerTriangular(
            tril=_dense_sum(op1, op2), name=operator_name, **hints.of_operator()
        )


class _AddAndReturnMatrix(_Adder):
    """Adds any operators as dense matrices."""

    def can_add(self, op1: Any, op2: Any) -> bool:
        return isinstance(op1, LinearOperator) and isinstance(op2, LinearOperator)

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Hints
    ) -> LinearOperator:
        return LinearOperatorFullMatrix(
            matrix=_dense_sum(op1, op2), name=operator_name, **hints.of_operator()
        )


def _dense_sum(op1: LinearOperator, op2: LinearOperator) -> Tensor:
    if _type(op1) in _EFFICIENT_ADD_TO_TENSOR:
        return op1.add_to_tensor(op2.to_dense())
    return op2.add_to_tensor(op1.to_dense())


def _type(operator: Any) -> str:
    """The type of an operator, as the adders know it.

    Raises:
      TypeError: if the adders do not know it.
    """
    for kind, name in _TYPES.items():
        if isinstance(operator, kind):
            return name
    raise TypeError(f"Operator type unknown: {operator}")


_DEFAULT_ADDITION_TIERS: Final[list[list[_Adder]]] = [
    [_AddAndReturnScaledIdentity()],
    [_AddAndReturnDiag()],
    [_AddAndReturnTriL()],
    [_AddAndReturnMatrix()],
]
