"""Cells with unusual gates: NASCell, UGRNNCell, IntersectionRNNCell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Activation, InitializerLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import Tensor, build, export
from headwater.model.layers.input_spec import InputSpec
from headwater.model.rnn.cell import LayerRNNCell, RNNCell
from headwater.model.rnn.linear import Linear
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.split import split
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


def _known_width(inputs: Tensor) -> int:
    width = inputs.get_shape().with_rank(2)[1].value
    if width is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return width


@export("contrib.rnn.NASCell")
class NASCell(LayerRNNCell):
    """The cell found by neural architecture search.

    Args:
        num_units: the number of units.
        num_proj: the number of outputs, if they are projected.
        use_bias: whether there is a bias.
        reuse: whether existing variables are used.
        **kwargs: further arguments of Layer; `use_biases` is the older name of `use_bias`.

    Source: B. Zoph, Q. Le, "Neural Architecture Search with Reinforcement Learning", 2016.
    """

    _BASES = 8

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: Reuse = None,
        **kwargs: Any,
    ) -> None:
        use_bias = kwargs.pop("use_biases", use_bias)
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units = num_units
        self._num_proj = num_proj
        self._use_bias = use_bias
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> int:
        """The number of units, or of projected outputs."""
        return self._num_units if self._num_proj is None else self._num_proj

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernels, bias and projection.

        Args:
            inputs_shape: the shape of the inputs.

        Raises:
            ValueError: if the number of columns is unknown.
        """
        depth = TensorShape(inputs_shape)[-1].value
        if depth is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        size = self._BASES * self._num_units
        self.recurrent_kernel = self.add_variable(
            "recurrent_kernel", shape=[self.output_size, size]
        )
        self.kernel = self.add_variable("kernel", shape=[depth, size])
        if self._use_bias:
            self.bias = self.add_variable("bias", shape=[size], initializer=Zeros())
        if self._num_proj is not None:
            self.projection_weights = self.add_variable(
                "projection_weights", shape=[self._num_units, self._num_proj]
            )
        self.built = True

    def call(self, inputs: TensorLike, state: NestedTensors) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: an LSTMStateTuple.

        Returns:
            The new h, and the new state.
        """
        c_prev, m_prev = state
        from_state = build.MatMul(m_prev, self.recurrent_kernel)
        from_inputs = build.MatMul(inputs, self.kernel)
        if self._use_bias:
            from_state = bias_add(from_state, self.bias)
        m = split(from_state, num_or_size_splits=self._BASES, axis=1)
        x = split(from_inputs, num_or_size_splits=self._BASES, axis=1)
        first = [
            build.Sigmoid(x[0] + m[0]),
            build.Relu(x[1] + m[1]),
            build.Sigmoid(x[2] + m[2]),
            build.Relu(x[3] * m[3]),
            build.Tanh(x[4] + m[4]),
            build.Sigmoid(x[5] + m[5]),
            build.Tanh(x[6] + m[6]),
            build.Sigmoid(x[7] + m[7]),
        ]
        a = build.Tanh(first[0] * first[1])
        b = build.Tanh(first[2] + first[3])
        c = build.Tanh(first[4] * first[5])
        d = build.Sigmoid(first[6] + first[7])
        new_c = build.Tanh(a + c_prev) * b
        new_m = build.Tanh(new_c * build.Tanh(c + d))
        if self._num_proj is not None:
            new_m = build.MatMul(new_m, self.projection_weights)
        return new_m, LSTMStateTuple(new_c, new_m)


@export("contrib.rnn.UGRNNCell")
class UGRNNCell(RNNCell):
    """A cell with one update gate: state' = g * state + (1 - g) * candidate.

    Args:
        num_units: the number of units.
        initializer: the initializer of the weights.
        forget_bias: what is added to the bias of the gate.
        activation: a function of tensors.
        reuse: whether existing variables are used.

    Source: J. Collins et al., "Capacity and Trainability in Recurrent Neural Networks", 2016.
    """

    def __init__(
        self,
        num_units: int,
        initializer: InitializerLike | None = None,
        forget_bias: float = 1.0,
        activation: Activation = build.Tanh,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = activation
        self._linear: Callable[..., Any] | None = None

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def call(self, inputs: NestedTensors, state: NestedTensors | None) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `num_units` columns.

        Returns:
            The new state, twice.

        Raises:
            ValueError: if the number of columns of the inputs is unknown.
        """
        _known_width(inputs)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            joined = concat([inputs, state], 1)
            if self._linear is None:
                self._linear = Linear(joined, 2 * self._num_units, True)
            gate, candidate = split(self._linear(joined), num_or_size_splits=2, axis=1)
            candidate = self._activation(candidate)
            gate = build.Sigmoid(gate + self._forget_bias)
            new_state = gate * state + (1.0 - gate) * candidate
        return new_state, new_state


@export("contrib.rnn.IntersectionRNNCell")
class IntersectionRNNCell(RNNCell):
    """A cell with gated connections in time and in depth.

    Args:
        num_units: the number of units.
        num_in_proj: the number of projected inputs, if their number is not that of the units.
        initializer: the initializer of the weights.
        forget_bias: what is added to the biases of the gates.
        y_activation: the activation of the outputs.
        reuse: whether existing variables are used.

    Source: J. Collins et al., "Capacity and Trainability in Recurrent Neural Networks", 2016.
    """

    def __init__(
        self,
        num_units: int,
        num_in_proj: int | None = None,
        initializer: InitializerLike = None,
        forget_bias: float = 1.0,
        y_activation: Activation = build.Relu,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._num_input_proj = num_in_proj
        self._y_activation = y_activation
        self._projection: Callable[..., Any] | None = None
        self._linear: Callable[..., Any] | None = None

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def call(self, inputs: NestedTensors, state: NestedTensors | None) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `num_units` columns.

        Returns:
            The outputs and the new state.

        Raises:
            ValueError: if the number of columns of the inputs is unknown, or not that of the
                units and not projected.
        """
        width, n = _known_width(inputs), self._num_units
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            if width != n:
                if not self._num_input_proj:
                    raise ValueError(
                        "Must have input size == output size for Intersection RNN. To fix, "
                        "num_in_proj should be set to num_units at cell init."
                    )
                with variable_scope("in_projection"):
                    if self._projection is None:
                        self._projection = Linear(inputs, self._num_input_proj, True)
                    inputs = self._projection(inputs)
            joined = concat([inputs, state], 1)
            if self._linear is None:
                self._linear = Linear(joined, 4 * n, True)
            gates = self._linear(joined)
            gate_h, h, gate_y, y = (gates[:, i * n : (i + 1) * n] for i in range(4))
            h = build.Tanh(h)
            y = self._y_activation(y)
            gate_h = build.Sigmoid(gate_h + self._forget_bias)
            gate_y = build.Sigmoid(gate_y + self._forget_bias)
            new_state = gate_h * state + (1.0 - gate_h) * h
            output = gate_y * inputs + (1.0 - gate_y) * y
        return output, new_state
