"""Student's t-distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.older_calls import renamed
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
from headwater.model.distributions.distribution import FULLY_REPARAMETERIZED
from headwater.model.distributions.scalar import ScalarDistribution, checked_above
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like
from headwater.ops.control.identity import identity
from headwater.ops.control.type_checks import assert_same_float_dtype
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.math.select import where_v2
from headwater.ops.math.sign import absolute
from headwater.ops.math.special_functions import betainc, lbeta
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.gamma import random_gamma
from headwater.ops.random.normal import random_normal


@export("distributions.StudentT", "contrib.distributions.StudentT")
class StudentT(ScalarDistribution):
    """Student's t-distribution: density proportional to (1 + y^2 / df)^(-(df + 1) / 2).

    Here y = (x - loc) / scale.

    Args:
        df: the degrees of freedom, a positive floating-point tensor.
        loc: the centres.
        scale: the spreads; a negative one is its absolute value.
        validate_args: whether the parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        TypeError: if the parameters have different types.
    """

    _shape_parameters = ("df", "loc", "scale")

    @renamed(mu="loc", sigma="scale")
    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [df, loc, scale]) as scope:
            checks = [assert_positive(df)] if validate_args else []
            with control_dependencies(checks):
                self._df: Tensor = identity(df, name="df")
                self._loc: Tensor = identity(loc, name="loc")
                self._scale: Tensor = identity(scale, name="scale")
                assert_same_float_dtype((self._df, self._loc, self._scale))
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._df, self._loc, self._scale],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        sizes = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"df": sizes, "loc": sizes, "scale": sizes}

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df

    @property
    def loc(self) -> Any:
        """The centres."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The spreads."""
        return self._scale

    # Before release 1.2.
    mu = loc
    sigma = scale

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        # A normal number over the root of a chi-square number per degree of freedom.
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        normal: Tensor = random_normal(sizes, dtype=self.dtype, seed=seed)
        df = self.df * self._ones()
        gamma: Tensor = random_gamma(
            [n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=gen_new_seed(seed, "student_t")
        )
        samples = normal * build.Rsqrt(gamma / df)
        return samples * self.scale + self.loc

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        y = (x - self.loc) / self.scale
        return -0.5 * (self.df + 1.0) * build.Log1p(y**2.0 / self.df)

    def _log_normalization(self) -> Tensor:
        return (
            build.Log(absolute(self.scale))
            + 0.5 * build.Log(self.df)
            + 0.5 * math.log(math.pi)
            + build.Lgamma(0.5 * self.df)
            - build.Lgamma(0.5 * (self.df + 1.0))
        )

    def _cdf(self, x: Tensor) -> Tensor:
        y = (x - self.loc) / absolute(self.scale)
        ratio = self.df / (y**2.0 + self.df)
        below = 0.5 * betainc(0.5 * self.df, 0.5, ratio)
        return where_v2(build.Less(y, 0.0), below, 1.0 - below)

    def _entropy(self) -> Tensor:
        v = self._ones()[..., np.newaxis]
        u = v * self.df[..., np.newaxis]
        halves: Tensor = concat([u, v], -1) / 2.0
        size = build.Log(absolute(self.scale)) + 0.5 * build.Log(self.df) + lbeta(halves)
        weight = 0.5 * (self.df + 1.0)
        tail: Tensor = build.Digamma(0.5 * (self.df + 1.0))
        return size + weight * (tail - build.Digamma(0.5 * self.df))

    def _mean(self) -> Tensor:
        """The centre; NaN, or an error, for at most one degree of freedom."""
        mean = self.loc * self._ones()
        if not self.allow_nan_stats:
            text = "mean not defined for components of df <= 1"
            return checked_above(mean, 1, [(self.df, text)], self.dtype)
        defined = build.Greater(self.df, self._ones())
        return where_v2(defined, mean, self._filled(np.nan, name="nan"))

    def _variance(self) -> Tensor:
        """Infinite for at most two degrees of freedom, NaN or an error for at most one."""
        bottom = where_v2(build.Greater(self.df, 2.0), self.df - 2.0, ones_like(self.df))
        value = self._ones() * build.Square(self.scale) * self.df / bottom
        finite = build.Greater(self.df, self._filled(2.0))
        value = where_v2(finite, value, self._filled(np.inf, name="inf"))
        if not self.allow_nan_stats:
            text = "variance not defined for components of df <= 1"
            return checked_above(value, 1, [(self.df, text)], self.dtype)
        defined = build.Greater(self.df, self._ones())
        return where_v2(defined, value, self._filled(np.nan, name="nan"))

    def _mode(self) -> Tensor:
        return identity(self.loc)


@export(
    "contrib.distributions.StudentTWithAbsDfSoftplusScale",
    "contrib.distributions.StudentTWithAbsDfSoftplusSigma",
)
class StudentTWithAbsDfSoftplusScale(StudentT):
    """StudentT of floor(|df|) and softplus(scale); the arguments are those of StudentT."""

    @renamed(mu="loc", sigma="scale")
    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentTWithAbsDfSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [df, scale]) as scope:
            super().__init__(
                df=build.Floor(absolute(df)),
                loc=loc,
                scale=softplus(scale, name="softplus_scale"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters
