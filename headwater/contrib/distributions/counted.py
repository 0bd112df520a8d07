"""Distributions of counts: Poisson's, binomial, geometric and negative binomial."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from headwater.base.older_calls import renamed
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    with_dependencies,
)
from headwater.model.distributions.arguments import (
    assert_integer_form,
    embed_check_nonnegative_integer_form,
    gen_new_seed,
    get_logits_and_probs,
)
from headwater.model.distributions.distribution import NOT_REPARAMETERIZED
from headwater.model.distributions.scalar import ScalarDistribution
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import (
    assert_less,
    assert_less_equal,
    assert_non_negative,
    assert_positive,
)
from headwater.ops.math.select import where_v2
from headwater.ops.math.special_functions import betainc, igammac
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.gamma import random_gamma
from headwater.ops.random.poisson import random_poisson
from headwater.ops.random.uniform import random_uniform


@export("contrib.distributions.Poisson")
class Poisson(ScalarDistribution):
    """Poisson's distribution: rate^x exp(-rate) / x! for x = 0, 1, ...

    Args:
        rate: the means, positive; either these or `log_rate`.
        log_rate: their logarithms.
        validate_args: whether parameters and values are checked when the graph runs; if not, the
            density is that formula for all x above -1.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if both or none of `rate` and `log_rate` are given.
        TypeError: if the type is not a floating-point type.
    """

    _shape_parameters: ClassVar[tuple[str, ...]] = ("rate",)

    @renamed(lam="rate")
    def __init__(
        self,
        rate: TensorLike | None = None,
        log_rate: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [rate]) as scope:
            if (rate is None) == (log_rate is None):
                raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
            if log_rate is None:
                given: Tensor = convert_to_tensor(rate, name="rate")
                _check_float(given, "rate")
                checks = [assert_positive(given)] if validate_args else []
                with control_dependencies(checks):
                    self._rate: Tensor = identity(given, name="rate")
                    self._log_rate: Tensor = build.Log(given, name="log_rate")
            else:
                given = convert_to_tensor(log_rate, name="log_rate")
                _check_float(given, "log_rate")
                self._rate = build.Exp(given, name="rate")
                self._log_rate = given
        super().__init__(
            dtype=self._rate.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._rate],
            name=scope,
        )

    @property
    def rate(self) -> Tensor:
        """The means."""
        return self._rate

    @property
    def log_rate(self) -> Tensor:
        """Their logarithms."""
        return self._log_rate

    # Before release 1.2.
    lam = rate

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        return random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self.rate

    def _cdf(self, x: TensorLike) -> Tensor:
        if self.validate_args:
            x = embed_check_nonnegative_integer_form(x)
        return igammac(1.0 + x, self.rate)

    def _log_cdf(self, x: Tensor) -> Tensor:
        return build.Log(self.cdf(x))

    def _log_unnormalized_prob(self, x: TensorLike) -> Tensor:
        if self.validate_args:
            x = embed_check_nonnegative_integer_form(x)
        return x * self.log_rate - build.Lgamma(1.0 + x)

    def _mean(self) -> Tensor:
        return identity(self.rate)

    def _variance(self) -> Tensor:
        return identity(self.rate)

    def _mode(self) -> Tensor:
        return build.Floor(self.rate)


def _check_float(x: Tensor, name: str) -> None:
    if not x.dtype.is_floating:
        raise TypeError(f"{name}.dtype ({x.dtype.name}) is a not a float-type.")


@export("contrib.distributions.Binomial")
class Binomial(ScalarDistribution):
    """The number of successes in independent trials.

    Args:
        total_count: the number of trials, a floating-point tensor of whole numbers.
        logits: the log-odds of a success; either these or `probs`.
        probs: the probabilities of a success.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    _shape_parameters: ClassVar[tuple[str, ...]] = ("total_count", "probs")

    @renamed(n="total_count", p="probs")
    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Binomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [total_count, logits, probs]) as scope:
            given = convert_to_tensor(total_count, name="total_count")
            if validate_args:
                checks = [
                    assert_non_negative(given, message="total_count has negative components."),
                    assert_integer_form(given, message="total_count has fractional components."),
                ]
                given = with_dependencies(checks, given)
            self._total_count: Tensor = given
            self._logits: TensorLike
            self._probs: TensorLike
            self._logits, self._probs = get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, name=scope
            )
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._logits, self._probs],
            name=scope,
        )

    @property
    def total_count(self) -> Tensor:
        """The number of trials."""
        return self._total_count

    @property
    def logits(self) -> Tensor:
        """The log-odds of a success."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of a success."""
        return self._probs

    # Before release 1.2.
    n = total_count
    p = probs

    def _log_prob(self, counts: Tensor) -> Tensor:
        return self._log_unnormalized_prob(counts) - self._log_normalization(counts)

    def _cdf(self, counts: Tensor) -> Tensor:
        counts = self._checked(counts)
        counts, probs, total = self._together(counts)
        # The probability of more than `counts`, in terms of the incomplete beta function, which
        # is not defined for counts = total.
        all_of_them = build.Equal(counts, total)
        below = where_v2(all_of_them, zeros_like(counts), counts)
        found = betainc(a=total - below, b=1.0 + below, x=1.0 - probs)
        return where_v2(all_of_them, ones_like(found), found)

    def _together(self, counts: Tensor) -> tuple[Any, Any, Any]:
        everywhere = zeros_like(counts + self.probs + self.total_count)
        return counts + everywhere, self.probs + everywhere, self.total_count + everywhere

    def _log_unnormalized_prob(self, counts: Tensor) -> Tensor:
        counts = self._checked(counts)
        return counts * build.Log(self.probs) + (self.total_count - counts) * build.Log1p(
            -self.probs
        )

    def _log_normalization(self, counts: Tensor) -> Tensor:
        counts = self._checked(counts)
        return (
            build.Lgamma(1.0 + self.total_count - counts)
            + build.Lgamma(1.0 + counts)
            - build.Lgamma(1.0 + self.total_count)
        )

    def _mean(self) -> Tensor:
        return self.total_count * self.probs

    def _variance(self) -> Tensor:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Tensor:
        return build.Floor((1.0 + self.total_count) * self.probs)

    def _checked(self, counts: TensorLike) -> Tensor:
        if not self.validate_args:
            return counts
        counts = embed_check_nonnegative_integer_form(counts)
        text = "counts are not less than or equal to n."
        return with_dependencies(
            [assert_less_equal(counts, self.total_count, message=text)], counts
        )


@export("contrib.distributions.Geometric")
class Geometric(ScalarDistribution):
    """The number of failures before the first success.

    Args:
        logits: the log-odds of a success; either these or `probs`.
        probs: the probabilities of a success, above 0.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    _shape_parameters: ClassVar[tuple[str, ...]] = ("probs",)

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Geometric",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [logits, probs]) as scope:
            self._logits: TensorLike
            self._probs: TensorLike
            self._logits, self._probs = get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, name=scope
            )
            checks = [assert_positive(self._probs)] if validate_args else []
            with control_dependencies(checks):
                self._probs = identity(self._probs, name="probs")
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._probs, self._logits],
            name=scope,
        )

    @property
    def logits(self) -> Tensor:
        """The log-odds of a success."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of a success."""
        return self._probs

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        uniform = random_uniform(
            concat([[n], self.batch_shape_tensor()], 0),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            seed=seed,
            dtype=self.dtype,
        )
        return build.Floor(build.Log(uniform) / build.Log1p(-self.probs))

    def _cdf(self, counts: TensorLike) -> Tensor:
        if self.validate_args:
            counts = with_dependencies([assert_non_negative(counts)], counts)
        else:
            # Whole numbers, and 0 for what lies below.
            counts = build.Floor(counts)
        shared = zeros_like(counts + self.probs)
        counts, probs = counts + shared, self.probs + shared
        result = build.Neg(build.Expm1((counts + 1) * build.Log1p(-probs)))
        return where_v2(build.Less(counts, 0.0), zeros_like(counts), result)

    def _log_prob(self, counts: TensorLike) -> Tensor:
        if self.validate_args:
            counts = embed_check_nonnegative_integer_form(counts)
        else:
            # Whole numbers.
            counts = build.Floor(counts)
        shared = zeros_like(counts + self.probs)
        counts, probs = counts + shared, self.probs + shared
        # For probs = 1 and counts = 0 the product is 0.
        safe = where_v2(build.Equal(counts, 0.0), zeros_like(probs), probs)
        return counts * build.Log1p(-safe) + build.Log(probs)

    def _entropy(self) -> Tensor:
        probs = self.probs
        if self.validate_args:
            text = "Entropy is undefined when logits = inf or probs = 1."
            probs = with_dependencies([assert_less(probs, 1.0, message=text)], probs)
        # The entropy of one trial, by the mean number of trials.
        return softplus(-self.logits) + (1.0 - probs) / probs * softplus(self.logits)

    def _mean(self) -> Tensor:
        return build.Exp(-self.logits)

    def _variance(self) -> Tensor:
        return self._mean() / self.probs

    def _mode(self) -> Tensor:
        return self._filled(0.0)


