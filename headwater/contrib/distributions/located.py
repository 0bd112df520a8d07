"""Location-scale distributions: logistic, Gumbel, Cauchy; and the half-normal distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import Array, TensorLike
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
from headwater.model.distributions.special_math import ndtri
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like
from headwater.ops.control.identity import identity
from headwater.ops.control.type_checks import assert_same_float_dtype
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.normal import random_normal
from headwater.ops.random.uniform import random_uniform

_EULER = 0.57721566490153286060


class LocatedDistribution(ScalarDistribution):
    """A distribution of loc + scale z, where z has a fixed distribution."""

    _shape_parameters: ClassVar[tuple[str, ...]] = ("loc", "scale")

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        parameters: dict[str, Any],
    ) -> None:
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
        """The locations."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The scales."""
        return self._scale

    def _z(self, x: Tensor) -> Tensor:
        return (x - self.loc) / self.scale

    def _uniform(self, n: Array, seed: int | None, lowest: float | None = None) -> Tensor:
        """Uniform numbers above 0 (the least number that is normal, by default) and below 1."""
        least = np.finfo(self.dtype.as_numpy_dtype).tiny if lowest is None else lowest
        return random_uniform(
            concat([[n], self.batch_shape_tensor()], 0),
            minval=least,
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )


@export("contrib.distributions.Logistic")
class Logistic(LocatedDistribution):
    """The logistic distribution: density exp(-z) / (scale (1 + exp(-z))^2), z = (x - loc) / scale.

    Args:
        loc: the means, a floating-point tensor.
        scale: the scales, positive.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        uniform: Tensor = self._uniform(n, seed)
        return (build.Log(uniform) - build.Log1p(-1.0 * uniform)) * self.scale + self.loc

    def _log_prob(self, x: Tensor) -> Tensor:
        z = self._z(x)
        return -z - 2.0 * softplus(-z) - build.Log(self.scale)

    def _log_cdf(self, x: Tensor) -> Tensor:
        return -softplus(-self._z(x))

    def _cdf(self, x: Tensor) -> Tensor:
        return build.Sigmoid(self._z(x))

    def _log_survival_function(self, x: Tensor) -> Tensor:
        return -softplus(self._z(x))

    def _survival_function(self, x: Tensor) -> Tensor:
        return build.Sigmoid(-self._z(x))

    def _entropy(self) -> Tensor:
        scale = self.scale * ones_like(self.loc)
        return 2 + build.Log(scale)

    def _mean(self) -> Tensor:
        return self.loc * ones_like(self.scale)

    def _stddev(self) -> Tensor:
        return self.scale * ones_like(self.loc) * math.pi / math.sqrt(3)

    def _mode(self) -> Tensor:
        return self._mean()


@export("contrib.distributions.Gumbel")
class Gumbel(LocatedDistribution):
    """Gumbel's distribution: density exp(-(z + exp(-z))) / scale, z = (x - loc) / scale.

    Args:
        loc: the modes, a floating-point tensor.
        scale: the scales, positive.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gumbel",
    ) -> None:
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        uniform: TensorLike = self._uniform(n, seed)
        return -build.Log(-build.Log(uniform)) * self.scale + self.loc

    def _log_prob(self, x: Tensor) -> Tensor:
        z = self._z(x)
        return -z - build.Exp(-z) - build.Log(self.scale)

    def _log_cdf(self, x: Tensor) -> Tensor:
        return -build.Exp(-self._z(x))

    def _cdf(self, x: Tensor) -> Tensor:
        return build.Exp(-build.Exp(-self._z(x)))

    def _entropy(self) -> Tensor:
        scale = self.scale * ones_like(self.loc)
        return 1 + build.Log(scale) + _EULER

    def _mean(self) -> Tensor:
        return self.loc + self.scale * _EULER

    def _stddev(self) -> Tensor:
        return self.scale * ones_like(self.loc) * math.pi / math.sqrt(6)

    def _mode(self) -> Tensor:
        return self.loc * ones_like(self.scale)


