"""PhasedLSTMCell: an LSTM cell whose units have periodic time gates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, export
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.linear import Linear
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.variables.initializers import Constant
from headwater.model.variables.random_initializers import RandomUniform
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.split import split
from headwater.ops.math.cast import cast
from headwater.ops.math.select import where
from headwater.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headwater.model.variables.partitions import PartitionInfo
    from headwater.model.variables.variable_store import Reuse


def _exponential(low: float, high: float) -> Callable[..., Any]:
    """An initializer of numbers whose logarithms are uniform."""

    def initializer(
        shape: TensorLike,
        dtype: DTypeLike | None = None,
        partition_info: PartitionInfo | None = None,
    ) -> Any:
        return build.Exp(random_uniform(shape, build.Log(low), build.Log(high), dtype))

    return initializer


@export("contrib.rnn.PhasedLSTMCell")
class PhasedLSTMCell(RNNCell):
    """An LSTM cell with periodic time gates; inputs have time stamps.

    Args:
        num_units: the number of units.
        use_peepholes: whether the gates see c.
        leak: how much of the new state comes through while a unit is closed.
        ratio_on: the part of the period in which a unit is open.
        trainable_ratio_on: whether that part is trained.
        period_init_min: the smallest first value of a period.
        period_init_max: the largest first value of a period.
        reuse: whether existing variables are used.

    Source: D. Neil et al., "Phased LSTM: Accelerating Recurrent Network Training for Long or
    Event-based Sequences", 2016.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: float = 0.001,
        ratio_on: float = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: float = 1.0,
        period_init_max: float = 1000.0,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._period_init_min = period_init_min
        self._period_init_max = period_init_max
        self._linears: dict[str, Linear] = {}

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def _linear(self, scope: str, args: list[Any], size: int) -> Tensor:
        if scope not in self._linears:
            self._linears[scope] = Linear(args, size, True)
        return self._linears[scope](args)

    def _cycle_ratio(self, time: Tensor, phase: TensorLike, period: TensorLike) -> Tensor:
        """The phase of each unit; gradients ignore the modulus."""
        phase, period = cast(phase, time.dtype), cast(period, time.dtype)
        shifted = time - phase
        wrapped = build.StopGradient(build.FloorMod(shifted, period) - shifted) + shifted
        return cast(wrapped / period, dtypes.float32)

    def call(
        self, inputs: NestedTensors, state: NestedTensors
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step.

        Args:
            inputs: a pair of times, of shape [batch, 1], and inputs.
            state: an LSTMStateTuple.

        Returns:
            The new h, and the new state.
        """
        n = self._num_units
        c_prev, h_prev = state
        time, x = inputs
        masked = [x, h_prev, c_prev] if self._use_peepholes else [x, h_prev]
        with variable_scope("mask_gates"):
            gates = build.Sigmoid(self._linear("mask_gates", masked, 2 * n))
            input_gate, forget_gate = split(gates, num_or_size_splits=2, axis=1)
        with variable_scope("new_input"):
            new_input = build.Tanh(self._linear("new_input", [x, h_prev], n))
        new_c = (c_prev * forget_gate) + (input_gate * new_input)
        opened = [x, h_prev, new_c] if self._use_peepholes else [x, h_prev]
        with variable_scope("output_gate"):
            output_gate = build.Sigmoid(self._linear("output_gate", opened, n))
        new_h = build.Tanh(new_c) * output_gate
        period = get_variable(
            "period", [n], initializer=_exponential(self._period_init_min, self._period_init_max)
        )
        phase = get_variable("phase", [n], initializer=RandomUniform(0.0, period.initial_value))
        ratio_on = get_variable(
            "ratio_on",
            [n],
            initializer=Constant(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )
        cycle = self._cycle_ratio(time, phase, period)
        k_up = 2 * cycle / ratio_on
        k_down = 2 - k_up
        k_closed = self._leak * cycle
        k = where(cycle < ratio_on, k_down, k_closed)
        k = where(cycle < 0.5 * ratio_on, k_up, k)
        new_c = k * new_c + (1 - k) * c_prev
        new_h = k * new_h + (1 - k) * h_prev
        return new_h, LSTMStateTuple(new_c, new_h)