@export("contrib.distributions.NegativeBinomial")
class NegativeBinomial(ScalarDistribution):
    """The number of successes before a given number of failures.

    Args:
        total_count: the number of failures, positive; it need not be whole.
        logits: the log-odds of a success; either these or `probs`.
        probs: the probabilities of a success.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    _shape_parameters: ClassVar[tuple[str, ...]] = ("total_count", "probs")

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NegativeBinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [total_count, logits, probs]) as scope:
            self._logits: TensorLike
            self._probs: TensorLike
            self._logits, self._probs = get_logits_and_probs(
                logits, probs, validate_args=validate_args, name=scope
            )
            checks = [assert_positive(total_count)] if validate_args else []
            with control_dependencies(checks):
                self._total_count: Tensor = identity(total_count)
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._probs, self._logits],
            name=scope,
        )

    @property
    def total_count(self) -> Tensor:
        """The number of failures."""
        return self._total_count

    @property
    def logits(self) -> Any:
        """The log-odds of a success."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of a success."""
        return self._probs

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        # A Poisson distribution whose rate has a gamma distribution.
        rate = random_gamma(
            shape=[n],
            alpha=self.total_count,
            beta=build.Exp(-self.logits),
            dtype=self.dtype,
            seed=seed,
        )
        return random_poisson(
            rate, shape=[], dtype=self.dtype, seed=gen_new_seed(seed, "negative_binom")
        )

    def _cdf(self, x: TensorLike) -> Tensor:
        if self.validate_args:
            x = embed_check_nonnegative_integer_form(x)
        return betainc(self.total_count, 1.0 + x, build.Sigmoid(-self.logits))

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization(x)

    def _log_unnormalized_prob(self, x: TensorLike) -> Tensor:
        if self.validate_args:
            x = embed_check_nonnegative_integer_form(x)
        return self.total_count * -softplus(self.logits) + x * -softplus(-self.logits)

    def _log_normalization(self, x: TensorLike) -> Tensor:
        if self.validate_args:
            x = embed_check_nonnegative_integer_form(x)
        return (
            -build.Lgamma(self.total_count + x)
            + build.Lgamma(1.0 + x)
            + build.Lgamma(self.total_count)
        )

    def _mean(self) -> Tensor:
        return self.total_count * build.Exp(self.logits)

    def _mode(self) -> Tensor:
        adjusted = where_v2(
            build.Less(1.0, self.total_count),
            self.total_count - 1.0,
            zeros_like(self.total_count),
        )
        return build.Floor(adjusted * build.Exp(self.logits))

    def _variance(self) -> Tensor:
        return self._mean() / build.Sigmoid(-self.logits)
