"""Linear operators as arguments of functions such as `tf.matmul` and `tf.linalg.inv`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.dispatch import Handler, add_handler
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.linalg.solve import adjoint_

if TYPE_CHECKING:
    from headwater.graph import Tensor
    from headwater.model.linalg.diag import LinearOperatorDiag


def _matmul(
    a: LinearOperator,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor | LinearOperatorDiag:
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if not isinstance(a, LinearOperator):
        # A B is the adjoint of B^H A^H.
        product = b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a)
        if isinstance(product, LinearOperator):
            return product.adjoint()
        return adjoint_(product)
    return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b, name=name or "matmul")


def _solve(
    matrix: LinearOperator,
    rhs: Sequence[Sequence[float]],
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    if not isinstance(matrix, LinearOperator):
        raise TypeError("Expected argument to be LinearOperator")
    return matrix.solve(rhs, adjoint=adjoint, name=name or "solve")


def _passing_on(form: Callable[..., Any]) -> Handler:
    """A handler that forwards all arguments if one is an operator."""

    def handle(
        function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Tensor | LinearOperatorDiag:
        if not any(isinstance(value, LinearOperator) for value in (*args, *kwargs.values())):
            return NotImplemented
        return form(*args, **kwargs)

    return handle


def _method(name: str) -> Handler:
    """A handler that calls a method of the operator."""

    def handle(
        function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Tensor | LinearOperatorDiag:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        operator = next(iter(given.values()))
        if not isinstance(operator, LinearOperator):
            return NotImplemented
        if name == "log_abs_determinant" and not (
            operator.is_positive_definite and operator.is_self_adjoint
        ):
            raise ValueError("Expected matrix to be self-adjoint positive definite.")
        named = {"name": given["name"]} if given.get("name") else {}
        result = getattr(operator, name)(**named)
        return result.adjoint() if given.get("adjoint") else result

    return handle


for _function, _handler in (
    ("matmul", _passing_on(_matmul)),
    ("linalg.adjoint", _method("adjoint")),
    ("linalg.cholesky", _method("cholesky")),
    ("linalg.det", _method("determinant")),
    ("linalg.diag_part", _method("diag_part")),
    ("linalg.inv", _method("inverse")),
    ("linalg.logdet", _method("log_abs_determinant")),
    ("linalg.solve", _passing_on(_solve)),
    ("linalg.trace", _method("trace")),
):
    add_handler(_function, _handler)
