"""Convolutions along one, two or three axes."""

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
from headwater.contrib.layers.layer_utils import collect_named_outputs
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.layers.convolution import ZEROS, Conv1D, Conv2D, Conv3D
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.nn.relu import relu

_GETTER = variable_getter({"bias": "biases", "kernel": "weights"})
_LAYERS: dict[int, Any] = {3: Conv1D, 4: Conv2D, 5: Conv3D}
_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


@export("contrib.layers.convolution", "contrib.slim.convolution")
@add_arg_scope
def convolution(
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
    conv_dims: int | None = None,
) -> Tensor:
    """Applies a convolution along all axes but batch and channels.

    Args:
        inputs: a tensor of rank 3, 4 or 5.
        num_outputs: the number of output channels.
        kernel_size: the size of the kernel: a number for all axes or one for each.
        stride: the steps of the window: a number for all axes or one for each.
        padding: "SAME" or "VALID".
        data_format: such as "NHWC" or "NCHW"; None has the channels last.
        rate: the distances of kernel elements: a number for all axes or one for each.
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
        conv_dims: the number of axes that the inputs must have besides batch and channels.

    Returns:
        A tensor of the same rank.

    Raises:
        ValueError: if the data format is unknown or the rank is another one.
    """
    if data_format not in _FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=_GETTER) as variables:
        inputs = convert_to_tensor(inputs)
        layer = _layer_for(inputs.shape.ndims, conv_dims)(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=(
                "channels_first"
                if data_format and data_format.startswith("NC")
                else "channels_last"
            ),
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
        outputs = layer.apply(inputs)
        add_to_variable_collections(layer.kernel, variables_collections, "weights")
        if layer.use_bias:
            add_to_variable_collections(layer.bias, variables_collections, "biases")
        outputs = normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return collect_named_outputs(outputs_collections, variables.name, outputs)


def _layer_for(rank: int | None, conv_dims: int | None) -> Any:
    if conv_dims is not None and rank != conv_dims + 2:
        raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
    if rank not in _LAYERS:
        raise ValueError("Convolution not supported for input with rank", rank)
    return _LAYERS[rank]


@export(
    "contrib.layers.conv1d",
    "contrib.layers.convolution1d",
    "contrib.slim.conv1d",
    "contrib.slim.convolution1d",
)
@add_arg_scope
def convolution1d(
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
    """Applies a convolution along one axis; see `convolution`.

    Args:
        inputs: a tensor of rank 3.
        num_outputs: the number of output channels.
        kernel_size: the size of the kernel.
        stride: the steps of the window.
        padding: as in `convolution`, like all others.

    Returns:
        A tensor of rank 3.

    Raises:
        ValueError: if the data format is unknown or the rank is another one.
    """
    return convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride,
        padding,
        data_format,
        rate,
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
        conv_dims=1,
    )


@export(
    "contrib.layers.conv2d",
    "contrib.layers.convolution2d",
    "contrib.slim.conv2d",
    "contrib.slim.convolution2d",
)
@add_arg_scope
def convolution2d(
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
    """Applies a convolution along two axes; see `convolution`.

    Args:
        inputs: a tensor of rank 4.
        num_outputs: the number of output channels.
        kernel_size: the size of the kernel.
        stride: the steps of the window.
        padding: as in `convolution`, like all others.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the data format is unknown or the rank is another one.
    """
    return convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride,
        padding,
        data_format,
        rate,
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
        conv_dims=2,
    )


@export(
    "contrib.layers.conv3d",
    "contrib.layers.convolution3d",
    "contrib.slim.conv3d",
    "contrib.slim.convolution3d",
)
@add_arg_scope
def convolution3d(
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
    """Applies a convolution along three axes; see `convolution`.

    Args:
        inputs: a tensor of rank 5.
        num_outputs: the number of output channels.
        kernel_size: the size of the kernel.
        stride: the steps of the window.
        padding: as in `convolution`, like all others.

    Returns:
        A tensor of rank 5.

    Raises:
        ValueError: if the data format is unknown or the rank is another one.
    """
    return convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride,
        padding,
        data_format,
        rate,
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
        conv_dims=3,
    )
