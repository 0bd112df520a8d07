"""LSTM cells with layer normalization: LayerNormBasicLSTMCell and LayerNormLSTMCell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, logging
from headwater.base.typing import Activation, DTypeLike, InitializerLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, export
from headwater.model.nn.batch_normalization import batch_normalization
from headwater.model.nn.dropout import dropout
from headwater.model.nn.moments import moments
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
    from headwater.base.dtypes import DType
    from headwater.model.variables.variable_store import Reuse


def normalized(x: TensorLike, scope: str, gain: float, shift: float, dtype: DType | None) -> Tensor:
    """Rows of mean 0 and variance 1, times gamma, plus beta.

    Args:
        x: a matrix.
        scope: the variable scope of gamma and beta.
        gain: the first value of gamma.
        shift: the first value of beta.
        dtype: the type of the variables.

    Returns:
        A matrix.

    Source: J. Ba et al., "Layer Normalization", 2016.
    """
    shape = x.get_shape()[-1:]
    with variable_scope(scope):
        gamma = get_variable("gamma", shape=shape, initializer=Constant(gain), dtype=dtype)
        beta = get_variable("beta", shape=shape, initializer=Constant(shift), dtype=dtype)
    with variable_scope(scope, reuse=True):
        axes = list(range(1, x.get_shape().ndims))
        mean, variance = moments(x, axes, keep_dims=True)
        epsilon = 1e-3 if x.dtype == dtypes.float16 else 1e-12
        result = batch_normalization(
            x, mean, variance, offset=beta, scale=gamma, variance_epsilon=epsilon
        )
        result.set_shape(x.get_shape())
        return result


@export("contrib.rnn.LayerNormBasicLSTMCell")
class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM cell with layer normalization of its gates and dropout of its candidate.

    Args:
        num_units: the number of units.
        forget_bias: what is added to the bias of the forget gate.
        input_size: accepted and not needed.
        activation: a function of tensors.
        layer_norm: whether gates and state are normalized; else there is a bias.
        norm_gain: the first value of the gains.
        norm_shift: the first value of the shifts.
        dropout_keep_prob: the probability that an element of the candidate is kept.
        dropout_prob_seed: the seed of dropout.
        reuse: whether existing variables are used.

    Source: J. Ba et al., "Layer Normalization", 2016; S. Semeniuta et al., "Recurrent Dropout
    without Memory Loss", 2016.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: int | None = None,
        activation: Activation = build.Tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: TensorLike = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if input_size is not None:
            logging.warning("%s: The input_size parameter is deprecated.", self)
        self._num_units = num_units
        self._activation = activation
        self._forget_bias = forget_bias
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def _norm(self, x: TensorLike, scope: str, dtype: DTypeLike) -> Tensor:
        return normalized(x, scope, self._norm_gain, self._norm_shift, dtype)

    def _gates(self, args: TensorLike) -> Tensor:
        size = 4 * self._num_units
        weights = get_variable(KERNEL, [args.get_shape()[-1], size], dtype=args.dtype)
        gates = build.MatMul(args, weights)
        if self._layer_norm:
            return gates
        return bias_add(gates, get_variable(BIAS, [size], dtype=args.dtype))

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
        c, h = state
        args = concat([inputs, h], 1)
        gates = split(self._gates(args), num_or_size_splits=4, axis=1)
        if self._layer_norm:
            scopes = ("input", "transform", "forget", "output")
            gates = [self._norm(x, s, args.dtype) for x, s in zip(gates, scopes, strict=True)]
        i, j, f, o = gates
        g = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            g = dropout(g, self._keep_prob, seed=self._seed)
        new_c = c * build.Sigmoid(f + self._forget_bias) + build.Sigmoid(i) * g
        if self._layer_norm:
            new_c = self._norm(new_c, "state", args.dtype)
        new_h = self._activation(new_c) * build.Sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class LayerNormLSTMCell(RNNCell):
    """An LSTM cell with layer normalization, and optional peepholes, projection and clipping.

    Args:
        num_units: the number of units.
        use_peepholes: whether the gates see c.
        cell_clip: the largest absolute value of c; None for no clipping.
        initializer: the initializer of the weights.
        num_proj: the number of outputs, if they are projected.
        proj_clip: the largest absolute value of projected outputs; None for no clipping.
        forget_bias: what is added to the bias of the forget gate.
        activation: a function of tensors; tanh if None.
        layer_norm: whether gates and state are normalized.
        norm_gain: the first value of the gains.
        norm_shift: the first value of the shifts.
        reuse: whether existing variables are used.

    Source: J. Ba et al., "Layer Normalization", 2016.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        forget_bias: float = 1.0,
        activation: Activation | None = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = activation_of(activation)
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> int:
        """The number of units, or of projected outputs."""
        return self._num_proj or self._num_units

    def _norm(self, x: TensorLike, scope: str) -> Tensor:
        return normalized(x, scope, self._norm_gain, self._norm_shift, None)

    def _linear(self, args: list[Any], size: int, bias: bool = True, norm: bool = False) -> Any:
        dtype = args[0].dtype
        outer = get_variable_scope()
        with variable_scope(outer) as outer_scope:
            weights = get_variable(KERNEL, [total_width(args), size], dtype=dtype)
            joined = args[0] if len(args) == 1 else concat(args, 1)
            result = build.MatMul(joined, weights)
            if not bias:
                return result
            with variable_scope(outer_scope) as inner:
                inner.set_partitioner(None)
                biases = get_variable(
                    BIAS, [size], dtype=dtype, initializer=Constant(0.0, dtype=dtype)
                )
        return result if norm else bias_add(result, biases)

    def call(
        self, inputs: NestedTensors, state: NestedTensors
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: an LSTMStateTuple.

        Returns:
            The new h, and the new state.

        Raises:
            ValueError: if the number of columns of the inputs is unknown.
        """
        c_prev, m_prev = state
        dtype, units = inputs.dtype, self._num_units
        if inputs.get_shape().with_rank(2)[1].value is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        with variable_scope(get_variable_scope(), initializer=self._initializer) as scope:
            gates = self._linear([inputs, m_prev], 4 * units, norm=self._layer_norm)
            gates = split(gates, num_or_size_splits=4, axis=1)
            if self._layer_norm:
                scopes = ("input", "transform", "forget", "output")
                gates = [self._norm(x, s) for x, s in zip(gates, scopes, strict=True)]
            i, j, f, o = gates
            if self._use_peepholes:
                with variable_scope(scope):
                    w_f, w_i, w_o = (
                        get_variable(f"w_{g}_diag", shape=[units], dtype=dtype) for g in "fio"
                    )
                forget = build.Sigmoid(f + self._forget_bias + w_f * c_prev)
                c = forget * c_prev + build.Sigmoid(i + w_i * c_prev) * self._activation(j)
            else:
                forget = build.Sigmoid(f + self._forget_bias)
                c = forget * c_prev + build.Sigmoid(i) * self._activation(j)
            if self._layer_norm:
                c = self._norm(c, "state")
            if self._cell_clip is not None:
                c = clip_by_value(c, -self._cell_clip, self._cell_clip)
            if self._use_peepholes:
                m = build.Sigmoid(o + w_o * c) * self._activation(c)
            else:
                m = build.Sigmoid(o) * self._activation(c)
            if self._num_proj is not None:
                with variable_scope("projection"):
                    m = self._linear([m], self._num_proj, bias=False)
                if self._proj_clip is not None:
                    m = clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m)
