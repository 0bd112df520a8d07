"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

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
from headwater.model.distributions.distribution import FULLY_REPARAMETERIZED
from headwater.model.distributions.kullback_leibler import RegisterKL
from headwater.model.distributions.scalar import ScalarDistribution
from headwater.model.distributions.special_math import log_ndtr, ndtr, ndtri
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones_like
from headwater.ops.control.identity import identity
from headwater.ops.control.type_checks import assert_same_float_dtype
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.normal import random_normal


@export("distributions.Normal", "contrib.distributions.Normal")
class Normal(ScalarDistribution):
    """The normal distribution: density exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi)).

    Args:
        loc: the means, a floating-point tensor.
        scale: the standard deviations, positive.
        validate_args: whether the parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        TypeError: if the parameters have different types.
    """

    _shape_parameters = ("loc", "scale")

    @renamed(mu="loc", sigma="scale")
    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [loc, scale]) as scope:
            checks = [assert_positive(scale)] if validate_args else []
            with control_dependencies(checks):
                self._loc: Tensor = identity(loc, name="loc")
                self._scale: Tensor = identity(scale, name="scale")
                assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        shape = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"loc": shape, "scale": shape}

    @property
    def loc(self) -> Tensor:
        """The means."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The standard deviations."""
        return self._scale

    # Before release 1.2.
    mu = loc
    sigma = scale

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        sampled: Tensor = random_normal(
            shape=shape, mean=0.0, stddev=1.0, dtype=self.loc.dtype, seed=seed
        )
        return sampled * self.scale + self.loc

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _log_cdf(self, x: Tensor) -> Tensor:
        return log_ndtr(self._z(x))

    def _cdf(self, x: Tensor) -> Tensor:
        return ndtr(self._z(x))

    def _log_survival_function(self, x: Tensor) -> Tensor:
        return log_ndtr(-self._z(x))

    def _survival_function(self, x: Tensor) -> Tensor:
        return ndtr(-self._z(x))

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        return -0.5 * build.Square(self._z(x))

    def _log_normalization(self) -> Tensor:
        return 0.5 * math.log(2.0 * math.pi) + build.Log(self.scale)

    def _entropy(self) -> Tensor:
        scale = self.scale * ones_like(self.loc)
        return 0.5 * math.log(2.0 * math.pi * math.e) + build.Log(scale)

    def _mean(self) -> Tensor:
        return self.loc * ones_like(self.scale)

    def _quantile(self, p: TensorLike) -> Tensor:
        return self._inv_z(ndtri(p))

    def _stddev(self) -> Tensor:
        return self.scale * ones_like(self.loc)

    def _mode(self) -> Tensor:
        return self._mean()

    def _z(self, x: Tensor) -> Tensor:
        with name_scope("standardize", None, [x]):
            return (x - self.loc) / self.scale

    def _inv_z(self, z: Tensor) -> Tensor:
        with name_scope("reconstruct", None, [z]):
            return z * self.scale + self.loc


@export(
    "contrib.distributions.NormalWithSoftplusScale", "contrib.distributions.NormalWithSoftplusSigma"
)
class NormalWithSoftplusScale(Normal):
    """Normal whose scale is softplus(scale); the arguments are those of Normal."""

    @renamed(mu="loc", sigma="scale")
    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NormalWithSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [scale]) as scope:
            super().__init__(
                loc=loc,
                scale=softplus(scale, name="softplus_scale"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters


@RegisterKL(Normal, Normal)
def _kl_normal_normal(n_a: Normal, n_b: Normal, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_normal_normal", [n_a.loc, n_b.loc]):
        one: Tensor = constant(1, dtype=n_a.dtype)
        two: Tensor = constant(2, dtype=n_a.dtype)
        half: Tensor = constant(0.5, dtype=n_a.dtype)
        square_a, square_b = build.Square(n_a.scale), build.Square(n_b.scale)
        ratio: Tensor = build.RealDiv(square_a, square_b, name="truediv")
        distance: Tensor = build.SquaredDifference(n_a.loc, n_b.loc)
        distance = distance / (two * square_b)
        return distance + half * (ratio - one - build.Log(ratio))
