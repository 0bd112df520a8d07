"""One class of several as a vector: exactly, and with a temperature."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.distributions.located import Logistic
from headwater.contrib.distributions.scalar_bijectors import Exp, Sigmoid
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    name_scope,
    with_dependencies,
)
from headwater.model.distributions.arguments import (
    assert_close,
    embed_check_categorical_event_shape,
    get_logits_and_probs,
)
from headwater.model.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
)
from headwater.model.distributions.kullback_leibler import RegisterKL
from headwater.model.distributions.transformed_distribution import TransformedDistribution
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, ones_like
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.transpose import transpose
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import assert_non_positive, assert_positive
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_logsumexp, reduce_sum
from headwater.ops.nn.softmax import log_softmax, softmax
from headwater.ops.nn.softmax_cross_entropy import softmax_cross_entropy_with_logits_v2
from headwater.ops.random.multinomial import multinomial
from headwater.ops.random.uniform import random_uniform


class _ClassVector(Distribution):
    """A distribution of vectors with one element per class; batch and event are those of logits."""

    _logits: TensorLike
    _probs: TensorLike

    @property
    def logits(self) -> Any:
        """Logarithms of the probabilities up to a constant."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs

    @property
    def event_size(self) -> Tensor:
        """The number of classes, an int32 scalar."""
        return self._event_size

    def _set_sizes(self) -> None:
        known = self._logits.get_shape().with_rank_at_least(1)
        sizes: TensorLike = shape(self._logits, name="logits_shape")
        if known.ndims is not None and known[-1].value is not None:
            self._event_size: Tensor = convert_to_tensor(
                known[-1].value, dtype=dtypes.int32, name="event_size"
            )
        else:
            with name_scope("event_size"):
                self._event_size = sizes[-1]

    def _batch_shape_tensor(self) -> Tensor:
        sizes: TensorLike = shape(self.logits)
        return sizes[:-1]

    def _batch_shape(self) -> TensorShape:
        return self.logits.get_shape().with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Tensor:
        sizes: TensorLike = shape(self.logits)
        return sizes[-1:]

    def _event_shape(self) -> TensorShape:
        return self.logits.get_shape().with_rank_at_least(1)[-1:]


@export("contrib.distributions.OneHotCategorical")
class OneHotCategorical(_ClassVector):
    """One draw of a class, as a vector with 1 at the place of the class.

    Args:
        logits: logarithms of probabilities up to a constant, [..., classes]; either these or
            `probs`.
        probs: the probabilities, [..., classes].
        dtype: the type of samples.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [logits, probs]) as scope:
            self._logits, self._probs = get_logits_and_probs(
                name=scope,
                logits=logits,
                probs=probs,
                validate_args=validate_args,
                multidimensional=True,
            )
            self._set_sizes()
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        whole: TensorLike = concat([[n], shape(self.logits)], 0)
        logits = self.logits
        if logits.get_shape().ndims != 2:
            logits = reshape(logits, [-1, self.event_size])
        drawn = transpose(multinomial(logits, n, seed=seed))
        rows = one_hot(drawn, self.event_size, dtype=self.dtype)
        return reshape(rows, whole)

    def _log_prob(self, x: Tensor) -> Tensor:
        x = self._checked(x)
        logits: Tensor = self.logits
        shapes = x.get_shape(), logits.get_shape()
        if not (shapes[0].is_fully_defined() and shapes[1].is_fully_defined()) or (
            shapes[0] != shapes[1]
        ):
            logits = ones_like(x, dtype=logits.dtype) * logits
            x = ones_like(logits, dtype=x.dtype) * x
        sizes: TensorLike = shape(logits)
        flat = reshape(logits, [-1, self.event_size])
        labels = cast(reshape(x, [-1, self.event_size]), flat.dtype)
        found = reshape(
            -softmax_cross_entropy_with_logits_v2(labels=labels, logits=flat), sizes[:-1]
        )
        if logits.get_shape().ndims is not None:
            found.set_shape(logits.get_shape()[:-1])
        return found

    def _entropy(self) -> Tensor:
        weighted: Tensor = log_softmax(self.logits)
        return -reduce_sum(weighted * self.probs, axis=-1)

    def _mode(self) -> Tensor:
        found = one_hot(argmax(self.logits, axis=-1), self.event_size, dtype=self.dtype)
        found.set_shape(self.logits.get_shape())
        return found

    def _covariance(self) -> Tensor:
        p: Tensor = self.probs
        outer = -expand_dims(p, -1) * expand_dims(p, -2)
        return build.MatrixSetDiag(outer, p * (1.0 - p))

    def _variance(self) -> Tensor:
        return self.probs * (1.0 - self.probs)

    def _checked(self, x: TensorLike) -> Tensor:
        if not self.validate_args:
            return x
        checks = [
            assert_non_positive(x),
            assert_close(ones([], self.dtype), reduce_sum(x, axis=[-1])),
        ]
        return with_dependencies(checks, x)


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _kl_one_hot(a: OneHotCategorical, b: OneHotCategorical, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_categorical_categorical", [a.logits, b.logits]):
        difference: Tensor = log_softmax(a.logits)
        difference = difference - log_softmax(b.logits)
        return reduce_sum(softmax(a.logits) * difference, axis=-1)


@export("contrib.distributions.ExpRelaxedOneHotCategorical")
class ExpRelaxedOneHotCategorical(_ClassVector):
    """The logarithm of a RelaxedOneHotCategorical: numbers that do not underflow.

    Args:
        temperature: the temperature, positive.
        logits: logarithms of probabilities up to a constant, [..., classes]; either these or
            `probs`.
        probs: the probabilities, [..., classes].
        dtype: the type of samples; that of the parameters if None.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        temperature: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [logits, probs, temperature]) as scope:
            self._logits, self._probs = get_logits_and_probs(
                name=scope,
                logits=logits,
                probs=probs,
                validate_args=validate_args,
                multidimensional=True,
            )
            dtype = self._logits.dtype if dtype is None else dtype
            checks = [assert_positive(temperature)] if validate_args else []
            with control_dependencies(checks):
                self._temperature: Tensor = convert_to_tensor(
                    temperature, name="temperature", preferred_dtype=self._logits.dtype
                )
                self._temperature_2d = reshape(self._temperature, [-1, 1], name="temperature_2d")
            if validate_args:
                self._logits = embed_check_categorical_event_shape(self._logits)
            self._set_sizes()
        super().__init__(
            dtype=dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs, self._temperature],
            name=scope,
        )

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self._temperature

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        whole: TensorLike = concat([[n], shape(self.logits)], 0)
        logits: Tensor = self.logits * ones(whole, dtype=self.dtype)
        flat = logits if logits.get_shape().ndims == 2 else reshape(logits, [-1, self.event_size])
        # Gumbel's numbers: Maddison, Mnih and Teh, "The concrete distribution", 2016.
        uniform = random_uniform(
            shape=shape(flat),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1,
            dtype=self.dtype,
            seed=seed,
        )
        gumbel: Tensor = -build.Log(-build.Log(uniform))
        noisy = (gumbel + flat) / self._temperature_2d
        return reshape(log_softmax(noisy), whole)

    def _log_prob(self, x: TensorLike) -> Tensor:
        if self.validate_args:
            total = reduce_logsumexp(x, axis=[-1])
            checks = [assert_non_positive(x), assert_close(build.ZerosLike(total), total)]
            x = with_dependencies(checks, x)
        logits: Tensor = self.logits * ones_like(x, dtype=self.dtype)
        x = x * ones_like(logits)
        k: Tensor = cast(self.event_size, x.dtype)
        temperature = self._temperature
        normalization: Tensor = build.Lgamma(k) + (k - 1) * build.Log(temperature)
        spread = expand_dims(temperature, -1) if temperature.get_shape().ndims else temperature
        weighted = reduce_sum(log_softmax(logits - x * spread), axis=[-1])
        return weighted + normalization


