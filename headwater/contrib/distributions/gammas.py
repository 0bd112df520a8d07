"""Relatives of the gamma distribution: inverse gamma and chi-squared."""

from __future__ import annotations

from typing import Any, ClassVar

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
    with_dependencies,
)
from headwater.model.distributions.distribution import NOT_REPARAMETERIZED
from headwater.model.distributions.gamma import Gamma
from headwater.model.distributions.scalar import ScalarDistribution, checked_above
from headwater.ops.array.constant import constant
from headwater.ops.control.identity import identity
from headwater.ops.control.type_checks import assert_same_float_dtype
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.math.select import where_v2
from headwater.ops.math.special_functions import igammac
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.gamma import random_gamma


@export("contrib.distributions.InverseGamma")
class InverseGamma(ScalarDistribution):
    """The distribution of 1 / x, where x has a gamma distribution.

    Args:
        concentration: the concentrations of x, positive.
        rate: the rates of x, positive: the scales of 1 / x.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    _shape_parameters: ClassVar[tuple[str, ...]] = ("concentration", "rate")

    @renamed(alpha="concentration", beta="rate")
    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [concentration, rate]) as scope:
            checks = []
            if validate_args:
                checks = [assert_positive(concentration), assert_positive(rate)]
            with control_dependencies(checks):
                self._concentration: Tensor = identity(concentration, name="concentration")
                self._rate: Tensor = identity(rate, name="rate")
            assert_same_float_dtype([self._concentration, self._rate])
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration, self._rate],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        shape = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"concentration": shape, "rate": shape}

    @property
    def concentration(self) -> Tensor:
        """The concentrations."""
        return self._concentration

    @property
    def rate(self) -> Tensor:
        """The scales."""
        return self._rate

    # Before release 1.2.
    alpha = concentration
    beta = rate

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        drawn: Tensor = random_gamma(
            [n], alpha=self.concentration, beta=self.rate, dtype=self.dtype, seed=seed
        )
        return 1.0 / drawn

    def _log_prob(self, x: Tensor) -> Tensor:
        x = self._checked(x)
        unnormalized = -(1.0 + self.concentration) * build.Log(x) - self.rate / x
        return unnormalized - (
            build.Lgamma(self.concentration) - self.concentration * build.Log(self.rate)
        )

    def _cdf(self, x: Tensor) -> Tensor:
        # Igammac is the regularized upper incomplete gamma function.
        return igammac(self.concentration, self.rate / self._checked(x))

    def _entropy(self) -> Tensor:
        concentration = self.concentration
        first = concentration + build.Log(self.rate) + build.Lgamma(concentration)
        return first - (1.0 + concentration) * build.Digamma(concentration)

    def _above(self, value: TensorLike, limit: float, text: str) -> Tensor:
        """A statistic that exists only for larger concentrations."""
        if self.allow_nan_stats:
            nan = self._filled(np.nan, name="nan")
            return where_v2(build.Greater(self.concentration, limit), value, nan)
        return checked_above(value, limit, [(self.concentration, text)], self.dtype)

    def _mean(self) -> Tensor:
        text = "mean undefined when any concentration <= 1"
        return self._above(self.rate / (self.concentration - 1.0), 1.0, text)

    def _variance(self) -> Tensor:
        variance = (
            build.Square(self.rate)
            / build.Square(self.concentration - 1.0)
            / (self.concentration - 2.0)
        )
        return self._above(variance, 2.0, "variance undefined when any concentration <= 2")

    def _mode(self) -> Tensor:
        return self.rate / (1.0 + self.concentration)

    def _checked(self, x: TensorLike) -> Tensor:
        assert_same_float_dtype([x], self.dtype)
        return with_dependencies([assert_positive(x)] if self.validate_args else [], x)


@export(
    "contrib.distributions.InverseGammaWithSoftplusConcentrationRate",
    "contrib.distributions.InverseGammaWithSoftplusAlphaBeta",
)
class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """InverseGamma of softplus(concentration) and softplus(rate)."""

    @renamed(alpha="concentration", beta="rate")
    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGammaWithSoftplusConcentrationRate",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [concentration, rate]) as scope:
            super().__init__(
                concentration=softplus(concentration, name="softplus_concentration"),
                rate=softplus(rate, name="softplus_rate"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters


@export("contrib.distributions.Chi2")
class Chi2(Gamma):
    """The chi-squared distribution: that of the sum of squares of `df` standard normal numbers.

    Args:
        df: the degrees of freedom, positive.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        df: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [df]) as scope:
            checks = [assert_positive(df)] if validate_args else []
            with control_dependencies(checks):
                self._df: Tensor = identity(df, name="df")
            super().__init__(
                concentration=0.5 * self._df,
                rate=constant(0.5, dtype=self._df.dtype),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        return {"df": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df


@export("contrib.distributions.Chi2WithAbsDf")
class Chi2WithAbsDf(Chi2):
    """Chi2 of floor(|df|)."""

    def __init__(
        self,
        df: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2WithAbsDf",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [df]) as scope:
            super().__init__(
                df=build.Floor(build.Abs(df, name="abs_df"), name="floor_abs_df"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters
