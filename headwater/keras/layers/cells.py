"""Cells of recurrent layers: one step of SimpleRNN, GRU and LSTM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Activation, ShapeLike, TensorLike
from headwater.graph import Tensor, build, export
from headwater.keras.backend.branches import in_train_phase
from headwater.keras.backend.random_values import dropout as dropped
from headwater.keras.layers.arguments import KerasConfig, resolved
from headwater.keras.layers.stacked_cells import zero_state
from headwater.model.trackable.containers import NoDependency
from headwater.model.variables.initializers import Ones
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like
from headwater.ops.array.split import split
from headwater.ops.array.stack import unstack
from headwater.ops.nn.bias import bias_add

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


class DropoutCell(KerasConfig):
    """The base of cells that drop elements of inputs and states, the same ones at each step.

    Attributes:
        gates: the number of matrices side by side in the kernels.
    """

    gates: int
    # The constructor sets those of its arguments that the cell has; `build` makes the variables.
    activation: Activation
    recurrent_activation: Activation
    use_bias: bool
    unit_forget_bias: bool
    implementation: int
    reset_after: bool
    kernel_initializer: Any
    kernel_regularizer: Any
    kernel_constraint: Any
    recurrent_initializer: Any
    recurrent_regularizer: Any
    recurrent_constraint: Any
    bias_initializer: Any
    bias_regularizer: Any
    bias_constraint: Any
    kernel: Any
    recurrent_kernel: Any
    bias: Any

    def __init__(self, arguments: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for name, value in resolved(**arguments).items():
            setattr(self, name, value)
        self.dropout = min(1.0, max(0.0, arguments["dropout"]))
        self.recurrent_dropout = min(1.0, max(0.0, arguments["recurrent_dropout"]))
        self._dropout_masks: Any = None
        self._recurrent_masks: Any = None

    def _add_weights(self, shapes: dict[str, Any], initial_bias: Any = None) -> None:
        """Makes the kernels, and the bias if there is one.

        Args:
            shapes: those of "kernel", "recurrent_kernel" and "bias".
            initial_bias: the initializer of the bias; that of the arguments if None.
        """
        for name, prefix in (("kernel", "kernel"), ("recurrent_kernel", "recurrent")):
            weight = self.add_weight(
                name,
                shape=shapes[name],
                initializer=getattr(self, f"{prefix}_initializer"),
                regularizer=getattr(self, f"{prefix}_regularizer"),
                constraint=getattr(self, f"{prefix}_constraint"),
            )
            setattr(self, name, weight)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=shapes["bias"],
                initializer=initial_bias or self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def _forget_bias_of_ones(self, width: int) -> Any:
        """An initializer of the bias with ones for the forget gate, the second of four.

        Args:
            width: the length of a gate.
        """

        def initial(shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
            parts = [
                self.bias_initializer((width,), dtype=dtype),
                Ones()((width,), dtype=dtype),
                self.bias_initializer((width * 2,), dtype=dtype),
            ]
            return concat(parts, axis=-1)

        return initial

    def reset_dropout_mask(self) -> None:
        """Draws the elements of inputs that are dropped anew at the next step."""
        self._dropout_masks = None

    def reset_recurrent_dropout_mask(self) -> None:
        """Draws the elements of states that are dropped anew at the next step."""
        self._recurrent_masks = None

    def _masks(self, x: TensorLike, rate: float, training: Any) -> Any:
        ones = ones_like(x)
        return [
            in_train_phase(lambda: dropped(ones, rate), ones, training=training)
            for _ in range(self.gates)
        ]

    def get_dropout_mask_for_cell(self, inputs: TensorLike, training: Any, count: int = 1) -> Any:
        """The factors of inputs, one for each gate; None without dropout."""
        if self.dropout == 0:
            return None
        if self._dropout_masks is None:
            self._dropout_masks = self._masks(inputs, self.dropout, training)
        return self._dropout_masks

    def get_recurrent_dropout_mask_for_cell(
        self, inputs: TensorLike, training: Any, count: int = 1
    ) -> Any:
        """The factors of states, one for each gate; None without dropout."""
        if self.recurrent_dropout == 0:
            return None
        if self._recurrent_masks is None:
            self._recurrent_masks = self._masks(inputs, self.recurrent_dropout, training)
        return self._recurrent_masks

    def _masked(self, x: Any, masks: Any) -> list[Any]:
        """The factors of the gates: an input with what is dropped for each."""
        return [x * mask for mask in masks] if masks else [x] * self.gates


class _Cell(DropoutCell):
    """The base of the cells of vectors."""

    def __init__(self, units: int, arguments: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(arguments, **kwargs)
        self.units = units
        self.state_size: Any = units
        self.output_size = units

    def _bias_shape(self) -> tuple[int, ...]:
        return (self.gates * self.units,)

    def _bias_initial(self) -> Any:
        """The initializer of the bias; that of the arguments if None."""
        return None

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the kernels and the bias."""
        width = self.units * self.gates
        shapes = {
            "kernel": (TensorShape(input_shape)[-1].value, width),
            "recurrent_kernel": (self.units, width),
            "bias": self._bias_shape(),
        }
        self._add_weights(shapes, self._bias_initial())
        self.built = True

    def _columns(self, kernel: Any, gate: int) -> Any:
        """The matrix of a gate."""
        if gate == 0:
            return kernel[:, : self.units]
        if gate == self.gates - 1:
            return kernel[:, gate * self.units :]
        return kernel[:, gate * self.units : (gate + 1) * self.units]

    def _bias_of(self, bias: Any, gate: int) -> Any:
        if gate == 0:
            return bias[: self.units]
        if gate == self.gates - 1:
            return bias[gate * self.units :]
        return bias[gate * self.units : (gate + 1) * self.units]

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """The states before the first step."""
        if inputs is not None:
            batch_size, dtype = build.Shape(inputs)[0], inputs.dtype
        return zero_state(self, batch_size, dtype)


