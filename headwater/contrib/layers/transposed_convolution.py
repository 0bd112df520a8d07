"""Transposed convolutions along two or three axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import Activation, InitializerLike, Regularizer, TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.layers.layer_steps import (
    XAVIER,
    add_to_variable_collections,
    check_format,
    normalized_and_activated,
    variable_getter,
)
from headwater.contrib.layers.layer_utils import collect_named_outputs
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.layers.convolution import ZEROS
from headwater.model.layers.transposed_convolution import Conv2DTranspose, Conv3DTranspose
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.nn.relu import relu

_GETTER = variable_getter({"bias": "biases", "kernel": "weights"})


@export(
    "contrib.layers.conv2d_transpose",
    "contrib.layers.convolution2d_transpose",
    "contrib.slim.conv2d_transpose",
    "contrib.slim.convolution2d_transpose",
)
@add_arg_scope
def convolution2d_transpose(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
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
    """Applies a transposed convolution along two axes.

    Args:
        inputs: a tensor of rank 4.
        num_outputs: the number of output channels.
        kernel_size: the size of the kernel: a number for all axes or one for each.
        stride: the steps of the window: a number for all axes or one for each.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
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
        ValueError: if the data format or the number of input channels is unknown.
    """
    layout = check_format(data_format, "NCHW", "NHWC")
    with variable_scope(
        scope, "Conv2d_transpose", [inputs], reuse=reuse, custom_getter=_GETTER
    ) as variables:
        inputs = convert_to_tensor(inputs)
        layer = Conv2DTranspose(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=layout,
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


@export(
    "contrib.layers.conv3d_transpose",
    "contrib.layers.convolution3d_transpose",
    "contrib.slim.conv3d_transpose",
    "contrib.slim.convolution3d_transpose",
)
@add_arg_scope
def convolution3d_transpose(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = 1,
    padding: str = "SAME",
    data_format: str = "NDHWC",
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
    """Applies a transposed convolution along three axes.

    Args:
        inputs: a tensor of rank 5.
        num_outputs: the number of output channels.
        kernel_size: the size of the kernel: a number for all axes or one for each.
        stride: the steps of the window: a number for all axes or one for each.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
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
        A tensor of rank 5.

    Raises:
        ValueError: if the data format or the number of input channels is unknown.
    """
    layout = check_format(data_format, "NCDHW", "NDHWC")
    with variable_scope(
        scope, "Conv3d_transpose", [inputs], reuse=reuse, custom_getter=_GETTER
    ) as variables:
        inputs = convert_to_tensor(inputs)
        layer = Conv3DTranspose(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=layout,
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
