"""Quadrature of normal distributions, and the Poisson distribution with a log-normal rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.contrib.distributions.counted import Poisson
from headwater.contrib.distributions.vector_bijectors import SoftmaxCentered
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.distributions.arguments import gen_new_seed
from headwater.model.distributions.categorical import Categorical
from headwater.model.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from headwater.model.distributions.normal import Normal
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import fill, zeros
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, shape
from headwater.ops.math.ranges import linspace, range_
from headwater.ops.math.reduce_functions import reduce_logsumexp, reduce_prod, reduce_sum
from headwater.ops.random.poisson import random_poisson


def _inner_quantiles(normal: Normal, count: int) -> Tensor:
    """The quantiles k / (count + 2), k = 1 ... count + 1, along a new last axis."""
    edges = linspace(zeros([], normal.dtype), 1.0, num=count + 3)[1:-1]
    if normal.batch_shape.ndims == 0:
        return normal.quantile(edges)
    widened = Normal(expand_dims(normal.loc, -1), expand_dims(normal.scale, -1))
    return widened.quantile(edges)


def _midpoints(quantiles: Tensor) -> Tensor:
    return (quantiles[..., :-1] + quantiles[..., 1:]) / 2.0


def _equal_probs(count: int, like: Tensor) -> Tensor:
    return fill([count], convert_to_tensor(1.0 / count if count else np.inf, dtype=like.dtype))


@export("contrib.distributions.quadrature_scheme_lognormal_quantiles")
def quadrature_scheme_lognormal_quantiles(
    loc: TensorLike,
    scale: TensorLike,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Points between quantiles of log-normal distributions, all equally probable.

    Args:
        loc: means of the logarithms, of a shape [...].
        scale: their standard deviations, of a shape that broadcasts with `loc`.
        quadrature_size: the number of points.
        validate_args: whether `scale` is checked when the graph runs.
        name: the name scope.

    Returns:
        The points, [..., quadrature_size], and their probabilities, [quadrature_size].
    """
    with name_scope(name, "quadrature_scheme_lognormal_quantiles", [loc, scale]):
        normal = Normal(loc, scale, validate_args=validate_args)
        grid = _midpoints(build.Exp(_inner_quantiles(normal, quadrature_size)))
        return grid, _equal_probs(quadrature_size, grid)


