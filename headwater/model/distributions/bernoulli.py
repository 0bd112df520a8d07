"""The Bernoulli distribution."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.older_calls import renamed
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    name_scope,
)
from headwater.model.distributions.arguments import (
    embed_check_integer_casting_closed,
    get_logits_and_probs,
)
from headwater.model.distributions.distribution import NOT_REPARAMETERIZED
from headwater.model.distributions.kullback_leibler import RegisterKL
from headwater.model.distributions.scalar import ScalarDistribution
from headwater.model.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import sigmoid
from headwater.ops.nn.softplus import softplus
from headwater.ops.random.uniform import random_uniform


@export("distributions.Bernoulli", "contrib.distributions.Bernoulli")
class Bernoulli(ScalarDistribution):
    """One toss of a coin: 1 with probability `probs`, else 0.

    Args:
        logits: the log-odds of 1; either these or `probs`.
        probs: the probabilities of 1.
        dtype: the type of samples.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if both or none of `logits` and `probs` are given.
    """

    _shape_parameters = ("logits",)

    @renamed(p="probs")
    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits: TensorLike
            self._probs: TensorLike
            self._logits, self._probs = get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, name=scope
            )
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: TensorLike) -> dict[str, Any]:
        return {"logits": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def logits(self) -> Tensor:
        """The log-odds of 1."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        return self._probs

    # Before release 1.2.
    p = probs

    @property
    def q(self) -> Tensor:
        """The probabilities of 0."""
        return 1.0 - self._probs

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        uniform = random_uniform(sizes, seed=seed, dtype=self.probs.dtype)
        return cast(build.Less(uniform, self.probs), self.dtype)

    def _log_prob(self, event: TensorLike) -> Tensor:
        if self.validate_args:
            event = embed_check_integer_casting_closed(event, target_dtype=dtypes.bool_)
        event = cast(event, self.logits.dtype)
        logits = self.logits
        shapes = event.get_shape(), logits.get_shape()
        if not (shapes[0].is_fully_defined() and shapes[1].is_fully_defined()) or (
            shapes[0] != shapes[1]
        ):
            logits = ones_like(event) * logits
            event = ones_like(logits) * event
        return -sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self) -> Tensor:
        weighted = (-self.logits) * (sigmoid(self.logits) - 1)
        return weighted + softplus(-self.logits)

    def _mean(self) -> Tensor:
        return identity(self.probs)

    def _variance(self) -> Tensor:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Tensor:
        """1 if the probability of 1 exceeds one half."""
        return cast(build.Greater(self.probs, 0.5), self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_bernoulli_bernoulli", [a.logits, b.logits]):
        of_zero: Tensor = softplus(-b.logits) - softplus(-a.logits)
        of_one: Tensor = softplus(b.logits) - softplus(a.logits)
        return sigmoid(a.logits) * of_zero + sigmoid(-a.logits) * of_one


@export("contrib.distributions.BernoulliWithSigmoidP")
class BernoulliWithSigmoidP(Bernoulli):
    """Bernoulli of sigmoid(p); the arguments are those of Bernoulli."""

    def __init__(
        self,
        p: TensorLike = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "BernoulliWithSigmoidP",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            super().__init__(
                probs=build.Sigmoid(p, name="sigmoid_p"),
                dtype=dtype,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters
