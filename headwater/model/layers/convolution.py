"""Convolution layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

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
from headwater.graph import Tensor, build, constant_node, name_scope
from headwater.model.layers.base import Layer
from headwater.model.layers.function_form import export_layer
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.layer import Layer as KerasLayer
from headwater.model.layers.windows import (
    checked_format,
    checked_padding,
    numbers,
    output_length,
    short_format,
    with_lengths,
)
from headwater.model.nn.dilated_windows import with_space_to_batch
from headwater.model.variables.initializers import Zeros
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.nn.bias import bias_add

# The default initializer of biases.
ZEROS = Zeros()


class WindowLayer(KerasLayer):
    """The base of all layers that slide a kernel over the input.

    Attributes:
        rank: the number of axes of the kernel, which each class of layers has.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the kernel.
        strides: the steps of the window.
        padding: valid, same or causal.
        data_format: channels_last or channels_first.
        dilation_rate: the distances of kernel elements.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        bias_initializer: the initializer of the bias.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        bias_constraint: a function from a new bias to the one that is kept.
        trainable: whether optimizers change the variables by default.
        name: the name.
        **kwargs: further arguments of Layer.
    """

    rank: int

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: Any,
        padding: str,
        data_format: str,
        dilation_rate: int,
        activation: Activation | None,
        use_bias: bool,
        bias_initializer: InitializerLike,
        bias_regularizer: Regularizer | None,
        activity_regularizer: Regularizer | None,
        bias_constraint: Constraint | None,
        trainable: bool,
        name: str | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs
        )
        rank = self.rank
        self.filters = filters
        self.kernel_size = numbers(kernel_size, rank, "kernel_size")
        self.strides = numbers(strides, rank, "strides")
        self.padding = checked_padding(padding)
        self.data_format = checked_format(data_format)
        self.dilation_rate = numbers(dilation_rate, rank, "dilation_rate")
        self.activation = activation
        self.use_bias = use_bias
        self.bias_initializer = bias_initializer
        self.bias_regularizer = bias_regularizer
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(ndim=rank + 2)
        self.bias: TensorLike = None

    def _channels(self, input_shape: ShapeLike) -> int:
        """The number of input channels; from now on inputs must have as many.

        Raises:
            ValueError: if it is unknown.
        """
        axis = -1 if self.data_format == "channels_last" else 1
        channels = TensorShape(input_shape)[axis].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        return channels

    def _add_bias(self) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(self.filters,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                trainable=True,
                dtype=self.dtype,
            )

    def _biased(self, outputs: TensorLike) -> Tensor:
        first = self.data_format == "channels_first"
        return bias_add(outputs, self.bias, data_format="NCHW" if first else "NHWC")

    def _activated(self, outputs: Tensor) -> Tensor:
        return outputs if self.activation is None else self.activation(outputs)

    def _windows(self, numbers_of_axes: Sequence[int]) -> list[int]:
        """Numbers for all axes of the input: 1 for batch and channels."""
        if self.data_format == "channels_last":
            return [1, *numbers_of_axes, 1]
        return [1, 1, *numbers_of_axes]


class Convolution(WindowLayer):
    """The base of the plain convolutions.

    Args:
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
        **kwargs: further arguments of Layer.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: int = 1,
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
        self.kernel_initializer = kernel_initializer
        self.kernel_regularizer = kernel_regularizer
        self.kernel_constraint = kernel_constraint
        self.kernel: TensorLike = None

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias.

        Args:
            input_shape: the shape of the input.

        Raises:
            ValueError: if the number of channels is unknown, or there are both strides and
                dilation.
        """
        channels = self._channels(input_shape)
        self.kernel = self.add_weight(
            "kernel",
            shape=(*self.kernel_size, channels, self.filters),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self._add_bias()
        if max(self.dilation_rate) == 1:
            constant_node(np.array(self.dilation_rate, np.int32), name="dilation_rate")
        elif max(self.strides) > 1:
            raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
        self.built = True

    def call(self, inputs: NestedTensors) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a tensor.

        Returns:
            A tensor of the same rank.
        """
        outputs = self._convolved(self._padded(inputs))
        if self.use_bias:
            if self.rank == 1 and self.data_format == "channels_first":
                outputs = outputs + build.Reshape(self.bias, [1, self.filters, 1])
            else:
                outputs = self._biased(outputs)
        return self._activated(outputs)

    def _padded(self, inputs: TensorLike) -> Tensor:
        if self.padding != "causal":
            return inputs
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        last = self.data_format == "channels_last"
        return build.Pad(
            inputs, [[0, 0], [before, 0], [0, 0]] if last else [[0, 0], [0, 0], [before, 0]]
        )

    def _convolved(self, inputs: TensorLike) -> Tensor:
        attrs: dict[str, Any] = {
            "padding": "VALID" if self.padding == "causal" else self.padding.upper(),
            "data_format": short_format(self.data_format, max(self.rank, 2)),
        }
        if max(self.dilation_rate) > 1:
            return with_space_to_batch(
                inputs,
                self.dilation_rate,
                attrs["padding"],
                lambda x, count, padding: self._dense(x, {**attrs, "padding": padding}),
                self.kernel.shape,
                data_format=short_format(self.data_format, self.rank),
            )
        return self._dense(inputs, attrs)

    def _dense(self, inputs: Tensor, attrs: dict[str, Any]) -> Tensor:
        if self.rank == 2:
            return build.Conv2D(inputs, self.kernel, strides=self._windows(self.strides), **attrs)
        if self.rank == 3:
            return build.Conv3D(inputs, self.kernel, strides=self._windows(self.strides), **attrs)
        with name_scope("conv1d") as scope:
            # A convolution along one axis is one along two, of length 1 along the first.
            axis = 1 if self.data_format == "channels_last" else 2
            whole = expand_dims(inputs, axis)
            kernel = expand_dims(self.kernel, 0)
            strides = self._windows([1, *self.strides])
            outputs = build.Conv2D(whole, kernel, strides=strides, name=scope, **attrs)
            return squeeze(outputs, [axis])

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


@export_layer("Conv1D")
class Conv1D(Convolution, Layer):
    """A convolution along one axis, such as time."""

    rank = 1


@export_layer("Conv2D")
class Conv2D(Convolution, Layer):
    """A convolution along two axes, such as those of images."""

    rank = 2


@export_layer("Conv3D")
class Conv3D(Convolution, Layer):
    """A convolution along three axes, such as those of volumes."""

    rank = 3
