"""Pooling layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.signatures import with_defaults
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, build, export
from headwater.keras.backend.settings import image_data_format
from headwater.keras.layers.arguments import KerasConfig
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.pooling import Pooling
from headwater.model.layers.windows import checked_format, short_format
from headwater.ops.array.reshape import expand_dims, squeeze


class _FunctionPooling(KerasConfig, Pooling):
    """The base of layers that apply a function to each window.

    Args:
        pool_function: a function (inputs, pool_size, strides, padding, data_format) of tensors of
            rank 4 or 5, such as `tf.nn.max_pool`; None for the op of the class.
        pool_size: the size of the window: a number for each axis or one for all.
        strides: the steps of the window.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        name: the name.
        **kwargs: further arguments of Layer.
    """

    config_names = ("pool_size", "padding", "strides", "data_format")

    def __init__(
        self,
        pool_function: Callable[..., Any] | None,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        default = "channels_last" if self.rank == 1 else image_data_format()
        super().__init__(
            pool_size,
            strides,
            padding=padding,
            data_format=data_format or default,
            name=name,
            **kwargs,
        )
        self.pool_function = pool_function

    def call(self, inputs: TensorLike) -> Tensor:
        """Computes the outputs."""
        if self.pool_function is None:
            return super().call(inputs)
        last = self.data_format == "channels_last"
        if self.rank == 1:
            axis = 2 if last else 3
            outputs = self.pool_function(
                expand_dims(inputs, axis),
                (*self.pool_size, 1),
                strides=(*self.strides, 1),
                padding=self.padding,
                data_format=self.data_format,
            )
            return squeeze(outputs, axis)
        if self.rank == 3:
            # Without a data format: the axes are put into the default order.
            windows = {"ksize": (1, *self.pool_size, 1), "strides": (1, *self.strides, 1)}
            inputs = inputs if last else build.Transpose(inputs, [0, 2, 3, 4, 1], name="transpose")
            outputs = self.pool_function(inputs, padding=self.padding.upper(), **windows)
            return outputs if last else build.Transpose(outputs, [0, 4, 1, 2, 3], name="transpose")
        return self.pool_function(
            inputs,
            ksize=(1, *self.pool_size, 1) if last else (1, 1, *self.pool_size),
            strides=(1, *self.strides, 1) if last else (1, 1, *self.strides),
            padding=self.padding.upper(),
            data_format=short_format(self.data_format, self.rank),
        )


class Pooling1D(_FunctionPooling):
    """Applies a function to each window along one axis; see the base for the arguments."""

    rank = 1


class Pooling2D(_FunctionPooling):
    """Applies a function to each window along two axes; see the base for the arguments."""

    rank = 2


class Pooling3D(_FunctionPooling):
    """Applies a function to each window along three axes; see the base for the arguments."""

    rank = 3


class _Pooling(_FunctionPooling):
    """The base of the public pooling layers.

    Args:
        pool_size: the size of the window: a number for each axis or one for all.
        strides: the steps of the window; its size if None.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        **kwargs: further arguments of Layer.
    """

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            None,
            pool_size,
            pool_size if strides is None else strides,
            padding,
            data_format,
            **kwargs,
        )


@export("keras.layers.MaxPooling1D", "keras.layers.MaxPool1D")
@with_defaults(data_format="channels_last")
class MaxPooling1D(_Pooling, Pooling1D):
    """Takes the largest value of each window along one axis; see MaxPooling2D."""

    op_type = "MaxPool"


@export("keras.layers.MaxPooling2D", "keras.layers.MaxPool2D")
@with_defaults(pool_size=(2, 2))
class MaxPooling2D(_Pooling, Pooling2D):
    """Takes the largest value of each window along two axes.

    Args:
        pool_size: the size of the window: a number for each axis or one for all; 2 by default.
        strides: the steps of the window; its size if None.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first"; that of the settings if None.
    """

    op_type = "MaxPool"


@export("keras.layers.MaxPooling3D", "keras.layers.MaxPool3D")
@with_defaults(pool_size=(2, 2, 2))
class MaxPooling3D(_Pooling, Pooling3D):
    """Takes the largest value of each window along three axes; see MaxPooling2D."""

    op_type = "MaxPool3D"


@export("keras.layers.AveragePooling1D", "keras.layers.AvgPool1D")
@with_defaults(data_format="channels_last")
class AveragePooling1D(_Pooling, Pooling1D):
    """Takes the mean of each window along one axis; see MaxPooling2D."""

    op_type = "AvgPool"


@export("keras.layers.AveragePooling2D", "keras.layers.AvgPool2D")
@with_defaults(pool_size=(2, 2))
class AveragePooling2D(_Pooling, Pooling2D):
    """Takes the mean of each window along two axes; see MaxPooling2D."""

    op_type = "AvgPool"


@export("keras.layers.AveragePooling3D", "keras.layers.AvgPool3D")
@with_defaults(pool_size=(2, 2, 2))
class AveragePooling3D(_Pooling, Pooling3D):
    """Takes the mean of each window along three axes; see MaxPooling2D."""

    op_type = "AvgPool3D"


class _GlobalPooling(KerasConfig):
    """The base of layers that take one value of each channel.

    Args:
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        **kwargs: further arguments of Layer.
    """

    rank: int
    op_type: str
    config_names = ("data_format",)

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        default = "channels_last" if self.rank == 1 else image_data_format()
        self.data_format = checked_format(data_format or default)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: TensorLike) -> Tensor:
        """Computes the outputs, (batch, channels)."""
        first = 1 if self.data_format == "channels_last" else 2
        axes = list(range(first, first + self.rank))
        if self.op_type == "Max":
            return build.Max(inputs, axes)
        return build.Mean(inputs, axes)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output."""
        dims = TensorShape(input_shape).as_list()
        channels = dims[-1] if self.data_format == "channels_last" else dims[1]
        return TensorShape([dims[0], channels])


