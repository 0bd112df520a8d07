"""Cells that compute what cuDNN's LSTM and GRU compute, and have their variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base.typing import InitializerLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import Tensor, build, export
from headwater.model.rnn.basic import GRUCell, variable_dtype
from headwater.model.rnn.block_cells import LSTMBlockCell
from headwater.model.rnn.cell import BIAS, KERNEL, input_depth
from headwater.model.variables.initializers import Constant, Zeros
from headwater.ops.array.concat import concat
from headwater.ops.array.split import split
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


@export("contrib.cudnn_rnn.CudnnCompatibleLSTMCell")
class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """An LSTM cell for the variables of a layer that was trained with cuDNN.

    Args:
        num_units: the number of units.
        reuse: whether existing variables are used.
    """

    def __init__(self, num_units: int, reuse: Reuse = None) -> None:
        super().__init__(num_units, forget_bias=0, reuse=reuse, name="cudnn_compatible_lstm_cell")


@export("contrib.cudnn_rnn.CudnnCompatibleGRUCell")
class CudnnCompatibleGRUCell(GRUCell):
    """A GRU cell for the variables of a layer that was trained with cuDNN.

    The reset gate acts on the projected state, which has a bias of its own.

    Args:
        num_units: the number of units.
        reuse: whether existing variables are used.
        kernel_initializer: the initializer of the kernels.
    """

    def __init__(
        self, num_units: int, reuse: Reuse = None, kernel_initializer: InitializerLike = None
    ) -> None:
        super().__init__(num_units, reuse=reuse, kernel_initializer=kernel_initializer)

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernels and biases of the gates and of both projections.

        Args:
            inputs_shape: the shape of the inputs.
        """
        depth, units = input_depth(inputs_shape), self._num_units
        dtype, given = variable_dtype(self.dtype), self._bias_initializer
        kernel = self._kernel_initializer
        self._gate_kernel = self.add_variable(
            f"gates/{KERNEL}", shape=[depth + units, 2 * units], initializer=kernel
        )
        self._gate_bias = self.add_variable(
            f"gates/{BIAS}",
            shape=[2 * units],
            initializer=given if given is not None else Constant(1.0, dtype=dtype),
        )
        rows = {"input": depth, "hidden": units}
        self._projections = {
            role: self.add_variable(
                f"candidate/{role}_projection/{KERNEL}", shape=[size, units], initializer=kernel
            )
            for role, size in rows.items()
        }
        self._projection_biases = {
            role: self.add_variable(
                f"candidate/{role}_projection/{BIAS}",
                shape=[units],
                initializer=given if given is not None else Zeros(dtype=dtype),
            )
            for role in rows
        }
        self.built = True

    def _projected(self, role: str, x: TensorLike) -> Tensor:
        product = build.MatMul(x, self._projections[role])
        return bias_add(product, self._projection_biases[role])

    def call(self, inputs: NestedTensors, state: NestedTensors | None) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `num_units` columns.

        Returns:
            The new state, twice.
        """
        gates = build.MatMul(concat([inputs, state], 1), self._gate_kernel)
        gates = build.Sigmoid(bias_add(gates, self._gate_bias))
        r, u = split(gates, num_or_size_splits=2, axis=1)
        projected = self._projected("input", inputs)
        candidate = self._activation(projected + r * self._projected("hidden", state))
        new_state = (1 - u) * candidate + u * state
        return new_state, new_state
