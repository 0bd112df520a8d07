"""The gamma distribution."""

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
from headwater.model.distributions.distribution import FULLY_REPARAMETERIZED
from headwater.model.distributions.kullback_leibler import RegisterKL
from headwater.model.distributions.scalar import ScalarDistribution, checked_above
from headwater.ops.control.identity import identity
from headwater.ops.control.type_checks import assert_same_float_dtype
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.math.select import where_v2
from headwater.ops.math.special_functions import igamma
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.gamma import random_gamma


@export("distributions.Gamma", "contrib.distributions.Gamma")
class Gamma(ScalarDistribution):
    """The gamma distribution: density x^(a - 1) exp(-x b) b^a / Gamma(a).

    Args:
        concentration: a, a positive floating-point tensor.
        rate: b, positive: an inverse scale.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        TypeError: if the parameters have different types.
    """

    _shape_parameters: ClassVar[tuple[str, ...]] = ("concentration", "rate")

    @renamed(alpha="concentration", beta="rate")
    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
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
            reparameterization_type=FULLY_REPARAMETERIZED,
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
        """The rates."""
        return self._rate

    # Before release 1.2.
    alpha = concentration
    beta = rate

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        return random_gamma(
            shape=[n], alpha=self.concentration, beta=self.rate, dtype=self.dtype, seed=seed
        )

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _cdf(self, x: Tensor) -> Tensor:
        x = self._checked_sample(x)
        # Igamma is the regularized lower incomplete gamma function.
        return igamma(self.concentration, self.rate * x)

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        x = self._checked_sample(x)
        return build.Xlogy(self.concentration - 1.0, x) - self.rate * x

    def _log_normalization(self) -> Tensor:
        scaled = build.Lgamma(self.concentration)
        return scaled - self.concentration * build.Log(self.rate)

    def _entropy(self) -> Tensor:
        concentration = self.concentration
        first = concentration - build.Log(self.rate) + build.Lgamma(concentration)
        return first + (1.0 - concentration) * build.Digamma(concentration)

    def _mean(self) -> Tensor:
        return self.concentration / self.rate

    def _variance(self) -> Tensor:
        return self.concentration / build.Square(self.rate)

    def _stddev(self) -> Tensor:
        return build.Sqrt(self.concentration) / self.rate

    def _mode(self) -> Tensor:
        mode = (self.concentration - 1.0) / self.rate
        if not self.allow_nan_stats:
            text = "mode not defined when any concentration <= 1"
            return checked_above(mode, 1, [(self.concentration, text)], self.dtype)
        nan = self._filled(np.nan, name="nan")
        return where_v2(build.Greater(self.concentration, 1.0), mode, nan)

    def _checked_sample(self, x: TensorLike) -> Tensor:
        assert_same_float_dtype([x], self.dtype)
        if not self.validate_args:
            return x
        return with_dependencies([assert_positive(x)], x)


@export(
    "contrib.distributions.GammaWithSoftplusConcentrationRate",
    "contrib.distributions.GammaWithSoftplusAlphaBeta",
)
class GammaWithSoftplusConcentrationRate(Gamma):
    """Gamma of softplus(concentration) and softplus(rate); the arguments are those of Gamma."""

    @renamed(alpha="concentration", beta="rate")
    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "GammaWithSoftplusConcentrationRate",
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


@RegisterKL(Gamma, Gamma)
def _kl_gamma_gamma(g0: Gamma, g1: Gamma, name: str | None = None) -> Tensor:
    values = [g0.concentration, g0.rate, g1.concentration, g1.rate]
    with name_scope(name, "kl_gamma_gamma", values):
        return (
            (g0.concentration - g1.concentration) * build.Digamma(g0.concentration)
            + build.Lgamma(g1.concentration)
            - build.Lgamma(g0.concentration)
            + g1.concentration * build.Log(g0.rate)
            - g1.concentration * build.Log(g1.rate)
            + g0.concentration * (g1.rate / g0.rate - 1.0)
        )
