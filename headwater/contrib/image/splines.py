"""Interpolation of scattered points by polyharmonic splines.

A polyharmonic spline is a sum of functions of the distance from each known point, and a linear
function: Duchon, "Splines minimizing rotation-invariant semi-norms in Sobolev spaces", 1977.
"""

from __future__ import annotations

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope, ones_like, shape_tensor
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.stack import unstack
from headwater.ops.array.transpose import transpose
from headwater.ops.linalg.diagonal import eye, matrix_diag_part
from headwater.ops.linalg.solve import matrix_solve
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum

# Squared distances are at least this, so that roots and logarithms have gradients.
_EPSILON = 0.0000000001


def _phi(r: Tensor, order: int) -> Tensor:
    """The function of the squared distance."""
    with name_scope(None, "phi"):
        if order == 2:
            return 0.5 * r * build.Log(build.Maximum(r, _EPSILON))
        if order == 4:
            return 0.5 * build.Square(r) * build.Log(build.Maximum(r, _EPSILON))
        r = build.Maximum(r, _EPSILON)
        if order == 1:
            return build.Sqrt(r)
        if order % 2 == 0:
            return 0.5 * build.Pow(r, 0.5 * order) * build.Log(r)
        return build.Pow(r, 0.5 * order)


def _distances(x: Tensor) -> Tensor:
    """Squared distances between all points of a batch."""
    products = matmul(x, x, adjoint_b=True)
    squares = expand_dims(matrix_diag_part(products), 2)
    return squares - 2 * products + transpose(squares, [0, 2, 1])


def _cross_distances(x: Tensor, y: Tensor) -> Tensor:
    """Squared distances between two sets of points of a batch."""
    x_squares = reduce_sum(build.Square(x), 2)
    y_squares = reduce_sum(build.Square(y), 2)
    x_squares, y_squares = expand_dims(x_squares, 2), expand_dims(y_squares, 1)
    return x_squares - 2 * matmul(x, y, adjoint_b=True) + y_squares


def _with_one(points: Tensor) -> Tensor:
    return concat([points, ones_like(points[..., :1])], 2)


def _solve(
    points: Tensor, values: Tensor, order: int, regularization_weight: float
) -> tuple[Tensor, Tensor]:
    """The weights of the known points and those of the linear function."""
    with name_scope(None, "solve"):
        batch, count, _ = unstack(shape_tensor(points), num=3)
        width = points.get_shape().as_list()[-1] if points.get_shape().ndims else None
        if width is None:
            raise ValueError(
                "The dimensionality of the input points (d) must be statically-inferrable."
            )
        depth = values.get_shape().as_list()[-1] if values.get_shape().ndims else None
        if depth is None:
            raise ValueError(
                "The dimensionality of the output values (k) must be statically-inferrable."
            )
        with name_scope(None, "construct_linear_system"):
            matrix = _phi(_distances(points), order)
            if regularization_weight > 0:
                identity = expand_dims(eye(count, dtype=points.dtype), 0)
                matrix = matrix + regularization_weight * identity
            linear = _with_one(points)
            left = concat([matrix, transpose(linear, [0, 2, 1])], 1)
            corner = zeros([batch, width + 1, width + 1], points.dtype)
            system = concat([left, concat([linear, corner], 1)], 2)
            wanted = concat([values, zeros([batch, width + 1, depth], points.dtype)], 1)
        with name_scope(None, "solve_linear_system"):
            solution = matrix_solve(system, wanted)
            return solution[:, :count, :], solution[:, count:, :]


@export("contrib.image.interpolate_spline")
def interpolate_spline(
    train_points: TensorLike,
    train_values: TensorLike,
    query_points: TensorLike,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Tensor:
    """Returns the values at points of the polyharmonic spline through other points.

    Args:
        train_points: floating-point tensor of shape [batch, n, d]: where values are known.
        train_values: tensor of shape [batch, n, k]: the values.
        query_points: tensor of shape [batch, m, d]: where values are wanted.
        order: the order of the spline: 1 is linear, 2 is a thin plate, 3 is cubic.
        regularization_weight: 0 for a spline through the points, more for a smoother one.
        name: the name scope.

    Returns:
        A tensor of shape [batch, m, k].

    Raises:
        ValueError: if d or k is not known.
    """
    with name_scope(name, "interpolate_spline"):
        train_points = convert_to_tensor(train_points)
        train_values = convert_to_tensor(train_values)
        query_points = convert_to_tensor(query_points)
        weights, plane = _solve(train_points, train_values, order, regularization_weight)
        with name_scope(None, "predict"):
            radial = matmul(_phi(_cross_distances(query_points, train_points), order), weights)
            return radial + matmul(_with_one(query_points), plane)
