"""The multinomial distribution whose probabilities have a Dirichlet distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headwater.base import dtypes
from headwater.base.older_calls import renamed
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.distributions.arguments import gen_new_seed, log_combinations
from headwater.model.distributions.counts import VectorDistribution, checked_counts, checked_total
from headwater.model.distributions.dirichlet import checked_concentration
from headwater.model.distributions.distribution import NOT_REPARAMETERIZED
from headwater.ops.array.concat import concat
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.special_functions import lbeta
from headwater.ops.random.gamma import random_gamma
from headwater.ops.random.multinomial import multinomial

if TYPE_CHECKING:
    from headwater.base.tensor_shape import TensorShape


@export("distributions.DirichletMultinomial", "contrib.distributions.DirichletMultinomial")
class DirichletMultinomial(VectorDistribution):
    """How often each class comes up in `total_count` draws, the probabilities being drawn first.

    Args:
        total_count: the numbers of draws, floating-point numbers of the batch's shape.
        concentration: the concentrations of the Dirichlet distribution, [..., classes].
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    @renamed(n="total_count", alpha="concentration")
    def __init__(
        self,
        total_count: TensorLike,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [total_count, concentration]) as scope:
            total: TensorLike = convert_to_tensor(total_count, name="total_count")
            self._total_count: Tensor = checked_total(total, validate_args)
            self._concentration: Tensor = checked_concentration(
                convert_to_tensor(concentration, name="concentration"), validate_args
            )
            self._whole = self._concentration
            self._total_concentration: Tensor = reduce_sum(self._concentration, -1)
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._concentration],
            name=scope,
        )

    @property
    def total_count(self) -> Tensor:
        """The numbers of draws."""
        return self._total_count

    @property
    def concentration(self) -> Tensor:
        """The concentrations."""
        return self._concentration

    @property
    def total_concentration(self) -> Tensor:
        """The sums of the concentrations over the classes."""
        return self._total_concentration

    # Before release 1.2.
    n = total_count
    alpha = concentration
    alpha_sum = total_concentration

    def _batch_shape_tensor(self) -> Tensor:
        return shape(self.total_concentration)

    def _batch_shape(self) -> TensorShape:
        return self.total_concentration.get_shape()

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        draws = cast(self.total_count, dtype=dtypes.int32)
        k = self.event_shape_tensor()[0]
        gamma = random_gamma(shape=[n], alpha=self.concentration, dtype=self.dtype, seed=seed)
        logits = reshape(build.Log(gamma), [-1, k])
        chosen = multinomial(
            logits=logits,
            num_samples=draws,
            seed=gen_new_seed(seed, salt="dirichlet_multinomial"),
        )
        counts = reduce_sum(one_hot(chosen, depth=k), -2)
        counts = reshape(counts, concat([[n], self.batch_shape_tensor(), [k]], 0))
        return cast(counts, self.dtype)

    def _log_prob(self, counts: TensorLike) -> Tensor:
        counts = checked_counts(counts, self.total_count, self.validate_args)
        ordered: Tensor = lbeta(self.concentration + counts)
        ordered = ordered - lbeta(self.concentration)
        return ordered + log_combinations(self.total_count, counts)

    def _mean(self) -> Tensor:
        share = self.concentration / self.total_concentration[..., np.newaxis]
        return self.total_count * share

    def _covariance(self) -> Tensor:
        x = self._variance_scale_term() * self._mean()
        return self._negative_products(x, x)

    def _variance(self) -> Tensor:
        scale = self._variance_scale_term()
        x = scale * self._mean()
        return x * (self.total_count * scale - x)

    def _variance_scale_term(self) -> Tensor:
        c0 = self.total_concentration[..., np.newaxis]
        return build.Sqrt((1.0 + c0 / self.total_count) / (1.0 + c0))
