"""Layers that take the largest or the mean value of each window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, build
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
from headwater.ops.array.reshape import expand_dims, squeeze


class Pooling(KerasLayer):
    """The base of the pooling layers.

    Attributes:
        op_type: the type of the op, which each class of layers has.
        rank: the number of axes of the window, which each class of layers has.

    Args:
        pool_size: the size of the window: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same.
        data_format: channels_last or channels_first.
        name: the name.
        **kwargs: further arguments of Layer.
    """

    op_type: str
    rank: int

    def __init__(
        self,
        pool_size: int | Sequence[int],
        strides: int | Sequence[int] | None,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        rank = self.rank
        self.pool_size = numbers(pool_size, rank, "pool_size")
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        self.strides = numbers(strides, rank, "strides")
        self.padding = checked_padding(padding)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=rank + 2)

    def call(self, inputs: TensorLike) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a tensor.

        Returns:
            A tensor of the same rank.
        """
        sizes, strides, rank = self.pool_size, self.strides, self.rank
        last = self.data_format == "channels_last"
        extra = 2 if last else 3
        if rank == 1:
            # A window along one axis is one along two, of length 1 along the second.
            inputs = expand_dims(inputs, extra)
            sizes, strides, rank = (*sizes, 1), (*strides, 1), 2
        if rank == 3 and not last:
            outputs = getattr(build, self.op_type)(
                build.Transpose(inputs, [0, 2, 3, 4, 1], name="transpose"),
                ksize=[1, *sizes, 1],
                strides=[1, *strides, 1],
                padding=self.padding.upper(),
            )
            return build.Transpose(outputs, [0, 4, 1, 2, 3], name="transpose")
        outputs = getattr(build, self.op_type)(
            inputs,
            ksize=[1, *sizes, 1] if last else [1, 1, *sizes],
            strides=[1, *strides, 1] if last else [1, 1, *strides],
            padding=self.padding.upper(),
            data_format=short_format(self.data_format, rank),
        )
        return squeeze(outputs, extra) if self.rank == 1 else outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output.

        Args:
            input_shape: the shape of the input.

        Returns:
            The shape.
        """
        shape = TensorShape(input_shape)
        dims = shape.as_list()
        last = self.data_format == "channels_last"
        spatial = dims[1:-1] if last else dims[2:]
        lengths = [
            output_length(length, size, self.padding, stride)
            for length, size, stride in zip(spatial, self.pool_size, self.strides)
        ]
        return with_lengths(shape, lengths, dims[-1] if last else dims[1], self.data_format)


@export_layer("AveragePooling1D")
class AveragePooling1D(Pooling, Layer):
    """Takes the mean of each window along one axis."""

    op_type = "AvgPool"
    rank = 1


@export_layer("AveragePooling2D")
class AveragePooling2D(Pooling, Layer):
    """Takes the mean of each window along two axes."""

    op_type = "AvgPool"
    rank = 2


@export_layer("AveragePooling3D")
class AveragePooling3D(Pooling, Layer):
    """Takes the mean of each window along three axes."""

    op_type = "AvgPool3D"
    rank = 3


@export_layer("MaxPooling1D")
class MaxPooling1D(Pooling, Layer):
    """Takes the largest value of each window along one axis."""

    op_type = "MaxPool"
    rank = 1


@export_layer("MaxPooling2D")
class MaxPooling2D(Pooling, Layer):
    """Takes the largest value of each window along two axes."""

    op_type = "MaxPool"
    rank = 2


@export_layer("MaxPooling3D")
class MaxPooling3D(Pooling, Layer):
    """Takes the largest value of each window along three axes."""

    op_type = "MaxPool3D"
    rank = 3
