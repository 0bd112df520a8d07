"""PeepholeLSTMCell: an LSTM whose gates see its memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.typing import ShapeLike
from headwater.graph import export
from headwater.keras.layers.cells import LSTMCell

_GATES = ("input", "forget", "output")


@export("keras.experimental.PeepholeLSTMCell")
class PeepholeLSTMCell(LSTMCell):
    """One step of LSTM whose gates depend on the memory too; see LSTMCell for the arguments.

    Args:
        units: the number of outputs.
        ...: the further arguments of LSTMCell.

    Source: F. Gers et al., "Learning Precise Timing with LSTM Recurrent Networks", 2002.
    """

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the kernels, the bias and the factors of the memory."""
        super().build(input_shape)
        self.input_gate_peephole_weights: Any = None
        self.forget_gate_peephole_weights: Any = None
        self.output_gate_peephole_weights: Any = None
        for gate in _GATES:
            name = f"{gate}_gate_peephole_weights"
            weight = self.add_weight(name, shape=(self.units,), initializer=self.kernel_initializer)
            setattr(self, name, weight)

    def _gated(self, gate: Callable[[int], Any], c: Any) -> tuple[Any, Any]:
        i = self.recurrent_activation(gate(0) + self.input_gate_peephole_weights * c)
        f = self.recurrent_activation(gate(1) + self.forget_gate_peephole_weights * c)
        c = f * c + i * self.activation(gate(2))
        return self.recurrent_activation(gate(3) + self.output_gate_peephole_weights * c), c