class GlobalPooling1D(_GlobalPooling):
    """The base of layers that take one value of each channel of sequences."""

    rank = 1


class GlobalPooling2D(_GlobalPooling):
    """The base of layers that take one value of each channel of images."""

    rank = 2


class GlobalPooling3D(_GlobalPooling):
    """The base of layers that take one value of each channel of volumes."""

    rank = 3


@export("keras.layers.GlobalAveragePooling1D", "keras.layers.GlobalAvgPool1D")
class GlobalAveragePooling1D(GlobalPooling1D):
    """The mean of all steps that are not masked."""

    op_type = "Mean"

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.supports_masking = True

    def call(self, inputs: TensorLike, mask: Any = None) -> Tensor:
        """Computes the outputs, (batch, channels)."""
        if mask is None:
            return super().call(inputs)
        axis = 1 if self.data_format == "channels_last" else 2
        weights: Any = build.Cast(mask, DstT=inputs.dtype.base_dtype)
        weights = build.ExpandDims(weights, 3 - axis)
        total: Any = build.Sum(inputs * weights, [axis])
        return total / build.Sum(weights, [axis])

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> None:
        """None: there are no steps any more."""
        return None


@export("keras.layers.GlobalAveragePooling2D", "keras.layers.GlobalAvgPool2D")
class GlobalAveragePooling2D(GlobalPooling2D):
    """The mean of each channel of images."""

    op_type = "Mean"


@export("keras.layers.GlobalAveragePooling3D", "keras.layers.GlobalAvgPool3D")
class GlobalAveragePooling3D(GlobalPooling3D):
    """The mean of each channel of volumes."""

    op_type = "Mean"


@export("keras.layers.GlobalMaxPooling1D", "keras.layers.GlobalMaxPool1D")
class GlobalMaxPooling1D(GlobalPooling1D):
    """The largest value of each channel of sequences."""

    op_type = "Max"


@export("keras.layers.GlobalMaxPooling2D", "keras.layers.GlobalMaxPool2D")
class GlobalMaxPooling2D(GlobalPooling2D):
    """The largest value of each channel of images."""

    op_type = "Max"


@export("keras.layers.GlobalMaxPooling3D", "keras.layers.GlobalMaxPool3D")
class GlobalMaxPooling3D(GlobalPooling3D):
    """The largest value of each channel of volumes."""

    op_type = "Max"
