"""LocallyConnected1D and LocallyConnected2D: convolutions whose kernel differs by place."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import SparseTensor, Tensor, build, export, shape_tensor
from headwater.keras.backend.local_convolutions import local_conv
from headwater.keras.backend.normalization import bias_add
from headwater.keras.backend.settings import floatx, image_data_format
from headwater.keras.layers.arguments import KerasConfig, resolved
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.windows import (
    checked_format,
    checked_padding,
    numbers,
    output_length,
    with_lengths,
)
from headwater.ops.array.constant import constant
from headwater.ops.array.reshape import reshape
from headwater.ops.math.matmul import matmul
from headwater.ops.sparse.matmul import sparse_tensor_dense_matmul

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


def _connections(
    lengths: list[int],
    kernel_size: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    channels: int,
    filters: int,
    first: bool,
) -> list[tuple[int, int]]:
    """The pairs (flat index of an output, flat index of an input) that a weight connects.

    Args:
        lengths: the lengths of the spatial axes of the input.
        kernel_size: the size of a window.
        strides: the steps.
        padding: "valid" or "same".
        channels: the number of input channels.
        filters: the number of output channels.
        first: whether channels come first.

    Returns:
        A sorted list.
    """
    counts = [
        output_length(n, k, padding, s) or 0 for n, k, s in zip(lengths, kernel_size, strides)
    ]

    def shape(spatial: Any, depth: int) -> tuple[int, ...]:
        return (depth, *spatial) if first else (*spatial, depth)

    def window(position: int, axis: int) -> range:
        half = kernel_size[axis] // 2
        centre = position * strides[axis] + (half if padding == "valid" else 0)
        return range(max(0, centre - half), min(lengths[axis], centre - half + kernel_size[axis]))

    of_inputs = np.arange(channels * int(np.prod(lengths))).reshape(shape(lengths, channels))
    of_outputs = np.arange(filters * int(np.prod(counts))).reshape(shape(counts, filters))
    pairs: list[tuple[int, int]] = []
    for place in itertools.product(*(range(n) for n in counts)):
        cut = tuple(slice(w.start, w.stop) for w in map(window, place, range(len(place))))
        every = (slice(None),)
        inputs = of_inputs[every + cut if first else cut + every].ravel()
        outputs = of_outputs[every + place if first else place + every].ravel()
        pairs.extend(itertools.product(outputs.tolist(), inputs.tolist()))
    return sorted(pairs)


class _LocallyConnected(KerasConfig):
    """The base of both layers.

    Attributes:
        rank: the number of spatial axes.
    """

    rank: int
    config_names = (
        "filters",
        "kernel_size",
        "strides",
        "padding",
        "data_format",
        *_WEIGHTS,
        "implementation",
    )
    activation: Any
    use_bias: bool
    kernel_initializer: Any
    bias_initializer: Any
    kernel_regularizer: Any
    bias_regularizer: Any
    kernel_constraint: Any
    bias_constraint: Any

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any,
        padding: str,
        data_format: str | None,
        weights: dict[str, Any],
        implementation: int,
        **kwargs: Any,
    ) -> None:
        found = resolved(**weights)
        super().__init__(activity_regularizer=found.pop("activity_regularizer"), **kwargs)
        self.filters = filters
        self.kernel_size = numbers(kernel_size, self.rank, "kernel_size")
        self.strides = numbers(strides, self.rank, "strides")
        self.padding = checked_padding(padding)
        if self.padding != "valid" and implementation == 1:
            raise ValueError(
                f'Invalid border mode for {self._kind()} (only "valid" is supported if '
                f"implementation is 1): {padding}"
            )
        self.data_format = checked_format(data_format or image_data_format())
        for name, value in found.items():
            setattr(self, name, value)
        self.implementation = implementation
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _kind(self) -> str:
        return f"LocallyConnected{self.rank}D"

    def _check_shape(self, input_shape: Any, lengths: list[int | None], channels: Any) -> None:
        """Checks that the shape is known as far as it must be."""
        raise NotImplementedError

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias.

        Raises:
            ValueError: if lengths are unknown, or the implementation does not exist.
        """
        dims = TensorShape(input_shape).as_list()
        first = self.data_format == "channels_first"
        lengths: Any = dims[2:] if first else dims[1:-1]
        channels: Any = dims[1] if first else dims[-1]
        self._check_shape(tuple(dims), lengths, channels)
        counts: Any = [
            output_length(n, k, self.padding, s)
            for n, k, s in zip(lengths, self.kernel_size, self.strides)
        ]
        self.output_lengths = tuple(counts)
        size, count = int(np.prod(self.kernel_size)), int(np.prod(counts))
        pairs: list[tuple[int, int]] = []
        if self.implementation in (2, 3):
            window = (self.kernel_size, self.strides, self.padding)
            pairs = _connections(lengths, *window, channels, self.filters, first)
        if self.implementation == 1:
            self.kernel_shape: tuple[int, ...] = (count, size * channels, self.filters)
        elif self.implementation == 2:
            inputs, outputs = (channels, *lengths), (self.filters, *counts)
            if not first:
                inputs, outputs = (*lengths, channels), (*counts, self.filters)
            self.kernel_shape = (*inputs, *outputs)
            self.kernel_mask = _mask(pairs, inputs, outputs)
        elif self.implementation == 3:
            self.kernel_shape = (count * self.filters, int(np.prod(lengths)) * channels)
            self.kernel_idxs = pairs
        else:
            raise ValueError(f"Unrecognized implementation mode: {self.implementation}.")
        self.kernel = self.add_weight(
            shape=(len(pairs),) if self.implementation == 3 else self.kernel_shape,
            initializer=self.kernel_initializer,
            name="kernel",
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias: Any = None
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(*counts, self.filters),
                initializer=self.bias_initializer,
                name="bias",
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        axis = 1 if first else -1
        fixed: dict[int, int | None] = {axis: channels}
        if self.rank == 1:
            fixed = {1: channels, 2: lengths[0]} if first else {-1: channels, 1: lengths[0]}
        self.input_spec = InputSpec(ndim=self.rank + 2, axes=fixed)
        self.built = True

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output."""
        shape = TensorShape(input_shape)
        dims = shape.as_list()
        spatial = dims[2:] if self.data_format == "channels_first" else dims[1:-1]
        lengths = [
            output_length(n, k, self.padding, s)
            for n, k, s in zip(spatial, self.kernel_size, self.strides)
        ]
        return with_lengths(shape, lengths, self.filters, self.data_format)

    def call(self, inputs: TensorLike) -> Tensor:
        """Computes the outputs."""
        if self.implementation == 1:
            outputs = local_conv(
                inputs,
                self.kernel,
                self.kernel_size,
                self.strides,
                self.output_lengths,
                self.data_format,
            )
        else:
            outputs = self._product(inputs)
        if self.use_bias:
            outputs = bias_add(outputs, self.bias, data_format=self.data_format)
        return self.activation(outputs)

    def _product(self, inputs: TensorLike) -> Tensor:
        """The product of the flat inputs with one matrix, whose other elements are zero."""
        whole: Any = shape_tensor(inputs)
        flat = reshape(inputs, [whole[0], -1])
        sizes = self.compute_output_shape(inputs.shape).as_list()[1:]
        if self.implementation == 2:
            rows = int(np.prod(self.kernel_shape[: self.rank + 1]))
            matrix = reshape(self.kernel * self.kernel_mask, [rows, -1])
            outputs = matmul(flat, matrix, b_is_sparse=True)
        else:
            sparse = SparseTensor(self.kernel_idxs, self.kernel, self.kernel_shape)
            outputs = sparse_tensor_dense_matmul(sparse, flat, adjoint_b=True)
            outputs = build.Transpose(outputs, [1, 0])
        batch: Any = shape_tensor(outputs)
        return reshape(outputs, [batch[0], *sizes])


def _mask(pairs: list[tuple[int, int]], inputs: Any, outputs: Any) -> Tensor:
    """Ones (inputs, outputs) where a weight connects two places."""
    mask = np.zeros((int(np.prod(inputs)), int(np.prod(outputs))))
    for output, source in pairs:
        mask[source, output] = 1.0
    return constant(mask.reshape((*inputs, *outputs)), dtype=floatx())


@export("keras.layers.LocallyConnected1D")
class LocallyConnected1D(_LocallyConnected):
    """A convolution of sequences with a kernel of its own for each place.

    Args:
        filters: the number of output channels.
        kernel_size: the width of a window.
        strides: the step.
        padding: "valid"; also "same" if the implementation is not 1.
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
        implementation: 1 for a product per place, 2 for one dense and 3 for one sparse matrix.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if the padding does not go with the implementation.
    """

    rank = 1

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
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
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        given = locals()
        weights = {name: given[name] for name in _WEIGHTS}
        window = (filters, kernel_size, strides, padding, data_format)
        super().__init__(*window, weights, implementation, **kwargs)

    def _check_shape(self, input_shape: Any, lengths: list[int | None], channels: Any) -> None:
        if channels is None:
            raise ValueError("Axis 2 of input should be fully-defined. Found shape:", input_shape)
        if lengths[0] is None:
            raise TypeError("unsupported operand type(s) for *=: 'int' and 'NoneType'")


@export("keras.layers.LocallyConnected2D")
class LocallyConnected2D(_LocallyConnected):
    """A convolution of images with a kernel of its own for each place.

    Args:
        filters: the number of output channels.
        kernel_size: the size of a window: one number or two.
        strides: the steps: one number or two.
        padding: "valid"; also "same" if the implementation is not 1.
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
        implementation: 1 for a product per place, 2 for one dense and 3 for one sparse matrix.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if the padding does not go with the implementation.
    """

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
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
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        given = locals()
        weights = {name: given[name] for name in _WEIGHTS}
        window = (filters, kernel_size, strides, padding, data_format)
        super().__init__(*window, weights, implementation, **kwargs)

    def _check_shape(self, input_shape: Any, lengths: list[int | None], channels: Any) -> None:
        if None in lengths:
            raise ValueError(
                "The spatial dimensions of the inputs to  a LocallyConnected2D layer should be "
                f"fully-defined, but layer received the inputs shape {input_shape}"
            )
