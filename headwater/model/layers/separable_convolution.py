"""Separable convolution layers: a convolution of each channel, then one that mixes channels."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import (
    Activation,
    Constraint,
    InitializerLike,
    NestedTensors,
    Regularizer,
    ShapeLike,
    TensorLike,
)
from headwater.graph import build
from headwater.model.layers.base import Layer
from headwater.model.layers.convolution import ZEROS, WindowLayer
from headwater.model.layers.function_form import export_layer
from headwater.model.layers.windows import output_length, short_format, with_lengths
from headwater.model.nn import convolution
from headwater.ops.array.reshape import expand_dims, squeeze


class Separable(WindowLayer):
    """The base of the separable convolutions.

    Args:
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
        **kwargs: further arguments of Layer.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
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
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer,
            bias_regularizer,
            activity_regularizer,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )
        if self.padding == "causal" and self.rank > 1:
            raise ValueError("Causal padding is only supported for `Conv1D`and ``SeparableConv1D`.")
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint
        self.depthwise_kernel: TensorLike = None
        self.pointwise_kernel: TensorLike = None

    def build(self, input_shape: ShapeLike) -> None:
        """Makes both kernels and the bias.

        Args:
            input_shape: the shape of the input.

        Raises:
            ValueError: if the number of channels is unknown.
        """
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            shape=(*[1] * self.rank, self.depth_multiplier * channels, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self._add_bias()
        self.built = True

    def call(self, inputs: TensorLike) -> NestedTensors:
        """Computes the outputs.

        Args:
            inputs: a tensor.

        Returns:
            A tensor of the same rank.
        """
        depthwise, pointwise = self.depthwise_kernel, self.pointwise_kernel
        strides, rate, padding = self.strides, self.dilation_rate, self.padding
        axis = 1 if self.data_format == "channels_last" else 2
        if self.rank == 1:
            # A convolution along one axis is one along two, of length 1 along the first.
            strides, rate = strides * 2, (1, *rate)
            if padding == "causal":
                before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
                paddings = [[0, 0], [0, 0], [0, 0]]
                paddings[axis] = [before, 0]
                inputs, padding = build.Pad(inputs, paddings), "valid"
            inputs = expand_dims(inputs, axis)
            depthwise, pointwise = expand_dims(depthwise, 0), expand_dims(pointwise, 0)
        outputs = convolution.separable_conv2d(
            inputs,
            depthwise,
            pointwise,
            strides=self._windows(strides),
            padding=padding.upper(),
            rate=rate,
            data_format=short_format(self.data_format, 2),
        )
        if self.use_bias:
            outputs = self._biased(outputs)
        if self.rank == 1:
            outputs = squeeze(outputs, [axis])
        return self._activated(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output.

        Args:
            input_shape: the shape of the input.

        Returns:
            The shape.
        """
        shape = TensorShape(input_shape)
        dims = shape.as_list()
        spatial = dims[1:-1] if self.data_format == "channels_last" else dims[2:]
        lengths = [
            output_length(*arguments)
            for arguments in zip(
                spatial,
                self.kernel_size,
                [self.padding] * self.rank,
                self.strides,
                self.dilation_rate,
            )
        ]
        return with_lengths(shape, lengths, self.filters, self.data_format)


@export_layer("SeparableConv1D")
class SeparableConv1D(Separable, Layer):
    """A convolution of each channel along one axis, and one that mixes the channels."""

    rank = 1


@export_layer("SeparableConv2D")
class SeparableConv2D(Separable, Layer):
    """A convolution of each channel along two axes, and one that mixes the channels."""

    rank = 2
