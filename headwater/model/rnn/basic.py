"""BasicRNNCell and GRUCell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.deprecation import notice
from headwater.base.dtypes import as_dtype
from headwater.base.typing import Activation, DTypeLike, InitializerLike, NestedTensors, ShapeLike
from headwater.graph import Tensor, build, export
from headwater.model.layers.input_spec import InputSpec
from headwater.model.rnn.activations import activation_name, activation_of
from headwater.model.rnn.cell import BIAS, KERNEL, LayerRNNCell, check_floating, input_depth
from headwater.model.variables.initializers import Constant, Zeros
from headwater.ops.array.concat import concat
from headwater.ops.array.split import split
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


def old_arguments(
    activation: Activation | str | None, reuse: Reuse, kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """Unpacks (input_size, activation), which releases before 1.1 had in this position.

    Args:
        activation: the argument after the number of units.
        reuse: the next one.
        kwargs: the keywords, of which `input_size` is taken away.

    Returns:
        The activation and the argument `reuse`.
    """
    given = "input_size" in kwargs
    size = kwargs.pop("input_size", None)
    if isinstance(activation, int) or callable(reuse):
        given, size = True, activation
        activation, reuse = (reuse, None) if callable(reuse) else (None, reuse)
    if given and size is not None:
        notice("The argument input_size of a cell", "nothing: the input tells its size")
    return activation, reuse


def variable_dtype(name: str | None) -> DTypeLike:
    """The type of the variables of a layer; float32 before it knows its type."""
    return as_dtype(name or "float32")


@export("nn.rnn_cell.BasicRNNCell", "contrib.rnn.BasicRNNCell")
class BasicRNNCell(LayerRNNCell):
    """The simplest cell: output = state = activation(inputs @ W + state @ U + bias).

    Args:
        num_units: the number of units.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
        name: the name of the cell and its variable scope.
        dtype: the type of the variables; that of the first input if None.
        **kwargs: further arguments of Layer; `input_size` is accepted and not needed.
    """

    def __init__(
        self,
        num_units: int,
        activation: Activation | str | None = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        activation, reuse = old_arguments(activation, reuse, kwargs)
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
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

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernel and bias.

        Args:
            inputs_shape: the shape of the inputs.
        """
        depth = input_depth(inputs_shape)
        check_floating(self.dtype)
        self._kernel = self.add_variable(KERNEL, shape=[depth + self._num_units, self._num_units])
        self._bias = self.add_variable(
            BIAS,
            shape=[self._num_units],
            initializer=Zeros(dtype=variable_dtype(self.dtype)),
        )
        self.built = True

    def call(self, inputs: NestedTensors, state: NestedTensors | None) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `num_units` columns.

        Returns:
            The new state, twice.
        """
        check_floating(inputs, state)
        gates = build.MatMul(concat([inputs, state], 1), self._kernel)
        output = self._activation(bias_add(gates, self._bias))
        return output, output

    def get_config(self) -> dict[str, Any]:
        """The arguments with which the cell was made."""
        return {
            **super().get_config(),
            "num_units": self._num_units,
            "activation": activation_name(self._activation),
            "reuse": self._reuse,
        }


@export("nn.rnn_cell.GRUCell", "contrib.rnn.GRUCell")
class GRUCell(LayerRNNCell):
    """A gated recurrent unit: state' = u * state + (1 - u) * candidate(inputs, r * state).

    Args:
        num_units: the number of units.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
        kernel_initializer: the initializer of the kernels; that of the scope if None.
        bias_initializer: the initializer of the biases; by default 1 for gates, else 0.
        name: the name of the cell and its variable scope.
        dtype: the type of the variables; that of the first input if None.
        **kwargs: further arguments of Layer; `input_size` is accepted and not needed.

    Source: K. Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for
    Statistical Machine Translation", 2014.
    """

    def __init__(
        self,
        num_units: int,
        activation: Activation | str | None = None,
        reuse: Any = None,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        activation, reuse = old_arguments(activation, reuse, kwargs)
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_of(activation)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernels and biases of the gates and of the candidate.

        Args:
            inputs_shape: the shape of the inputs.
        """
        depth, units = input_depth(inputs_shape), self._num_units
        check_floating(self.dtype)
        dtype = variable_dtype(self.dtype)
        given = self._bias_initializer
        self._gate_kernel = self.add_variable(
            f"gates/{KERNEL}",
            shape=[depth + units, 2 * units],
            initializer=self._kernel_initializer,
        )
        self._gate_bias = self.add_variable(
            f"gates/{BIAS}",
            shape=[2 * units],
            initializer=given if given is not None else Constant(1.0, dtype=dtype),
        )
        self._candidate_kernel = self.add_variable(
            f"candidate/{KERNEL}",
            shape=[depth + units, units],
            initializer=self._kernel_initializer,
        )
        self._candidate_bias = self.add_variable(
            f"candidate/{BIAS}",
            shape=[units],
            initializer=given if given is not None else Zeros(dtype=dtype),
        )
        self.built = True

    def call(self, inputs: NestedTensors, state: NestedTensors | None) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of `num_units` columns.

        Returns:
            The new state, twice.
        """
        check_floating(inputs, state)
        gates = build.MatMul(concat([inputs, state], 1), self._gate_kernel)
        gates = build.Sigmoid(bias_add(gates, self._gate_bias))
        r, u = split(gates, num_or_size_splits=2, axis=1)
        candidate = build.MatMul(concat([inputs, r * state], 1), self._candidate_kernel)
        candidate = self._activation(bias_add(candidate, self._candidate_bias))
        new_state = u * state + (1 - u) * candidate
        return new_state, new_state

    def get_config(self) -> dict[str, Any]:
        """The arguments with which the cell was made."""
        return {
            **super().get_config(),
            "num_units": self._num_units,
            "kernel_initializer": self._kernel_initializer,
            "bias_initializer": self._bias_initializer,
            "activation": activation_name(self._activation),
            "reuse": self._reuse,
        }