@export("contrib.distributions.quadrature_scheme_lognormal_gauss_hermite")
def quadrature_scheme_lognormal_gauss_hermite(
    loc: TensorLike,
    scale: TensorLike,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The points and weights of Gauss-Hermite quadrature over normal distributions.

    Args:
        loc: the means, of a shape [...].
        scale: the standard deviations, of a shape that broadcasts with `loc`.
        quadrature_size: the number of points.
        validate_args: unused.
        name: the name scope.

    Returns:
        The points, logarithms of rates, [..., quadrature_size], and their probabilities,
        [quadrature_size].
    """
    with name_scope(name, "vector_diffeomixture_quadrature_gauss_hermite", [loc, scale]):
        loc = convert_to_tensor(loc)
        scale = convert_to_tensor(scale, dtype=loc.dtype)
        points, weights = np.polynomial.hermite.hermgauss(deg=quadrature_size)
        weights = weights.astype(loc.dtype.as_numpy_dtype)
        probs = convert_to_tensor(weights / np.sum(weights), name="probs")
        spread = np.sqrt(2.0) * expand_dims(scale, -1)
        return expand_dims(loc, -1) + spread * points.astype(loc.dtype.as_numpy_dtype), probs


@export("contrib.distributions.quadrature_scheme_softmaxnormal_quantiles")
def quadrature_scheme_softmaxnormal_quantiles(
    normal_loc: TensorLike,
    normal_scale: TensorLike,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Points between quantiles of softmax-normal distributions, all equally probable.

    Args:
        normal_loc: the means of the normal distributions, [..., 1].
        normal_scale: their standard deviations, [..., 1].
        quadrature_size: the number of points.
        validate_args: whether `normal_scale` is checked when the graph runs.
        name: the name scope.

    Returns:
        The points of the simplex, [..., 2, quadrature_size], and their probabilities,
        [quadrature_size].

    Raises:
        NotImplementedError: if the last axis has not the length 1.
    """
    with name_scope(name, "softmax_normal_grid_and_probs", [normal_loc, normal_scale]):
        loc = convert_to_tensor(normal_loc, name="normal_loc")
        scale = convert_to_tensor(normal_scale, dtype=loc.dtype, name="normal_scale")
        for tensor, label in ((scale, "normal_scale"), (loc, "normal_loc")):
            _check_one_column(tensor, label)
        normal = Normal(loc[..., 0], scale[..., 0], validate_args=validate_args)
        columns = expand_dims(_inner_quantiles(normal, quadrature_size), -1)
        simplex = SoftmaxCentered().forward(columns)
        grid = build.Pack([_midpoints(simplex[..., 0]), _midpoints(simplex[..., 1])], axis=-2)
        return grid, _equal_probs(quadrature_size, grid)


@export("contrib.distributions.quadrature_scheme_softmaxnormal_gauss_hermite")
def quadrature_scheme_softmaxnormal_gauss_hermite(
    normal_loc: TensorLike,
    normal_scale: TensorLike,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The points and weights of Gauss-Hermite quadrature over softmax-normal distributions.

    Args:
        normal_loc: the means of the normal distributions, [..., 1].
        normal_scale: their standard deviations, [..., 1].
        quadrature_size: the number of points.
        validate_args: unused.
        name: the name scope.

    Returns:
        The points of the simplex, [..., 2, quadrature_size], and their probabilities,
        [quadrature_size].

    Raises:
        NotImplementedError: if the last axis has not the length 1.
    """
    with name_scope(name, "softmax_normal_gauss_hermite", [normal_loc, normal_scale]):
        loc = convert_to_tensor(normal_loc, name="normal_loc")
        scale = convert_to_tensor(normal_scale, dtype=loc.dtype, name="normal_scale")
        for tensor, label in ((scale, "normal_scale"), (loc, "normal_loc")):
            _check_one_column(tensor, label)
        logits, probs = quadrature_scheme_lognormal_gauss_hermite(
            loc[..., 0], scale[..., 0], quadrature_size
        )
        simplex = SoftmaxCentered().forward(expand_dims(logits, -1))
        return build.Pack([simplex[..., 0], simplex[..., 1]], axis=-2), probs


def _check_one_column(tensor: Tensor, label: str) -> None:
    ndims = tensor.shape.ndims
    if ndims == 0:
        raise ValueError(
            f"Mixing params must be a (batch of) vector; {label}.rank={ndims} is not at least one."
        )
    columns = None if ndims is None else tensor.shape[-1].value
    if columns is not None and columns != 1:
        raise NotImplementedError(
            f"Currently only bimixtures are supported; {label}.shape[-1]={columns} is not 1."
        )


@export("contrib.distributions.PoissonLogNormalQuadratureCompound")
class PoissonLogNormalQuadratureCompound(Distribution):
    """Poisson's distribution whose rate is log-normal, as a mixture over points of quadrature.

    Args:
        loc: means of the logarithms of the rates.
        scale: their standard deviations.
        quadrature_size: the number of points.
        quadrature_fn: a function of loc, scale, number of points and `validate_args` that returns
            points, [..., quadrature_size], and probabilities.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if `loc` and `scale` differ in type, have no floating-point type, or do not
            broadcast.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Any] = quadrature_scheme_lognormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "PoissonLogNormalQuadratureCompound",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [loc, scale]) as scope:
            self._loc: Tensor = convert_to_tensor(loc, name="loc")
            self._scale: Tensor = convert_to_tensor(scale, dtype=self._loc.dtype, name="scale")
            self._quadrature_size = quadrature_size
            grid, probs = quadrature_fn(self._loc, self._scale, quadrature_size, validate_args)
            self._distribution = Poisson(
                log_rate=grid, validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
            self._mixture_distribution = Categorical(
                logits=build.Log(probs),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
            )
        super().__init__(
            dtype=self._loc.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution of points."""
        return self._mixture_distribution

    @property
    def distribution(self) -> Poisson:
        """Poisson's distributions at the points, along the last axis of the batch."""
        return self._distribution

    @property
    def loc(self) -> Tensor:
        """Means of the logarithms of the rates."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """Their standard deviations."""
        return self._scale

    @property
    def quadrature_size(self) -> int:
        """The number of points."""
        return self._quadrature_size

    def _batch_shape_tensor(self) -> Tensor:
        rates = self._distribution.batch_shape_tensor()
        return broadcast_dynamic_shape(rates, shape(self._mixture_distribution.logits))[:-1]

    def _batch_shape(self) -> TensorShape:
        logits = self._mixture_distribution.logits.shape
        return broadcast_static_shape(self._distribution.batch_shape, logits)[:-1]

    def _event_shape_tensor(self) -> Tensor:
        return constant([], dtype=dtypes.int32)

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        batch: Tensor = self.batch_shape_tensor()
        size = reduce_prod(batch)
        seed_of_points = gen_new_seed(seed, "poisson_lognormal_quadrature_compound")
        drawn = self._mixture_distribution.sample(build.Pack([n, size]), seed=seed_of_points)
        points = reshape(drawn, build.Pack([n, size]))
        rows: TensorLike = range_(0, size) * self._quadrature_size
        rates = build.GatherV2(reshape(self._distribution.rate, [-1]), points + rows, 0)
        rates = reshape(rates, concat([[n], batch], 0))
        return random_poisson(rates, [], dtype=self.dtype, seed=seed)

    def _log_prob(self, x: Tensor) -> Tensor:
        each = self._distribution.log_prob(expand_dims(x, -1))
        return reduce_logsumexp(self._mixture_distribution.logits + each, axis=-1)

    def _average(self, values: Tensor) -> Tensor:
        return reduce_sum(build.Exp(self._mixture_distribution.logits) * values, axis=-1)

    def _mean(self) -> Tensor:
        return self._average(self._distribution.rate)

    def _variance(self) -> Tensor:
        # The mean of the variances, which are the rates, and the variance of the means.
        mean = self._mean()
        deviations = self._distribution.rate - expand_dims(mean, -1)
        return mean + self._average(build.Square(deviations))

    def _stddev(self) -> Tensor:
        return build.Sqrt(self._variance())
