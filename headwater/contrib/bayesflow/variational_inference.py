"""Lower bounds of the evidence of models whose latent values are stochastic tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from headwater.base import logging
from headwater.base.export import export_value
from headwater.base.typing import TensorLike
from headwater.contrib.bayesflow.stochastic_graph import upstream_stochastic_tensors
from headwater.contrib.bayesflow.stochastic_tensor import StochasticTensor
from headwater.graph import Tensor, convert_to_tensor, export, get_default_graph, name_scope
from headwater.model.distributions.distribution import Distribution
from headwater.model.distributions.kullback_leibler import kl_divergence
from headwater.ops.math.reduce_functions import reduce_sum

VI_PRIORS = "__vi_priors__"
export_value("contrib.bayesflow.variational_inference.VI_PRIORS", VI_PRIORS)


class ELBOForm:
    """One of the forms of the bound."""


@export("contrib.bayesflow.variational_inference.ELBOForms", "contrib.bayesflow.entropy.ELBOForms")
class ELBOForms:
    """How the bound is computed.

    Attributes:
        default: the first of the others that the distributions have.
        analytic_kl: the likelihood less the divergence from the prior.
        analytic_entropy: the joint density plus the entropy.
        sample: the joint density less the density of the sample.
    """

    default: ClassVar[ELBOForm] = ELBOForm()
    analytic_kl: ClassVar[ELBOForm] = ELBOForm()
    analytic_entropy: ClassVar[ELBOForm] = ELBOForm()
    sample: ClassVar[ELBOForm] = ELBOForm()

    @staticmethod
    def check_form(form: Any) -> None:
        """Checks a form.

        Args:
            form: the form.

        Raises:
            TypeError: if it is none.
        """
        if not isinstance(form, ELBOForm):
            raise TypeError("form must be an ELBOForms constant")


@export("contrib.bayesflow.variational_inference.register_prior")
def register_prior(variational: StochasticTensor, prior: Distribution) -> None:
    """Says what the prior of a stochastic tensor is.

    Args:
        variational: the stochastic tensor.
        prior: the distribution.

    Raises:
        TypeError: if they are of other kinds.
    """
    if not isinstance(variational, StochasticTensor):
        raise TypeError("variational must be a StochasticTensor")
    if not isinstance(prior, Distribution):
        raise TypeError("prior must be a Distribution")
    get_default_graph().add_to_collection(VI_PRIORS, (variational, prior))


@export("contrib.bayesflow.variational_inference.elbo")
def elbo(
    log_likelihood: TensorLike,
    variational_with_prior: Mapping[StochasticTensor, Distribution] | None = None,
    keep_batch_dim: bool = True,
    form: ELBOForm | None = None,
    name: str = "ELBO",
) -> Tensor:
    """Returns the lower bound of the evidence, from the likelihood.

    Args:
        log_likelihood: the logarithm of the likelihood given the latent values.
        variational_with_prior: {stochastic tensor: its prior}; those that the likelihood depends
            on, with their registered priors, if None.
        keep_batch_dim: whether the terms of the latent values keep their axes; if not, each is
            summed to a scalar.
        form: one of ELBOForms.
        name: the name scope.

    Returns:
        A tensor.

    Raises:
        TypeError: if the form is none.
        ValueError: if there are no stochastic tensors, or one has no prior.
    """
    form = ELBOForms.default if form is None else form
    with name_scope(name):
        log_likelihood = convert_to_tensor(log_likelihood)
        if variational_with_prior is None:
            variational_with_prior = _with_priors(log_likelihood)
        return _bound(form, log_likelihood, None, variational_with_prior, keep_batch_dim)


@export("contrib.bayesflow.variational_inference.elbo_with_log_joint")
def elbo_with_log_joint(
    log_joint: TensorLike,
    variational: Iterable[StochasticTensor] | None = None,
    keep_batch_dim: bool = True,
    form: ELBOForm | None = None,
    name: str = "ELBO",
) -> Tensor:
    """Returns the lower bound of the evidence, from the joint density.

    Args:
        log_joint: the logarithm of the joint density.
        variational: the stochastic tensors; those that the density depends on if None.
        keep_batch_dim: whether the terms of the latent values keep their axes; if not, each is
            summed to a scalar.
        form: one of ELBOForms, but `analytic_kl`.
        name: the name scope.

    Returns:
        A tensor.

    Raises:
        TypeError: if the form is none.
        ValueError: if it is `analytic_kl`, or if there are no stochastic tensors.
    """
    form = ELBOForms.default if form is None else form
    if form is ELBOForms.analytic_kl:
        raise ValueError(
            "ELBOForms.analytic_kl is not available when using elbo_with_log_joint. Use elbo or a "
            "different form."
        )
    with name_scope(name):
        log_joint = convert_to_tensor(log_joint)
        if variational is None:
            variational = _upstream(log_joint)
        return _bound(form, None, log_joint, dict.fromkeys(variational), keep_batch_dim)


def _upstream(model: Tensor) -> list[Any]:
    found: list[Any] = upstream_stochastic_tensors([model])[model]
    if not found:
        raise ValueError("No upstream stochastic nodes found for tensor: %s", model)
    return found


def _with_priors(model: Tensor) -> dict[StochasticTensor, Distribution]:
    registered = dict(get_default_graph().get_collection(VI_PRIORS))
    found = {}
    for tensor in _upstream(model):
        if tensor not in registered:
            raise ValueError("No prior specified for StochasticTensor: %s", tensor)
        found[tensor] = registered[tensor]
    return found


def _bound(
    form: Any,
    log_likelihood: Tensor | None,
    log_joint: Tensor | None,
    variational: Mapping[StochasticTensor, Any],
    keep_batch_dim: bool,
) -> Tensor:
    ELBOForms.check_form(form)

    def kept(x: Tensor) -> Tensor:
        return x if keep_batch_dim else reduce_sum(x)

    if log_likelihood is not None and form in (ELBOForms.default, ELBOForms.analytic_kl):
        try:
            kls = [kept(kl_divergence(q.distribution, p)) for q, p in variational.items()]
            return log_likelihood - sum(kls[1:], kls[0])
        except NotImplementedError as error:
            if form is ELBOForms.analytic_kl:
                raise
            logging.warning("Analytic KL not implemented: %s", error)
    if log_joint is None:
        assert log_likelihood is not None
        log_joint = log_likelihood
        for q, p in variational.items():
            log_joint = log_joint + kept(p.log_prob(q.value()))
    if form in (ELBOForms.default, ELBOForms.analytic_entropy):
        try:
            entropies = [kept(q.distribution.entropy()) for q in variational]
            return log_joint + sum(entropies[1:], entropies[0])
        except NotImplementedError as error:
            if form is ELBOForms.analytic_entropy:
                raise
            logging.warning("Analytic entropy not implemented: %s", error)
    for q in variational:
        log_joint = log_joint - kept(q.distribution.log_prob(q.value()))
    return log_joint
