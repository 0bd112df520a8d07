"""Bijectors of matrices: triangles, their products and inverses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.typing import ShapeLike, TensorLike
from headwater.contrib.distributions.composed_bijectors import Chain
from headwater.contrib.distributions.scalar_bijectors import AffineScalar, Softplus
from headwater.graph import Tensor, build, constant_value, export, with_dependencies
from headwater.model.distributions.arrays import fill_triangular, fill_triangular_inverse
from headwater.model.distributions.bijector import Bijector
from headwater.ops.array.concat import concat
from headwater.ops.array.shape import shape
from headwater.ops.control.value_checks import assert_none_equal, assert_positive
from headwater.ops.linalg.band_part import matrix_band_part
from headwater.ops.linalg.diagonal import eye, matrix_diag_part, matrix_set_diag
from headwater.ops.linalg.solve import matrix_triangular_solve
from headwater.ops.math.matmul import matmul
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_sum

if TYPE_CHECKING:
    from headwater.base.tensor_shape import TensorShape


@export("contrib.distributions.bijectors.CholeskyOuterProduct")
class CholeskyOuterProduct(Bijector):
    """The bijector y = x x' of lower triangles x with a positive diagonal.

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "cholesky_outer_product") -> None:
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: TensorLike) -> Tensor:
        if self.validate_args:
            x = with_dependencies([assert_positive(matrix_diag_part(x))], x)
        # Only the lower triangle counts, also for the gradient.
        x = matrix_band_part(x, -1, 0)
        return matmul(x, x, adjoint_b=True)

    def _inverse(self, y: TensorLike) -> Tensor:
        return build.Cholesky(y)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return -self._forward_log_det_jacobian(self._inverse(y))

    def _forward_log_det_jacobian(self, x: TensorLike) -> Tensor:
        # |det| = 2^p prod_j x_jj^(p - j + 1), j = 1 ... p: Muirhead, "Aspects of multivariate
        # statistical theory", 1982, theorem 2.1.9.
        diagonal: Tensor = matrix_diag_part(x)
        if self.validate_args:
            diagonal = with_dependencies([assert_positive(diagonal)], diagonal)
        p = x.get_shape()[-1].value
        sizes: TensorLike = shape(x)
        p = sizes[-1] if p is None else p
        powers = build.Cast(range_(p, 0, -1), DstT=x.dtype)
        weighted = reduce_sum(powers * build.Log(diagonal), axis=-1)
        count: TensorLike = build.Cast(p, DstT=x.dtype) if hasattr(p, "op") else float(p)
        return count * math.log(2.0) + weighted


