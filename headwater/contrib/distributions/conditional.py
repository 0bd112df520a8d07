"""Distributions whose methods take further keywords; distributions of series."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, export, name_scope
from headwater.model.distributions.arguments import gen_new_seed
from headwater.model.distributions.distribution import Distribution
from headwater.model.distributions.transformed_distribution import TransformedDistribution
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_prod, reduce_sum

if TYPE_CHECKING:
    from headwater.contrib.distributions.wrapped import Independent


@export("contrib.distributions.ConditionalDistribution")
class ConditionalDistribution(Distribution):
    """A distribution whose methods pass further keywords to the methods that a class defines."""

    def sample(
        self,
        sample_shape: TensorLike = (),
        seed: int | None = None,
        name: str = "sample",
        **condition_kwargs: Any,
    ) -> Any:
        """Draws samples; further keywords go to `_sample_n`."""
        return self._call_sample_n(sample_shape, seed, name, **condition_kwargs)

    def log_prob(
        self, value: TensorLike, name: str = "log_prob", **condition_kwargs: Any
    ) -> Tensor:
        """The logarithm of the density; further keywords go to `_log_prob`."""
        return self._call_log_prob(value, name, **condition_kwargs)

    def prob(self, value: TensorLike, name: str = "prob", **condition_kwargs: Any) -> Tensor:
        """The density; further keywords go to `_prob`."""
        return self._call_prob(value, name, **condition_kwargs)

    def log_cdf(self, value: TensorLike, name: str = "log_cdf", **condition_kwargs: Any) -> Tensor:
        """The logarithm of the distribution function; further keywords go to `_log_cdf`."""
        return self._call_log_cdf(value, name, **condition_kwargs)

    def cdf(self, value: TensorLike, name: str = "cdf", **condition_kwargs: Any) -> Tensor:
        """The distribution function; further keywords go to `_cdf`."""
        return self._call_cdf(value, name, **condition_kwargs)

    def log_survival_function(
        self, value: TensorLike, name: str = "log_survival_function", **condition_kwargs: Any
    ) -> Tensor:
        """log P[X > value]; further keywords go to `_log_survival_function`."""
        return self._call_log_survival_function(value, name, **condition_kwargs)

    def survival_function(
        self, value: TensorLike, name: str = "survival_function", **condition_kwargs: Any
    ) -> Tensor:
        """P[X > value]; further keywords go to `_survival_function`."""
        return self._call_survival_function(value, name, **condition_kwargs)


@export("contrib.distributions.ConditionalTransformedDistribution")
class ConditionalTransformedDistribution(ConditionalDistribution, TransformedDistribution):
    """A TransformedDistribution whose methods take keywords of the bijector and the distribution.

    Both come as dictionaries, `bijector_kwargs` and `distribution_kwargs`.
    """

    def _call_sample_n(
        self,
        sample_shape: Any,
        seed: int | None,
        name: str,
        bijector_kwargs: Any = None,
        distribution_kwargs: Any = None,
        **kwargs: Any,
    ) -> Tensor:
        del distribution_kwargs
        return TransformedDistribution._call_sample_n(
            self, sample_shape, seed, name, **(bijector_kwargs or {}), **kwargs
        )

    def _pulled(self, y: TensorLike, bijector_kwargs: Any) -> Any:
        return self.bijector.inverse(y, **(bijector_kwargs or {}))

    def _log_det(self, y: TensorLike, bijector_kwargs: Any) -> Any:
        return self.bijector.inverse_log_det_jacobian(
            y, event_ndims=self._event_ndims(), **(bijector_kwargs or {})
        )

    def _log_prob(
        self, y: Tensor, bijector_kwargs: Any = None, distribution_kwargs: Any = None
    ) -> Tensor:
        x = self._rotated_back(self._pulled(y, bijector_kwargs))
        result = self.distribution.log_prob(x, **(distribution_kwargs or {}))
        if self._new_event is not None:
            result = reduce_sum(result, self._event_axes())
        log_det = self._log_det(y, bijector_kwargs)
        return self._with_batch_shape(result + cast(log_det, result.dtype), y)

    def _prob(
        self, y: Tensor, bijector_kwargs: Any = None, distribution_kwargs: Any = None
    ) -> Tensor:
        x = self._rotated_back(self._pulled(y, bijector_kwargs))
        result = self.distribution.prob(x, **(distribution_kwargs or {}))
        if self._new_event is not None:
            result = reduce_prod(result, self._event_axes())
        log_det: TensorLike = build.Exp(cast(self._log_det(y, bijector_kwargs), result.dtype))
        return self._with_batch_shape(result * log_det, y)

    def _applied(
        self, method: str, y: TensorLike, bijector_kwargs: Any, distribution_kwargs: Any
    ) -> Tensor:
        function = self._of_scalar_events(method)
        return function(self._pulled(y, bijector_kwargs), **(distribution_kwargs or {}))

    def _log_cdf(
        self, y: Tensor, bijector_kwargs: Any = None, distribution_kwargs: Any = None
    ) -> Tensor:
        return self._applied("log_cdf", y, bijector_kwargs, distribution_kwargs)

    def _cdf(
        self, y: Tensor, bijector_kwargs: Any = None, distribution_kwargs: Any = None
    ) -> Tensor:
        return self._applied("cdf", y, bijector_kwargs, distribution_kwargs)

    def _log_survival_function(
        self, y: Tensor, bijector_kwargs: Any = None, distribution_kwargs: Any = None
    ) -> Tensor:
        return self._applied("log_survival_function", y, bijector_kwargs, distribution_kwargs)

    def _survival_function(
        self, y: Tensor, bijector_kwargs: Any = None, distribution_kwargs: Any = None
    ) -> Tensor:
        return self._applied("survival_function", y, bijector_kwargs, distribution_kwargs)


@export("contrib.distributions.Autoregressive")
class Autoregressive(Distribution):
    """A distribution whose parameters are a function of its own sample, element after element.

    Args:
        distribution_fn: from a value to a distribution; the i-th element of the distribution must
            depend on earlier elements of the value only.
        sample0: the value that sampling starts with; the function is called without one if None.
        num_steps: how many times samples are drawn; the number of elements of an event if None.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if the number of steps is not known, or below 1.
    """

    def __init__(
        self,
        distribution_fn: Callable[..., Any],
        sample0: TensorLike | None = None,
        num_steps: int | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Autoregressive",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._distribution_fn = distribution_fn
            self._sample0 = sample0
            first = distribution_fn() if sample0 is None else distribution_fn(sample0)
            self._distribution0 = first
            if num_steps is None:
                num_steps = first.event_shape.num_elements()
                if num_steps is None:
                    raise ValueError(
                        "distribution_fn must generate a distribution with fully known "
                        "`event_shape`."
                    )
            if num_steps < 1:
                raise ValueError(f"num_steps ({num_steps}) must be at least 1.")
            self._num_steps = num_steps
        super().__init__(
            dtype=first.dtype,
            reparameterization_type=first.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=first._graph_parents,
            name=scope,
        )

    @property
    def distribution_fn(self) -> Callable[..., Any]:
        """The function."""
        return self._distribution_fn

    @property
    def sample0(self) -> Any:
        """The value that sampling starts with."""
        return self._sample0

    @property
    def num_steps(self) -> Any:
        """How many times samples are drawn."""
        return self._num_steps

    @property
    def distribution0(self) -> Independent:
        """The first distribution."""
        return self._distribution0

    def _batch_shape(self) -> TensorShape:
        return self.distribution0.batch_shape

    def _batch_shape_tensor(self) -> Tensor:
        return self.distribution0.batch_shape_tensor()

    def _event_shape(self) -> TensorShape:
        return self.distribution0.event_shape

    def _event_shape_tensor(self) -> Tensor:
        return self.distribution0.event_shape_tensor()

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        if seed is None:
            # All steps must draw the same random numbers.
            seed = gen_new_seed(seed=int(np.random.randint(2**31 - 1)), salt="autoregressive")
        samples = self.distribution0.sample(n, seed=seed)
        for _ in range(self._num_steps):
            samples = self.distribution_fn(samples).sample(seed=seed)
        return samples

    def _log_prob(self, value: Tensor) -> Tensor:
        return self.distribution_fn(value).log_prob(value)
