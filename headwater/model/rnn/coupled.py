"""CoupledInputForgetGateLSTMCell, and variables in shards as older cells have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.base.typing import Activation, DTypeLike, InitializerLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, export, get_default_graph
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.layer_norm import normalized
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable, get_variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.slice import slice_
from headwater.ops.array.split import split
from headwater.ops.math.extrema import clip_by_value
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.base.dtypes import DType
    from headwater.model.variables.variable_store import Reuse

_CONCATENATED = "concatenated_variables"


def sharded_variable(name: str, shape: list[int], dtype: DType, shards: int) -> Any:
    """A variable in parts along its first axis, joined.

    Args:
        name: the name; that of part i is name_i.
        shape: the shape of the whole.
        dtype: the type.
        shards: the number of parts.

    Returns:
        The variable, or the tensor of the joined parts.

    Raises:
        ValueError: if there are more parts than rows.
    """
    if shards > shape[0]:
        raise ValueError(f"Too many shards: shape={shape}, num_shards={shards}")
    rows, more = divmod(shape[0], shards)
    parts = [
        get_variable(f"{name}_{i}", [rows + (i < more), *shape[1:]], dtype=dtype)
        for i in range(shards)
    ]
    if shards == 1:
        return parts[0]
    joined_name = f"{name}/concat"
    full_name = f"{get_variable_scope().name}/{joined_name}:0"
    for value in get_default_graph().get_collection(_CONCATENATED):
        if value.name == full_name:
            return value
    joined = concat(parts, 0, name=joined_name)
    get_default_graph().add_to_collection(_CONCATENATED, joined)
    return joined


@export("contrib.rnn.CoupledInputForgetGateLSTMCell")
class CoupledInputForgetGateLSTMCell(RNNCell):
    """An LSTM cell whose input gate is 1 minus its forget gate.

    Args:
        num_units: the number of units.
        use_peepholes: whether the gates see c.
        initializer: accepted; the initializer of the scope is used.
        num_proj: the number of outputs, if they are projected.
        proj_clip: the largest absolute value of projected outputs; None for no clipping.
        num_unit_shards: the number of parts of the kernel.
        num_proj_shards: the number of parts of the projection.
        forget_bias: what is added to the bias of the forget gate.
        state_is_tuple: whether the state is an LSTMStateTuple; else one matrix of both.
        activation: a function of tensors.
        reuse: whether existing variables are used.
        layer_norm: whether gates and state are normalized.
        norm_gain: the first value of the gains.
        norm_shift: the first value of the shifts.

    Source: K. Greff et al., "LSTM: A Search Space Odyssey", 2015.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: InitializerLike = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation = build.Tanh,
        reuse: Reuse = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        super().__init__(_reuse=reuse)
        if not state_is_tuple:
            logging.warning(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use "
                "state_is_tuple=True.",
                self,
            )
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    @property
    def state_size(self) -> LSTMStateTuple | int:
        """The sizes of c and h; their sum if the state is not a tuple."""
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The number of units, or of projected outputs."""
        return self._num_proj or self._num_units

    def _norm(self, x: TensorLike, scope: str, dtype: DTypeLike) -> Tensor:
        return normalized(x, scope, self._norm_gain, self._norm_shift, dtype)

    def call(self, inputs: NestedTensors, state: TensorLike) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: an LSTMStateTuple of matrices, or one matrix.

        Returns:
            The new h, and the new state.

        Raises:
            ValueError: if the number of columns of the inputs is unknown.
        """
        units, outputs, dtype = self._num_units, self.output_size, inputs.dtype
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = slice_(state, [0, 0], [-1, units])
            m_prev = slice_(state, [0, units], [-1, outputs])
        width = inputs.get_shape().with_rank(2)[1].value
        if width is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        kernel = sharded_variable("W", [width + outputs, 3 * units], dtype, self._num_unit_shards)
        bias = get_variable("B", shape=[3 * units], initializer=Zeros(), dtype=dtype)
        gates = build.MatMul(concat([inputs, m_prev], 1), kernel)
        if not self._layer_norm:
            gates = bias_add(gates, bias)
        j, f, o = split(gates, num_or_size_splits=3, axis=1)
        if self._layer_norm:
            j = self._norm(j, "transform", dtype)
            f = self._norm(f, "forget", dtype)
            o = self._norm(o, "output", dtype)
        if self._use_peepholes:
            w_f = get_variable("W_F_diag", shape=[units], dtype=dtype)
            w_o = get_variable("W_O_diag", shape=[units], dtype=dtype)
            forget = build.Sigmoid(f + self._forget_bias + w_f * c_prev)
        else:
            forget = build.Sigmoid(f + self._forget_bias)
        c = forget * c_prev + (1 - forget) * self._activation(j)
        if self._layer_norm:
            c = self._norm(c, "state", dtype)
        if self._use_peepholes:
            m = build.Sigmoid(o + w_o * c) * self._activation(c)
        else:
            m = build.Sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            projection = sharded_variable(
                "W_P", [units, self._num_proj], dtype, self._num_proj_shards
            )
            m = build.MatMul(m, projection)
            if self._proj_clip is not None:
                m = clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else concat([c, m], 1)