@export("contrib.distributions.RelaxedOneHotCategorical")
class RelaxedOneHotCategorical(TransformedDistribution):
    """Points of a simplex near its corners; the lower the temperature, the nearer.

    The distribution is that of Maddison, Mnih and Teh, "The concrete distribution", 2016, and Jang,
    Gu and Poole, "Categorical reparameterization with Gumbel-softmax", 2016.

    Args:
        temperature: the temperature, positive.
        logits: logarithms of probabilities up to a constant, [..., classes]; either these or
            `probs`.
        probs: the probabilities, [..., classes].
        dtype: the type of samples; that of the parameters if None.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        temperature: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike = None,
        dtype: DTypeLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        distribution = ExpRelaxedOneHotCategorical(
            temperature,
            logits=logits,
            probs=probs,
            dtype=dtype,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
        )
        super().__init__(
            distribution=distribution, bijector=Exp(validate_args=validate_args), name=name
        )

    @property
    def temperature(self) -> Any:
        """The temperature."""
        return self.distribution.temperature

    @property
    def logits(self) -> Tensor:
        """Logarithms of the probabilities up to a constant."""
        return self.distribution.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.distribution.probs

    @property
    def event_size(self) -> Tensor:
        """The number of classes."""
        return self.distribution.event_size


@export("contrib.distributions.RelaxedBernoulli")
class RelaxedBernoulli(TransformedDistribution):
    """Numbers near 0 or 1; the lower the temperature, the nearer.

    Args:
        temperature: the temperature, positive.
        logits: the log-odds of 1; either these or `probs`.
        probs: the probabilities of 1.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        temperature: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [logits, probs, temperature]) as scope:
            checks = [assert_positive(temperature)] if validate_args else []
            with control_dependencies(checks):
                self._temperature: Tensor = identity(temperature, name="temperature")
            self._logits: TensorLike
            self._probs: TensorLike
            self._logits, self._probs = get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args
            )
            super().__init__(
                distribution=Logistic(
                    self._logits / self._temperature,
                    1.0 / self._temperature,
                    validate_args=validate_args,
                    allow_nan_stats=allow_nan_stats,
                    name=f"{scope}Logistic",
                ),
                bijector=Sigmoid(validate_args=validate_args),
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = parameters

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        return {"logits": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self._temperature

    @property
    def logits(self) -> Any:
        """The log-odds of 1."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        return self._probs
