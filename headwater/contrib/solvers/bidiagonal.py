"""Bidiagonalization of an operator by Lanczos vectors.

Golub and Kahan, "Calculating the singular values and pseudo-inverse of a matrix", 1965.
"""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from headwater.base.typing import TensorLike
from headwater.contrib.solvers.operators import l2normalize
from headwater.graph import Tensor, build, export, name_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.transpose import matrix_transpose
from headwater.ops.control.cond import cond
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.matmul import matmul
from headwater.ops.random.uniform import random_uniform

LanczosBidiagState = collections.namedtuple("LanczosBidiagState", ["u", "v", "alpha", "beta"])


@export("contrib.solvers.lanczos.lanczos_bidiag")
def lanczos_bidiag(
    operator: Any,
    k: int,
    orthogonalize: bool = True,
    starting_vector: TensorLike | None = None,
    name: str = "lanczos_bidiag",
) -> LanczosBidiagState:
    """Orthonormal u, v with operator v = u b, where b is lower bidiagonal.

    Args:
        operator: an operator as of `create_operator`, [m, n].
        k: the number of steps.
        orthogonalize: whether each vector is made orthogonal to all before.
        starting_vector: the first column of u up to a factor; random numbers if None.
        name: the name scope.

    Returns:
        A tuple of u [m, k + 1], v [n, k], and the diagonals alpha [k] and beta [k] of b; fewer
        columns if the operator maps what is found to itself.
    """
    with name_scope(name):
        dtype = operator.dtype
        limit = float(np.finfo(dtype.as_numpy_dtype).eps)
        if starting_vector is None:
            starting_vector = random_uniform(operator.shape[:1], -1, 1, dtype=dtype)
        first, _ = l2normalize(reshape(starting_vector, [-1, 1]))

        def array(size: int) -> TensorArray:
            return TensorArray(
                dtype, size=size, dynamic_size=True, clear_after_read=False, infer_shape=False
            )

        us, vs, alphas, betas = array(1), array(1), array(1), array(1)
        us = us.write(0, reshape(first, [-1]))

        def normalized(x: TensorLike, before: TensorArray) -> tuple[Any, Any]:
            if orthogonalize and before is not None:
                rows = before.stack()
                sizes: TensorLike = shape(x)
                rows = reshape(rows, build.Pack([-1, sizes[0]]))
                x = x - matmul(rows, matmul(rows, x), transpose_a=True)
            return l2normalize(x)

        v = operator.apply_adjoint(first)
        v, alpha = l2normalize(v)
        vs, alphas = vs.write(0, reshape(v, [-1])), alphas.write(0, alpha)

        def step(
            i: Tensor, going: Tensor, u: TensorLike, v: TensorLike, alpha: TensorLike, *arrays: Any
        ) -> tuple[Tensor | TensorArray, ...]:
            us, vs, alphas, betas = arrays
            following, beta = normalized(operator.apply(v) - alpha * u, us)
            us = us.write(i + 1, reshape(following, [-1]))
            betas = betas.write(i, beta)
            going = build.Greater(beta, limit)
            again = build.LogicalAnd(going, build.Less(i + 1, k))
            next_v, next_alpha = cond(
                again,
                lambda: normalized(operator.apply_adjoint(following) - beta * v, vs),
                lambda: (v, alpha),
            )
            going = build.LogicalAnd(again, build.Greater(next_alpha, limit))
            # Elements written after the end are cut off below.
            vs = vs.write(i + 1, reshape(next_v, [-1]))
            alphas = alphas.write(i + 1, next_alpha)
            return i + 1, going, following, next_v, next_alpha, us, vs, alphas, betas

        result = while_loop(
            lambda i, going, *_: going,
            step,
            (0, build.Greater(alpha, limit), first, v, alpha, us, vs, alphas, betas),
        )
        count, (us, vs, alphas, betas) = result[0], result[5:]
        v_rows, diagonal = vs.stack(), alphas.stack()
        u_rows, v_rows, diagonal, below = (
            us.stack(),
            v_rows[:count],
            diagonal[:count],
            betas.stack(),
        )
        if isinstance(operator.shape, list):
            u_rows.set_shape([None, operator.shape[0]])
            v_rows.set_shape([None, operator.shape[1]])
        diagonal.set_shape([None])
        below.set_shape([None])
        return LanczosBidiagState(
            matrix_transpose(u_rows), matrix_transpose(v_rows), diagonal, below
        )


@export("contrib.solvers.lanczos.bidiag_matmul")
def bidiag_matmul(
    matrix: TensorLike,
    alpha: TensorLike,
    beta: TensorLike,
    adjoint_b: bool = False,
    name: str = "bidiag_matmul",
) -> Tensor:
    """The product of a matrix and a lower bidiagonal one, [k + 1, k].

    Args:
        matrix: a matrix [m, k + 1]; [m, k] with `adjoint_b`.
        alpha: the diagonal, [k].
        beta: what stands below it, [k].
        adjoint_b: whether the bidiagonal matrix is transposed.
        name: the name scope.

    Returns:
        A matrix [m, k].
    """
    with name_scope(name):
        alpha, beta = expand_dims(alpha, 0), expand_dims(beta, 0)
        if not adjoint_b:
            return matrix[:, :-1] * alpha + matrix[:, 1:] * beta
        # The square part of the bidiagonal matrix.
        sizes: TensorLike = shape(matrix)
        zero = zeros(build.Pack([sizes[0], 1]), dtype=matrix.dtype)
        return matrix * alpha + concat([zero, matrix[:, :-1] * beta[:, :-1]], 1)
