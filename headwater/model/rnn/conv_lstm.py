"""ConvLSTMCell: an LSTM cell over grids of one, two or three dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, ShapeLike, TensorLike
from headwater.graph import Tensor, build, export
from headwater.model.nn.convolution import conv1d
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.variables.initializers import Constant
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.array.concat import concat
from headwater.ops.array.split import split

if TYPE_CHECKING:
    from headwater.model.variables.variable_scope_object import ScopeLike


@export("contrib.rnn.ConvLSTMCell")
class ConvLSTMCell(RNNCell):
    """An LSTM cell whose linear map is a convolution.

    Args:
        conv_ndims: the number of dimensions of the grid: 1, 2 or 3.
        input_shape: the shape of the inputs without the batch.
        output_channels: the number of channels of state and outputs.
        kernel_shape: the shape of the window.
        use_bias: whether there is a bias.
        skip_connection: whether the inputs are appended to the outputs.
        forget_bias: what is added to the bias of the forget gate.
        initializers: accepted and not needed.
        name: the name of the cell and its variable scope.

    Raises:
        ValueError: if `input_shape` does not fit `conv_ndims`.

    Source: X. Shi et al., "Convolutional LSTM Network: A Machine Learning Approach for
    Precipitation Nowcasting", 2015.
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: ShapeLike,
        output_channels: int,
        kernel_shape: TensorLike,
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str | None = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._conv_ndims = conv_ndims
        self._input_shape = input_shape
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._forget_bias = forget_bias
        self._skip_connection = skip_connection
        grid = list(input_shape[:-1])
        size = TensorShape([*grid, output_channels])
        self._state_size = LSTMStateTuple(size, size)
        channels = output_channels + (input_shape[-1] if skip_connection else 0)
        self._output_size = TensorShape([*grid, channels])

    @property
    def output_size(self) -> TensorShape:
        """The shape of the outputs without the batch."""
        return self._output_size

    @property
    def state_size(self) -> LSTMStateTuple:
        """The shapes of c and h without the batch."""
        return self._state_size

    def call(
        self, inputs: NestedTensors, state: NestedTensors, scope: ScopeLike | None = None
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step.

        Args:
            inputs: a tensor of shape [batch, ..., channels].
            state: an LSTMStateTuple.
            scope: not used.

        Returns:
            The outputs and the new state.
        """
        cell, hidden = state
        gates = self._convolved([inputs, hidden], 4 * self._output_channels)
        i, j, f, o = split(gates, num_or_size_splits=4, axis=self._conv_ndims + 1)
        new_cell = build.Sigmoid(f + self._forget_bias) * cell
        new_cell = new_cell + build.Sigmoid(i) * build.Tanh(j)
        output = build.Tanh(new_cell) * build.Sigmoid(o)
        if self._skip_connection:
            output = concat([output, inputs], axis=-1)
        return output, LSTMStateTuple(new_cell, output)

    def _convolved(self, args: list[Any], channels: int) -> Tensor:
        shapes = [a.get_shape().as_list() for a in args]
        rank, depth = len(shapes[0]), sum(shape[-1] for shape in shapes)
        dtype = args[0].dtype
        kernel = get_variable("kernel", [*self._kernel_shape, depth, channels], dtype=dtype)
        joined = concat(args, axis=rank - 1)
        if rank == 3:
            result = conv1d(joined, kernel, 1, padding="SAME")
        else:
            op = build.Conv2D if rank == 4 else build.Conv3D
            result = op(joined, kernel, strides=[1] * rank, padding="SAME")
        if not self._use_bias:
            return result
        biases = get_variable(
            "biases", [channels], dtype=dtype, initializer=Constant(0.0, dtype=dtype)
        )
        return result + biases


@export("contrib.rnn.Conv1DLSTMCell")
class Conv1DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell over one dimension; see there.

    Args:
        name: the name of the cell and its variable scope.
        **kwargs: the other arguments of ConvLSTMCell.
    """

    def __init__(self, name: Any = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


@export("contrib.rnn.Conv2DLSTMCell")
class Conv2DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell over two dimensions; see there.

    Args:
        name: the name of the cell and its variable scope.
        **kwargs: the other arguments of ConvLSTMCell.
    """

    def __init__(self, name: Any = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


@export("contrib.rnn.Conv3DLSTMCell")
class Conv3DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell over three dimensions; see there.

    Args:
        name: the name of the cell and its variable scope.
        **kwargs: the other arguments of ConvLSTMCell.
    """

    def __init__(self, name: Any = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)
