"""masked_fully_connected and masked_conv2d: layers of tf.contrib.layers with masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from headwater.contrib.model_pruning.masked_layers import MaskedConv2D, MaskedFullyConnected
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.layers.convolution import ZEROS
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.nn.relu import relu

_GETTER = variable_getter({"bias": "biases", "kernel": "weights"})
_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


@export("contrib.model_pruning.masked_convolution")
@add_arg_scope
def masked_convolution(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: int | Sequence[int] = 1,
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
    """Applies a convolution along two axes whose weights have a mask.

    Args:
        inputs: a tensor of rank 4.
        num_outputs: the number of output channels.
        kernel_size: the size of the kernel: a number for both axes or one for each.
        stride: the steps of the window: a number for both axes or one for each.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW"; None has the channels last.
        rate: the distances of kernel elements: a number for both axes or one for each.
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
        A tensor of rank 4.

    Raises:
        ValueError: if the data format is unknown or the rank is another one.
    """
    if data_format not in _FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=_GETTER) as variables:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank != 4:
            raise ValueError("Sparse Convolution not supported for input with rank", rank)
        first = data_format is not None and data_format.startswith("NC")
        layer = MaskedConv2D(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first" if first else "channels_last",
            dilation_rate=rate,
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
        outputs = _applied(layer, inputs, variables_collections)
        outputs = normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return collect_named_outputs(outputs_collections, variables.original_name_scope, outputs)


@export("contrib.model_pruning.masked_fully_connected")
@add_arg_scope
def masked_fully_connected(
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
    """Applies a fully connected layer whose weights have a mask.

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
        raise ValueError(f"num_outputs should be int or long, got {num_outputs}.")
    with variable_scope(
        scope, "fully_connected", [inputs], reuse=reuse, custom_getter=_GETTER
    ) as variables:
        inputs = convert_to_tensor(inputs)
        layer = MaskedFullyConnected(
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
        outputs = _applied(layer, inputs, variables_collections)
        outputs = normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return collect_named_outputs(outputs_collections, variables.original_name_scope, outputs)


def _applied(layer: Any, inputs: Tensor, variables_collections: Any) -> Tensor:
    """Applies a layer and adds its variables to the collections of their kinds."""
    outputs = layer.apply(inputs)
    add_to_variable_collections(layer.kernel, variables_collections, "weights")
    if layer.bias is not None:
        add_to_variable_collections(layer.bias, variables_collections, "biases")
    return outputs


export_value("contrib.model_pruning.masked_conv2d", masked_convolution)
