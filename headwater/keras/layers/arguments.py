"""Arguments of layers: names of initializers and others, and how configurations show them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.keras import resolvers as _resolvers  # noqa: F401 - sets those of layers
from headwater.keras.activations import functions as activations
from headwater.keras.backend.graph_state import learning_phase
from headwater.keras.constraints import projections as constraints
from headwater.keras.initializers import random_values as initializers
from headwater.keras.regularizers import lookup as regularizers
from headwater.model.layers.layer import Layer


def _kind(name: str) -> Any:
    """The module of tf.keras that an argument's values come from; None for other values."""
    if name == "activation" or name.endswith("_activation"):
        return activations
    for ending, module in (
        ("_initializer", initializers),
        ("_regularizer", regularizers),
        ("_constraint", constraints),
    ):
        if name.endswith(ending):
            return module
    return None


def resolved(**arguments: Any) -> dict[str, Any]:
    """Arguments of a layer, with objects for the names of initializers and others.

    Args:
        **arguments: the arguments; their own names say what they are.
    """
    kinds = {name: _kind(name) for name in arguments}
    return {
        name: value if kinds[name] is None else kinds[name].get(value)
        for name, value in arguments.items()
    }


def config_of(layer: Any, *names: str) -> dict[str, Any]:
    """Attributes of a layer for its configuration.

    Args:
        layer: the layer.
        *names: the attributes, which are named like the arguments.
    """
    config = {}
    for name in names:
        kind, value = _kind(name), getattr(layer, name)
        if isinstance(value, np.ndarray):
            value = value.tolist()
        config[name] = value if kind is None else kind.serialize(value)
    return config


def phase_or(training: Any) -> Any:
    """Whether a layer is being trained: the argument, or else the learning phase."""
    return learning_phase() if training is None else training


class KerasConfig(Layer):
    """The base of layers whose configuration is a list of attributes.

    Attributes:
        config_names: the names of the attributes.
    """

    config_names: tuple[str, ...] = ()

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {**super().get_config(), **config_of(self, *self.config_names)}
