"""Separable and depthwise convolutions."""

from __future__ import annotations

from typing import Any

from headwater.base.signatures import signature, with_defaults
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, export
from headwater.keras.backend.convolutions import depthwise_conv2d
from headwater.keras.backend.settings import image_data_format
from headwater.keras.layers.arguments import KerasConfig, resolved
from headwater.model.layers.convolution import WindowLayer
from headwater.model.layers.separable_convolution import Separable
from headwater.model.layers.windows import output_length, with_lengths

_WINDOW = ("kernel_size", "strides", "padding", "data_format", "dilation_rate")


def _unused_kernel_arguments(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Takes out the arguments of other convolutions that these accept; they have no effect."""
    return resolved(
        kernel_initializer=kwargs.pop("kernel_initializer", "glorot_uniform"),
        kernel_regularizer=kwargs.pop("kernel_regularizer", None),
        kernel_constraint=kwargs.pop("kernel_constraint", None),
    )


class SeparableConv(KerasConfig, Separable):
    """The base of the separable convolutions.

    Args:
        rank: the number of axes of the kernels.
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window.
        padding: "valid" or "same"; along one axis also "causal".
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        dilation_rate: the distances of kernel elements.
        depth_multiplier: the number of outputs of the first step for each input channel.
        activation: a function of the outputs, or its name; None for none.
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
        **kwargs: further arguments of Layer.
    """

    # The arguments on "kernel" have no effect; configurations of 1.15 have them.
    config_names = (
        "filters",
        *_WINDOW,
        "activation",
        "use_bias",
        "kernel_initializer",
        "bias_initializer",
        "kernel_regularizer",
        "bias_regularizer",
        "activity_regularizer",
        "kernel_constraint",
        "bias_constraint",
        "depth_multiplier",
        "depthwise_initializer",
        "pointwise_initializer",
        "depthwise_regularizer",
        "pointwise_regularizer",
        "depthwise_constraint",
        "pointwise_constraint",
    )

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        self.rank = rank
        unused = _unused_kernel_arguments(kwargs)
        super().__init__(
            filters,
            kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format or image_data_format(),
            dilation_rate=dilation_rate,
            depth_multiplier=depth_multiplier,
            use_bias=use_bias,
            **resolved(
                activation=activation,
                depthwise_initializer=depthwise_initializer,
                pointwise_initializer=pointwise_initializer,
                bias_initializer=bias_initializer,
                depthwise_regularizer=depthwise_regularizer,
                pointwise_regularizer=pointwise_regularizer,
                bias_regularizer=bias_regularizer,
                activity_regularizer=activity_regularizer,
                depthwise_constraint=depthwise_constraint,
                pointwise_constraint=pointwise_constraint,
                bias_constraint=bias_constraint,
            ),
            **kwargs,
        )
        for name, value in unused.items():
            setattr(self, name, value)


class _SeparableConvOfRank(SeparableConv):
    """The base of the classes that say the rank; see SeparableConv for the arguments."""

    @signature(
        "self, filters, kernel_size, strides=1, padding='valid', data_format=None, "
        "dilation_rate=1, depth_multiplier=1, activation=None, use_bias=True, "
        "depthwise_initializer='glorot_uniform', pointwise_initializer='glorot_uniform', "
        "bias_initializer='zeros', depthwise_regularizer=None, pointwise_regularizer=None, "
        "bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None, "
        "pointwise_constraint=None, bias_constraint=None, **kwargs"
    )
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(self.rank, *args, **kwargs)


@export("keras.layers.SeparableConv1D", "keras.layers.SeparableConvolution1D")
class SeparableConv1D(_SeparableConvOfRank):
    """A convolution of each channel along one axis, and one that mixes the channels."""

    rank = 1


@export("keras.layers.SeparableConv2D", "keras.layers.SeparableConvolution2D")
@with_defaults(strides=(1, 1), dilation_rate=(1, 1))
class SeparableConv2D(_SeparableConvOfRank):
    """A convolution of each channel along two axes, and one that mixes the channels."""

    rank = 2


@export("keras.layers.DepthwiseConv2D")
class DepthwiseConv2D(KerasConfig, WindowLayer):
    """A convolution of each channel by itself.

    Args:
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window.
        padding: "valid" or "same".
        depth_multiplier: the number of outputs for each input channel.
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        activation: a function of the outputs, or its name; None for none.
        use_bias: whether there is a bias.
        depthwise_initializer: the initializer of the kernel.
        bias_initializer: the initializer of the bias.
        depthwise_regularizer: a function from the kernel to a loss.
        bias_regularizer: a function from the bias to a loss.
        activity_regularizer: a function from the output to a loss.
        depthwise_constraint: a function from a new kernel to the one that is kept.
        bias_constraint: a function from a new bias to the one that is kept.
        **kwargs: `dilation_rate`, and further arguments of Layer.
    """

    rank = 2
    config_names = (
        *_WINDOW,
        "activation",
        "use_bias",
        "bias_initializer",
        "bias_regularizer",
        "activity_regularizer",
        "bias_constraint",
        "depth_multiplier",
        "depthwise_initializer",
        "depthwise_regularizer",
        "depthwise_constraint",
    )

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        unused = _unused_kernel_arguments(kwargs)
        found = resolved(
            activation=activation,
            depthwise_initializer=depthwise_initializer,
            bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            depthwise_constraint=depthwise_constraint,
            bias_constraint=bias_constraint,
        )
        own = {k: found.pop(k) for k in list(found) if k.startswith("depthwise_")}
        super().__init__(
            filters=0,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format or image_data_format(),
            dilation_rate=kwargs.pop("dilation_rate", 1),
            use_bias=use_bias,
            trainable=kwargs.pop("trainable", True),
            name=kwargs.pop("name", None),
            **found,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = own["depthwise_initializer"]
        self.depthwise_regularizer = own["depthwise_regularizer"]
        self.depthwise_constraint = own["depthwise_constraint"]
        for name, value in unused.items():
            setattr(self, name, value)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias."""
        channels = self._channels(input_shape)
        self.filters = channels * self.depth_multiplier
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self._add_bias()
        self.built = True

    def call(self, inputs: TensorLike) -> Tensor:
        """Computes the outputs."""
        outputs = depthwise_conv2d(
            inputs,
            self.depthwise_kernel,
            strides=self.strides,
            padding=self.padding,
            dilation_rate=self.dilation_rate,
            data_format=self.data_format,
        )
        return self._activated(self._biased(outputs) if self.use_bias else outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output."""
        shape = TensorShape(input_shape)
        dims = shape.as_list()
        last = self.data_format == "channels_last"
        spatial = dims[1:3] if last else dims[2:]
        channels = dims[3] if last else dims[1]
        lengths = [
            output_length(n, k, self.padding, s)
            for n, k, s in zip(spatial, self.kernel_size, self.strides)
        ]
        count = None if channels is None else channels * self.depth_multiplier
        return with_lengths(shape, lengths, count, self.data_format)