@RegisterKL(Gumbel, Gumbel)
def _kl_gumbel_gumbel(a: TensorLike, b: TensorLike, name: str | None = None) -> Any:
    # Gil, "On Rényi divergence measures for continuous alphabet sources", 2011, page 33.
    with name_scope(name, "kl_gumbel_gumbel", [a.loc, b.loc, a.scale, b.scale]):
        ratio = a.scale / b.scale
        return (
            build.Log(b.scale)
            - build.Log(a.scale)
            + _EULER * (ratio - 1.0)
            + build.Expm1((b.loc - a.loc) / b.scale + build.Lgamma(ratio + 1.0))
            + (a.loc - b.loc) / b.scale
        )


@export("contrib.distributions.Cauchy")
class Cauchy(LocatedDistribution):
    """Cauchy's distribution: density 1 / (pi scale (1 + z^2)), z = (x - loc) / scale.

    Args:
        loc: the modes, a floating-point tensor.
        scale: the scales, positive.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Cauchy",
    ) -> None:
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        return self._quantile(self._uniform(n, seed, lowest=0.0))

    def _log_prob(self, x: Tensor) -> Tensor:
        z = self._z(x)
        return -build.Log1p(build.Square(z)) - (math.log(math.pi) + build.Log(self.scale))

    def _cdf(self, x: Tensor) -> Tensor:
        return build.Atan(self._z(x)) / math.pi + 0.5

    def _log_cdf(self, x: Tensor) -> Tensor:
        return build.Log1p(2 / math.pi * build.Atan(self._z(x))) - math.log(2)

    def _entropy(self) -> Tensor:
        return math.log(4 * math.pi) + build.Log(self.scale) + build.ZerosLike(self.loc)

    def _quantile(self, p: Tensor) -> Tensor:
        return self.loc + self.scale * build.Tan(math.pi * (p - 0.5))

    def _mode(self) -> Tensor:
        return self.loc * ones_like(self.scale)

    def _mean(self) -> Tensor:
        if self.allow_nan_stats:
            return self._filled(np.nan)
        raise ValueError("`mean` is undefined for Cauchy distribution.")

    def _stddev(self) -> Tensor:
        if self.allow_nan_stats:
            return self._filled(np.nan)
        raise ValueError("`stddev` is undefined for Cauchy distribution.")


@export("contrib.distributions.HalfNormal")
class HalfNormal(ScalarDistribution):
    """The distribution of |x| for a normal x with mean 0.

    Args:
        scale: the standard deviations of x, positive.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    _shape_parameters: ClassVar[tuple[str, ...]] = ("scale",)

    def __init__(
        self,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "HalfNormal",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [scale]) as scope:
            checks = [assert_positive(scale)] if validate_args else []
            with control_dependencies(checks):
                self._scale: Tensor = identity(scale, name="scale")
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._scale],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        return {"scale": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def scale(self) -> Tensor:
        """The standard deviations of x."""
        return self._scale

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        sampled: Tensor = random_normal(sizes, mean=0.0, stddev=1.0, dtype=self.dtype, seed=seed)
        return build.Abs(sampled * self.scale)

    def _prob(self, x: TensorLike) -> Tensor:
        factor: Tensor = np.sqrt(2 / np.pi) / self.scale
        inside = factor * build.Exp(-0.5 * build.Square(x / self.scale))
        return inside * build.Cast(build.GreaterEqual(x, 0.0), DstT=self.dtype)

    def _cdf(self, x: TensorLike) -> Tensor:
        above = build.Relu(x)
        return build.Erf(above / self.scale / np.sqrt(2.0))

    def _entropy(self) -> Tensor:
        return 0.5 * build.Log(np.pi * build.Square(self.scale) / 2.0) + 0.5

    def _mean(self) -> Tensor:
        return self.scale * np.sqrt(2.0) / np.sqrt(np.pi)

    def _quantile(self, p: Tensor) -> Tensor:
        return self.scale * ndtri((p + 1.0) / 2.0)

    def _mode(self) -> Tensor:
        return self._filled(0.0)

    def _variance(self) -> Tensor:
        return build.Square(self.scale) * (1.0 - 2.0 / np.pi)
