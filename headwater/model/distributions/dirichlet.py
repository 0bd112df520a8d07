"""The Dirichlet distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headwater.base.older_calls import renamed
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope, with_dependencies
from headwater.model.distributions.counts import VectorDistribution
from headwater.model.distributions.distribution import FULLY_REPARAMETERIZED
from headwater.model.distributions.kullback_leibler import RegisterKL
from headwater.model.distributions.scalar import checked_above
from headwater.ops.array.fill import fill, ones
from headwater.ops.array.shape import shape
from headwater.ops.control.rank_checks import assert_rank_at_least
from headwater.ops.control.value_checks import assert_less, assert_near, assert_positive
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_all, reduce_sum
from headwater.ops.math.select import where_v2
from headwater.ops.math.special_functions import lbeta
from headwater.ops.random.gamma import random_gamma

if TYPE_CHECKING:
    from headwater.base.tensor_shape import TensorShape


def checked_concentration(concentration: TensorLike, validate_args: bool) -> Tensor:
    """Concentrations that are checked when the graph runs: positive, for at least two classes."""
    if not validate_args:
        return concentration
    sizes: TensorLike = shape(concentration)
    checks = [
        assert_positive(concentration, message="Concentration parameter must be positive."),
        assert_rank_at_least(
            concentration, 1, message="Concentration parameter must have >=1 dimensions."
        ),
        assert_less(1, sizes[-1], message="Concentration parameter must have event_size >= 2."),
    ]
    return with_dependencies(checks, concentration)


@export("distributions.Dirichlet", "contrib.distributions.Dirichlet")
class Dirichlet(VectorDistribution):
    """Probabilities of classes: density prod(x^(concentration - 1)) / B(concentration).

    Args:
        concentration: a positive floating-point tensor, [..., classes].
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    @renamed(alpha="concentration")
    def __init__(
        self,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [concentration]) as scope:
            self._concentration: Tensor = checked_concentration(
                convert_to_tensor(concentration, name="concentration"), validate_args
            )
            self._whole = self._concentration
            self._total_concentration: Tensor = reduce_sum(self._concentration, -1)
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration, self._total_concentration],
            name=scope,
        )

    @property
    def concentration(self) -> Tensor:
        """The concentrations."""
        return self._concentration

    @property
    def total_concentration(self) -> Tensor:
        """The sums of the concentrations over the classes."""
        return self._total_concentration

    # Before release 1.2.
    alpha = concentration
    alpha_sum = total_concentration

    def _batch_shape_tensor(self) -> Tensor:
        return shape(self.total_concentration)

    def _batch_shape(self) -> TensorShape:
        return self.total_concentration.get_shape()

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        gamma: Tensor = random_gamma(
            shape=[n], alpha=self.concentration, dtype=self.dtype, seed=seed
        )
        return gamma / reduce_sum(gamma, -1, keepdims=True)

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        x = self._checked_sample(x)
        result: TensorLike = reduce_sum(build.Xlogy(self.concentration - 1.0, x), -1)
        return result

    def _log_normalization(self) -> Tensor:
        return lbeta(self.concentration)

    def _number_of_classes(self) -> Tensor:
        return cast(self.event_shape_tensor()[0], self.dtype)

    def _entropy(self) -> Tensor:
        k = self._number_of_classes()
        total = self._log_normalization()
        total = total + (self.total_concentration - k) * build.Digamma(self.total_concentration)
        each = (self.concentration - 1.0) * build.Digamma(self.concentration)
        return total - reduce_sum(each, -1)

    def _mean(self) -> Tensor:
        return self.concentration / self.total_concentration[..., np.newaxis]

    def _covariance(self) -> Tensor:
        x = self._variance_scale_term() * self._mean()
        return self._negative_products(x, x)

    def _variance(self) -> Tensor:
        scale = self._variance_scale_term()
        x = scale * self._mean()
        return x * (scale - x)

    def _variance_scale_term(self) -> Tensor:
        return build.Rsqrt(1.0 + self.total_concentration[..., np.newaxis])

    def _mode(self) -> Tensor:
        k = self._number_of_classes()
        mode = (self.concentration - 1.0) / (self.total_concentration[..., np.newaxis] - k)
        if not self.allow_nan_stats:
            text = "Mode undefined when any concentration <= 1"
            return checked_above(mode, 1, [(self.concentration, text)], self.dtype)
        number = np.array(np.nan, dtype=self.dtype.as_numpy_dtype)
        nan = fill(shape(mode), number, name="nan")
        return where_v2(reduce_all(build.Greater(self.concentration, 1.0), axis=-1), mode, nan)

    def _checked_sample(self, x: TensorLike) -> Tensor:
        if not self.validate_args:
            return x
        text = "sample last-dimension must sum to `1`"
        checks = [
            assert_positive(x, message="samples must be positive"),
            assert_near(ones([], dtype=self.dtype), reduce_sum(x, -1), message=text),
        ]
        return with_dependencies(checks, x)


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(d1: Dirichlet, d2: Dirichlet, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_dirichlet_dirichlet", [d1.concentration, d2.concentration]):
        of_sum = build.Digamma(reduce_sum(d1.concentration, axis=-1, keepdims=True))
        mean_log: Tensor = build.Digamma(d1.concentration)
        mean_log = mean_log - of_sum
        difference = d1.concentration - d2.concentration
        total: Tensor = reduce_sum(difference * mean_log, axis=-1)
        return total - lbeta(d1.concentration) + lbeta(d2.concentration)
