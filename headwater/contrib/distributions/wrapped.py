"""Distributions that wrap another one: other events, other batches, quantization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    constant_value_as_shape,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.model.distributions.arguments import assert_integer_form
from headwater.model.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from headwater.model.distributions.kullback_leibler import RegisterKL, kl_divergence
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import rank, shape, size
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import assert_equal, assert_less, assert_less_equal
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_prod, reduce_sum
from headwater.ops.math.select import where_v2

if TYPE_CHECKING:
    pass


@export("contrib.distributions.Independent")
class Independent(Distribution):
    """A distribution whose last batch dimensions are dimensions of the event.

    Args:
        distribution: the distribution.
        reinterpreted_batch_ndims: how many dimensions; all but the first if None.
        validate_args: whether the number is checked when the graph runs.
        name: the name; Independent and that of the distribution if None.

    Raises:
        ValueError: if there are fewer batch dimensions.
    """

    def __init__(
        self,
        distribution: Distribution,
        reinterpreted_batch_ndims: int | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        name = name or "Independent" + distribution.name
        self._distribution = distribution
        with name_scope(name) as scope:
            count = reinterpreted_batch_ndims
            known = distribution.batch_shape.ndims
            if count is None:
                if known is not None:
                    count = max(0, known - 1)
                else:
                    count = build.Maximum(0, size(distribution.batch_shape_tensor()) - 1)
            tensor = convert_to_tensor(count, dtype=dtypes.int32, name="reinterpreted_batch_ndims")
            self._count_tensor: Tensor = tensor
            self._count: Array = constant_value(tensor)
            if self._count is not None:
                self._count = int(self._count)
            self._check(distribution, validate_args)
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._count_tensor, *distribution._graph_parents],
            name=scope,
        )

    def _check(self, distribution: Distribution, validate_args: bool) -> None:
        text = "reinterpreted_batch_ndims({}) cannot exceed distribution.batch_ndims({})"
        known = distribution.batch_shape.ndims
        if self._count is not None and known is not None:
            if self._count > known:
                raise ValueError(text.format(self._count, known))
        elif validate_args:
            found = size(distribution.batch_shape_tensor())
            check = assert_less_equal(
                self._count_tensor, found, message=text.format("", "").replace("()", "")
            )
            with control_dependencies([check]):
                self._count_tensor = identity(self._count_tensor)

    @property
    def distribution(self) -> Any:
        """The distribution."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> Any:
        """How many of its batch dimensions are dimensions of the event."""
        return self._count_tensor

    def _batch_shape_tensor(self) -> Tensor:
        sizes: TensorLike = self.distribution.batch_shape_tensor()
        return sizes[: size(sizes) - self._count_tensor]

    def _batch_shape(self) -> TensorShape:
        known = self.distribution.batch_shape
        if self._count is None or known.ndims is None:
            return TensorShape(None)
        return known[: known.ndims - self._count]

    def _event_shape_tensor(self) -> Tensor:
        sizes: TensorLike = self.distribution.batch_shape_tensor()
        first = sizes[size(sizes) - self._count_tensor :]
        return concat([first, self.distribution.event_shape_tensor()], axis=0)

    def _event_shape(self) -> TensorShape:
        known = self.distribution.batch_shape
        if self._count is None or known.ndims is None:
            return TensorShape(None)
        return known[known.ndims - self._count :].concatenate(self.distribution.event_shape)

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        return self.distribution.sample(sample_shape=n, seed=seed)

    def _summed(self, x: TensorLike) -> Tensor:
        if self._count is not None:
            return reduce_sum(x, axis=list(range(-self._count, 0)))
        return reduce_sum(x, axis=range_(-self._count_tensor, 0))

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._summed(self.distribution.log_prob(x))

    def _entropy(self) -> Tensor:
        return self._summed(self.distribution.entropy())

    def _mean(self) -> Tensor:
        return self.distribution.mean()

    def _variance(self) -> Tensor:
        return self.distribution.variance()

    def _stddev(self) -> Tensor:
        return self.distribution.stddev()

    def _mode(self) -> Tensor:
        return self.distribution.mode()


