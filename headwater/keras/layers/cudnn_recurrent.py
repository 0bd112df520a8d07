"""CuDNNGRU and CuDNNLSTM: recurrent layers with cuDNN's weights, on every device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, ShapeLike
from headwater.graph import Tensor, build, export
from headwater.keras.backend.shaping import reverse
from headwater.keras.layers.cells import DropoutCell
from headwater.keras.layers.cudnn_weights import gru_weights, lstm_weights
from headwater.keras.layers.recurrent import CellRNN
from headwater.model.trackable.containers import NoDependency
from headwater.model.variables.initializers import Ones
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.transpose import transpose

_WEIGHTS = (
    "kernel_initializer",
    "recurrent_initializer",
    "bias_initializer",
    "kernel_regularizer",
    "recurrent_regularizer",
    "bias_regularizer",
    "kernel_constraint",
    "recurrent_constraint",
    "bias_constraint",
)


class _FusedCell(DropoutCell):
    """The weights of a layer that cuDNN computes as a whole.

    Args:
        units: the number of outputs.
        kernel_initializer: the initializer of the kernel.
        recurrent_initializer: the initializer of the kernel of states.
        bias_initializer: the initializer of the bias.
        ...: regularizers and constraints of the three.
    """

    config_names: tuple[str, ...] = ("units", *_WEIGHTS)
    unit_forget_bias = False

    def __init__(
        self,
        units: int,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        given = locals()
        weights = {name: given[name] for name in _WEIGHTS}
        super().__init__({**weights, "dropout": 0.0, "recurrent_dropout": 0.0}, **kwargs)
        self.units = units
        self.use_bias = True
        self.state_size: Any = units

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the kernels and the biases: those of inputs, then those of states."""
        units, gates = self.units, self.gates
        shapes = {
            "kernel": (TensorShape(input_shape)[-1].value, units * gates),
            "recurrent_kernel": (units, units * gates),
            "bias": (units * gates * 2,),
        }
        self._add_weights(shapes, self._initial_bias if self.unit_forget_bias else None)
        self.built = True

    def _initial_bias(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        units = self.units
        parts = [
            self.bias_initializer((units * 5,), dtype=dtype),
            Ones()((units,), dtype=dtype),
            self.bias_initializer((units * 2,), dtype=dtype),
        ]
        return concat(parts, axis=0)

    def call(self, inputs: Any, states: Any) -> Any:
        """Not used: the layer is computed as a whole."""
        raise NotImplementedError("The steps of a cuDNN layer are not computed one by one.")

    def parameters(self, order: Sequence[int]) -> Tensor:
        """The weights as cuDNN has them.

        Args:
            order: the gates in cuDNN's order, by their place in the kernels.

        Returns:
            A vector.
        """
        units, count = self.units, self.gates

        def columns(matrix: Any, gate: int) -> Tensor:
            return matrix[:, gate * units : (gate + 1) * units]

        matrices = [columns(self.kernel, gate) for gate in order]
        matrices += [columns(self.recurrent_kernel, gate) for gate in order]
        places = [*order, *(count + gate for gate in order)]
        biases = [self.bias[place * units : (place + 1) * units] for place in places]
        # Not transposed, as TensorFlow's own: the kernels of these layers are in cuDNN's layout.
        return concat([reshape(part, [-1]) for part in matrices + biases], axis=0)


class _FusedGRUCell(_FusedCell):
    """The weights of CuDNNGRU."""

    gates = 3


class _FusedLSTMCell(_FusedCell):
    """The weights of CuDNNLSTM."""

    gates = 4
    config_names = ("units", *_WEIGHTS[:3], "unit_forget_bias", *_WEIGHTS[3:])

    def __init__(
        self,
        units: int,
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
        **kwargs: Any,
    ) -> None:
        given = locals()
        super().__init__(units, **{name: given[name] for name in _WEIGHTS}, **kwargs)
        self.unit_forget_bias = unit_forget_bias
        self.state_size = NoDependency([units, units])


class _CuDNNRNN(CellRNN):
    """The base of both layers.

    Attributes:
        gate_order: the gates in cuDNN's order, by their place in the kernels.
    """

    gate_order: tuple[int, ...]
    config_names = ("return_sequences", "return_state", "go_backwards", "stateful", "time_major")

    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(units, *args, **kwargs)
        self.supports_masking = False

    @property
    def units(self) -> int:
        """The number of outputs."""
        units: int = self.cell.units
        return units

    def build(self, input_shape: Any) -> None:
        """Makes the kernels and the biases."""
        super().build(input_shape)
        # Checkpoints have the variables as those of the layer.
        cell = self.cell
        self.kernel, self.recurrent_kernel, self.bias = (
            cell.kernel,
            cell.recurrent_kernel,
            cell.bias,
        )

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        """Computes the outputs.

        Args:
            inputs: sequences, or a list of them and initial states.
            mask: must be None.
            training: not used.
            initial_state: the states before the first step.
            constants: not used.

        Returns:
            The outputs; with the states if they are returned.

        Raises:
            ValueError: if there is a mask, or another number of states.
        """
        mask = mask[0] if isinstance(mask, list) else mask
        if mask is not None:
            raise ValueError("Masking is not supported for CuDNN RNNs.")
        inputs, states, _ = self._parts(inputs, initial_state, None)
        states = self._initial_states(inputs, states)
        if self.go_backwards:
            inputs = reverse(inputs, 0 if self.time_major else 1)
        if not self.time_major:
            inputs = transpose(inputs, [1, 0, 2])
        outputs, new = self._whole(inputs, [expand_dims(state, axis=0) for state in states])
        last = outputs[-1]
        if not self.time_major:
            outputs = transpose(outputs, [1, 0, 2])
        return self._results(last, outputs, [state[0] for state in new])

    def _whole(self, inputs: Tensor, states: list[Tensor]) -> tuple[Any, list[Any]]:
        """The outputs (steps, batch, units) and last states of all steps."""
        raise NotImplementedError


@export("keras.layers.CuDNNGRU")
class CuDNNGRU(_CuDNNRNN):
    """GRU with cuDNN's weights: GRU with `reset_after` and sigmoid gates, on every device.

    Args:
        units: the number of outputs.
        *args: further arguments: initializers, regularizers, constraints, return_sequences,
            return_state, go_backwards, stateful.
        **kwargs: the same by name, `time_major`, and further arguments of Layer.
    """

    cell_class = _FusedGRUCell
    gate_order = (1, 0, 2)
    argument_order = (
        *_WEIGHTS[:6],
        "activity_regularizer",
        *_WEIGHTS[6:],
        "return_sequences",
        "return_state",
        "go_backwards",
        "stateful",
    )

    def converted_weights(self, values: list[Array]) -> list[Array]:
        """The values of a file, which may be those of GRU, for this layer."""
        return gru_weights(values, to_cudnn=True, reset_after=True)

    def _whole(self, inputs: Tensor, states: list[Tensor]) -> tuple[Any, list[Any]]:
        outputs, h, *_ = build.CudnnRNNV2(
            inputs, states[0], 0.0, self.cell.parameters(self.gate_order), rnn_mode="gru"
        )
        return outputs, [h]


@export("keras.layers.CuDNNLSTM")
class CuDNNLSTM(_CuDNNRNN):
    """LSTM with cuDNN's weights: LSTM with sigmoid gates and two biases, on every device.

    Args:
        units: the number of outputs.
        *args: further arguments: initializers, unit_forget_bias, regularizers, constraints,
            return_sequences, return_state, go_backwards, stateful.
        **kwargs: the same by name, `time_major`, and further arguments of Layer.
    """

    cell_class = _FusedLSTMCell
    gate_order = (0, 1, 2, 3)
    argument_order = (
        *_WEIGHTS[:3],
        "unit_forget_bias",
        *_WEIGHTS[3:6],
        "activity_regularizer",
        *_WEIGHTS[6:],
        "return_sequences",
        "return_state",
        "go_backwards",
        "stateful",
    )

    def converted_weights(self, values: list[Array]) -> list[Array]:
        """The values of a file, which may be those of LSTM, for this layer."""
        return lstm_weights(values, to_cudnn=True)

    def _whole(self, inputs: Tensor, states: list[Tensor]) -> tuple[Any, list[Any]]:
        outputs, h, c, *_ = build.CudnnRNNV2(
            inputs, *states, self.cell.parameters(self.gate_order), rnn_mode="lstm"
        )
        return outputs, [h, c]
