"""The default arguments that the Inception networks have in common."""

from __future__ import annotations

from typing import Any

from headwater.contrib.framework.arg_scope import Scope, arg_scope
from headwater.contrib.layers.batch_norm import batch_norm
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.graph.graph_keys import GraphKeys
from headwater.model.regularizers import l2_regularizer
from headwater.model.variables.random_initializers import layers_variance_scaling_initializer
from headwater.ops.nn.relu import relu


def normalization(
    variable_collection: str, decay: float = 0.9997, epsilon: float = 0.001, **others: Any
) -> dict[str, Any]:
    """Returns the arguments of batch normalization.

    Args:
        variable_collection: the collection for the moving averages.
        decay: their decay.
        epsilon: what is added to variances.
        **others: further arguments.
    """
    return {
        "decay": decay,
        "epsilon": epsilon,
        "updates_collections": GraphKeys.UPDATE_OPS,
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": [variable_collection],
            "moving_variance": [variable_collection],
        },
        **others,
    }


def inception_arg_scope(weight_decay: float, normalizer_params: dict[str, Any] | None) -> Scope:
    """Returns the default arguments of the layers of an Inception network.

    Args:
        weight_decay: the factor of the L2 regularization of weights.
        normalizer_params: the arguments of batch normalization; None for biases instead of it.
    """
    with (
        arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope(
            [conv2d],
            weights_initializer=layers_variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=None if normalizer_params is None else batch_norm,
            normalizer_params=normalizer_params or {},
        ) as scope,
    ):
        return scope
