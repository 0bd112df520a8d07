"""Convolutions."""

from __future__ import annotations

from typing import Any

from headwater.base.signatures import signature, with_defaults
from headwater.graph import export
from headwater.keras.backend.settings import image_data_format
from headwater.keras.layers.arguments import KerasConfig, resolved
from headwater.model.layers.convolution import Convolution

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


class Conv(KerasConfig, Convolution):
    """The base of the plain convolutions.

    Args:
        rank: the number of axes of the kernel.
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window.
        padding: "valid" or "same"; along one axis also "causal".
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
    """

    config_names = ("filters", *_WINDOW, *_WEIGHTS)

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
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
        self.rank = rank
        super().__init__(
            filters,
            kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format or image_data_format(),
            dilation_rate=dilation_rate,
            use_bias=use_bias,
            **resolved(
                activation=activation,
                kernel_initializer=kernel_initializer,
                bias_initializer=bias_initializer,
                kernel_regularizer=kernel_regularizer,
                bias_regularizer=bias_regularizer,
                activity_regularizer=activity_regularizer,
                kernel_constraint=kernel_constraint,
                bias_constraint=bias_constraint,
            ),
            **kwargs,
        )


class _ConvOfRank(Conv):
    """The base of the convolutions whose class says the rank; see Conv for the arguments."""

    @signature(
        "self, filters, kernel_size, strides=1, padding='valid', data_format=None, "
        "dilation_rate=1, activation=None, use_bias=True, kernel_initializer='glorot_uniform', "
        "bias_initializer='zeros', kernel_regularizer=None, bias_regularizer=None, "
        "activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs"
    )
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(self.rank, *args, **kwargs)


@export("keras.layers.Conv1D", "keras.layers.Convolution1D")
class Conv1D(_ConvOfRank):
    """A convolution along one axis, such as time; see Conv2D for the arguments."""

    rank = 1

    @signature(
        "self, filters, kernel_size, strides=1, padding='valid', data_format='channels_last', "
        "dilation_rate=1, activation=None, use_bias=True, kernel_initializer='glorot_uniform', "
        "bias_initializer='zeros', kernel_regularizer=None, bias_regularizer=None, "
        "activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs"
    )
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("data_format", "channels_last") if len(args) < 5 else None
        super().__init__(*args, **kwargs)


@export("keras.layers.Conv2D", "keras.layers.Convolution2D")
@with_defaults(strides=(1, 1), dilation_rate=(1, 1))
class Conv2D(_ConvOfRank):
    """A convolution along two axes, such as those of images.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        ...: strides, padding, data_format, dilation_rate, activation, use_bias, and for kernel
            and bias initializer, regularizer and constraint.
    """

    rank = 2


@export("keras.layers.Conv3D", "keras.layers.Convolution3D")
@with_defaults(strides=(1, 1, 1), dilation_rate=(1, 1, 1))
class Conv3D(_ConvOfRank):
    """A convolution along three axes, such as those of volumes; see Conv2D for the arguments."""

    rank = 3
