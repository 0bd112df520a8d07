"""Convolutions of each channel: separable and in-plane ones, and the addition of biases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import Activation, InitializerLike, Regularizer, TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.framework.variables import model_variable
from headwater.contrib.layers.layer_steps import (
    XAVIER,
    add_to_variable_collections,
    check_format,
    normalized_and_activated,
    variable_getter,
)
from headwater.contrib.layers.layer_utils import (
    channel_dimension,
    collect_named_outputs,
    get_variable_collections,
    two_element_tuple,
)
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.layers.convolution import ZEROS
from headwater.model.layers.separable_convolution import SeparableConv2D
from headwater.model.nn.convolution import depthwise_conv2d
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.tile import tile
from headwater.ops.nn.bias import bias_add as biased
from headwater.ops.nn.relu import relu

_GETTER = variable_getter(
    {
        "bias": "biases",
        "depthwise_kernel": "depthwise_weights",
        "pointwise_kernel": "pointwise_weights",
    }
)


@export(
    "contrib.layers.separable_conv2d",
    "contrib.layers.separable_convolution2d",
    "contrib.slim.separable_conv2d",
    "contrib.slim.separable_convolution2d",
)
@add_arg_scope
def separable_convolution2d(
    inputs: TensorLike,
    num_outputs: int | None,
    kernel_size: int | Sequence[int],
    depth_multiplier: int = 1,
    stride: int | Sequence[int] = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: int | Sequence[int] = 1,
    activation_fn: Activation | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    pointwise_initializer: InitializerLike | None = None,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: InitializerLike | None = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: str | Sequence[str] | None = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """Filters each channel of images by itself, then mixes the channels.

    Args:
        inputs: a tensor of rank 4.
        num_outputs: the number of output channels; None leaves out the second step.
        kernel_size: the size of the kernel: a number for both axes or one for each.
        depth_multiplier: the number of outputs of the first step for each input channel.
        stride: the steps of the window: a number for both axes or one for each.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
        rate: the distances of kernel elements: a number for both axes or one for each.
        activation_fn: a function of the outputs; None for none.
        normalizer_fn: a function such as `batch_norm` that takes the place of the biases.
        normalizer_params: its further arguments.
        weights_initializer: the initializer of the weights.
        pointwise_initializer: the initializer of the weights of the second step; None means
            `weights_initializer`.
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
        scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=_GETTER
    ) as variables:
        inputs = convert_to_tensor(inputs)
        use_bias = not normalizer_fn and biases_initializer is not None
        if num_outputs is None:
            outputs = _depthwise(
                inputs,
                kernel_size,
                depth_multiplier,
                stride,
                padding,
                data_format,
                rate,
                weights_initializer,
                weights_regularizer,
                trainable,
                variables_collections,
            )
            if use_bias:
                biases = _biases(
                    outputs.shape[1 if layout == "channels_first" else -1].value,
                    inputs.dtype.base_dtype,
                    biases_initializer,
                    biases_regularizer,
                    trainable,
                    variables_collections,
                )
                outputs = biased(outputs, biases, data_format=data_format)
        else:
            layer = SeparableConv2D(
                filters=num_outputs,
                kernel_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=layout,
                dilation_rate=two_element_tuple(rate),
                depth_multiplier=depth_multiplier,
                use_bias=use_bias,
                depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=variables.name,
                dtype=inputs.dtype.base_dtype,
                _scope=variables,
                _reuse=reuse,
            )
            outputs = layer.apply(inputs)
            add_to_variable_collections(layer.depthwise_kernel, variables_collections, "weights")
            add_to_variable_collections(layer.pointwise_kernel, variables_collections, "weights")
            if layer.bias is not None:
                add_to_variable_collections(layer.bias, variables_collections, "biases")
        outputs = normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return collect_named_outputs(outputs_collections, variables.name, outputs)


