"""GLSTMCell: an LSTM cell whose units are in groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import Activation, InitializerLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, export, shape_tensor
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.linear import Linear
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.variables.initializers import Constant
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.slice import slice_
from headwater.ops.array.split import split
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


@export("contrib.rnn.GLSTMCell")
class GLSTMCell(RNNCell):
    """An LSTM cell whose inputs, states and units are cut into groups.

    Args:
        num_units: the number of units.
        initializer: the initializer of the weights.
        num_proj: the number of outputs, if they are projected.
        number_of_groups: the number of groups, of which the sizes are multiples.
        forget_bias: what is added to the bias of the forget gate.
        activation: a function of tensors.
        reuse: whether existing variables are used.

    Raises:
        ValueError: if a size is not a multiple of the number of groups.

    Source: O. Kuchaiev, B. Ginsburg, "Factorization Tricks for LSTM Networks", 2017.
    """

    def __init__(
        self,
        num_units: int,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Activation = build.Tanh,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._initializer = initializer
        self._num_proj = num_proj
        self._forget_bias = forget_bias
        self._activation = activation
        self._groups = number_of_groups
        if num_units % number_of_groups != 0:
            raise ValueError("num_units must be divisible by number_of_groups")
        if num_proj and num_proj % number_of_groups != 0:
            raise ValueError("num_proj must be divisible by number_of_groups")
        self._linears: dict[Any, Linear] = {}

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> int:
        """The number of units, or of projected outputs."""
        return self._num_proj or self._num_units

    def _linear(self, key: TensorLike, args: NestedTensors, size: int) -> Tensor:
        if key not in self._linears:
            self._linears[key] = Linear(args, size, False)
        return self._linears[key](args)

    def call(self, inputs: TensorLike, state: NestedTensors) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: an LSTMStateTuple.

        Returns:
            The new h, and the new state.
        """
        c_prev, m_prev = state
        rows = inputs.shape[0].value or shape_tensor(inputs)[0]
        width = inputs.shape[-1].value or shape_tensor(inputs)[-1]
        groups, units, dtype = self._groups, self._num_units, inputs.dtype

        per_group = int(width / groups)  # type: ignore[arg-type]

        def part(x: TensorLike, group: int, size: int) -> Tensor:
            return slice_(
                x,
                [0, group * size],
                [rows, size],
                name=f"GLSTM_group{group}_input_generation",
            )

        with variable_scope(get_variable_scope(), initializer=self._initializer):
            parts = []
            for group in range(groups):
                with variable_scope(f"group{group}"):
                    x = part(inputs, group, per_group)
                    m = part(m_prev, group, self.output_size // groups)
                    gates = self._linear(group, concat([x, m], axis=1), 4 * units // groups)
                    parts.append(split(gates, num_or_size_splits=4, axis=1))
            biases = [
                get_variable(
                    name=f"bias_{gate}",
                    shape=[units],
                    dtype=dtype,
                    initializer=Constant(0.0, dtype=dtype),
                )
                for gate in "ijfo"
            ]
            i, j, f, o = (
                bias_add(concat([p[k] for p in parts], axis=1), biases[k]) for k in range(4)
            )
        c = build.Sigmoid(f + self._forget_bias) * c_prev + build.Sigmoid(i) * build.Tanh(j)
        m = build.Sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            with variable_scope("projection"):
                m = self._linear("projection", m, self._num_proj)
        return m, LSTMStateTuple(c, m)
