"""Location-scale distributions: logistic, Gumbel, Cauchy; and the half-normal distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import build, control_dependencies, convert_to_tensor, export, name_scope
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
                self._loc: Any = identity(loc, name="loc")
                self._scale: Any = identity(scale, name="scale")
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
    def loc(self) -> Any:
        """The locations."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scales."""
        return self._scale

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _uniform(self, n: Any, seed: Any, lowest: float | None = None) -> Any:
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
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        uniform: Any = self._uniform(n, seed)
        return (build.Log(uniform) - build.Log1p(-1.0 * uniform)) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        z = self._z(x)
        return -z - 2.0 * softplus(-z) - build.Log(self.scale)

    def _log_cdf(self, x: Any) -> Any:
        return -softplus(-self._z(x))

    def _cdf(self, x: Any) -> Any:
        return build.Sigmoid(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return -softplus(self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return build.Sigmoid(-self._z(x))

    def _entropy(self) -> Any:
        scale = self.scale * ones_like(self.loc)
        return 2 + build.Log(scale)

    def _mean(self) -> Any:
        return self.loc * ones_like(self.scale)

    def _stddev(self) -> Any:
        return self.scale * ones_like(self.loc) * math.pi / math.sqrt(3)

    def _mode(self) -> Any:
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
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gumbel",
    ) -> None:
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        uniform: Any = self._uniform(n, seed)
        return -build.Log(-build.Log(uniform)) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        z = self._z(x)
        return -z - build.Exp(-z) - build.Log(self.scale)

    def _log_cdf(self, x: Any) -> Any:
        return -build.Exp(-self._z(x))

    def _cdf(self, x: Any) -> Any:
        return build.Exp(-build.Exp(-self._z(x)))

    def _entropy(self) -> Any:
        scale = self.scale * ones_like(self.loc)
        return 1 + build.Log(scale) + _EULER

    def _mean(self) -> Any:
        return self.loc + self.scale * _EULER

    def _stddev(self) -> Any:
        return self.scale * ones_like(self.loc) * math.pi / math.sqrt(6)

    def _mode(self) -> Any:
        return self.loc * ones_like(self.scale)


@RegisterKL(Gumbel, Gumbel)
def _kl_gumbel_gumbel(a: Any, b: Any, name: str | None = None) -> Any:
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
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Cauchy",
    ) -> None:
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return self._quantile(self._uniform(n, seed, lowest=0.0))

    def _log_prob(self, x: Any) -> Any:
        z = self._z(x)
        return -build.Log1p(build.Square(z)) - (math.log(math.pi) + build.Log(self.scale))

    def _cdf(self, x: Any) -> Any:
        return build.Atan(self._z(x)) / math.pi + 0.5

    def _log_cdf(self, x: Any) -> Any:
        return build.Log1p(2 / math.pi * build.Atan(self._z(x))) - math.log(2)

    def _entropy(self) -> Any:
        return math.log(4 * math.pi) + build.Log(self.scale) + build.ZerosLike(self.loc)

    def _quantile(self, p: Any) -> Any:
        return self.loc + self.scale * build.Tan(math.pi * (p - 0.5))

    def _mode(self) -> Any:
        return self.loc * ones_like(self.scale)

    def _mean(self) -> Any:
        if self.allow_nan_stats:
            return self._filled(np.nan)
        raise ValueError("`mean` is undefined for Cauchy distribution.")

    def _stddev(self) -> Any:
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
                self._scale: Any = identity(scale, name="scale")
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
    def scale(self) -> Any:
        """The standard deviations of x."""
        return self._scale

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        sampled: Any = random_normal(sizes, mean=0.0, stddev=1.0, dtype=self.dtype, seed=seed)
        return build.Abs(sampled * self.scale)

    def _prob(self, x: TensorLike) -> Any:
        factor: Any = np.sqrt(2 / np.pi) / self.scale
        inside = factor * build.Exp(-0.5 * build.Square(x / self.scale))
        return inside * build.Cast(build.GreaterEqual(x, 0.0), DstT=self.dtype)

    def _cdf(self, x: TensorLike) -> Any:
        above = build.Relu(x)
        return build.Erf(above / self.scale / np.sqrt(2.0))

    def _entropy(self) -> Any:
        return 0.5 * build.Log(np.pi * build.Square(self.scale) / 2.0) + 0.5

    def _mean(self) -> Any:
        return self.scale * np.sqrt(2.0) / np.sqrt(np.pi)

    def _quantile(self, p: Any) -> Any:
        return self.scale * ndtri((p + 1.0) / 2.0)

    def _mode(self) -> Any:
        return self._filled(0.0)

    def _variance(self) -> Any:
        return build.Square(self.scale) * (1.0 - 2.0 / np.pi)
