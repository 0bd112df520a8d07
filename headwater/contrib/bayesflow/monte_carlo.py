"""Expectations that are estimated from samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.signatures import signature
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.distributions.distribution import Distribution
from headwater.ops.control.identity import stop_gradient
from headwater.ops.math.reduce_functions import reduce_max, reduce_mean


@export("contrib.bayesflow.monte_carlo.expectation_importance_sampler")
def expectation_importance_sampler(
    f: Callable[[Any], Any],
    log_p: Callable[[Any], Any],
    sampling_dist_q: Distribution,
    z: TensorLike | None = None,
    n: int | None = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler",
) -> Tensor:
    """Estimates E[f(Z)] for Z with density p, from samples of another distribution q.

    Args:
        f: the function, from samples to numbers.
        log_p: the logarithm of p.
        sampling_dist_q: the distribution q.
        z: samples of q; either these or `n`.
        n: the number of samples to draw.
        seed: a seed for them.
        name: the name scope.

    Returns:
        A tensor with the shape of a batch of q.

    Raises:
        ValueError: if both or none of `z` and `n` are given.
    """
    with name_scope(name, None, [z, n]):
        z = get_samples(sampling_dist_q, z, n, seed)
        log_p_of_z: Tensor = log_p(z)
        q_of_z = sampling_dist_q.log_prob(z)

        def of_positive_part(values: TensorLike) -> Tensor:
            # The 1 cancels in the difference; the logarithm of 0 is not taken.
            log_f = build.Log(build.Relu(values) + 1.0)
            return logspace_mean(log_f + log_p_of_z - q_of_z)

        # Positive and negative values apart, each in log space.
        values: Tensor = f(z)
        log_positive = of_positive_part(values)
        log_negative = of_positive_part(-1 * values)
    return build.Exp(log_positive) - build.Exp(log_negative)


@export("contrib.bayesflow.monte_carlo.expectation_importance_sampler_logspace")
def expectation_importance_sampler_logspace(
    log_f: Callable[[Any], Any],
    log_p: Callable[[Any], Any],
    sampling_dist_q: Distribution,
    z: TensorLike | None = None,
    n: int | None = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler_logspace",
) -> Tensor:
    """Estimates log E[exp(log_f(Z))] for Z with density p, from samples of q.

    Args:
        log_f: the logarithm of the function, which is positive.
        log_p: the logarithm of p.
        sampling_dist_q: the distribution q.
        z: samples of q; either these or `n`.
        n: the number of samples to draw.
        seed: a seed for them.
        name: the name scope.

    Returns:
        A tensor with the shape of a batch of q.

    Raises:
        ValueError: if both or none of `z` and `n` are given.
    """
    with name_scope(name, None, [z, n]):
        z = get_samples(sampling_dist_q, z, n, seed)
        values: Tensor = log_f(z) + log_p(z)
        return logspace_mean(values - sampling_dist_q.log_prob(z))


def logspace_mean(log_values: TensorLike) -> Tensor:
    """log of the mean of exp(log_values) over the samples."""
    largest = stop_gradient(reduce_max(log_values, axis=[0]))
    return build.Log(reduce_mean(build.Exp(log_values - largest), axis=[0])) + largest


@export("contrib.bayesflow.monte_carlo.expectation")
@signature(
    "f, samples, log_prob=None, use_reparametrization=True, axis=0, keep_dims=False, name=None"
)
def expectation(
    f: Callable[[Any], Any],
    samples: TensorLike | None = None,
    log_prob: Any = None,
    use_reparametrization: bool = True,
    axis: AxisLike = 0,
    keep_dims: bool = False,
    name: str | None = None,
    *,
    p: TensorLike | None = None,
    z: TensorLike | None = None,
    n: int | None = None,
    seed: int | None = None,
) -> Tensor:
    """Estimates E[f(X)] by the mean over samples of X.

    Releases before 1.2 have (f, p, z=None, n=None, seed=None, name=None): a distribution, and
    samples of it or their number.

    Args:
        f: the function, from samples to numbers.
        samples: the samples, along `axis`; or the distribution.
        log_prob: the logarithm of their density; needed without reparametrization.
        use_reparametrization: whether gradients go through the samples; if not, they go through
            `log_prob` (the score function).
        axis: the axes of the samples.
        keep_dims: whether the axes stay, with length 1.
        name: the name scope.
        p: the distribution, in older programs.
        z: its samples.
        n: their number.
        seed: a seed for them.

    Returns:
        The mean.

    Raises:
        ValueError: if `log_prob` cannot be called and is needed.
    """
    if isinstance(samples, Distribution):
        p, samples = samples, None
        z = z if log_prob is None else log_prob
    with name_scope(name, "expectation", [samples, z]):
        if p is not None:
            return reduce_mean(f(get_samples(p, z, n, seed)), axis=[0])
        if not callable(log_prob) and not use_reparametrization:
            raise ValueError("`log_prob` must be a callable function.")
        if use_reparametrization:
            return reduce_mean(f(samples), axis=axis, keepdims=keep_dims)
        x = stop_gradient(convert_to_tensor(samples))
        log_p_of_x: Tensor = log_prob(x)
        value: TensorLike = f(x)
        # Adds zero, whose gradient is that of the score function.
        score = stop_gradient(value) * (log_p_of_x - stop_gradient(log_p_of_x))
        return reduce_mean(value + score, axis=axis, keepdims=keep_dims)


def get_samples(dist: Distribution, z: TensorLike, n: int | None, seed: int | None) -> Tensor:
    """The samples `z`, or `n` new ones of a distribution.

    Raises:
        ValueError: if both or none of `z` and `n` are given.
    """
    if (n is None) == (z is None):
        raise ValueError(
            f'Must specify exactly one of arguments "n" and "z".  Found: n = {n}, z = {z}'
        )
    if n is not None:
        return dist.sample(n, seed=seed)
    return convert_to_tensor(z, name="z")