@RegisterKL(Independent, Independent)
def _kl_independent(a: Independent, b: Independent, name: str = "kl_independent") -> Tensor:
    p, q = a.distribution, b.distribution
    if not (a.event_shape.is_fully_defined() and b.event_shape.is_fully_defined()):
        raise NotImplementedError("KL not implemented for Independent with unknown event shapes.")
    if a.event_shape != b.event_shape:
        raise ValueError("Event shapes do not match.")
    if p.event_shape != q.event_shape:
        raise NotImplementedError("KL between Independents whose inner distributions differ.")
    count = a.event_shape.ndims - p.event_shape.ndims
    with name_scope(name):
        return reduce_sum(kl_divergence(p, q), axis=[-i - 1 for i in range(count)])


@export("contrib.distributions.BatchReshape")
class BatchReshape(Distribution):
    """A distribution with its batch in another shape.

    Args:
        distribution: the distribution.
        batch_shape: the new shape of the batch, an integer vector with at most one -1.
        validate_args: whether shapes are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name; BatchReshape and that of the distribution if None.

    Raises:
        ValueError: if the shape has another number of elements.
    """

    def __init__(
        self,
        distribution: Distribution,
        batch_shape: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        name = name or "BatchReshape" + distribution.name
        self._distribution = distribution
        with name_scope(name, None, [batch_shape]) as scope:
            given: Tensor = convert_to_tensor(batch_shape, dtype=dtypes.int32, name="batch_shape")
            # As given, with -1: statistics may have fewer batch elements.
            self._given_shape: Tensor = given
            self._new_shape: Tensor = self._completed(given, validate_args)
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._new_shape, *distribution._graph_parents],
            name=scope,
        )

    def _completed(self, given: TensorLike, validate_args: bool) -> Tensor:
        """The new shape without -1."""
        if given.get_shape().ndims is not None and given.get_shape().ndims != 1:
            raise ValueError("`batch_shape` must be a vector.")
        new, old = constant_value(given), self.distribution.batch_shape
        if new is None or not old.is_fully_defined():
            sizes = self.distribution.batch_shape_tensor()
            total, rest = reduce_prod(sizes), build.Abs(reduce_prod(given))
            full = where_v2(build.Equal(given, -1), build.FloorDiv(total, rest), given)
            if not validate_args:
                return full
            check = assert_equal(reduce_prod(full), total, message="Shape sizes do not match.")
            with control_dependencies([check]):
                return identity(full)
        if np.sum(new == -1) > 1:
            raise ValueError("At most one dimension can be unknown")
        if np.any(new < -1):
            raise ValueError("Shape elements must be >=-1.")
        count = int(np.prod(old.as_list()))
        if -1 in new:
            new = np.where(new == -1, count // abs(int(np.prod(new))), new)
        if int(np.prod(new)) != count:
            raise ValueError(
                f"`batch_shape` size ({int(np.prod(new))}) must match "
                f"`distribution.batch_shape` size ({count})."
            )
        return constant(new.astype(np.int32))

    @property
    def distribution(self) -> Any:
        """The distribution."""
        return self._distribution

    def _batch_shape_tensor(self) -> Tensor:
        return identity(self._new_shape)

    def _batch_shape(self) -> TensorShape:
        return TensorShape(constant_value_as_shape(self._new_shape))

    def _event_shape_tensor(self) -> Tensor:
        return identity(self.distribution.event_shape_tensor())

    def _event_shape(self) -> TensorShape:
        return self.distribution.event_shape

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        x = self.distribution.sample(sample_shape=n, seed=seed)
        whole = concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], axis=0)
        return reshape(x, whole)

    def _applied(self, method: str, x: TensorLike) -> Tensor:
        """A method of the distribution, applied to the value in the distribution's shape."""
        sizes: TensorLike = shape(x)
        event = self.event_shape_tensor()
        new_ndims = size(self._new_shape) + size(event)
        samples = sizes[: rank(x) - new_ndims]
        inside = concat([samples, self.distribution.batch_shape_tensor(), event], 0)
        found = getattr(self.distribution, method)(reshape(x, inside))
        result = reshape(found, concat([samples, self._new_shape], 0))
        known = x.get_shape()
        if known.ndims is not None and self.batch_shape.ndims is not None:
            count = known.ndims - self.batch_shape.ndims - (self.event_shape.ndims or 0)
            if count >= 0 and self.event_shape.ndims is not None:
                result.set_shape(known[:count].concatenate(self.batch_shape))
        return result

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._applied("log_prob", x)

    def _prob(self, x: Tensor) -> Tensor:
        return self._applied("prob", x)

    def _log_cdf(self, x: Tensor) -> Tensor:
        return self._applied("log_cdf", x)

    def _cdf(self, x: Tensor) -> Tensor:
        return self._applied("cdf", x)

    def _log_survival_function(self, x: Tensor) -> Tensor:
        return self._applied("log_survival_function", x)

    def _survival_function(self, x: Tensor) -> Tensor:
        return self._applied("survival_function", x)

    def _statistic(self, method: str, event_dims: int) -> Tensor:
        """A statistic, with 0, 1 or 2 copies of the event's shape behind the batch's."""
        event = self.event_shape_tensor()
        found = getattr(self.distribution, method)()
        return reshape(found, concat([self._given_shape, *([event] * event_dims)], 0))

    def _entropy(self) -> Tensor:
        return self._statistic("entropy", 0)

    def _mean(self) -> Tensor:
        return self._statistic("mean", 1)

    def _mode(self) -> Tensor:
        return self._statistic("mode", 1)

    def _variance(self) -> Tensor:
        return self._statistic("variance", 1)

    def _stddev(self) -> Tensor:
        return self._statistic("stddev", 1)

    def _covariance(self) -> Tensor:
        return self._statistic("covariance", 2)


