"""Fully connected layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from headwater.base.export import export, export_value
from headwater.base.typing import Activation, InitializerLike, Regularizer, TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.layers.layer_steps import (
    XAVIER,
    add_to_variable_collections,
    normalized_and_activated,
    variable_getter,
)
from headwater.contrib.layers.layer_utils import collect_named_outputs
from headwater.graph import Tensor, build, convert_to_tensor, shape_tensor
from headwater.graph.default_graph import add_to_collections
from headwater.graph.graph_keys import GraphKeys
from headwater.model.layers.convolution import ZEROS
from headwater.model.layers.core import Dense
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.stack import stack, unstack
from headwater.ops.nn.bias import bias_add
from headwater.ops.nn.elu import elu
from headwater.ops.nn.relu import relu, relu6

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


@export("contrib.layers.legacy_fully_connected", "contrib.slim.legacy_fully_connected")
def legacy_fully_connected(
    x: TensorLike,
    num_output_units: int,
    activation_fn: Activation | None = None,
    weight_init: InitializerLike = XAVIER,
    bias_init: InitializerLike | None = ZEROS,
    name: str | None = None,
    weight_collections: Sequence[str] = (GraphKeys.WEIGHTS,),
    bias_collections: Sequence[str] = (GraphKeys.BIASES,),
    output_collections: Sequence[str] = (GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
) -> Tensor:
    """Applies a fully connected layer with the argument names of the first releases.

    Args:
        x: a tensor of rank 2 or more; the length of its last axis must be known.
        num_output_units: the number of outputs.
        activation_fn: a function of the outputs; None for none.
        weight_init: the initializer of the weights.
        bias_init: the initializer of the bias; None for no bias.
        name: the variable scope.
        weight_collections: the collections for the weights.
        bias_collections: the collections for the bias.
        output_collections: the collections for the output.
        trainable: whether optimizers change the variables by default.
        weight_regularizer: a function from the weights to a loss.
        bias_regularizer: a function from the bias to a loss.

    Returns:
        A tensor of the same rank with `num_output_units` as its last dimension.

    Raises:
        ValueError: if the rank is too small or the last dimension is unknown.
    """
    with variable_scope(name, "fully_connected", [x]):
        x = convert_to_tensor(x)
        units = _input_units(x)
        weights = get_variable(
            "weights",
            shape=[units, num_output_units],
            dtype=x.dtype.base_dtype,
            initializer=weight_init,
            collections=_with_global_variables(weight_collections),
            regularizer=weight_regularizer,
            trainable=trainable,
        )
        flat = x if x.shape.ndims == 2 else build.Reshape(x, [-1, units])
        y: Tensor = build.MatMul(flat, weights)
        if bias_init is not None:
            bias = get_variable(
                "bias",
                shape=[num_output_units],
                dtype=x.dtype.base_dtype,
                initializer=bias_init,
                collections=_with_global_variables(bias_collections),
                regularizer=bias_regularizer,
                trainable=trainable,
            )
            y = bias_add(y, bias)
        if x.shape.ndims != 2:
            lengths = unstack(shape_tensor(x))
            y = build.Reshape(y, stack([*lengths[:-1], num_output_units]))
            y.set_shape([*x.shape.as_list()[:-1], num_output_units])
        if activation_fn is not None:
            y = activation_fn(y)
        add_to_collections([*(output_collections or ()), GraphKeys.ACTIVATIONS], y)
        return y


def _input_units(x: Tensor) -> int:
    rank = x.shape.ndims
    if rank is None:
        raise ValueError("dims of x must be known but is None")
    if rank < 2:
        raise ValueError(f"rank of x must be at least 2 not: {rank}")
    units = x.shape[-1].value
    if units is None:
        raise ValueError("last dimension of x must be known but is None")
    return units


def _with_global_variables(collections: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*(collections or ()), GraphKeys.GLOBAL_VARIABLES]))


linear = partial(fully_connected, activation_fn=None)
relu_layer = partial(fully_connected, activation_fn=relu)
relu6_layer = partial(fully_connected, activation_fn=relu6)
elu_layer = partial(fully_connected, activation_fn=elu)
legacy_linear = partial(legacy_fully_connected, activation_fn=None)
legacy_relu = partial(legacy_fully_connected, activation_fn=relu)

for _module in ("contrib.layers", "contrib.slim"):
    export_value(f"{_module}.linear", linear)
    export_value(f"{_module}.relu", relu_layer)
    export_value(f"{_module}.relu6", relu6_layer)
    export_value(f"{_module}.elu", elu_layer)
    export_value(f"{_module}.legacy_linear", legacy_linear)
    export_value(f"{_module}.legacy_relu", legacy_relu)
