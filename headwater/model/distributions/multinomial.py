"""The multinomial distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.older_calls import renamed
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor, name_scope
from headwater.model.distributions.arguments import get_logits_and_probs, log_combinations
from headwater.model.distributions.counts import VectorDistribution, checked_counts, checked_total
from headwater.model.distributions.distribution import NOT_REPARAMETERIZED
from headwater.model.functional_loops import map_fn
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.softmax import log_softmax
from headwater.ops.random.multinomial import multinomial


@export("distributions.Multinomial", "contrib.distributions.Multinomial")
class Multinomial(VectorDistribution):
    """How often each class comes up in `total_count` draws.

    Args:
        total_count: the numbers of draws, floating-point numbers of the batch's shape.
        logits: logarithms of probabilities up to a constant, [..., classes]; either these or
            `probs`.
        probs: the probabilities, [..., classes].
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if both or none of `logits` and `probs` are given.
    """

    @renamed(n="total_count", p="probs")
    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [total_count, logits, probs]) as scope:
            total: TensorLike = convert_to_tensor(total_count, name="total_count")
            self._total_count: Tensor = checked_total(total, validate_args)
            self._logits: TensorLike
            self._probs: TensorLike
            self._logits, self._probs = get_logits_and_probs(
                logits=logits,
                probs=probs,
                multidimensional=True,
                validate_args=validate_args,
                name=scope,
            )
            self._whole = self._mean_val = self._total_count[..., np.newaxis] * self._probs
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._logits, self._probs],
            name=scope,
        )

    @property
    def total_count(self) -> Tensor:
        """The numbers of draws."""
        return self._total_count

    @property
    def logits(self) -> Tensor:
        """Logarithms of the probabilities up to a constant."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs

    # Before release 1.2.
    n = total_count
    p = probs

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        draws: Tensor = cast(self.total_count, dtype=dtypes.int32)
        k = self.event_shape_tensor()[0]
        draws = ones_like(self.logits[..., 0], dtype=draws.dtype) * draws
        logits = ones_like(draws[..., np.newaxis], dtype=self.logits.dtype) * self.logits
        rows = reshape(logits, [-1, k])
        counts = n * reshape(draws, [-1])

        def sample_one(arguments: Sequence[Tensor]) -> Tensor:
            row, count = arguments[0], arguments[1]
            chosen = reshape(multinomial(row[np.newaxis, ...], count, seed), shape=[n, -1])
            return reduce_sum(one_hot(chosen, depth=k), axis=-2)

        found = map_fn(sample_one, [rows, counts], dtype=self.dtype)
        found = transpose(found, perm=[1, 0, 2])
        return reshape(found, concat([[n], self.batch_shape_tensor(), [k]], 0))

    def _log_prob(self, counts: Tensor) -> Tensor:
        return self._log_unnormalized_prob(counts) - self._log_normalization(counts)

    def _log_unnormalized_prob(self, counts: TensorLike) -> Tensor:
        counts = checked_counts(counts, self.total_count, self.validate_args)
        return reduce_sum(counts * log_softmax(self.logits), -1)

    def _log_normalization(self, counts: TensorLike) -> Tensor:
        counts = checked_counts(counts, self.total_count, self.validate_args)
        return -log_combinations(self.total_count, counts)

    def _mean(self) -> Tensor:
        return identity(self._mean_val)

    def _covariance(self) -> Tensor:
        p = self.probs * ones_like(self.total_count)[..., np.newaxis]
        return self._negative_products(self._mean_val, p)

    def _variance(self) -> Tensor:
        p = self.probs * ones_like(self.total_count)[..., np.newaxis]
        return self._mean_val - self._mean_val * p