@export("contrib.distributions.QuantizedDistribution")
class QuantizedDistribution(Distribution):
    """The distribution of ceil(x), cut off at two whole numbers, where x has a given one.

    P[y = j] = P[j - 1 < x <= j]; what lies below `low` or above `high` counts for these.

    Args:
        distribution: the distribution of x, with a distribution function.
        low: the least value; none if None.
        high: the largest value; none if None.
        validate_args: whether parameters and values are checked when the graph runs.
        name: the name scope.

    Raises:
        TypeError: if `distribution` is not a Distribution.
        NotImplementedError: if it has neither distribution nor survival function.
    """

    def __init__(
        self,
        distribution: Distribution,
        low: TensorLike | None = None,
        high: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "QuantizedDistribution",
    ) -> None:
        parameters = dict(locals())
        values = list(getattr(distribution, "parameters", {}).values())
        tensors = [x for x in values if hasattr(x, "graph")]
        with name_scope(name, None, [*tensors, low, high]) as scope:
            self._dist = distribution
            self._low: Tensor | None = None if low is None else convert_to_tensor(low, name="low")
            self._high: Tensor | None = (
                None if high is None else convert_to_tensor(high, name="high")
            )
            for x in (self._low, self._high):
                if x is not None and x.dtype.base_dtype != distribution.dtype.base_dtype:
                    raise TypeError("Tensors must have the same type as the distribution.")
            checks = []
            if validate_args and self._low is not None and self._high is not None:
                text = "low must be strictly less than high."
                checks.append(assert_less(self._low, self._high, message=text))
            with control_dependencies(checks):
                if self._low is not None:
                    self._low = self._bound(self._low, validate_args)
                if self._high is not None:
                    self._high = self._bound(self._high, validate_args)
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=[
                *distribution._graph_parents,
                *[x for x in (self._low, self._high) if x is not None],
            ],
            name=scope,
        )

    @staticmethod
    def _bound(x: TensorLike, validate_args: bool) -> Tensor:
        if not validate_args:
            return identity(x)
        with control_dependencies([assert_integer_form(x)]):
            return identity(x)

    @property
    def distribution(self) -> Any:
        """The distribution of x."""
        return self._dist

    @property
    def low(self) -> Any:
        """The least value."""
        return self._low

    @property
    def high(self) -> Any:
        """The largest value."""
        return self._high

    def _batch_shape_tensor(self) -> Tensor:
        return self.distribution.batch_shape_tensor()

    def _batch_shape(self) -> TensorShape:
        return self.distribution.batch_shape

    def _event_shape_tensor(self) -> Tensor:
        return self.distribution.event_shape_tensor()

    def _event_shape(self) -> TensorShape:
        return self.distribution.event_shape

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        with name_scope("transform"):
            x: TensorLike = self.distribution.sample(sample_shape=n, seed=seed)
            result: TensorLike = build.Ceil(x)
            if self._low is not None:
                low = self._low * ones_like(x)
                result = where_v2(build.Less(result, low), low, result)
            if self._high is not None:
                high = self._high * ones_like(x)
                result = where_v2(build.Greater(result, high), high, result)
            return result

    def _log_prob(self, y: Tensor) -> Tensor:
        y = self._checked(y)
        try:
            return self._log_prob_with(
                y,
                self.log_survival_function(y - 1.0),
                self.log_survival_function(y),
                self.log_cdf(y),
                self.log_cdf(y - 1.0),
            )
        except NotImplementedError:
            upper, lower = self.log_cdf(y), self.log_cdf(y - 1.0)
            return _log_difference(upper, lower)

    @staticmethod
    def _log_prob_with(
        y: Tensor, s_below: TensorLike, s: TensorLike, c: TensorLike, c_below: TensorLike
    ) -> Tensor:
        # Right of the median survival functions lose fewer digits.
        right = build.Less(s, c)
        big = where_v2(right, s_below, c)
        small = where_v2(right, s, c_below)
        return _log_difference(big, small)

    def _prob(self, y: Tensor) -> Tensor:
        y = self._checked(y)
        try:
            s_below, s = self.survival_function(y - 1.0), self.survival_function(y)
            c, c_below = self.cdf(y), self.cdf(y - 1.0)
            return where_v2(build.Less(s, c), s_below - s, c - c_below)
        except NotImplementedError:
            return self.cdf(y) - self.cdf(y - 1.0)

    def _at_bounds(
        self, y: TensorLike, value: TensorLike, below: TensorLike, above: TensorLike
    ) -> Tensor:
        """`value` between the bounds; constants below the lowest and from the highest upward."""
        if self._low is not None:
            value = where_v2(build.Less(y, self._low * ones_like(y)), below, value)
        if self._high is not None:
            value = where_v2(build.GreaterEqual(y, self._high * ones_like(y)), above, value)
        return value

    def _log_cdf(self, y: Tensor) -> Tensor:
        y = self._checked(y)
        # P[ceil(x) <= y] = P[x <= floor(y)].
        j: Tensor = build.Floor(y)
        found = self.distribution.log_cdf(j)
        zero = zeros_like(found)
        return self._at_bounds(j + zeros_like(found), found, zero - np.inf, zero)

    def _cdf(self, y: Tensor) -> Tensor:
        y = self._checked(y)
        j: Tensor = build.Floor(y)
        found = self.distribution.cdf(j)
        return self._at_bounds(j + zeros_like(found), found, zeros_like(found), ones_like(found))

    def _log_survival_function(self, y: Tensor) -> Tensor:
        y = self._checked(y)
        j: Tensor = build.Ceil(y)
        found = self.distribution.log_survival_function(j)
        zero = zeros_like(found)
        return self._at_bounds(j + zeros_like(found), found, zero, zero - np.inf)

    def _survival_function(self, y: Tensor) -> Tensor:
        y = self._checked(y)
        j: Tensor = build.Ceil(y)
        found = self.distribution.survival_function(j)
        return self._at_bounds(j + zeros_like(found), found, ones_like(found), zeros_like(found))

    def _checked(self, y: TensorLike) -> Tensor:
        if not self.validate_args:
            return y
        with control_dependencies([assert_integer_form(y)]):
            return identity(y)


def _log_difference(big: Tensor, small: Tensor) -> Tensor:
    """log(exp(big) - exp(small)), for big > small."""
    return big + build.Log1p(-build.Exp(small - big))
