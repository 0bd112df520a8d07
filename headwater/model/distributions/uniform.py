"""The uniform distribution on an interval."""

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
from headwater.model.distributions.scalar import ScalarDistribution
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, ones_like, zeros, zeros_like
from headwater.ops.array.shape import broadcast_dynamic_shape, shape
from headwater.ops.control.identity import identity
from headwater.ops.control.type_checks import assert_same_float_dtype
from headwater.ops.control.value_checks import assert_less
from headwater.ops.math.select import where_v2
from headwater.ops.random.uniform import random_uniform


@export("distributions.Uniform", "contrib.distributions.Uniform")
class Uniform(ScalarDistribution):
    """The uniform distribution: density 1 / (high - low) on [low, high).

    Args:
        low: the lower ends, a floating-point tensor.
        high: the upper ends.
        validate_args: whether the parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        InvalidArgumentError: if `low` >= `high`, with `validate_args`.
    """

    _shape_parameters = ("low", "high")

    @renamed(a="low", b="high")
    def __init__(
        self,
        low: TensorLike = 0.0,
        high: TensorLike = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [low, high]) as scope:
            text = "uniform not defined when low >= high."
            checks = [assert_less(low, high, message=text)] if validate_args else []
            with control_dependencies(checks):
                self._low: Tensor = identity(low, name="low")
                self._high: Tensor = identity(high, name="high")
                assert_same_float_dtype([self._low, self._high])
        super().__init__(
            dtype=self._low.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._low, self._high],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        sizes = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"low": sizes, "high": sizes}

    @property
    def low(self) -> Tensor:
        """The lower ends."""
        return self._low

    @property
    def high(self) -> Tensor:
        """The upper ends."""
        return self._high

    # Before release 1.2.
    a = low
    b = high

    def range(self, name: str = "range") -> Tensor:
        """The lengths of the intervals.

        Args:
            name: the name scope.

        Returns:
            A tensor of the batch's shape.
        """
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        samples = random_uniform(shape=sizes, dtype=self.dtype, seed=seed)
        return self.low + self.range() * samples

    def _prob(self, x: Tensor) -> Tensor:
        whole = x * ones(self.batch_shape_tensor(), dtype=x.dtype)
        unknown = build.IsNan(whole)
        outside = build.LogicalOr(build.Less(whole, self.low), build.GreaterEqual(whole, self.high))
        density = where_v2(outside, zeros_like(whole), ones_like(whole) / self.range())
        return where_v2(unknown, whole, density)

    def _cdf(self, x: TensorLike) -> Tensor:
        sizes = broadcast_dynamic_shape(shape(x), self.batch_shape_tensor())
        none, all_ = zeros(sizes, dtype=self.dtype), ones(sizes, dtype=self.dtype)
        whole = x * all_
        part = where_v2(build.Less(x, self.low), none, (whole - self.low) / self.range())
        return where_v2(build.GreaterEqual(x, self.high), all_, part)

    def _entropy(self) -> Tensor:
        return build.Log(self.range())

    def _mean(self) -> Tensor:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Tensor:
        return build.Square(self.range()) / 12.0

    def _stddev(self) -> Tensor:
        return self.range() / math.sqrt(12.0)
