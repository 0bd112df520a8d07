"""MinimalRNNCell and CFNCell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import (
    Activation,
    DTypeLike,
    InitializerLike,
    NestedTensors,
    ShapeLike,
    TensorLike,
)
from headwater.graph import Tensor, build
from headwater.model.layers.input_spec import InputSpec
from headwater.model.rnn.activations import activation_of
from headwater.model.rnn.cell import LayerRNNCell, input_depth
from headwater.model.variables.initializers import Initializer, Ones
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.ops.array.concat import concat
from headwater.ops.array.split import split
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable

_NAMED = {"glorot_uniform": GlorotUniform, "ones": Ones}


def _initializer(value: str) -> Initializer:
    return _NAMED[value]() if isinstance(value, str) else value


class _Units(LayerRNNCell):
    def __init__(
        self,
        units: int,
        activation: Activation | str = "tanh",
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "ones",
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self.units = units
        self.activation = activation_of(activation, default="linear")
        self.kernel_initializer = _initializer(kernel_initializer)
        self.bias_initializer = _initializer(bias_initializer)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self.units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self.units

    def _weights(self, name: str, shape: list[int]) -> Variable:
        return self.add_variable(name, shape=shape, initializer=self.kernel_initializer)

    def _biases(self, size: int) -> Variable:
        return self.add_variable("bias", shape=[size], initializer=self.bias_initializer)


class MinimalRNNCell(_Units):
    """A cell that mixes its state with a feature of the inputs.

    Args:
        units: the number of units.
        activation: a function of tensors, or the name of one.
        kernel_initializer: the initializer of the kernel.
        bias_initializer: the initializer of the bias.
        name: the name of the cell and its variable scope.
        dtype: the type of the variables.
        **kwargs: further arguments of Layer.

    Source: M. Chen, "MinimalRNN: Toward More Interpretable and Trainable Recurrent Neural
    Networks", 2018.
    """

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernel and bias.

        Args:
            inputs_shape: the shape of the inputs.
        """
        self._depth = input_depth(inputs_shape)
        self.kernel = self._weights("kernel", [self._depth + 2 * self.units, self.units])
        self.bias = self._biases(self.units)
        self.built = True

    def call(self, inputs: TensorLike, state: NestedTensors | None) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `units` columns.

        Returns:
            The new state, twice.
        """
        sizes = [self._depth, 2 * self.units]
        forward, gates = split(self.kernel, num_or_size_splits=sizes, axis=0)
        feature = self.activation(build.MatMul(inputs, forward))
        update = build.MatMul(concat([feature, state], 1), gates)
        u = build.Sigmoid(bias_add(update, self.bias))
        new_state = u * state + (1 - u) * feature
        return new_state, new_state


class CFNCell(_Units):
    """A cell without chaotic dynamics.

    Args:
        units: the number of units.
        activation: a function of tensors, or the name of one.
        kernel_initializer: the initializer of the kernels.
        bias_initializer: the initializer of the bias.
        name: the name of the cell and its variable scope.
        dtype: the type of the variables.
        **kwargs: further arguments of Layer.

    Source: T. Laurent, J. von Brecht, "A Recurrent Neural Network without Chaos", 2016.
    """

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernels and bias.

        Args:
            inputs_shape: the shape of the inputs.
        """
        self.kernel = self._weights("kernel", [input_depth(inputs_shape), 3 * self.units])
        self.recurrent_kernel = self._weights("recurrent_kernel", [self.units, 2 * self.units])
        self.bias = self._biases(2 * self.units)
        self.built = True

    def call(self, inputs: TensorLike, state: TensorLike) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `units` columns.

        Returns:
            The new state, twice.
        """
        sizes = [2 * self.units, self.units]
        gate_kernel, kernel = split(self.kernel, num_or_size_splits=sizes, axis=1)
        gates = build.MatMul(state, self.recurrent_kernel)
        gates = gates + build.MatMul(inputs, gate_kernel)
        gates = build.Sigmoid(bias_add(gates, self.bias))
        theta, eta = split(gates, num_or_size_splits=2, axis=1)
        proposal = build.MatMul(inputs, kernel)
        new_state = theta * self.activation(state) + (1 - eta) * self.activation(proposal)
        return new_state, new_state
