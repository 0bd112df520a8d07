"""Layers whose kernels have masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import (
    Activation,
    InitializerLike,
    NestedTensors,
    Regularizer,
    ShapeLike,
    TensorLike,
)
from headwater.contrib.model_pruning.masks import masked
from headwater.graph import Tensor, build
from headwater.model.layers.base import Layer
from headwater.model.layers.convolution import ZEROS, WindowLayer
from headwater.model.layers.core import DenseLayer
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.windows import output_length, short_format
from headwater.model.nn.convolution import convolution
from headwater.model.variables.initializers import Ones, Zeros
from headwater.ops.math.tensordot import tensordot
from headwater.ops.nn.bias import bias_add

ONES = Ones()


class _Masked:
    """What layers with masks share: a kernel, its mask and the threshold of the mask."""

    dtype: Any
    add_weight: Callable[..., Any]
    kernel_initializer: InitializerLike | None
    kernel_regularizer: Regularizer | None
    kernel: Any
    mask: Any

    def _add_mask(self, shape: ShapeLike) -> Any:
        return self.add_weight(
            "mask", shape=shape, initializer=ONES, trainable=False, dtype=self.dtype
        )

    def _add_kernel(self, shape: ShapeLike) -> Any:
        return self.add_weight(
            "kernel",
            shape=shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            trainable=True,
            dtype=self.dtype,
        )

    def _mask_kernel(self) -> None:
        self.threshold = self.add_weight(
            "threshold", shape=[], initializer=Zeros(), trainable=False, dtype=self.dtype
        )
        self.masked_kernel = masked(self.kernel, self.mask, self.threshold)


class MaskedFullyConnected(_Masked, DenseLayer, Layer):
    """A fully connected layer with a mask: activation(inputs @ (kernel * mask) + bias).

    Args:
        units: the number of outputs.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel; the default of the scope if None.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        trainable: whether optimizers change kernel and bias by default.
        name: the name.
        **kwargs: further arguments of Layer.
    """

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel, mask, threshold and bias.

        Args:
            input_shape: the shape of the input.

        Raises:
            ValueError: if the last dimension of the input is unknown.
        """
        last = TensorShape(input_shape)[-1].value
        if last is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self._add_kernel([last, self.units])
        self.mask = self._add_mask([last, self.units])
        self._mask_kernel()
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                trainable=True,
                dtype=self.dtype,
            )
        self.built = True

    def call(self, inputs: TensorLike) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a tensor of rank 2 or more.

        Returns:
            A tensor with `units` as its last dimension.
        """
        rank = inputs.shape.ndims
        if rank is not None and rank > 2:
            outputs = tensordot(inputs, self.masked_kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.shape[:-1].concatenate([self.units]))
        else:
            outputs = build.MatMul(inputs, self.masked_kernel)
        if self.use_bias:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


class MaskedConv2D(_Masked, WindowLayer, Layer):
    """A convolution along two axes whose kernel has a mask.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for both axes or one for each.
        strides: the steps of the window.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distances of kernel elements.
        activation: a function of the outputs; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel; the default of the scope if None.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        trainable: whether optimizers change kernel and bias by default.
        name: the name.
        **kwargs: further arguments of Layer.
    """

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1),
        activation: Activation | None = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = ZEROS,
        kernel_regularizer: Regularizer | None = None,
        bias_regularizer: Regularizer | None = None,
        activity_regularizer: Regularizer | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=None,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.kernel_initializer = kernel_initializer
        self.kernel_regularizer = kernel_regularizer

    def build(self, input_shape: ShapeLike) -> None:
        """Makes mask, kernel, threshold and bias.

        Args:
            input_shape: the shape of the input.

        Raises:
            ValueError: if the number of channels is unknown.
        """
        shape = (*self.kernel_size, self._channels(input_shape), self.filters)
        self.mask = self._add_mask(shape)
        self.kernel = self._add_kernel(shape)
        self._mask_kernel()
        self._add_bias()
        self.built = True

    def call(self, inputs: NestedTensors) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a tensor of rank 4.

        Returns:
            A tensor of rank 4.
        """
        outputs = convolution(
            inputs,
            self.masked_kernel,
            padding=self.padding.upper(),
            strides=self.strides,
            dilation_rate=self.dilation_rate,
            data_format=short_format(self.data_format, self.rank),
        )
        if self.use_bias:
            outputs = self._biased(outputs)
        return self._activated(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """Returns the shape of the output.

        Args:
            input_shape: the shape of the input.
        """
        lengths = TensorShape(input_shape).as_list()
        last = self.data_format == "channels_last"
        spatial = [
            output_length(length, window, self.padding, stride, dilation)
            for length, window, stride, dilation in zip(
                lengths[1:-1] if last else lengths[2:],
                self.kernel_size,
                self.strides,
                self.dilation_rate,
            )
        ]
        return TensorShape(
            [lengths[0], *spatial, self.filters] if last else [lengths[0], self.filters, *spatial]
        )
