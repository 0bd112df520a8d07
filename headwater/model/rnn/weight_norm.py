"""WeightNormLSTMCell: an LSTM cell with weight normalization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import Activation, InitializerLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build
from headwater.model.nn.batch_normalization import l2_normalize
from headwater.model.rnn.activations import activation_of
from headwater.model.rnn.cell import BIAS, KERNEL, RNNCell
from headwater.model.rnn.linear import total_width
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.variables.initializers import Constant
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.split import split
from headwater.ops.math.extrema import clip_by_value
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


class WeightNormLSTMCell(RNNCell):
    """An LSTM cell with weight normalization, and optional peepholes, projection and clipping.

    Args:
        num_units: the number of units.
        norm: whether weights are normalized.
        use_peepholes: whether the gates see c.
        cell_clip: the largest absolute value of c; None for no clipping.
        initializer: the initializer of the weights.
        num_proj: the number of outputs, if they are projected.
        proj_clip: the largest absolute value of projected outputs; None for no clipping.
        forget_bias: what is added to the bias of the forget gate.
        activation: a function of tensors; tanh if None.
        reuse: whether existing variables are used.

    Source: T. Salimans, D. Kingma, "Weight Normalization: A Simple Reparameterization to
    Accelerate Training of Deep Neural Networks", 2016.
    """

    def __init__(
        self,
        num_units: int,
        norm: bool = True,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        forget_bias: float = 1,
        activation: Activation | None = None,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        # The layer's scope is a name, so it is opened again below the scope of the call.
        self._scope = "wn_lstm_cell"  # type: ignore[assignment]
        self._num_units = num_units
        self._norm = norm
        self._initializer = initializer
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._activation = activation_of(activation)
        self._forget_bias = forget_bias

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> int:
        """The number of units, or of projected outputs."""
        return self._num_proj or self._num_units

    def _normalized(self, weights: TensorLike, name: str) -> Tensor:
        """Columns of length 1, times lengths that are a variable."""
        output_size = weights.get_shape().as_list()[1]
        g = get_variable(name, [output_size], dtype=weights.dtype)
        return l2_normalize(weights, axis=0) * g

    def _linear(
        self, args: list[Any], size: int, bias: bool, initializer: InitializerLike | None = None
    ) -> Tensor:
        dtype = args[0].dtype
        with variable_scope(get_variable_scope()) as outer:
            weights = get_variable(
                KERNEL, [total_width(args), size], dtype=dtype, initializer=initializer
            )
            if self._norm:
                parts, start = [], 0
                for i, arg in enumerate(args):
                    end = start + arg.get_shape()[1].value
                    parts.append(self._normalized(weights[start:end, :], f"norm_{i}"))
                    start = end
                weights = concat(parts, axis=0)
            result = build.MatMul(args[0] if len(args) == 1 else concat(args, 1), weights)
            if not bias:
                return result
            with variable_scope(outer) as inner:
                inner.set_partitioner(None)
                biases = get_variable(
                    BIAS, [size], dtype=dtype, initializer=Constant(0.0, dtype=dtype)
                )
            return bias_add(result, biases)

    def call(
        self, inputs: NestedTensors, state: NestedTensors
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: an LSTMStateTuple.

        Returns:
            The new h, and the new state.
        """
        dtype, units = inputs.dtype, self._num_units
        c, h = state
        with variable_scope(self._scope, initializer=self._initializer):
            gates = self._linear([inputs, h], 4 * units, bias=True)
            i, j, f, o = split(gates, num_or_size_splits=4, axis=1)
            if self._use_peepholes:
                w_f, w_i, w_o = (
                    get_variable(f"w_{g}_diag", shape=[units], dtype=dtype) for g in "fio"
                )
                new_c = c * build.Sigmoid(f + self._forget_bias + w_f * c)
                new_c = new_c + build.Sigmoid(i + w_i * c) * self._activation(j)
            else:
                new_c = c * build.Sigmoid(f + self._forget_bias)
                new_c = new_c + build.Sigmoid(i) * self._activation(j)
            if self._cell_clip is not None:
                new_c = clip_by_value(new_c, -self._cell_clip, self._cell_clip)
            if self._use_peepholes:
                new_h = build.Sigmoid(o + w_o * new_c) * self._activation(new_c)
            else:
                new_h = build.Sigmoid(o) * self._activation(new_c)
            if self._num_proj is not None:
                with variable_scope("projection"):
                    new_h = self._linear([new_h], self._num_proj, bias=False)
                if self._proj_clip is not None:
                    new_h = clip_by_value(new_h, -self._proj_clip, self._proj_clip)
        return new_h, LSTMStateTuple(new_c, new_h)
