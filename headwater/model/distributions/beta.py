"""The beta distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.older_calls import renamed
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope, with_dependencies
from headwater.model.distributions.arguments import gen_new_seed
from headwater.model.distributions.distribution import FULLY_REPARAMETERIZED
from headwater.model.distributions.kullback_leibler import RegisterKL
from headwater.model.distributions.scalar import ScalarDistribution, checked_above
from headwater.ops.array.fill import ones, ones_like
from headwater.ops.control.type_checks import assert_same_float_dtype
from headwater.ops.control.value_checks import assert_less, assert_positive
from headwater.ops.math.select import where_v2
from headwater.ops.math.special_functions import betainc
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.gamma import random_gamma


@export("distributions.Beta", "contrib.distributions.Beta")
class Beta(ScalarDistribution):
    """The beta distribution: density x^(a - 1) (1 - x)^(b - 1) / B(a, b) on (0, 1).

    Args:
        concentration1: a, a positive floating-point tensor.
        concentration0: b, positive.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    _shape_parameters = ("total_concentration",)

    @renamed(a="concentration1", b="concentration0")
    def __init__(
        self,
        concentration1: TensorLike | None = None,
        concentration0: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [concentration1, concentration0]) as scope:
            self._concentration1: Tensor = _checked_concentration(
                convert_to_tensor(concentration1, name="concentration1"), validate_args
            )
            self._concentration0: Tensor = _checked_concentration(
                convert_to_tensor(concentration0, name="concentration0"), validate_args
            )
            assert_same_float_dtype([self._concentration1, self._concentration0])
            self._total_concentration: Tensor = self._concentration1 + self._concentration0
        super().__init__(
            dtype=self._total_concentration.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[
                self._concentration1,
                self._concentration0,
                self._total_concentration,
            ],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        sizes = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"concentration1": sizes, "concentration0": sizes}

    @property
    def concentration1(self) -> Any:
        """The concentration at 1."""
        return self._concentration1

    @property
    def concentration0(self) -> Tensor:
        """The concentration at 0."""
        return self._concentration0

    @property
    def total_concentration(self) -> Tensor:
        """The sum of both concentrations."""
        return self._total_concentration

    # Before release 1.2.
    a = concentration1
    b = concentration0
    a_b_sum = total_concentration

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        a = ones_like(self.total_concentration, dtype=self.dtype) * self.concentration1
        b = ones_like(self.total_concentration, dtype=self.dtype) * self.concentration0
        gamma1: Tensor = random_gamma(shape=[n], alpha=a, dtype=self.dtype, seed=seed)
        gamma2 = random_gamma(shape=[n], alpha=b, dtype=self.dtype, seed=gen_new_seed(seed, "beta"))
        return gamma1 / (gamma1 + gamma2)

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _cdf(self, x: Tensor) -> Tensor:
        x = self._checked_sample(x)
        return betainc(self.concentration1, self.concentration0, x)

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        x = self._checked_sample(x)
        first: Tensor = build.Xlogy(self.concentration1 - 1.0, x)
        return first + (self.concentration0 - 1.0) * build.Log1p(-x)

    def _log_normalization(self) -> Tensor:
        both: Tensor = build.Lgamma(self.concentration1)
        both = both + build.Lgamma(self.concentration0)
        return both - build.Lgamma(self.total_concentration)

    def _entropy(self) -> Tensor:
        return (
            self._log_normalization()
            - (self.concentration1 - 1.0) * build.Digamma(self.concentration1)
            - (self.concentration0 - 1.0) * build.Digamma(self.concentration0)
            + (self.total_concentration - 2.0) * build.Digamma(self.total_concentration)
        )

    def _mean(self) -> Tensor:
        return self._concentration1 / self._total_concentration

    def _variance(self) -> Tensor:
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self) -> Tensor:
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        if not self.allow_nan_stats:
            texts = [
                (self.concentration1, "Mode undefined for concentration1 <= 1."),
                (self.concentration0, "Mode undefined for concentration0 <= 1."),
            ]
            return checked_above(mode, 1, texts, self.dtype)
        nan = self._filled(np.nan, name="nan")
        defined = build.LogicalAnd(
            build.Greater(self.concentration1, 1.0), build.Greater(self.concentration0, 1.0)
        )
        return where_v2(defined, mode, nan)

    def _checked_sample(self, x: TensorLike) -> Tensor:
        if not self.validate_args:
            return x
        checks = [
            assert_positive(x, message="sample must be positive"),
            assert_less(x, ones([], self.dtype), message="sample must be less than `1`."),
        ]
        return with_dependencies(checks, x)


def _checked_concentration(concentration: TensorLike, validate_args: bool) -> Tensor:
    if not validate_args:
        return concentration
    check = assert_positive(concentration, message="Concentration parameter must be positive.")
    return with_dependencies([check], concentration)


@export(
    "contrib.distributions.BetaWithSoftplusConcentration",
    "contrib.distributions.BetaWithSoftplusAB",
)
class BetaWithSoftplusConcentration(Beta):
    """Beta of the softplus of both concentrations; the arguments are those of Beta."""

    @renamed(a="concentration1", b="concentration0")
    def __init__(
        self,
        concentration1: TensorLike,
        concentration0: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "BetaWithSoftplusConcentration",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [concentration1, concentration0]) as scope:
            super().__init__(
                concentration1=softplus(concentration1, name="softplus_concentration1"),
                concentration0=softplus(concentration0, name="softplus_concentration0"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters


@RegisterKL(Beta, Beta)
def _kl_beta_beta(d1: Beta, d2: Beta, name: str | None = None) -> Tensor:
    values = [d1.concentration1, d1.concentration0, d1.total_concentration]
    values += [d2.concentration1, d2.concentration0, d2.total_concentration]
    with name_scope(name, "kl_beta_beta", values):
        # KL is the difference of log-normalizers and of what the means of log x give.
        second, first = d2._log_normalization(), d1._log_normalization()
        return (
            (second - first)
            - build.Digamma(d1.concentration1) * (d2.concentration1 - d1.concentration1)
            - build.Digamma(d1.concentration0) * (d2.concentration0 - d1.concentration0)
            + build.Digamma(d1.total_concentration)
            * (d2.total_concentration - d1.total_concentration)
        )
