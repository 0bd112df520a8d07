"""Functions that make a convolution layer and apply it: `tf.layers.conv2d` and its relatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.base.typing import Activation, Constraint, InitializerLike, Regularizer, TensorLike
from headwater.graph import Tensor, export
from headwater.model.layers.convolution import ZEROS, Conv1D, Conv2D, Conv3D
from headwater.model.layers.function_form import apply_layer
from headwater.model.layers.separable_convolution import SeparableConv1D, SeparableConv2D
from headwater.model.layers.transposed_convolution import Conv2DTranspose, Conv3DTranspose

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


@export("layers.conv1d")
def conv1d(
    inputs: TensorLike,
    filters: int,
    kernel_size: int | Sequence[int],
    strides: int | Sequence[int] = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: int | Sequence[int] = 1,
    activation: Activation | None = None,
    use_bias: bool = True,
    kernel_initializer: InitializerLike | None = None,
    bias_initializer: InitializerLike = ZEROS,
    kernel_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    activity_regularizer: Regularizer | None = None,
    kernel_constraint: Constraint | None = None,
    bias_constraint: Constraint | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Reuse = None,
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
    inputs: TensorLike,
    filters: int,
    kernel_size: int | Sequence[int],
    strides: TensorLike = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: int | Sequence[int] = (1, 1),
    activation: Activation | None = None,
    use_bias: bool = True,
    kernel_initializer: InitializerLike | None = None,
    bias_initializer: InitializerLike = ZEROS,
    kernel_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    activity_regularizer: Regularizer | None = None,
    kernel_constraint: Constraint | None = None,
    bias_constraint: Constraint | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Reuse = None,
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
    inputs: TensorLike,
    filters: int,
    kernel_size: int | Sequence[int],
    strides: int | Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: int | Sequence[int] = (1, 1, 1),
    activation: Activation | None = None,
    use_bias: bool = True,
    kernel_initializer: InitializerLike | None = None,
    bias_initializer: InitializerLike = ZEROS,
    kernel_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    activity_regularizer: Regularizer | None = None,
    kernel_constraint: Constraint | None = None,
    bias_constraint: Constraint | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Reuse = None,
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
    inputs: TensorLike,
    filters: int,
    kernel_size: int | Sequence[int],
    strides: int | Sequence[int] = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: int | Sequence[int] = 1,
    depth_multiplier: int = 1,
    activation: Activation | None = None,
    use_bias: bool = True,
    depthwise_initializer: InitializerLike | None = None,
    pointwise_initializer: InitializerLike | None = None,
    bias_initializer: InitializerLike = ZEROS,
    depthwise_regularizer: Regularizer | None = None,
    pointwise_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    activity_regularizer: Regularizer | None = None,
    depthwise_constraint: Constraint | None = None,
    pointwise_constraint: Constraint | None = None,
    bias_constraint: Constraint | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Reuse = None,
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
    inputs: TensorLike,
    filters: int,
    kernel_size: int | Sequence[int],
    strides: int | Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: int | Sequence[int] = (1, 1),
    depth_multiplier: int = 1,
    activation: Activation | None = None,
    use_bias: bool = True,
    depthwise_initializer: InitializerLike | None = None,
    pointwise_initializer: InitializerLike | None = None,
    bias_initializer: InitializerLike = ZEROS,
    depthwise_regularizer: Regularizer | None = None,
    pointwise_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    activity_regularizer: Regularizer | None = None,
    depthwise_constraint: Constraint | None = None,
    pointwise_constraint: Constraint | None = None,
    bias_constraint: Constraint | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Reuse = None,
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
    inputs: TensorLike,
    filters: int,
    kernel_size: int | Sequence[int],
    strides: int | Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Activation | None = None,
    use_bias: bool = True,
    kernel_initializer: InitializerLike | None = None,
    bias_initializer: InitializerLike = ZEROS,
    kernel_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    activity_regularizer: Regularizer | None = None,
    kernel_constraint: Constraint | None = None,
    bias_constraint: Constraint | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Reuse = None,
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
    inputs: TensorLike,
    filters: int,
    kernel_size: int | Sequence[int],
    strides: int | Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Activation | None = None,
    use_bias: bool = True,
    kernel_initializer: InitializerLike | None = None,
    bias_initializer: InitializerLike = ZEROS,
    kernel_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    activity_regularizer: Regularizer | None = None,
    kernel_constraint: Constraint | None = None,
    bias_constraint: Constraint | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Reuse = None,
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