def constructor_arguments(values: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a cell's constructor that its base takes by name.

    Args:
        values: the local variables of the constructor.
    """
    left_out = ("self", "units", "kwargs", "__class__", "values")
    return {name: value for name, value in values.items() if name not in left_out}


@export("keras.layers.SimpleRNNCell")
class SimpleRNNCell(_Cell):
    """One step of SimpleRNN: activation(x @ kernel + h @ recurrent_kernel + bias).

    Args:
        units: the number of outputs.
        activation: a function of the outputs.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of the kernel.
        recurrent_initializer: the initializer of the kernel of states.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: a function from the kernel to a loss.
        recurrent_regularizer: a function from the kernel of states to a loss.
        bias_regularizer: a function from the bias to a loss.
        kernel_constraint: a function from a new kernel to the one that is kept.
        recurrent_constraint: the same for the kernel of states.
        bias_constraint: the same for the bias.
        dropout: the part of the inputs that is dropped while training.
        recurrent_dropout: the part of the states that is dropped while training.
        **kwargs: further arguments of Layer.
    """

    gates = 1
    config_names = ("units", "activation", "use_bias", *_WEIGHTS, "dropout", "recurrent_dropout")

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, constructor_arguments(locals()), **kwargs)

    def call(self, inputs: Any, states: Sequence[Any], training: Any = None) -> Any:
        """Computes one step: the output and the list of states."""
        masks = self.get_dropout_mask_for_cell(inputs, training)
        h = build.MatMul(inputs * masks[0] if masks else inputs, self.kernel)
        if self.bias is not None:
            h = bias_add(h, self.bias)
        state = states[0]
        recurrent = self.get_recurrent_dropout_mask_for_cell(state, training)
        state = state * recurrent[0] if recurrent else state
        output = self.activation(h + build.MatMul(state, self.recurrent_kernel))
        return output, [output]


@export("keras.layers.GRUCell")
class GRUCell(_Cell):
    """One step of GRU; see SimpleRNNCell for the other arguments.

    Args:
        units: the number of outputs.
        activation: a function of the candidate.
        recurrent_activation: a function of the gates.
        implementation: 1 for a product per gate, 2 for one product.
        reset_after: whether the reset gate acts after the product, as cuDNN's does.
        **kwargs: further arguments of Layer.
    """

    gates = 3
    config_names = (
        "units",
        "activation",
        "recurrent_activation",
        "use_bias",
        *_WEIGHTS,
        "dropout",
        "recurrent_dropout",
        "implementation",
        "reset_after",
    )

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        reset_after: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, constructor_arguments(locals()), **kwargs)

    def _bias_shape(self) -> tuple[int, ...]:
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def call(self, inputs: Any, states: Sequence[Any], training: Any = None) -> Any:
        """Computes one step: the output and the list of states."""
        h = states[0]
        masks = self.get_dropout_mask_for_cell(inputs, training)
        recurrent = self.get_recurrent_dropout_mask_for_cell(h, training)
        bias = recurrent_bias = None
        if self.use_bias:
            bias = self.bias
            if self.reset_after:
                bias, recurrent_bias = unstack(self.bias)
        if self.implementation == 1:
            x = [
                build.MatMul(part, self._columns(self.kernel, gate))
                for gate, part in enumerate(self._masked(inputs, masks))
            ]
            if bias is not None:
                x = [bias_add(z, self._bias_of(bias, gate)) for gate, z in enumerate(x)]
        else:
            whole = build.MatMul(inputs * masks[0] if masks else inputs, self.kernel)
            x = split(whole if bias is None else bias_add(whole, bias), 3, axis=1)
        kept = self._masked(h, recurrent)

        def product(gate: int, state: Any) -> Any:
            result = build.MatMul(state, self._columns(self.recurrent_kernel, gate))
            if recurrent_bias is None:
                return result
            return bias_add(result, self._bias_of(recurrent_bias, gate))

        of_z, of_r = product(0, kept[0]), product(1, kept[1])
        z = self.recurrent_activation(x[0] + of_z)
        r = self.recurrent_activation(x[1] + of_r)
        of_h = r * product(2, kept[2]) if self.reset_after else product(2, r * kept[2])
        candidate = self.activation(x[2] + of_h)
        output = z * h + (1 - z) * candidate
        return output, [output]


@export("keras.layers.LSTMCell")
class LSTMCell(_Cell):
    """One step of LSTM; see SimpleRNNCell for the other arguments.

    Args:
        units: the number of outputs.
        activation: a function of candidate and output.
        recurrent_activation: a function of the gates.
        unit_forget_bias: whether the bias of the forget gate begins with 1.
        implementation: 1 for a product per gate, 2 for one product.
        **kwargs: further arguments of Layer.
    """

    gates = 4
    config_names = (
        "units",
        "activation",
        "recurrent_activation",
        "use_bias",
        *_WEIGHTS[:3],
        "unit_forget_bias",
        *_WEIGHTS[3:],
        "dropout",
        "recurrent_dropout",
        "implementation",
    )

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
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
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, constructor_arguments(locals()), **kwargs)
        self.state_size = NoDependency([units, units])

    def _bias_initial(self) -> Any:
        return self._forget_bias_of_ones(self.units) if self.unit_forget_bias else None

    def call(self, inputs: Any, states: Sequence[Any], training: Any = None) -> Any:
        """Computes one step: the output and the list of states."""
        h, c = states[0], states[1]
        masks = self.get_dropout_mask_for_cell(inputs, training)
        recurrent = self.get_recurrent_dropout_mask_for_cell(h, training)
        if self.implementation == 1:
            kernels = split(self.kernel, 4, axis=1)
            x = [build.MatMul(a, k) for a, k in zip(self._masked(inputs, masks), kernels)]
            if self.use_bias:
                x = [bias_add(a, b) for a, b in zip(x, split(self.bias, 4, axis=0))]
            kept = self._masked(h, recurrent)

            def gate(number: int) -> Any:
                columns = self._columns(self.recurrent_kernel, number)
                return x[number] + build.MatMul(kept[number], columns)

        else:
            whole = build.MatMul(inputs * masks[0] if masks else inputs, self.kernel)
            whole = whole + build.MatMul(
                h * recurrent[0] if recurrent else h, self.recurrent_kernel
            )
            parts = split(bias_add(whole, self.bias) if self.use_bias else whole, 4, axis=1)

            def gate(number: int) -> Any:
                return parts[number]

        o, c = self._gated(gate, c)
        output = o * self.activation(c)
        return output, [output, c]

    def _gated(self, gate: Callable[[int], Any], c: Any) -> tuple[Any, Any]:
        """The output gate and the new memory.

        Args:
            gate: the sum of products of a gate, by its number.
            c: the memory.
        """
        i = self.recurrent_activation(gate(0))
        f = self.recurrent_activation(gate(1))
        c = f * c + i * self.activation(gate(2))
        return self.recurrent_activation(gate(3)), c
