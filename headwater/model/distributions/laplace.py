"""The Laplace distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headwater.base import dtypes
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
from headwater.model.distributions.scalar import ScalarDistribution
from headwater.model.distributions.special_math import log_cdf_laplace
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros_like
from headwater.ops.control.identity import identity
from headwater.ops.control.type_checks import assert_same_float_dtype
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.math.sign import absolute
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.uniform import random_uniform


@export("distributions.Laplace", "contrib.distributions.Laplace")
class Laplace(ScalarDistribution):
    """The Laplace distribution: density exp(-|x - loc| / scale) / (2 scale).

    Args:
        loc: the means, a floating-point tensor.
        scale: the spreads, positive.
        validate_args: whether the parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        TypeError: if the parameters have different types.
    """

    _shape_parameters = ("loc", "scale")

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [loc, scale]) as scope:
            checks = [assert_positive(scale)] if validate_args else []
            with control_dependencies(checks):
                self._loc: Tensor = identity(loc, name="loc")
                self._scale: Tensor = identity(scale, name="scale")
                assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._loc.dtype,
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
        """The means."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The spreads."""
        return self._scale

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        shape = concat([[n], self.batch_shape_tensor()], 0)
        kind = self.dtype.as_numpy_dtype
        # -1 itself would give an infinite sample.
        uniform = random_uniform(
            shape=shape,
            minval=np.nextafter(kind(-1.0), kind(0.0)),
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )
        signed = self.scale * build.Sign(uniform)
        return self.loc - signed * build.Log1p(-absolute(uniform))

    def _log_prob(self, x: Tensor) -> Tensor:
        return -absolute(self._z(x)) - (math.log(2.0) + build.Log(self.scale))

    def _log_cdf(self, x: Tensor) -> Tensor:
        return log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x: Tensor) -> Tensor:
        return log_cdf_laplace(-self._z(x))

    def _cdf(self, x: Tensor) -> Tensor:
        z = self._z(x)
        return 0.5 + 0.5 * build.Sign(z) * (1.0 - build.Exp(-absolute(z)))

    def _entropy(self) -> Tensor:
        scale = self.scale + zeros_like(self.loc)
        return math.log(2.0) + 1 + build.Log(scale)

    def _mean(self) -> Tensor:
        return self.loc + zeros_like(self.scale)

    def _stddev(self) -> Tensor:
        return math.sqrt(2.0) * self.scale + zeros_like(self.loc)

    def _median(self) -> Any:
        return self._mean()

    def _mode(self) -> Tensor:
        return self._mean()

    def _z(self, x: Tensor) -> Tensor:
        return (x - self.loc) / self.scale


@export("contrib.distributions.LaplaceWithSoftplusScale")
class LaplaceWithSoftplusScale(Laplace):
    """Laplace whose scale is softplus(scale); the arguments are those of Laplace."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "LaplaceWithSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [loc, scale]) as scope:
            super().__init__(
                loc=loc,
                scale=softplus(scale, name="softplus_scale"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters
