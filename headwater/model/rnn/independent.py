"""Cells with independently recurrent units: IndRNNCell, IndyGRUCell, IndyLSTMCell, SRUCell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.typing import (
    Activation,
    DTypeLike,
    InitializerLike,
    NestedTensors,
    ShapeLike,
    TensorLike,
)
from headwater.graph import Tensor, build, export
from headwater.model.layers.input_spec import InputSpec
from headwater.model.rnn.activations import activation_of
from headwater.model.rnn.basic import variable_dtype
from headwater.model.rnn.cell import BIAS, KERNEL, LayerRNNCell, input_depth
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.variables.initializers import Constant, Zeros
from headwater.model.variables.random_initializers import RandomUniform
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.split import split
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable
    from headwater.model.variables.variable_store import Reuse


class _Units(LayerRNNCell):
    """A cell of independent units, each with its own recurrent weight."""

    def __init__(
        self, num_units: int, activation: Activation | None, reuse: Any, **kwargs: Any
    ) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_of(activation)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def _own_weights(self, name: str, size: int) -> Variable:
        initializer = RandomUniform(minval=-1, maxval=1, dtype=variable_dtype(self.dtype))
        return self.add_variable(name, shape=[1, size], initializer=initializer)


@export("contrib.rnn.IndRNNCell")
class IndRNNCell(_Units):
    """An independently recurrent cell: activation(inputs @ W + u * state + bias).

    Args:
        num_units: the number of units.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
        name: the name of the cell and its variable scope.
        dtype: the type of the variables.

    Source: S. Li et al., "Independently Recurrent Neural Network", 2018.
    """

    def __init__(
        self,
        num_units: int,
        activation: Activation | None = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name=name, dtype=dtype)

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes the kernels and the bias.

        Args:
            inputs_shape: the shape of the inputs.
        """
        units = self._num_units
        self._kernel_w = self.add_variable(f"{KERNEL}_w", shape=[input_depth(inputs_shape), units])
        self._kernel_u = self._own_weights(f"{KERNEL}_u", units)
        self._bias = self.add_variable(
            BIAS, shape=[units], initializer=Zeros(dtype=variable_dtype(self.dtype))
        )
        self.built = True

    def call(self, inputs: TensorLike, state: NestedTensors | None) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `num_units` columns.

        Returns:
            The new state, twice.
        """
        gates = build.MatMul(inputs, self._kernel_w) + state * self._kernel_u
        output = self._activation(bias_add(gates, self._bias))
        return output, output


@export("contrib.rnn.IndyGRUCell")
class IndyGRUCell(_Units):
    """A GRU cell with independently recurrent units.

    Args:
        num_units: the number of units.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
        kernel_initializer: the initializer of the kernels of the inputs.
        bias_initializer: the initializer of the biases; by default 1 for gates, else 0.
        name: the name of the cell and its variable scope.
        dtype: the type of the variables.

    Source: P. Gonnet, T. Deselaers, "IndyLSTMs: Independently Recurrent LSTMs", 2019.
    """

    def __init__(
        self,
        num_units: int,
        activation: Activation | None = None,
        reuse: Any = None,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name=name, dtype=dtype)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes the kernels and biases.

        Args:
            inputs_shape: the shape of the inputs.
        """
        depth, units = input_depth(inputs_shape), self._num_units
        given, dtype = self._bias_initializer, variable_dtype(self.dtype)
        kernel = self._kernel_initializer
        self._gate_kernel_w = self.add_variable(
            f"gates/{KERNEL}_w", shape=[depth, 2 * units], initializer=kernel
        )
        self._gate_kernel_u = self._own_weights(f"gates/{KERNEL}_u", 2 * units)
        self._gate_bias = self.add_variable(
            f"gates/{BIAS}",
            shape=[2 * units],
            initializer=given if given is not None else Constant(1.0, dtype=dtype),
        )
        self._candidate_kernel_w = self.add_variable(
            f"candidate/{KERNEL}", shape=[depth, units], initializer=kernel
        )
        self._candidate_kernel_u = self._own_weights(f"candidate/{KERNEL}_u", units)
        self._candidate_bias = self.add_variable(
            f"candidate/{BIAS}",
            shape=[units],
            initializer=given if given is not None else Zeros(dtype=dtype),
        )
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `num_units` columns.

        Returns:
            The new state, twice.
        """
        gates = build.MatMul(inputs, self._gate_kernel_w)
        gates = gates + build.Tile(state, [1, 2]) * self._gate_kernel_u
        gates = build.Sigmoid(bias_add(gates, self._gate_bias))
        r, u = split(gates, num_or_size_splits=2, axis=1)
        r_state = r * state
        candidate = build.MatMul(inputs, self._candidate_kernel_w)
        candidate = candidate + r_state * self._candidate_kernel_u
        c = self._activation(bias_add(candidate, self._candidate_bias))
        new_state = u * state + (1 - u) * c
        return new_state, new_state


@export("contrib.rnn.IndyLSTMCell")
class IndyLSTMCell(_Units):
    """An LSTM cell with independently recurrent units.

    Args:
        num_units: the number of units.
        forget_bias: what is added to the bias of the forget gate.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
        kernel_initializer: the initializer of the kernel of the inputs.
        bias_initializer: the initializer of the bias; zeros if None.
        name: the name of the cell and its variable scope.
        dtype: the type of the variables.

    Source: P. Gonnet, T. Deselaers, "IndyLSTMs: Independently Recurrent LSTMs", 2019.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Any = None,
        reuse: Reuse = None,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name=name, dtype=dtype)
        self._forget_bias = forget_bias
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> Any:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes the kernels and the bias.

        Args:
            inputs_shape: the shape of the inputs.
        """
        size, given = 4 * self._num_units, self._bias_initializer
        self._kernel_w = self.add_variable(
            f"{KERNEL}_w",
            shape=[input_depth(inputs_shape), size],
            initializer=self._kernel_initializer,
        )
        self._kernel_u = self._own_weights(f"{KERNEL}_u", size)
        self._bias = self.add_variable(
            BIAS,
            shape=[size],
            initializer=given if given is not None else Zeros(dtype=variable_dtype(self.dtype)),
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
        one = constant(1, dtype=dtypes.int32)
        c, h = state
        gates = build.MatMul(inputs, self._kernel_w)
        gates = gates + build.Tile(h, [1, 4]) * self._kernel_u
        gates = bias_add(gates, self._bias)
        i, j, f, o = split(gates, num_or_size_splits=4, axis=one)
        forget_bias = constant(self._forget_bias, dtype=f.dtype)
        kept = build.Mul(c, build.Sigmoid(build.Add(f, forget_bias)))
        new_c = build.Add(kept, build.Mul(build.Sigmoid(i), self._activation(j)))
        new_h = build.Mul(self._activation(new_c), build.Sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h)


@export("contrib.rnn.SRUCell")
class SRUCell(_Units):
    """A simple recurrent unit: gates depend on the inputs alone.

    Args:
        num_units: the number of units.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
        name: the name of the cell and its variable scope.
        **kwargs: further arguments of Layer.

    Source: T. Lei, Y. Zhang, "Training RNNs as Fast as CNNs", 2017.
    """

    def __init__(
        self,
        num_units: int,
        activation: Activation | None = None,
        reuse: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name=name, **kwargs)

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernel and bias.

        Args:
            inputs_shape: the shape of the inputs.
        """
        units = self._num_units
        self._kernel = self.add_variable(KERNEL, shape=[input_depth(inputs_shape), 4 * units])
        self._bias = self.add_variable(BIAS, shape=[2 * units], initializer=Zeros())
        self.built = True

    def call(self, inputs: TensorLike, state: NestedTensors | None) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `num_units` columns.

        Returns:
            The outputs and the new state.
        """
        parts = split(build.MatMul(inputs, self._kernel), num_or_size_splits=4, axis=1)
        x_bar, forget, reset, x = parts
        gates = build.Sigmoid(bias_add(concat([forget, reset], 1), self._bias))
        forget, reset = split(gates, num_or_size_splits=2, axis=1)
        c = forget * state + (1.0 - forget) * x_bar
        h = reset * self._activation(c) + (1.0 - reset) * x
        return h, c
