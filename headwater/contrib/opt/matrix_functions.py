"""Roots of positive definite matrices by iterations of matrix products.

Source: Higham, "Functions of Matrices", 2008: the Newton-Schulz iteration, equation 5.34, and the
coupled Newton iteration, equation 7.18.
"""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build
from headwater.ops.control.while_loop import while_loop
from headwater.ops.linalg.diagonal import eye
from headwater.ops.linalg.norm import norm
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_max, reduce_sum


def matrix_square_root(
    mat_a: TensorLike, mat_a_size: int, iter_count: int = 100, ridge_epsilon: float = 1e-4
) -> Tensor:
    """The square root of a symmetric positive definite matrix.

    Args:
        mat_a: the matrix.
        mat_a_size: the number of its rows.
        iter_count: the number of iterations.
        ridge_epsilon: what is added to the diagonal.

    Returns:
        A matrix whose square is the given one.
    """
    identity = eye(mat_a_size)
    damped = mat_a + ridge_epsilon * identity
    size = build.Sqrt(reduce_sum(damped * damped))

    def goes_on(count: Tensor, *state: Tensor) -> Tensor:
        return build.LogicalAnd(build.Less(count, iter_count), build.Less(state[-2], state[-1]))

    def step(count: Tensor, root: Tensor, _: Tensor, inverse: Tensor, *errors: Tensor) -> Any:
        change = 0.5 * (3.0 * identity - matmul(inverse, root))
        new = matmul(root, change)
        scaled = new * build.Sqrt(size)
        miss = damped - matmul(scaled, scaled)
        error = build.Sqrt(reduce_sum(miss * miss)) / size
        return count + 1, new, root, matmul(change, inverse), error, errors[0]

    start = damped / size
    # Iterations end when rounding makes the error grow again; the root before that is the best.
    _, _, root, *_ = while_loop(goes_on, step, (0, start, start, identity, size, size + 1.0))
    return root * build.Sqrt(size)


def matrix_inverse_pth_root(
    mat_g: TensorLike,
    mat_g_size: int,
    alpha: float,
    iter_count: int = 100,
    epsilon: float = 1e-6,
    ridge_epsilon: float = 1e-6,
) -> Tensor:
    """A power with a negative exponent of a symmetric positive definite matrix.

    Args:
        mat_g: the matrix.
        mat_g_size: the number of its rows.
        alpha: the exponent, -1/p for an integer p.
        iter_count: the number of iterations at most.
        epsilon: the error at which the iterations end.
        ridge_epsilon: what is added to the diagonal.

    Returns:
        The matrix to the power of `alpha`.
    """
    identity = eye(mat_g_size)
    damped = mat_g + ridge_epsilon * identity
    scale = (1 - 1 / alpha) / (2 * norm(damped))

    def goes_on(count: Tensor, mat_m: Tensor, _: Tensor) -> Tensor:
        error = reduce_max(build.Abs(mat_m - identity))
        return build.LogicalAnd(build.Less(count, iter_count), build.Greater(error, epsilon))

    def step(count: Tensor, mat_m: Tensor, root: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        factor = (1 - alpha) * identity + alpha * mat_m
        return count + 1, matmul(_power(factor, round(-1 / alpha)), mat_m), matmul(root, factor)

    start = (0, damped * scale, identity * build.Pow(scale, -alpha))
    _, _, root = while_loop(goes_on, step, start)
    return root


def _power(matrix: Tensor, exponent: int) -> Tensor:
    """A matrix to the power of a positive integer, by repeated squaring."""
    result = None
    while exponent:
        if exponent % 2:
            result = matrix if result is None else matmul(result, matrix)
        exponent //= 2
        matrix = matmul(matrix, matrix) if exponent else matrix
    assert result is not None
    return result
