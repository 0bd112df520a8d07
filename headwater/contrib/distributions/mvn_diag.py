"""Vectors of independent normal numbers."""

from __future__ import annotations

import math
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.graph import build, convert_to_tensor, export, name_scope
from headwater.model.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from headwater.model.distributions.kullback_leibler import RegisterKL
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.shape import shape
from headwater.ops.linalg.diagonal import matrix_diag
from headwater.ops.math.reduce import reduce_sum
from headwater.ops.random.normal import random_normal


@export("contrib.distributions.MultivariateNormalDiag")
class MultivariateNormalDiag(Distribution):
    """The normal distribution of vectors whose elements are independent.

    Args:
        loc: the means, [..., k]; zeros if None.
        scale_diag: the standard deviations, [..., k].
        scale_identity_multiplier: a number that is added to all of them, [...].
        validate_args: whether values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if neither `loc` nor `scale_diag` tells how long vectors are.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        parameters = dict(locals())
        if loc is None and scale_diag is None:
            raise ValueError("Must specify `loc` or `scale_diag`.")
        with name_scope(name, None, [loc, scale_diag, scale_identity_multiplier]) as scope:
            given: Any = None if loc is None else convert_to_tensor(loc, name="loc")
            scale: Any = ones_like(given) if scale_diag is None else None
            if scale is None:
                scale = convert_to_tensor(scale_diag, name="scale_diag")
            if scale_identity_multiplier is not None:
                more: Any = convert_to_tensor(scale_identity_multiplier, dtype=scale.dtype)
                more = build.ExpandDims(more, -1)
                scale = more * scale if scale_diag is None else scale + more
            # Both with the shape of the batch and of the event.
            self._loc: Any = zeros_like(scale) if given is None else given + zeros_like(scale)
            self._scale: Any = scale + zeros_like(self._loc)
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """The means."""
        return self._loc

    def _batch_shape_tensor(self) -> Any:
        sizes: Any = shape(self._loc)
        return sizes[:-1]

    def _batch_shape(self) -> TensorShape:
        return self._loc.get_shape().with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Any:
        sizes: Any = shape(self._loc)
        return sizes[-1:]

    def _event_shape(self) -> TensorShape:
        return self._loc.get_shape().with_rank_at_least(1)[-1:]

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        sizes = concat([[n], shape(self._loc)], 0)
        normal: Any = random_normal(sizes, dtype=self.dtype, seed=seed)
        return normal * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        z = (x - self._loc) / self._scale
        each = -0.5 * build.Square(z) - 0.5 * math.log(2.0 * math.pi)
        return reduce_sum(each - build.Log(build.Abs(self._scale)), axis=-1)

    def _entropy(self) -> Any:
        each: Any = build.Log(build.Abs(self._scale))
        return reduce_sum(each + 0.5 * math.log(2.0 * math.pi * math.e), axis=-1)

    def _mean(self) -> Any:
        return build.Identity(self._loc)

    def _mode(self) -> Any:
        return build.Identity(self._loc)

    def _variance(self) -> Any:
        return build.Square(self._scale)

    def _stddev(self) -> Any:
        return build.Abs(self._scale)

    def _covariance(self) -> Any:
        return matrix_diag(build.Square(self._scale))


@RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
def _kl(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_mvn", [a.loc, b.loc]):
        ratio: Any = build.Square(a._scale / b._scale)
        distance: Any = build.Square((a.loc - b.loc) / b._scale)
        return reduce_sum(0.5 * (ratio + distance - 1.0 - build.Log(ratio)), axis=-1)
