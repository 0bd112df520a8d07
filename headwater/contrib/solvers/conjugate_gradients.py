"""The method of conjugate gradients, for equations and for least squares.

Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
"""

from __future__ import annotations

import collections
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.contrib.solvers.operators import dot, l2norm_squared
from headwater.graph import Tensor, build, export, name_scope
from headwater.ops.array.constant import constant
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.control.while_loop import while_loop

CGState = collections.namedtuple("CGState", ["i", "x", "r", "p", "gamma"])
CGLSState = collections.namedtuple("CGLSState", ["i", "x", "r", "p", "gamma"])


@export("contrib.solvers.linear_equations.conjugate_gradient")
def conjugate_gradient(
    operator: Any,
    rhs: TensorLike,
    preconditioner: Any = None,
    x: TensorLike | None = None,
    tol: float = 1e-4,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """Solves operator x = rhs for a symmetric positive definite operator.

    Args:
        operator: an operator as of `create_operator`.
        rhs: a vector.
        preconditioner: an operator close to the inverse; None for the identity.
        x: a first guess; zeros if None.
        tol: the length of the residual, relative to that of `rhs`, that is small enough.
        max_iter: the largest number of steps.
        name: the name scope.

    Returns:
        A tuple of the number of steps i, the solution x, the residual r, the direction p and gamma.
    """
    apply = (lambda v: v) if preconditioner is None else preconditioner.apply
    with name_scope(name):
        column: Tensor = expand_dims(rhs, -1)
        if x is None:
            start: Tensor = build.ZerosLike(column)
            residual: Tensor = column
        else:
            start = expand_dims(x, -1)
            residual = column - operator.apply(start)
        scaled: Tensor = apply(residual)
        enough = tol * build.Sqrt(l2norm_squared(column))
        first = CGState(constant(0, dtypes.int32), start, residual, scaled, dot(residual, scaled))

        def unfinished(i: TensorLike, _: Tensor, r: TensorLike, *rest: Tensor) -> Tensor:
            large = build.Greater(build.Sqrt(l2norm_squared(r)), enough)
            return build.LogicalAnd(build.Less(i, max_iter), large)

        def step(i: Tensor, x: Tensor, r: Tensor, p: TensorLike, gamma: Tensor) -> CGState:
            z = operator.apply(p)
            alpha = gamma / dot(p, z)
            x, r = x + alpha * p, r - alpha * z
            q = apply(r)
            following = dot(r, q)
            return CGState(i + 1, x, r, q + (following / gamma) * p, following)

        i, x, r, p, gamma = while_loop(unfinished, lambda *s: tuple(step(*s)), tuple(first))
        return CGState(i, squeeze(x), squeeze(r), squeeze(p), gamma)


@export("contrib.solvers.least_squares.cgls")
def cgls(
    operator: Any, rhs: TensorLike, tol: float = 1e-6, max_iter: int = 20, name: str = "cgls"
) -> CGLSState:
    """Minimizes |operator x - rhs|.

    Args:
        operator: an operator as of `create_operator`.
        rhs: a vector.
        tol: the length of the gradient, relative to the first one, that is small enough.
        max_iter: the largest number of steps.
        name: the name scope.

    Returns:
        A tuple of the number of steps i, the solution x, the residual r, the direction p and gamma.
    """
    with name_scope(name):
        column: TensorLike = expand_dims(rhs, -1)
        gradient: Tensor = operator.apply_adjoint(column)
        gamma = l2norm_squared(gradient)
        enough = tol * tol * gamma
        first = CGLSState(
            constant(0, dtypes.int32), build.ZerosLike(gradient), column, gradient, gamma
        )

        def unfinished(
            i: TensorLike, _: Tensor, __: Tensor, ___: Tensor, gamma: TensorLike
        ) -> Tensor:
            return build.LogicalAnd(build.Less(i, max_iter), build.Greater(gamma, enough))

        def step(i: Tensor, x: Tensor, r: TensorLike, p: TensorLike, gamma: Tensor) -> CGLSState:
            q = operator.apply(p)
            alpha = gamma / l2norm_squared(q)
            x, r = x + alpha * p, r - alpha * q
            s = operator.apply_adjoint(r)
            following = l2norm_squared(s)
            return CGLSState(i + 1, x, r, s + (following / gamma) * p, following)

        i, x, r, p, gamma = while_loop(unfinished, lambda *s: tuple(step(*s)), tuple(first))
        return CGLSState(i, squeeze(x), squeeze(r), squeeze(p), gamma)
