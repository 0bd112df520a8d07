"""Stacks of dense layers: `learn.ops.dnn`, `learn.models.get_dnn_model` of releases 0.8 to 0.11."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.graph import Tensor
from headwater.graph.default_graph import get_collection
from headwater.model.nn.dropout import dropout as drop
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.nn.relu import relu

# The collection in which a TensorFlowEstimator tells its model whether it is being trained.
IS_TRAINING = "IS_TRAINING"


@export("contrib.learn.ops.dnn")
def dnn(
    tensor_in: Tensor,
    hidden_units: Sequence[int],
    activation: Callable[[Tensor], Tensor] | None = relu,
    dropout: float | None = None,
) -> Tensor:
    """Stacks dense layers.

    Args:
        tensor_in: the features ``[batch, n]``.
        hidden_units: the number of units of each layer.
        activation: the activation of every layer; None for none.
        dropout: the probability that a unit is dropped, unless the collection "IS_TRAINING" says
            False; or None.

    Returns:
        The last layer ``[batch, units]``.
    """
    is_training = False not in get_collection(IS_TRAINING)
    with variable_scope("dnn"):
        for number, units in enumerate(hidden_units):
            with variable_scope(f"layer{number}"):
                tensor_in = fully_connected(tensor_in, units, activation_fn=activation)
                if dropout is not None and is_training:
                    tensor_in = drop(tensor_in, keep_prob=1.0 - dropout)
    return tensor_in


@export("contrib.learn.models.get_dnn_model")
def get_dnn_model(
    hidden_units: Sequence[int],
    target_predictor_fn: Callable[[Tensor, Tensor], Any],
    dropout: float | None = None,
) -> Callable[[Tensor, Tensor], Any]:
    """Makes the function of a deep model, for an estimator.

    Args:
        hidden_units: the number of units of each layer.
        target_predictor_fn: a function of the last layer and the labels.
        dropout: the probability that a unit is dropped; or None.

    Returns:
        A function of features and labels that returns what `target_predictor_fn` returns.
    """

    def dnn_estimator(x: Tensor, y: Tensor) -> Any:
        return target_predictor_fn(dnn(x, hidden_units, dropout=dropout), y)

    return dnn_estimator
