"""Operators, and lengths of vectors."""

from __future__ import annotations

import collections
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum

LinearOperator = collections.namedtuple(
    "LinearOperator", ["shape", "dtype", "apply", "apply_adjoint"]
)


@export("contrib.solvers.util.create_operator")
def create_operator(matrix: TensorLike) -> LinearOperator:
    """The operator of a matrix.

    Args:
        matrix: a matrix.

    Returns:
        A tuple of shape, dtype, and the functions apply and apply_adjoint.

    Raises:
        ValueError: if the tensor is not a matrix.
    """
    matrix = convert_to_tensor(matrix, name="A")
    if matrix.get_shape().ndims not in (None, 2):
        raise ValueError("Tensor passed to create_operator must be a matrix")
    known = matrix.get_shape()
    return LinearOperator(
        shape=known.as_list() if known.is_fully_defined() else build.Shape(matrix),
        dtype=matrix.dtype,
        apply=lambda v: matmul(matrix, v, adjoint_a=False),
        apply_adjoint=lambda v: matmul(matrix, v, adjoint_a=True),
    )


@export("contrib.solvers.util.identity_operator")
def identity_operator(matrix: TensorLike) -> LinearOperator:
    """The operator of the identity, with the shape of a matrix.

    Args:
        matrix: a square matrix, or an operator.

    Returns:
        An operator.
    """
    known = matrix.shape if isinstance(matrix, LinearOperator) else matrix.get_shape().as_list()
    return LinearOperator(
        shape=known, dtype=matrix.dtype, apply=lambda v: v, apply_adjoint=lambda v: v
    )


@export("contrib.solvers.util.dot")
def dot(x: TensorLike, y: TensorLike) -> Tensor:
    """The inner product of two vectors, or of the elements of two tensors.

    Args:
        x: a tensor; its conjugate counts.
        y: a tensor of the same shape.

    Returns:
        A scalar.
    """
    x = build.Conj(x) if x.dtype.is_complex else x
    return reduce_sum(x * y)


@export("contrib.solvers.util.l2norm_squared")
def l2norm_squared(v: TensorLike) -> Tensor:
    """The sum of squares of the elements.

    Args:
        v: a tensor.

    Returns:
        A tensor of shape [].
    """
    return 2 * build.L2Loss(v)


@export("contrib.solvers.util.l2norm")
def l2norm(v: TensorLike) -> Tensor:
    """The Euclidean length.

    Args:
        v: a tensor.

    Returns:
        A scalar.
    """
    return build.Sqrt(l2norm_squared(v))


@export("contrib.solvers.util.l2normalize")
def l2normalize(v: TensorLike) -> tuple[Any, Any]:
    """The normalized vector, and its original length.

    Args:
        v: a tensor.

    Returns:
        The vector and a scalar.
    """
    norm = l2norm(v)
    return v / norm, norm