def _depthwise(
    inputs: Tensor,
    kernel_size: int | Sequence[int],
    depth_multiplier: int,
    stride: int | Sequence[int],
    padding: str,
    data_format: str,
    rate: int | Sequence[int],
    initializer: InitializerLike,
    regularizer: Regularizer | None,
    trainable: bool,
    variables_collections: Any,
) -> Tensor:
    channels = channel_dimension(inputs.shape, data_format, min_rank=4)
    weights = model_variable(
        "depthwise_weights",
        shape=[*two_element_tuple(kernel_size), channels, depth_multiplier],
        dtype=inputs.dtype.base_dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=get_variable_collections(variables_collections, "weights"),
    )
    steps = two_element_tuple(stride)
    return depthwise_conv2d(
        inputs,
        weights,
        [1, 1, *steps] if data_format.startswith("NC") else [1, *steps, 1],
        padding,
        rate=two_element_tuple(rate),
        data_format=data_format,
    )


def _biases(
    count: int | None,
    dtype: Any,
    initializer: InitializerLike,
    regularizer: Regularizer | None,
    trainable: bool,
    variables_collections: Any,
) -> Any:
    return model_variable(
        "biases",
        shape=[count],
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=get_variable_collections(variables_collections, "biases"),
    )


@export(
    "contrib.layers.conv2d_in_plane",
    "contrib.layers.convolution2d_in_plane",
    "contrib.slim.conv2d_in_plane",
    "contrib.slim.convolution2d_in_plane",
)
@add_arg_scope
def convolution2d_in_plane(
    inputs: TensorLike,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = 1,
    padding: str = "SAME",
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
    """Applies the same kernel to each channel of images by itself.

    Args:
        inputs: a tensor of rank 4 with the channels last.
        kernel_size: the size of the kernel: a number for both axes or one for each.
        stride: the steps of the window: a number for both axes or one for each.
        padding: "SAME" or "VALID".
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
        ValueError: if the number of channels is unknown.
    """
    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as variables:
        inputs = convert_to_tensor(inputs)
        dtype = inputs.dtype.base_dtype
        size, steps = two_element_tuple(kernel_size), two_element_tuple(stride)
        channels = channel_dimension(inputs.shape, "NHWC", min_rank=4)
        weights = model_variable(
            "weights",
            shape=[*size, 1, 1],
            dtype=dtype,
            initializer=weights_initializer,
            regularizer=weights_regularizer,
            collections=get_variable_collections(variables_collections, "weights"),
            trainable=trainable,
        )
        kernels = tile(weights, [1, 1, channels, 1])
        outputs = depthwise_conv2d(inputs, kernels, [1, *steps, 1], padding)
        if normalizer_fn is None and biases_initializer is not None:
            biases = _biases(
                channels,
                dtype,
                biases_initializer,
                biases_regularizer,
                trainable,
                variables_collections,
            )
            outputs = biased(outputs, biases)
        outputs = normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return collect_named_outputs(outputs_collections, variables.name, outputs)


@export("contrib.layers.bias_add", "contrib.slim.bias_add")
@add_arg_scope
def bias_add(
    inputs: TensorLike,
    activation_fn: Activation | None = None,
    initializer: InitializerLike = ZEROS,
    regularizer: Regularizer | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: str | Sequence[str] | None = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Tensor:
    """Adds a trained bias to each channel.

    Args:
        inputs: a tensor of rank 2 or more.
        activation_fn: a function of the outputs; None for none.
        initializer: the initializer of the biases.
        regularizer: a function from the biases to a loss.
        reuse: whether the variables of the scope are used again.
        variables_collections: the collections for the variable: a list, or a dict with a list for
            "biases".
        outputs_collections: the collections for the output.
        trainable: whether optimizers change the biases by default.
        data_format: "NHWC" or, for tensors of rank 4, "NCHW".
        scope: the variable scope.

    Returns:
        A tensor like `inputs`.

    Raises:
        ValueError: if the data format is unknown or does not fit, or the number of channels is
            unknown.
    """
    layout = check_format(data_format, "NCHW", "NHWC")
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as variables:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Dims of shape must be known but is None")
        if rank != 4 and layout == "channels_first":
            raise ValueError("Data format NCHW only supports 4D Tensor")
        count = inputs.shape[1 if layout == "channels_first" else -1].value
        if count is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = _biases(
            count,
            inputs.dtype.base_dtype,
            initializer,
            regularizer,
            trainable,
            variables_collections,
        )
        outputs = biased(inputs, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, variables.name, outputs)
