"""Transposed convolutions."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, export
from headwater.keras.backend.convolutions import conv2d_transpose
from headwater.keras.backend.settings import image_data_format
from headwater.keras.layers.arguments import KerasConfig, resolved
from headwater.model.layers.transposed_convolution import Transpose
from headwater.model.layers.windows import numbers

_WINDOW = ("kernel_size", "strides", "padding", "data_format", "dilation_rate")
_WEIGHTS = (
    "activation",
    "use_bias",
    "kernel_initializer",
    "bias_initializer",
    "kernel_regularizer",
    "bias_regularizer",
    "activity_regularizer",
    "kernel_constraint",
    "bias_constraint",
)


class _ConvTranspose(KerasConfig, Transpose):
    """The base of the transposed convolutions.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window.
        padding: "valid" or "same".
        output_padding: how much longer the output is along each axis; the shortest output whose
            convolution has the length of the input if None.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        **kwargs: activation, use_bias, for kernel and bias initializer, regularizer and
            constraint, activity_regularizer; further arguments of Layer.

    Raises:
        ValueError: if the output padding is not less than the steps.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any,
        padding: str,
        output_padding: Any,
        data_format: str | None,
        **kwargs: Any,
    ) -> None:
        weights = {name: kwargs.pop(name) for name in _WEIGHTS}
        super().__init__(
            filters,
            kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format or image_data_format(),
            **resolved(**weights),
            **kwargs,
        )
        if output_padding is not None:
            self.output_padding = numbers(output_padding, self.rank, "output_padding")
            for step, extra in zip(self.strides, self.output_padding):
                if step <= extra:
                    raise ValueError(
                        f"Stride {self.strides} must be greater than output padding "
                        f"{self.output_padding}"
                    )


@export("keras.layers.Conv2DTranspose", "keras.layers.Convolution2DTranspose")
class Conv2DTranspose(_ConvTranspose):
    """The gradient of a convolution along two axes, which makes images larger.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window.
        padding: "valid" or "same".
        output_padding: how much longer the output is along each axis; the shortest output whose
            convolution has the length of the input if None.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        dilation_rate: the distances of kernel elements.
        activation: a function of the outputs, or its name; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if the output padding is not less than the steps.
    """

    rank = 2
    config_names = ("filters", *_WINDOW, *_WEIGHTS, "output_padding")

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            output_padding,
            data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            **kwargs,
        )
        self.dilation_rate = numbers(dilation_rate, 2, "dilation_rate")

    def _transposed(self, inputs: TensorLike, sizes: Tensor) -> Tensor:
        if self.dilation_rate == (1, 1):
            return super()._transposed(inputs, sizes)
        return conv2d_transpose(
            inputs,
            self.kernel,
            sizes,
            strides=self.strides,
            padding=self.padding,
            data_format=self.data_format,
            dilation_rate=self.dilation_rate,
        )


@export("keras.layers.Conv3DTranspose", "keras.layers.Convolution3DTranspose")
class Conv3DTranspose(_ConvTranspose):
    """The gradient of a convolution along three axes, which makes volumes larger.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window.
        padding: "valid" or "same".
        output_padding: how much longer the output is along each axis; the shortest output whose
            convolution has the length of the input if None.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        activation: a function of the outputs, or its name; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if the output padding is not less than the steps.
    """

    rank = 3
    config_names = ("filters", *_WINDOW[:-1], *_WEIGHTS, "output_padding")

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            output_padding,
            data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            **kwargs,
        )