@export("contrib.distributions.bijectors.FillTriangular")
class FillTriangular(Bijector):
    """The bijector from vectors to triangles, in clockwise order.

    Args:
        upper: whether the triangles are upper ones.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(
        self, upper: bool = False, validate_args: bool = False, name: str = "fill_triangular"
    ) -> None:
        self._upper = upper
        super().__init__(
            forward_min_event_ndims=1,
            inverse_min_event_ndims=2,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: TensorLike) -> Tensor:
        return fill_triangular(x, upper=self._upper)

    def _inverse(self, y: TensorLike) -> Tensor:
        return fill_triangular_inverse(y, upper=self._upper)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return build.ZerosLike(x[..., 0])

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return build.ZerosLike(y[..., 0, 0])

    def _forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        batch, d = input_shape[:-1], input_shape[-1].value
        n = None if d is None else _side(d)
        return batch.concatenate([n, n])

    def _inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        batch = output_shape[:-2]
        rows, columns = output_shape[-2].value, output_shape[-1].value
        if rows != columns and rows is not None and columns is not None:
            raise ValueError("Matrix must be square.")
        n = rows if columns is None else columns
        return batch.concatenate([None if n is None else n * (n + 1) // 2])

    def _forward_event_shape_tensor(self, input_shape: ShapeLike) -> Tensor:
        known = constant_value(input_shape[-1])
        if known is not None:
            n: int = _side(int(known))
        else:
            root: TensorLike = build.Sqrt(
                0.25 + build.Cast(2 * input_shape[-1], DstT=dtypes.float32)
            )
            n = build.Cast(root, DstT=dtypes.int32)
        return concat([input_shape[:-1], [n, n]], axis=0)

    def _inverse_event_shape_tensor(self, output_shape: ShapeLike) -> Tensor:
        n = output_shape[-1]
        return concat([output_shape[:-2], [build.FloorDiv(n * (n + 1), 2)]], axis=0)


def _side(length: int) -> int:
    n = math.isqrt(2 * length)
    if n * (n + 1) != 2 * length:
        raise ValueError("Vector length is not a triangular number.")
    return n


@export("contrib.distributions.bijectors.MatrixInverseTriL")
class MatrixInverseTriL(Bijector):
    """The bijector y = inverse of x, of lower triangles.

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "matrix_inverse_tril") -> None:
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        x = self._checked(x)
        sizes: TensorLike = shape(x)
        identity = eye(sizes[-1], batch_shape=sizes[:-2], dtype=x.dtype)
        y: TensorLike = matrix_triangular_solve(x, identity)
        y.set_shape(x.get_shape())
        return y

    def _inverse(self, y: Tensor) -> Tensor:
        return self._forward(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        # dy = -y dx y: |det| is |det y| to the power of 2 n.
        x = self._checked(x)
        sizes: TensorLike = shape(x)
        n: Tensor = build.Cast(sizes[-1], DstT=x.dtype)
        return -2.0 * n * reduce_sum(build.Log(build.Abs(matrix_diag_part(x))), axis=-1)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return self._forward_log_det_jacobian(y)

    def _checked(self, x: TensorLike) -> Tensor:
        if x.get_shape().ndims is not None and x.get_shape().ndims < 2:
            raise ValueError("Rank must be at least 2.")
        known = x.get_shape().with_rank_at_least(2)
        if known.ndims is not None and known[-2] != known[-1] and None not in known[-2:].as_list():
            raise ValueError("Matrix must be square.")
        if not self.validate_args:
            return x
        check = assert_none_equal(matrix_diag_part(x), build.ZerosLike(matrix_diag_part(x)))
        return with_dependencies([check], x)


@export("contrib.distributions.bijectors.TransformDiagonal")
class TransformDiagonal(Bijector):
    """The bijector that applies another one to the diagonals of matrices.

    Args:
        diag_bijector: the other one, of numbers or vectors.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(
        self, diag_bijector: Any, validate_args: bool = False, name: str = "transform_diagonal"
    ) -> None:
        self._diag_bijector = diag_bijector
        super().__init__(
            forward_min_event_ndims=2,
            inverse_min_event_ndims=2,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: TensorLike) -> Tensor:
        return matrix_set_diag(x, self._diag_bijector.forward(matrix_diag_part(x)))

    def _inverse(self, y: TensorLike) -> Tensor:
        return matrix_set_diag(y, self._diag_bijector.inverse(matrix_diag_part(y)))

    def _forward_log_det_jacobian(self, x: TensorLike) -> Tensor:
        return self._diag_bijector.forward_log_det_jacobian(matrix_diag_part(x), event_ndims=1)

    def _inverse_log_det_jacobian(self, y: TensorLike) -> Tensor:
        return self._diag_bijector.inverse_log_det_jacobian(matrix_diag_part(y), event_ndims=1)


@export("contrib.distributions.bijectors.ScaleTriL")
class ScaleTriL(Chain):
    """The bijector from vectors to lower triangles with a positive diagonal.

    Args:
        diag_bijector: applied to the diagonal; softplus if None.
        diag_shift: then added to it; None for nothing.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(
        self,
        diag_bijector: Any = None,
        diag_shift: TensorLike = 1e-5,
        validate_args: bool = False,
        name: str = "scale_tril",
    ) -> None:
        if diag_bijector is None:
            diag_bijector = Softplus(validate_args=validate_args)
        if diag_shift is not None:
            diag_bijector = Chain([AffineScalar(shift=diag_shift), diag_bijector])
        super().__init__(
            [TransformDiagonal(diag_bijector=diag_bijector), FillTriangular()],
            validate_args=validate_args,
            name=name,
        )
