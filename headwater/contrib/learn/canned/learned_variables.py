"""The weights and biases that canned models have learned."""

from __future__ import annotations

import re
from typing import Any

from headwater.base.typing import Array

_LINEAR_WEIGHTS = re.compile(r"linear/(.*/)?weights?$")
_LINEAR_BIAS = re.compile(r"linear/(linear_model/)?bias_weights?$")


def linear_weights(estimator: Any) -> Any:
    """The weights of a linear model by the name of their variable; alone if there is only one."""
    values = {
        name: estimator.get_variable_value(name)
        for name in estimator.get_variable_names()
        if _LINEAR_WEIGHTS.match(name)
    }
    return next(iter(values.values())) if len(values) == 1 else values


def linear_bias(estimator: Any) -> Array:
    """The bias of a linear model, a vector."""
    (name,) = (name for name in estimator.get_variable_names() if _LINEAR_BIAS.match(name))
    bias: Array = estimator.get_variable_value(name)
    return bias


def _of_layers(estimator: Any, name: str) -> list[Array]:
    layers = [f"hiddenlayer_{index}" for index in range(len(estimator.params["hidden_units"]))]
    return [estimator.get_variable_value(f"dnn/{layer}/{name}") for layer in [*layers, "logits"]]


def deep_weights(estimator: Any) -> list[Array]:
    """The weights of the hidden layers and of the logits of a deep network."""
    return _of_layers(estimator, "weights")


def deep_biases(estimator: Any) -> list[Array]:
    """The biases of the hidden layers and of the logits; then the centered bias if any."""
    centered = [
        estimator.get_variable_value(name)
        for name in estimator.get_variable_names()
        if name.endswith("centered_bias_weight")
    ]
    return [*_of_layers(estimator, "biases"), *centered]


class LinearVariables:
    """The properties of linear models in release 1.0."""

    @property
    def weights_(self) -> Any:
        """The weights by the name of their variable; the array alone if there is only one."""
        return linear_weights(self)

    @property
    def bias_(self) -> Array:
        """The bias, a vector."""
        return linear_bias(self)
