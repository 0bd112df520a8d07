"""Fully connected layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import Activation, InitializerLike, Regularizer, TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.layers.layer_steps import (
    XAVIER,
    add_to_variable_collections,
    normalized_and_activated,
    variable_getter,
)
from headwater.contrib.layers.utils import collect_named_outputs
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.layers.convolution import ZEROS
from headwater.model.layers.core import Dense
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.nn.relu import relu

_GETTER = variable_getter({"bias": "biases", "kernel": "weights"})


@export("contrib.layers.fully_connected", "contrib.slim.fully_connected")
@add_arg_scope
def fully_connected(
    inputs: TensorLike,
    num_outputs: int,
    activation_fn: Activation | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: InitializerLike | None = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: str | Sequence[str] | None = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """Applies a fully connected layer: activation_fn(inputs @ weights + biases).

    Args:
        inputs: a tensor of rank 2 or more; the length of its last axis must be known.
        num_outputs: the number of outputs.
        activation_fn: a function of the outputs; None for none.
        normalizer_fn: a function such as `batch_norm` that takes the place of the biases.
        normalizer_params: its further arguments.
        weights_initializer: the initializer of the weights.
        weights_regularizer: a function from the weights to a loss.
        biases_initializer: the initializer of the biases; None for no biases.
        biases_regularizer: a function from the biases to a loss.
        reuse: whether the variables of the scope are used again.
        variables_collections: the collections for the variables: a list, or a dict with a list for
            "weights" and "biases".
        outputs_collections: the collections for the output.
        trainable: whether optimizers change the variables by default.
        scope: the variable scope.

    Returns:
        A tensor of the same rank with `num_outputs` as its last dimension.

    Raises:
        ValueError: if the rank is too small, the last dimension is unknown, or `num_outputs` is
            not an int.
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of {[int]}, got {type(num_outputs)}.")
    with variable_scope(
        scope, "fully_connected", [inputs], reuse=reuse, custom_getter=_GETTER
    ) as variables:
        inputs = convert_to_tensor(inputs)
        layer = Dense(
            units=num_outputs,
            use_bias=not normalizer_fn and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=variables.name,
            dtype=inputs.dtype.base_dtype,
            _scope=variables,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        add_to_variable_collections(layer.kernel, variables_collections, "weights")
        if layer.bias is not None:
            add_to_variable_collections(layer.bias, variables_collections, "biases")
        outputs = normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return collect_named_outputs(outputs_collections, variables.name, outputs)
