"""Entropies and divergences that are estimated from samples (Li and Turner, 2016)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from headwater.base.typing import TensorLike
from headwater.contrib.bayesflow.monte_carlo import get_samples, logspace_mean
from headwater.contrib.bayesflow.variational_inference import ELBOForms
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.distributions.distribution import Distribution
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_mean

_FORMS = (ELBOForms.default, ELBOForms.analytic_entropy, ELBOForms.sample)


def _checked_form(form: Any) -> Any:
    form = ELBOForms.default if form is None else form
    if not any(form is each for each in _FORMS):
        raise ValueError(f"ELBOForm not handled by this function: {form}")
    return form


@export("contrib.bayesflow.entropy.elbo_ratio")
def elbo_ratio(
    log_p: Callable[[Tensor], Any],
    q: Distribution,
    z: TensorLike | None = None,
    n: int | None = None,
    seed: int | None = None,
    form: Any = None,
    name: str = "elbo_ratio",
) -> Tensor:
    """Estimates E[log(p(Z) / q(Z))] for Z from q.

    Args:
        log_p: the logarithm of p, a function.
        q: the distribution q.
        z: samples of q; either these or `n`.
        n: the number of samples to draw.
        seed: a seed for them.
        form: ELBOForms.default, `analytic_entropy` or `sample`.
        name: the name scope.

    Returns:
        A tensor of the shape of a batch of q.

    Raises:
        ValueError: if the form is another one, or if both or none of `z` and `n` are given.
    """
    form = _checked_form(form)
    with name_scope(name, values=[n, z]):
        z = get_samples(q, z, n, seed)
        entropy = entropy_shannon(q, z=z, form=form)
        return reduce_mean(log_p(z), axis=[0]) + entropy


@export("contrib.bayesflow.entropy.entropy_shannon")
def entropy_shannon(
    p: Distribution,
    z: TensorLike | None = None,
    n: int | None = None,
    seed: int | None = None,
    form: Any = None,
    name: str = "entropy_shannon",
) -> Tensor:
    """Returns the entropy of a distribution, computed or estimated.

    Args:
        p: the distribution.
        z: samples of it; either these or `n`, if the entropy is estimated.
        n: the number of samples to draw.
        seed: a seed for them.
        form: ELBOForms.default (estimated only if it cannot be computed), `analytic_entropy` or
            `sample`.
        name: the name scope.

    Returns:
        A tensor of the shape of a batch of p.

    Raises:
        ValueError: if the form is another one, or if both or none of `z` and `n` are given.
    """
    form = _checked_form(form)
    with name_scope(name, values=[n, z]):
        if form is not ELBOForms.sample:
            try:
                return p.entropy()
            except NotImplementedError:
                if form is ELBOForms.analytic_entropy:
                    raise
        return -reduce_mean(p.log_prob(get_samples(p, z, n, seed)), axis=[0])


@export("contrib.bayesflow.entropy.renyi_ratio")
def renyi_ratio(
    log_p: Callable[[Tensor], Any],
    q: Distribution,
    alpha: TensorLike,
    z: TensorLike | None = None,
    n: int | None = None,
    seed: int | None = None,
    name: str = "renyi_ratio",
) -> Tensor:
    """Estimates log E[(p(Z) / q(Z))^(1 - alpha)] / (1 - alpha) for Z from q.

    Args:
        log_p: the logarithm of p, a function.
        q: the distribution q.
        alpha: the order, not 1.
        z: samples of q; either these or `n`.
        n: the number of samples to draw.
        seed: a seed for them.
        name: the name scope.

    Returns:
        A tensor of the shape of a batch of q.

    Raises:
        ValueError: if both or none of `z` and `n` are given.
    """
    with name_scope(name, values=[alpha, n, z]):
        z = get_samples(q, z, n, seed)
        rest = 1.0 - convert_to_tensor(alpha, dtype=q.dtype)
        return logspace_mean(rest * (log_p(z) - q.log_prob(z))) / rest


@export("contrib.bayesflow.entropy.renyi_alpha")
def renyi_alpha(
    step: TensorLike,
    decay_time: TensorLike,
    alpha_min: TensorLike,
    alpha_max: TensorLike = 0.99999,
    name: str = "renyi_alpha",
) -> Tensor:
    """Returns an order that falls from one value to another: faster and faster, then no more.

    Args:
        step: the step.
        decay_time: the step at which it has fallen.
        alpha_min: the last value.
        alpha_max: the first value.
        name: the name scope.

    Returns:
        A scalar.
    """
    with name_scope(name, values=[step, decay_time, alpha_min, alpha_max]):
        first = convert_to_tensor(alpha_max)
        last = convert_to_tensor(alpha_min, dtype=first.dtype)
        passed = cast(step, first.dtype) / cast(decay_time, first.dtype)
        grown = (build.Exp(build.Minimum(passed, 1.0)) - 1.0) / math.expm1(1.0)
        return first - (first - last) * grown
