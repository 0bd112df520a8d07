"""LSTMStateTuple, BasicLSTMCell and LSTMCell."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.deprecation import notice
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
from headwater.model.rnn.activations import activation_name, activation_of
from headwater.model.rnn.basic import variable_dtype
from headwater.model.rnn.cell import BIAS, KERNEL, LayerRNNCell, check_floating, input_depth
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.partitioned_variable import fixed_size_partitioner
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.slice import slice_
from headwater.ops.array.split import split
from headwater.ops.math.extrema import clip_by_value
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.base.dtypes import DType
    from headwater.model.variables.variable_store import Reuse


@export("nn.rnn_cell.LSTMStateTuple", "contrib.rnn.LSTMStateTuple")
class LSTMStateTuple(namedtuple("LSTMStateTuple", ("c", "h"))):
    """The state of an LSTM: the cells `c` and the output `h`."""

    __slots__ = ()

    @property
    def dtype(self) -> DType:
        """The type of both.

        Raises:
            TypeError: if they differ.
        """
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError(f"Inconsistent internal state: {c.dtype} vs {h.dtype}")
        return c.dtype


def _warn_about_old_arguments(kwargs: dict[str, Any]) -> None:
    if kwargs.pop("input_size", None) is not None:
        notice("The argument input_size of a cell", "nothing: the input tells its size")


@export("nn.rnn_cell.BasicLSTMCell", "contrib.rnn.BasicLSTMCell")
class BasicLSTMCell(LayerRNNCell):
    """An LSTM cell without peepholes, projection or clipping.

    Args:
        num_units: the number of units.
        forget_bias: what is added to the bias of the forget gate.
        state_is_tuple: whether the state is an LSTMStateTuple; else one matrix of both, c first.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
        name: the name of the cell and its variable scope.
        dtype: the type of the variables; that of the first input if None.
        **kwargs: further arguments of Layer; `input_size` is accepted and not needed.

    Source: W. Zaremba et al., "Recurrent Neural Network Regularization", 2014.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation | str | None = None,
        reuse: Reuse = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        if state_is_tuple is None or type(state_is_tuple) is int:
            # Releases before 1.1: (num_units, forget_bias, input_size, state_is_tuple, ...).
            kwargs["input_size"] = state_is_tuple
            state_is_tuple = activation if isinstance(activation, bool) else True
            activation = None if isinstance(activation, bool) else activation
        _warn_about_old_arguments(kwargs)
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation)

    @property
    def state_size(self) -> LSTMStateTuple | int:
        """The sizes of c and h; their sum if the state is not a tuple."""
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self._num_units)
        return 2 * self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernel and bias.

        Args:
            inputs_shape: the shape of the inputs.
        """
        depth, units = input_depth(inputs_shape), self._num_units
        check_floating(self.dtype)
        self._kernel = self.add_variable(KERNEL, shape=[depth + units, 4 * units])
        self._bias = self.add_variable(
            BIAS, shape=[4 * units], initializer=Zeros(dtype=variable_dtype(self.dtype))
        )
        self.built = True

    def call(
        self, inputs: NestedTensors, state: NestedTensors
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: an LSTMStateTuple of matrices, or one matrix.

        Returns:
            The new h, and the new state.
        """
        check_floating(inputs, state)
        one = constant(1, dtype=dtypes.int32)
        c, h = state if self._state_is_tuple else split(state, num_or_size_splits=2, axis=one)
        gates = build.MatMul(concat([inputs, h], 1), self._kernel)
        gates = bias_add(gates, self._bias)
        i, j, f, o = split(gates, num_or_size_splits=4, axis=one)
        forget_bias = constant(self._forget_bias, dtype=f.dtype)
        kept = build.Mul(c, build.Sigmoid(build.Add(f, forget_bias)))
        new_c = build.Add(kept, build.Mul(build.Sigmoid(i), self._activation(j)))
        new_h = build.Mul(self._activation(new_c), build.Sigmoid(o))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, concat([new_c, new_h], 1)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which the cell was made."""
        return {
            **super().get_config(),
            "num_units": self._num_units,
            "forget_bias": self._forget_bias,
            "state_is_tuple": self._state_is_tuple,
            "activation": activation_name(self._activation),
            "reuse": self._reuse,
        }


@export("nn.rnn_cell.LSTMCell", "contrib.rnn.LSTMCell")
class LSTMCell(LayerRNNCell):
    """An LSTM cell with optional peepholes, projection and clipping.

    Args:
        num_units: the number of units.
        use_peepholes: whether the gates see c.
        cell_clip: the largest absolute value of c; None for no clipping.
        initializer: the initializer of the weights and the projection.
        num_proj: the number of outputs, if they are projected.
        proj_clip: the largest absolute value of projected outputs; None for no clipping.
        num_unit_shards: the number of parts of the kernel; better use a partitioner of the scope.
        num_proj_shards: the number of parts of the projection.
        forget_bias: what is added to the bias of the forget gate.
        state_is_tuple: whether the state is an LSTMStateTuple; else one matrix of both, c first.
        activation: a function of tensors, or the name of one; tanh if None.
        reuse: whether existing variables are used.
        name: the name of the cell and its variable scope.
        dtype: the type of the variables; that of the first input if None.
        **kwargs: further arguments of Layer; `input_size` is accepted and not needed.

    Source: H. Sak et al., "Long Short-Term Memory Recurrent Neural Network Architectures for
    Large Scale Acoustic Modeling", 2014.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation | str | None = None,
        reuse: Reuse = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        if type(use_peepholes) is int:
            # Releases before 1.1: the size of the input was the second argument.
            kwargs["input_size"], use_peepholes = use_peepholes, False
        _warn_about_old_arguments(kwargs)
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation)

    @property
    def state_size(self) -> LSTMStateTuple | int:
        """The sizes of c and h; their sum if the state is not a tuple."""
        sizes = LSTMStateTuple(self._num_units, self._num_proj or self._num_units)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The number of units, or of projected outputs."""
        return self._num_proj or self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernel, bias, the weights of peepholes and the projection.

        Args:
            inputs_shape: the shape of the inputs.
        """
        depth, units = input_depth(inputs_shape), self._num_units
        check_floating(self.dtype)
        outputs = self.output_size
        self._kernel = self.add_variable(
            KERNEL,
            shape=[depth + outputs, 4 * units],
            initializer=self._initializer,
            partitioner=_parts(self._num_unit_shards),
        )
        self._bias = self.add_variable(
            BIAS, shape=[4 * units], initializer=Zeros(dtype=variable_dtype(self.dtype))
        )
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = (
                self.add_variable(f"w_{gate}_diag", shape=[units], initializer=self._initializer)
                for gate in "fio"
            )
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable(
                f"projection/{KERNEL}",
                shape=[units, self._num_proj],
                initializer=self._initializer,
                partitioner=_parts(self._num_proj_shards),
            )
        self.built = True

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
        check_floating(inputs, state)
        units = self._num_units
        if self._state_is_tuple:
            c_prev, h_prev = state
        else:
            c_prev = slice_(state, [0, 0], [-1, units])
            h_prev = slice_(state, [0, units], [-1, self.output_size])
        if inputs.shape.with_rank(2)[1].value is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        gates = build.MatMul(concat([inputs, h_prev], 1), self._kernel)
        gates = bias_add(gates, self._bias)
        i, j, f, o = split(gates, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            forget = build.Sigmoid(f + self._forget_bias + self._w_f_diag * c_prev)
            kept = forget * c_prev
            c = kept + build.Sigmoid(i + self._w_i_diag * c_prev) * self._activation(j)
        else:
            kept = build.Sigmoid(f + self._forget_bias) * c_prev
            c = kept + build.Sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            h = build.Sigmoid(o + self._w_o_diag * c) * self._activation(c)
        else:
            h = build.Sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            h = build.MatMul(h, self._proj_kernel)
            if self._proj_clip is not None:
                h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else concat([c, h], 1)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which the cell was made."""
        return {
            **super().get_config(),
            "num_units": self._num_units,
            "use_peepholes": self._use_peepholes,
            "cell_clip": self._cell_clip,
            "initializer": self._initializer,
            "num_proj": self._num_proj,
            "proj_clip": self._proj_clip,
            "num_unit_shards": self._num_unit_shards,
            "num_proj_shards": self._num_proj_shards,
            "forget_bias": self._forget_bias,
            "state_is_tuple": self._state_is_tuple,
            "activation": activation_name(self._activation),
            "reuse": self._reuse,
        }


def _parts(shards: int | None) -> Callable[..., Any] | None:
    return None if shards is None else fixed_size_partitioner(shards)
