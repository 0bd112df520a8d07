"""Transposed convolution layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import (
    Activation,
    Constraint,
    InitializerLike,
    Regularizer,
    ShapeLike,
    TensorLike,
)
from headwater.graph import Tensor, build, shape_tensor
from headwater.model.layers.base import Layer
from headwater.model.layers.convolution import ZEROS, WindowLayer
from headwater.model.layers.function_form import export_layer
from headwater.model.layers.windows import short_format, transposed_length, with_lengths
from headwater.ops.array.stack import stack


class Transpose(WindowLayer):
    """The base of the transposed convolutions.

    Args:
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
        **kwargs: further arguments of Layer.
    """

    # The output padding by axis, which tf.layers lacks.
    output_padding: tuple[int, ...] | None = None

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: Any = 1,
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
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            1,
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
        self.kernel_initializer = kernel_initializer
        self.kernel_regularizer = kernel_regularizer
        self.kernel_constraint = kernel_constraint
        self.kernel: TensorLike = None

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias.

        Args:
            input_shape: the shape of the input.

        Raises:
            ValueError: if the rank is another one or the number of channels is unknown.
        """
        shape = TensorShape(input_shape)
        if shape.ndims != self.rank + 2:
            raise ValueError(
                f"Inputs should have rank {self.rank + 2}. Received input shape: {shape}"
            )
        channels = self._channels(input_shape)
        self.kernel = self.add_weight(
            "kernel",
            shape=(*self.kernel_size, self.filters, channels),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self._add_bias()
        self.built = True

    def _lengths(self, given: Sequence[TensorLike | None]) -> list[Any]:
        arguments = zip(
            given,
            self.kernel_size,
            [self.padding] * self.rank,
            self.strides,
            self.output_padding or [None] * self.rank,
            self.dilation_rate,
        )
        return [transposed_length(*each) for each in arguments]

    def call(self, inputs: TensorLike) -> Tensor:
        """Computes the outputs.

        Args:
            inputs: a tensor.

        Returns:
            A tensor of the same rank.
        """
        whole: TensorLike = shape_tensor(inputs)
        last = self.data_format == "channels_last"
        batch = whole[0]
        given = [whole[(1 if last else 2) + i] for i in range(self.rank)]
        lengths = self._lengths(given)
        sizes: TensorLike = stack(
            [batch, *lengths, self.filters] if last else [batch, self.filters, *lengths]
        )
        outputs = self._transposed(inputs, sizes)
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self._activated(self._biased(outputs) if self.use_bias else outputs)

    def _transposed(self, inputs: TensorLike, sizes: Tensor) -> Tensor:
        attrs: dict[str, Any] = {
            "strides": self._windows(self.strides),
            "padding": self.padding.upper(),
            "data_format": short_format(self.data_format, self.rank),
        }
        if self.rank == 2:
            # TF 1.15 creates this unused slice, which counts for node names and seeds.
            sizes[0]
            return build.Conv2DBackpropInput(
                sizes, self.kernel, inputs, name="conv2d_transpose", **attrs
            )
        return build.Conv3DBackpropInputV2(
            sizes, self.kernel, inputs, name="conv3d_transpose", **attrs
        )

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
        return with_lengths(shape, self._lengths(spatial), self.filters, self.data_format)


@export_layer("Conv2DTranspose")
class Conv2DTranspose(Transpose, Layer):
    """The gradient of a convolution along two axes: it makes images larger."""

    rank = 2


@export_layer("Conv3DTranspose")
class Conv3DTranspose(Transpose, Layer):
    """The gradient of a convolution along three axes: it makes volumes larger."""

    rank = 3
