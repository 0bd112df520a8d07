"""The exponential distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.older_calls import renamed
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.distributions.distribution import FULLY_REPARAMETERIZED
from headwater.model.distributions.gamma import Gamma
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones
from headwater.ops.array.shape import shape
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.uniform import random_uniform


@export("distributions.Exponential", "contrib.distributions.Exponential")
class Exponential(Gamma):
    """The exponential distribution: density rate exp(-rate x).

    Args:
        rate: an inverse scale, a positive floating-point tensor.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    _shape_parameters = ("rate",)

    @renamed(lam="rate")
    def __init__(
        self,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [rate]) as scope:
            self._rate = convert_to_tensor(rate, name="rate")
        super().__init__(
            concentration=ones([], dtype=self._rate.dtype),
            rate=self._rate,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            name=scope,
        )
        self._parameters = parameters
        self._reparameterization_type = FULLY_REPARAMETERIZED

    # Before release 1.2.
    lam = Gamma.rate

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        return {"rate": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        sizes = concat([[n], shape(self._rate)], 0)
        # 0 would give an infinite sample.
        uniform = random_uniform(
            sizes,
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            seed=seed,
            dtype=self.dtype,
        )
        return -build.Log(uniform) / self._rate


@export(
    "contrib.distributions.ExponentialWithSoftplusRate",
    "contrib.distributions.ExponentialWithSoftplusLam",
)
class ExponentialWithSoftplusRate(Exponential):
    """Exponential whose rate is softplus(rate); the arguments are those of Exponential."""

    @renamed(lam="rate")
    def __init__(
        self,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExponentialWithSoftplusRate",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [rate]) as scope:
            super().__init__(
                rate=softplus(rate, name="softplus_rate"),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters
