"""Kumaraswamy's distribution, and the sinh-arcsinh transformation."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.distributions.affine_bijectors import AffineLinearOperator
from headwater.contrib.distributions.composed_bijectors import Chain
from headwater.contrib.distributions.elementwise_bijectors import Kumaraswamy as KumaraswamyBijector
from headwater.contrib.distributions.elementwise_bijectors import SinhArcsinh as SinhArcsinhBijector
from headwater.contrib.distributions.mvn import shapes_of
from headwater.contrib.distributions.scalar_bijectors import AffineScalar
from headwater.contrib.distributions.scales import make_diag_scale
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.distributions.normal import Normal
from headwater.model.distributions.transformed_distribution import TransformedDistribution
from headwater.model.distributions.uniform import Uniform
from headwater.model.linalg.diag import LinearOperatorDiag
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones, zeros
from headwater.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, shape
from headwater.ops.math.select import where_v2


@export("contrib.distributions.Kumaraswamy")
class Kumaraswamy(TransformedDistribution):
    """Kumaraswamy's distribution: density a b x^(a - 1) (1 - x^a)^(b - 1) in [0, 1].

    Args:
        concentration1: a, positive.
        concentration0: b, positive.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        concentration1: TensorLike | None = None,
        concentration0: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Kumaraswamy",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [concentration1, concentration0]) as scope:
            a: Tensor = convert_to_tensor(concentration1, name="concentration1")
            b: TensorLike = convert_to_tensor(concentration0, name="concentration0")
            super().__init__(
                distribution=Uniform(
                    low=zeros([], dtype=a.dtype),
                    high=build.OnesLike(a + b),
                    allow_nan_stats=allow_nan_stats,
                ),
                bijector=KumaraswamyBijector(a, b, validate_args=validate_args),
                name=scope,
            )
        self._parameters = parameters

    @property
    def concentration1(self) -> Tensor:
        """The power a."""
        return self.bijector.concentration1

    @property
    def concentration0(self) -> Tensor:
        """The power b."""
        return self.bijector.concentration0

    def _entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        # As TensorFlow 1.x has it.
        harmonic = build.Digamma(b + 1.0) + np.euler_gamma
        return (1 - 1.0 / a) + (1 - 1.0 / b) * harmonic + build.Log(a) + build.Log(b)

    def _moment(self, n: int) -> Tensor:
        """E[x^n] = b B(1 + n / a, b)."""
        a, b = self.concentration1, self.concentration0
        p = 1.0 + n / a
        return build.Exp(build.Log(b) + build.Lgamma(p) + build.Lgamma(b) - build.Lgamma(p + b))

    def _mean(self) -> Tensor:
        return self._moment(1)

    def _variance(self) -> Tensor:
        return self._moment(2) - build.Square(self._moment(1))

    def _mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        mode = build.Pow((a - 1) / (a * b - 1), 1.0 / a)
        inside = build.LogicalAnd(build.Greater(a, 1.0), build.Greater(b, 1.0))
        return where_v2(inside, mode, constant(np.nan, self.dtype))


def _curve(
    loc: TensorLike,
    scale: TensorLike,
    skewness: float | None,
    tailweight: TensorLike,
    dtype: DTypeLike,
) -> tuple[Any, ...]:
    """The sinh-arcsinh bijector, and by how much one without skewness moves 2."""
    tailweight = 1.0 if tailweight is None else tailweight
    skewness = 0.0 if skewness is None else skewness
    tail: Tensor = convert_to_tensor(tailweight, dtype=dtype, name="tailweight")
    skew: Tensor = convert_to_tensor(skewness, dtype=dtype, name="skewness")
    bijector = SinhArcsinhBijector(skewness=skew, tailweight=tail)
    symmetric = SinhArcsinhBijector(skewness=zeros([], dtype=dtype), tailweight=tail)
    return bijector, symmetric.forward(constant(2.0, dtype)), skew, tail


@export("contrib.distributions.SinhArcsinh")
class SinhArcsinh(TransformedDistribution):
    """loc + scale sinh((arcsinh(z) + skewness) tailweight) 2 / sinh(arcsinh(2) tailweight).

    Jones and Pewsey, "Sinh-arcsinh distributions", 2009.

    Args:
        loc: the location.
        scale: the scale.
        skewness: the asymmetry; 0 if None.
        tailweight: how heavy tails are; 1 if None.
        distribution: the distribution of z; a standard normal one if None.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        skewness: TensorLike = None,
        tailweight: TensorLike | None = None,
        distribution: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "SinhArcsinh",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [loc, scale, skewness, tailweight]) as scope:
            self._loc: Tensor = convert_to_tensor(loc, name="loc")
            dtype = self._loc.dtype
            self._scale: Tensor = convert_to_tensor(scale, name="scale", dtype=dtype)
            bijector, moved, self._skewness, self._tailweight = _curve(
                loc, scale, skewness, tailweight, dtype
            )
            if distribution is None:
                distribution = Normal(
                    loc=zeros([], dtype=dtype),
                    scale=ones([], dtype=dtype),
                    allow_nan_stats=allow_nan_stats,
                )
            factor: Tensor = self._scale * 2.0 / moved
            parts = (self._loc, factor, self._skewness)
            static = parts[0].get_shape()
            for each in parts[1:]:
                static = broadcast_static_shape(static, each.get_shape())
            batch: TensorLike = static.as_list() if static.is_fully_defined() else None
            if batch is None:
                batch = shape(parts[0])
                for each in parts[1:]:
                    batch = broadcast_dynamic_shape(batch, shape(each))
            super().__init__(
                distribution=distribution,
                bijector=Chain([AffineScalar(shift=self._loc, scale=factor), bijector]),
                batch_shape=batch,
                name=scope,
            )
        self._parameters = parameters

    @property
    def loc(self) -> Any:
        """The location."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scale."""
        return self._scale

    @property
    def skewness(self) -> Tensor:
        """The asymmetry."""
        return self._skewness

    @property
    def tailweight(self) -> Tensor:
        """How heavy tails are."""
        return self._tailweight


@export("contrib.distributions.VectorSinhArcsinhDiag")
class VectorSinhArcsinhDiag(TransformedDistribution):
    """SinhArcsinh of each element of vectors.

    Args:
        loc: the locations, [..., k]; zeros if None.
        scale_diag: the scales, [..., k].
        scale_identity_multiplier: a number that is added to all of them, [...].
        skewness: the asymmetry; 0 if None.
        tailweight: how heavy tails are; 1 if None.
        distribution: the distribution of z, of numbers; a standard normal one if None.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        skewness: TensorLike | None = None,
        tailweight: TensorLike | None = None,
        distribution: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [loc, scale_diag, skewness, tailweight]) as scope:
            given: TensorLike = None if loc is None else convert_to_tensor(loc, name="loc")
            scale: LinearOperatorDiag = make_diag_scale(
                loc=given,
                scale_diag=scale_diag,
                scale_identity_multiplier=scale_identity_multiplier,
                validate_args=validate_args,
            )
            dtype = scale.dtype
            bijector, moved, self._skewness, self._tailweight = _curve(
                loc, scale_diag, skewness, tailweight, dtype
            )
            if distribution is None:
                distribution = Normal(
                    loc=zeros([], dtype=dtype),
                    scale=ones([], dtype=dtype),
                    allow_nan_stats=allow_nan_stats,
                )
            factor = LinearOperatorDiag(2.0 * scale.diag_part() / moved, is_non_singular=True)
            batch_shape, event_shape = shapes_of(given, factor)
            super().__init__(
                distribution=distribution,
                bijector=Chain([AffineLinearOperator(shift=given, scale=factor), bijector]),
                batch_shape=batch_shape,
                event_shape=event_shape,
                name=scope,
            )
            self._loc, self._scale = given, scale
        self._parameters = parameters

    @property
    def loc(self) -> Tensor | None:
        """The locations."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The operator that scales."""
        return self._scale

    @property
    def skewness(self) -> Tensor:
        """The asymmetry."""
        return self._skewness

    @property
    def tailweight(self) -> Tensor:
        """How heavy tails are."""
        return self._tailweight
