"""ConvLSTM2D and the layer of its kind: recurrent layers of sequences of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, export
from headwater.keras.backend.convolutions import conv2d
from headwater.keras.backend.normalization import bias_add
from headwater.keras.backend.settings import image_data_format
from headwater.keras.layers.cells import DropoutCell
from headwater.keras.layers.recurrent import CellRNN
from headwater.keras.layers.rnn import RNN
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.windows import checked_format, checked_padding, numbers, output_length
from headwater.ops.array.fill import zeros, zeros_like
from headwater.ops.array.split import split
from headwater.ops.math.reduce_functions import reduce_sum


class ConvRNN2D(RNN):
    """Applies a convolutional cell to sequences of images.

    Args:
        cell: the cell, whose `state_size` is the number of channels of each state.
        return_sequences: whether all outputs are returned, rather than the last one.
        return_state: whether the last states are returned too.
        go_backwards: whether the last step comes first.
        stateful: whether a batch begins with the last states of the batch before.
        unroll: must be False.
        **kwargs: further arguments of RNN and Layer.

    Raises:
        TypeError: if it shall be unrolled, or there are several cells.
    """

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        if unroll:
            raise TypeError("Unrolling isn't possible with convolutional RNNs.")
        if isinstance(cell, (list, tuple)):
            raise TypeError("It is not possible at the moment tostack convolutional cells.")
        super().__init__(
            cell, return_sequences, return_state, go_backwards, stateful, unroll, **kwargs
        )
        self.input_spec = [InputSpec(ndim=5)]

    def _image(self, values: Sequence[Any], channels: Any) -> list[Any]:
        """Rows, columns and channels in the order of the data format."""
        if self.cell.data_format == "channels_first":
            return [channels, *values]
        return [*values, channels]

    def _output_image(self, input_shape: ShapeLike) -> list[int | None]:
        """The lengths of an output image."""
        cell = self.cell
        dims = TensorShape(input_shape).as_list()
        spatial = dims[3:] if cell.data_format == "channels_first" else dims[2:4]
        lengths = [
            output_length(n, k, cell.padding, s, d)
            for n, k, s, d in zip(spatial, cell.kernel_size, cell.strides, cell.dilation_rate)
        ]
        return self._image(lengths, cell.filters)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output, or a list with those of the states."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        batch, steps = TensorShape(input_shape).as_list()[:2]
        image = self._output_image(input_shape)
        start = [batch, steps] if self.return_sequences else [batch]
        shape = TensorShape([*start, *image])
        if not self.return_state:
            return shape
        return [shape, *(TensorShape([batch, *image]) for _ in nest.flatten(self.cell.state_size))]

    def _state_spec(self, size: Any) -> Any:
        return InputSpec(shape=(None, *self._image((None, None), size)))

    def _state_shapes(self, batch: int) -> list[Any]:
        lengths = self._output_image(self.input_spec[0].shape)
        at = 0 if self.cell.data_format == "channels_first" else -1
        shapes = []
        for channels in nest.flatten(self.cell.state_size):
            lengths[at] = channels
            shapes.append((batch, *lengths))
        return shapes

    def get_initial_state(self, inputs: TensorLike) -> list[Any]:
        """The states before the first step: zeros.

        Args:
            inputs: the sequences.

        Returns:
            A list.
        """
        cell = self.cell
        images = reduce_sum(zeros_like(inputs), axis=1)
        kernel = zeros([*cell.kernel_shape[:-1], cell.filters], images.dtype)
        state = cell.input_conv(images, kernel, padding=cell.padding)
        return [state for _ in nest.flatten(cell.state_size)]

    def _loop_bound(self, steps: int | None) -> int | None:
        return steps


class ConvLSTM2DCell(DropoutCell):
    """One step of ConvLSTM2D: an LSTM whose products are convolutions.

    Args:
        filters: the number of output channels.
        kernel_size: the size of the kernel: a number for each axis or one for all.
        strides: the steps of the window.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first"; that of the settings if None.
        dilation_rate: the distances of kernel elements.
        activation: a function of candidate and output.
        recurrent_activation: a function of the gates.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel.
        recurrent_initializer: the initializer of the kernel of states.
        bias_initializer: the initializer of the bias.
        unit_forget_bias: whether the bias of the forget gate begins with 1.
        kernel_regularizer: a function from the kernel to a loss.
        recurrent_regularizer: a function from the kernel of states to a loss.
        bias_regularizer: a function from the bias to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        recurrent_constraint: the same for the kernel of states.
        bias_constraint: the same for the bias.
        dropout: the part of the inputs that is dropped while training.
        recurrent_dropout: the part of the states that is dropped while training.
        **kwargs: further arguments of Layer.
    """

    gates = 4
    config_names = (
        "filters",
        "kernel_size",
        "strides",
        "padding",
        "data_format",
        "dilation_rate",
        "activation",
        "recurrent_activation",
        "use_bias",
        "kernel_initializer",
        "recurrent_initializer",
        "bias_initializer",
        "unit_forget_bias",
        "kernel_regularizer",
        "recurrent_regularizer",
        "bias_regularizer",
        "kernel_constraint",
        "recurrent_constraint",
        "bias_constraint",
        "dropout",
        "recurrent_dropout",
    )

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        given = locals()
        super().__init__({name: given[name] for name in self.config_names[6:]}, **kwargs)
        self.filters = filters
        self.kernel_size = numbers(kernel_size, 2, "kernel_size")
        self.strides = numbers(strides, 2, "strides")
        self.padding = checked_padding(padding)
        self.data_format = checked_format(data_format or image_data_format())
        self.dilation_rate = numbers(dilation_rate, 2, "dilation_rate")
        self.state_size = (filters, filters)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the kernels and the bias.

        Raises:
            ValueError: if the number of channels is unknown.
        """
        channels = TensorShape(input_shape)[1 if self.data_format == "channels_first" else -1].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        width = self.filters * 4
        self.kernel_shape = (*self.kernel_size, channels, width)
        shapes = {
            "kernel": self.kernel_shape,
            "recurrent_kernel": (*self.kernel_size, self.filters, width),
            "bias": (width,),
        }
        initial = self._forget_bias_of_ones(self.filters) if self.unit_forget_bias else None
        self._add_weights(shapes, initial)
        self.built = True

    def call(self, inputs: TensorLike, states: Sequence[Any], training: Any = None) -> Any:
        """Computes one step: the output and the list of states."""
        h, c = states[0], states[1]
        masks = self.get_dropout_mask_for_cell(inputs, training)
        recurrent = self.get_recurrent_dropout_mask_for_cell(h, training)
        kernels = split(self.kernel, 4, axis=3)
        recurrent_kernels = split(self.recurrent_kernel, 4, axis=3)
        biases = split(self.bias, 4) if self.use_bias else [None] * 4
        x = [
            self.input_conv(part, kernel, bias, padding=self.padding)
            for part, kernel, bias in zip(self._masked(inputs, masks), kernels, biases)
        ]
        kept = [
            self.recurrent_conv(part, kernel)
            for part, kernel in zip(self._masked(h, recurrent), recurrent_kernels)
        ]
        i = self.recurrent_activation(x[0] + kept[0])
        f = self.recurrent_activation(x[1] + kept[1])
        c = f * c + i * self.activation(x[2] + kept[2])
        o = self.recurrent_activation(x[3] + kept[3])
        output = o * self.activation(c)
        return output, [output, c]

    def input_conv(
        self, x: TensorLike, w: TensorLike, b: Any = None, padding: str = "valid"
    ) -> Tensor:
        """The convolution of an input with a kernel, and a bias."""
        outputs = conv2d(
            x,
            w,
            strides=self.strides,
            padding=padding,
            data_format=self.data_format,
            dilation_rate=self.dilation_rate,
        )
        return outputs if b is None else bias_add(outputs, b, data_format=self.data_format)

    def recurrent_conv(self, x: TensorLike, w: TensorLike) -> Tensor:
        """The convolution of a state with a kernel: the shape stays."""
        return conv2d(x, w, strides=(1, 1), padding="same", data_format=self.data_format)


@export("keras.layers.ConvLSTM2D")
class ConvLSTM2D(CellRNN, ConvRNN2D):
    """A convolutional LSTM of sequences of images (batch, steps, rows, columns, channels).

    Args:
        filters: the number of output channels.
        *args: further arguments: kernel_size, strides, padding, data_format, dilation_rate,
            activation, recurrent_activation, use_bias, initializers, unit_forget_bias,
            regularizers, constraints, return_sequences, go_backwards, stateful, dropout,
            recurrent_dropout.
        **kwargs: the same by name, `return_state`, and further arguments of Layer.

    Source: X. Shi et al., "Convolutional LSTM Network", 2015.
    """

    cell_class = ConvLSTM2DCell
    argument_order = (
        *ConvLSTM2DCell.config_names[1:16],
        "activity_regularizer",
        *ConvLSTM2DCell.config_names[16:19],
        "return_sequences",
        "go_backwards",
        "stateful",
        "dropout",
        "recurrent_dropout",
    )

    def __init__(self, filters: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(filters, *args, **kwargs)
