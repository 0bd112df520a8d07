"""Variables whose values are drawn from distributions with parameters that are trained."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike
from headwater.contrib.bayesflow.stochastic_tensor import StochasticTensor
from headwater.contrib.bayesflow.variational_inference import register_prior
from headwater.graph import export
from headwater.model.distributions.distribution import Distribution

_Priors = Distribution | Callable[[TensorShape, Any], Distribution]


@export("contrib.bayesflow.stochastic_variables.get_stochastic_variable")
def get_stochastic_variable(
    getter: Callable[..., Any],
    name: str,
    shape: ShapeLike | None = None,
    dist_cls: Any = None,
    dist_kwargs: Mapping[str, Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None,
    prior: _Priors | None = None,
    **kwargs: Any,
) -> StochasticTensor:
    """Makes a variable for each parameter of a distribution; a custom getter of variable scopes.

    Args:
        getter: the getter of the parameters.
        name: the name; the parameters are `NAME_PARAMETER`.
        shape: the shape of a sample.
        dist_cls: the class of the distribution.
        dist_kwargs: further arguments of the class.
        param_initializers: the initializers of parameters, by name.
        prior: the prior, or a function from the shape and the type to it; registered for
            `variational_inference`.
        **kwargs: further arguments of the getter.

    Returns:
        The stochastic tensor.
    """
    shape = TensorShape(shape)
    dist_kwargs = dist_kwargs or {}
    initializers = param_initializers or {}
    params = {}
    for param, param_shape in dist_cls.param_static_shapes(shape).items():
        arguments = dict(kwargs)
        if param in initializers:
            arguments["initializer"] = initializers[param]
        params[param] = getter(f"{name}_{param}", shape=param_shape, **arguments)
    tensor = StochasticTensor(dist_cls(**{**params, **dist_kwargs}))
    if prior is not None:
        if callable(prior) and not isinstance(prior, Distribution):
            prior = prior(shape, kwargs.get("dtype", dtypes.float32))
        register_prior(tensor, prior)
    return tensor


@export("contrib.bayesflow.stochastic_variables.make_stochastic_variable_getter")
def make_stochastic_variable_getter(
    dist_cls: Any,
    dist_kwargs: Mapping[str, Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None,
    prior: _Priors | None = None,
) -> Callable[..., StochasticTensor]:
    """Returns a custom getter for `tf.variable_scope`.

    Args:
        dist_cls: the class of the distribution.
        dist_kwargs: further arguments of the class.
        param_initializers: the initializers of parameters, by name.
        prior: the prior, or a function from the shape and the type to it.

    Returns:
        A function.
    """
    return functools.partial(
        get_stochastic_variable,
        dist_cls=dist_cls,
        dist_kwargs=dist_kwargs,
        param_initializers=param_initializers,
        prior=prior,
    )
