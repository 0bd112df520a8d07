"""Wishart's distribution of positive definite matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.model.distributions.arguments import gen_new_seed
from headwater.model.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from headwater.model.linalg.lower_triangular import LinearOperatorLowerTriangular
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, shape
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.linalg.band_part import matrix_band_part
from headwater.ops.linalg.cholesky import cholesky
from headwater.ops.linalg.diagonal import matrix_diag_part, matrix_set_diag
from headwater.ops.math.cast import cast
from headwater.ops.math.matmul import matmul
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.select import where_v2
from headwater.ops.random.gamma import random_gamma
from headwater.ops.random.normal import random_normal

if TYPE_CHECKING:
    from headwater.model.linalg.operator import LinearOperator


class _Wishart(Distribution):
    """The base: the degrees of freedom, and the Cholesky factor of the scale."""

    def _make(
        self,
        df: TensorLike,
        factor: Tensor,
        cholesky_matrices: bool,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        parameters: dict[str, Any],
    ) -> None:
        self._cholesky_input_output_matrices = cholesky_matrices
        self._scale_operator = LinearOperatorLowerTriangular(
            factor, is_non_singular=True, is_positive_definite=True, is_square=True
        )
        dtype = factor.dtype
        self._df: Tensor = convert_to_tensor(df, dtype=dtype, name="df")
        if validate_args:
            with control_dependencies([assert_positive(self._df)]):
                self._df = identity(self._df)
        known = self._scale_operator.domain_dimension.value
        dimension: TensorLike = (
            self._scale_operator.domain_dimension_tensor() if known is None else known
        )
        self._dimension: Tensor = cast(dimension, dtype)
        Distribution.__init__(
            self,
            dtype=dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._df, factor],
            name=name,
        )

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df

    @property
    def scale_operator(self) -> LinearOperator:
        """The Cholesky factor of the scale, a LinearOperator."""
        return self._scale_operator

    @property
    def cholesky_input_output_matrices(self) -> bool:
        """Whether values and samples are Cholesky factors."""
        return self._cholesky_input_output_matrices

    @property
    def dimension(self) -> Tensor:
        """The number of rows, a floating-point scalar."""
        return self._dimension

    def _square(self) -> Tensor:
        dense = self._scale_operator.to_dense()
        return matmul(dense, dense, adjoint_b=True)

    def scale(self) -> Any:
        """The scale, or its Cholesky factor if values are Cholesky factors."""
        if self._cholesky_input_output_matrices:
            return self._scale_operator.to_dense()
        return self._square()

    def _event_shape_tensor(self) -> Tensor:
        n = self._scale_operator.domain_dimension_tensor()
        return build.Pack([n, n])

    def _event_shape(self) -> TensorShape:
        n = self._scale_operator.domain_dimension
        return TensorShape([n, n])

    def _batch_shape_tensor(self) -> Tensor:
        return broadcast_dynamic_shape(shape(self._df), self._scale_operator.batch_shape_tensor())

    def _batch_shape(self) -> TensorShape:
        return broadcast_static_shape(self._df.get_shape(), self._scale_operator.batch_shape)

    def _sequence(self, a: TensorLike) -> Tensor:
        """a, a - 1/2, a - 1, ... along a new last dimension, one for each row."""
        n = self._scale_operator.domain_dimension_tensor()
        return expand_dims(a, -1) - 0.5 * cast(range_(0, n, 1), self.dtype)

    def _multi_lgamma(self, a: Tensor) -> Tensor:
        p = self._dimension
        return 0.25 * p * (p - 1.0) * math.log(math.pi) + reduce_sum(
            build.Lgamma(self._sequence(a)), axis=[-1]
        )

    def _multi_digamma(self, a: Tensor) -> Tensor:
        return reduce_sum(build.Digamma(self._sequence(a)), axis=[-1])

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        # Bartlett's decomposition: normal numbers below the diagonal, roots of chi-squared on it.
        batch, event = self.batch_shape_tensor(), self.event_shape_tensor()
        x: TensorLike = random_normal(
            concat([[n], batch, event], 0), mean=0.0, stddev=1.0, dtype=self.dtype, seed=seed
        )
        wide = self._df + build.Fill(batch, constant(0, self.dtype))
        g = random_gamma(
            shape=[n],
            alpha=self._sequence(0.5 * wide),
            beta=0.5,
            dtype=self.dtype,
            seed=gen_new_seed(seed, "wishart"),
        )
        x = matrix_band_part(x, -1, 0)
        x = matrix_set_diag(x, build.Sqrt(g))
        x = matmul(self._scale_operator.to_dense() + build.ZerosLike(x), x)
        if not self._cholesky_input_output_matrices:
            x = matmul(x, x, adjoint_b=True)
        return x

    def _log_prob(self, x: TensorLike) -> Tensor:
        root: Tensor = x if self._cholesky_input_output_matrices else cholesky(x)
        dense = self._scale_operator.to_dense()
        shared: Tensor = build.ZerosLike(dense) + build.ZerosLike(root)
        solved = build.MatrixTriangularSolve(dense + shared, root + shared, lower=True)
        trace = reduce_sum(build.Square(solved), axis=[-2, -1])
        half_log_det: Tensor = reduce_sum(build.Log(matrix_diag_part(root)), axis=[-1])
        log_prob = (self._df - self._dimension - 1.0) * half_log_det - 0.5 * trace
        result = log_prob - self.log_normalization()
        ndims = root.get_shape().ndims
        if ndims is not None:
            result.set_shape(broadcast_static_shape(x.get_shape()[: ndims - 2], self.batch_shape))
        return result

    def _prob(self, x: Tensor) -> Tensor:
        return build.Exp(self._log_prob(x))

    def log_normalization(self, name: str = "log_normalization") -> Tensor:
        """The logarithm of the normalizing constant.

        Args:
            name: the name scope.

        Returns:
            A tensor with the shape of the batch.
        """
        with self._name_scope(name):
            return (
                self._df * self._scale_operator.log_abs_determinant()
                + 0.5 * self._df * self._dimension * math.log(2.0)
                + self._multi_lgamma(0.5 * self._df)
            )

    def mean_log_det(self, name: str = "mean_log_det") -> Tensor:
        """The mean of log |det x|.

        Args:
            name: the name scope.

        Returns:
            A tensor with the shape of the batch.
        """
        with self._name_scope(name):
            return (
                self._multi_digamma(0.5 * self._df)
                + self._dimension * math.log(2.0)
                + 2 * self._scale_operator.log_abs_determinant()
            )

    def _entropy(self) -> Tensor:
        half_dp1 = 0.5 * self._dimension + 0.5
        half_df = 0.5 * self._df
        return (
            self._dimension * (half_df + half_dp1 * math.log(2.0))
            + 2 * half_dp1 * self._scale_operator.log_abs_determinant()
            + self._multi_lgamma(half_df)
            + (half_dp1 - half_df) * self._multi_digamma(half_df)
        )

    def _for_matrices(self, x: Tensor) -> Tensor:
        return x[..., np.newaxis, np.newaxis]

    def _mean(self) -> Tensor:
        if self._cholesky_input_output_matrices:
            return self._for_matrices(build.Sqrt(self._df)) * self._scale_operator.to_dense()
        return self._for_matrices(self._df) * self._square()

    def _variance(self) -> Tensor:
        # df (s_ij^2 + s_ii s_jj).
        square: Tensor = self._square()
        diagonal: Tensor = matrix_diag_part(square)
        products = expand_dims(diagonal, -1) * expand_dims(diagonal, -2)
        found = self._for_matrices(self._df) * (build.Square(square) + products)
        return cholesky(found) if self._cholesky_input_output_matrices else found

    def _stddev(self) -> Tensor:
        if self._cholesky_input_output_matrices:
            raise ValueError(
                "Computing std. dev. when is cholesky_input_output_matrices=True does not make "
                "sense."
            )
        return cholesky(self.variance())

    def _mode(self) -> Tensor:
        s: Tensor = self._df - self._dimension - 1.0
        s = where_v2(build.Less(s, 0.0), constant(np.nan, self.dtype), s)
        if self._cholesky_input_output_matrices:
            return self._for_matrices(build.Sqrt(s)) * self._scale_operator.to_dense()
        return self._for_matrices(s) * self._square()


@export("contrib.distributions.WishartCholesky")
class WishartCholesky(_Wishart):
    """Wishart's distribution, with the Cholesky factor of the scale.

    Args:
        df: the degrees of freedom, not below the number of rows.
        scale: lower triangles, [..., k, k].
        cholesky_input_output_matrices: whether values and samples are Cholesky factors too.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        df: TensorLike,
        scale: TensorLike,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartCholesky",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [scale]) as scope:
            given: Tensor = convert_to_tensor(scale)
            if validate_args:
                with control_dependencies([assert_positive(matrix_diag_part(given))]):
                    given = identity(given)
            self._make(
                df,
                given,
                cholesky_input_output_matrices,
                validate_args,
                allow_nan_stats,
                scope,
                parameters,
            )


@export("contrib.distributions.WishartFull")
class WishartFull(_Wishart):
    """Wishart's distribution: that of the sum of df products z z', where z is normal.

    Args:
        df: the degrees of freedom, not below the number of rows.
        scale: the covariance of z, symmetric positive definite, [..., k, k].
        cholesky_input_output_matrices: whether values and samples are Cholesky factors.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        df: TensorLike,
        scale: TensorLike,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartFull",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [scale]) as scope:
            self._make(
                df,
                cholesky(convert_to_tensor(scale)),
                cholesky_input_output_matrices,
                validate_args,
                allow_nan_stats,
                scope,
                parameters,
            )
