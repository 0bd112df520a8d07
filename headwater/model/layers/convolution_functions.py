"""Functions that make a convolution layer and apply it: `tf.layers.conv2d` and its relatives."""

from __future__ import annotations

from typing import Any

from headwater.graph import Tensor, export
from headwater.model.layers.convolution import ZEROS, Conv1D, Conv2D, Conv3D
from headwater.model.layers.function_form import apply_layer
from headwater.model.layers.separable_convolution import SeparableConv1D, SeparableConv2D
from headwater.model.layers.transposed_convolution import Conv2DTranspose, Conv3DTranspose


@export("layers.conv1d")
def conv1d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: Any = None,
) -> Tensor:
    """Applies a convolution along one axis; see Conv1D.

    Args:
        inputs: a tensor.
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same; along one axis also causal: no output depends on later inputs.
        data_format: channels_last or channels_first.
        dilation_rate: the distances of kernel elements: a number for each axis or one for all.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel; the default of the scope if None.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name.
        reuse: whether the variables of a layer of this name are used again.

    Returns:
        A tensor.
    """
    return apply_layer(Conv1D, **locals())


@export("layers.conv2d")
def conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1),
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: Any = None,
) -> Tensor:
    """Applies a convolution along two axes; see Conv2D.

    Args:
        inputs: a tensor.
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same; along one axis also causal: no output depends on later inputs.
        data_format: channels_last or channels_first.
        dilation_rate: the distances of kernel elements: a number for each axis or one for all.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel; the default of the scope if None.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name.
        reuse: whether the variables of a layer of this name are used again.

    Returns:
        A tensor.
    """
    return apply_layer(Conv2D, **locals())


@export("layers.conv3d")
def conv3d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1, 1),
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: Any = None,
) -> Tensor:
    """Applies a convolution along three axes; see Conv3D.

    Args:
        inputs: a tensor.
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same; along one axis also causal: no output depends on later inputs.
        data_format: channels_last or channels_first.
        dilation_rate: the distances of kernel elements: a number for each axis or one for all.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel; the default of the scope if None.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name.
        reuse: whether the variables of a layer of this name are used again.

    Returns:
        A tensor.
    """
    return apply_layer(Conv3D, **locals())


@export("layers.separable_conv1d")
def separable_conv1d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    depth_multiplier: int = 1,
    activation: Any = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: Any = None,
) -> Tensor:
    """Applies a separable convolution along one axis; see SeparableConv1D.

    Args:
        inputs: a tensor.
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same; along one axis also causal: no output depends on later inputs.
        data_format: channels_last or channels_first.
        dilation_rate: the distances of kernel elements: a number for each axis or one for all.
        depth_multiplier: the number of outputs of the first step for each input channel.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        depthwise_initializer: the initializer of the kernel of the first step.
        pointwise_initializer: the initializer of the kernel of the second step.
        bias_initializer: the initializer of the bias.
        depthwise_regularizer: a function from the first kernel to a loss.
        pointwise_regularizer: a function from the second kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        depthwise_constraint: a function from a new first kernel to the one that is kept.
        pointwise_constraint: a function from a new second kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name.
        reuse: whether the variables of a layer of this name are used again.

    Returns:
        A tensor.
    """
    return apply_layer(SeparableConv1D, **locals())


@export("layers.separable_conv2d")
def separable_conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1),
    depth_multiplier: int = 1,
    activation: Any = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: Any = None,
) -> Tensor:
    """Applies a separable convolution along two axes; see SeparableConv2D.

    Args:
        inputs: a tensor.
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same; along one axis also causal: no output depends on later inputs.
        data_format: channels_last or channels_first.
        dilation_rate: the distances of kernel elements: a number for each axis or one for all.
        depth_multiplier: the number of outputs of the first step for each input channel.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        depthwise_initializer: the initializer of the kernel of the first step.
        pointwise_initializer: the initializer of the kernel of the second step.
        bias_initializer: the initializer of the bias.
        depthwise_regularizer: a function from the first kernel to a loss.
        pointwise_regularizer: a function from the second kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        depthwise_constraint: a function from a new first kernel to the one that is kept.
        pointwise_constraint: a function from a new second kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name.
        reuse: whether the variables of a layer of this name are used again.

    Returns:
        A tensor.
    """
    return apply_layer(SeparableConv2D, **locals())


@export("layers.conv2d_transpose")
def conv2d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: Any = None,
) -> Tensor:
    """Applies a transposed convolution along two axes; see Conv2DTranspose.

    Args:
        inputs: a tensor.
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same.
        data_format: channels_last or channels_first.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel; the default of the scope if None.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name.
        reuse: whether the variables of a layer of this name are used again.

    Returns:
        A tensor.
    """
    return apply_layer(Conv2DTranspose, **locals())


@export("layers.conv3d_transpose")
def conv3d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Any = None,
    reuse: Any = None,
) -> Tensor:
    """Applies a transposed convolution along three axes; see Conv3DTranspose.

    Args:
        inputs: a tensor.
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same.
        data_format: channels_last or channels_first.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel; the default of the scope if None.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name.
        reuse: whether the variables of a layer of this name are used again.

    Returns:
        A tensor.
    """
    return apply_layer(Conv3DTranspose, **locals())
