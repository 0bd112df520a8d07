"""Cells of one op per step, and the LSTM of one op for all steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.deprecation import notice
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, shape_tensor
from headwater.model.layers.base import Layer
from headwater.model.layers.input_spec import InputSpec
from headwater.model.rnn.cell import LayerRNNCell
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.variables.initializers import Constant
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.getitem import sequence_mask
from headwater.ops.array.stack import stack, unstack
from headwater.ops.array.transpose import transpose
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_max

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


def lstm_block_cell(
    x: TensorLike,
    cs_prev: TensorLike,
    h_prev: TensorLike,
    w: TensorLike,
    b: TensorLike,
    wci: TensorLike | None = None,
    wcf: TensorLike | None = None,
    wco: TensorLike | None = None,
    forget_bias: float | None = None,
    cell_clip: float | None = None,
    use_peephole: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """One step of an LSTM as one op.

    Args:
        x: the inputs, one row per sequence.
        cs_prev: the cells before the step.
        h_prev: the outputs before the step.
        w: the weights of [x, h_prev]: input gate, candidate, forget gate, output gate.
        b: the biases.
        wci: the weights of the cells in the input gate.
        wcf: the same for the forget gate.
        wco: the same for the output gate.
        forget_bias: what is added to the forget gate; 1 by default.
        cell_clip: the largest absolute value of a cell; none by default.
        use_peephole: whether the weights of the cells are used.
        name: the name of the node.

    Returns:
        Input gate, cells, forget gate, output gate, candidate, tanh of the cells, outputs.

    Raises:
        ValueError: if the number of units is unknown.
    """
    if wci is None:
        units = cs_prev.get_shape().with_rank(2)[1].value
        if units is None:
            raise ValueError("cell_size from `cs_prev` should not be None.")
        wci = wcf = wco = _zero_peepholes(units, cs_prev.dtype)
    return build.LSTMBlockCell(
        x,
        cs_prev,
        h_prev,
        w,
        wci,
        wcf,
        wco,
        b,
        forget_bias=1.0 if forget_bias is None else forget_bias,
        cell_clip=-1 if cell_clip is None else cell_clip,
        use_peephole=bool(use_peephole),
        name=name,
    )


def block_lstm(
    seq_len_max: TensorLike,
    x: list[Any],
    w: TensorLike,
    b: TensorLike,
    cs_prev: Any = None,
    h_prev: Any = None,
    wci: Any = None,
    wcf: Any = None,
    wco: Any = None,
    forget_bias: float | None = None,
    cell_clip: float | None = None,
    use_peephole: bool | None = None,
    name: str | None = None,
) -> list[Any]:
    """All steps of an LSTM as one op, from and to lists of tensors.

    Args:
        seq_len_max: the number of steps, an int64 scalar.
        x: the inputs of the steps, one row per sequence.
        w: the weights of [x, h_prev]: input gate, candidate, forget gate, output gate.
        b: the biases.
        cs_prev: the cells before the first step; zeros if None.
        h_prev: the outputs before the first step; zeros if None.
        wci: the weights of the cells in the input gate.
        wcf: the same for the forget gate.
        wco: the same for the output gate.
        forget_bias: what is added to the forget gate; 1 by default.
        cell_clip: the largest absolute value of a cell; none by default.
        use_peephole: whether the weights of the cells are used.
        name: the name of the node.

    Returns:
        Lists of input gates, cells, forget gates, output gates, candidates, tanh of the cells
        and outputs.

    Raises:
        ValueError: if the number of units is unknown.
    """
    units = b.get_shape().with_rank(1)[0].value
    if units is None:
        raise ValueError("`b` shape must not be None.")
    units //= 4
    if cs_prev is None or h_prev is None:
        zero = zeros([x[0].get_shape().with_rank(2)[0].value, units], x[0].dtype)
        cs_prev = zero if cs_prev is None else cs_prev
        h_prev = zero if h_prev is None else h_prev
    if wci is None:
        wci = wcf = wco = _zero_peepholes(units, x[0].dtype)
    outputs = build.BlockLSTM(
        seq_len_max,
        stack(x),
        cs_prev,
        h_prev,
        w,
        wci,
        wcf,
        wco,
        b,
        forget_bias=1.0 if forget_bias is None else forget_bias,
        cell_clip=-1 if cell_clip is None else cell_clip,
        use_peephole=bool(use_peephole),
        name=name,
    )
    return [unstack(output) for output in outputs]


def _zero_peepholes(units: int, dtype: DTypeLike) -> Any:
    return zeros([units], dtype=dtype)


class _Weights:
    """The variables of LSTM layers of one op."""

    add_variable: Callable[..., Any]

    def _make_weights(self, depth: int, units: int, use_peephole: bool) -> None:
        self._kernel = self.add_variable("kernel", [depth + units, 4 * units])
        self._bias = self.add_variable("bias", [4 * units], initializer=Constant(0.0))
        if use_peephole:
            self._peepholes = [self.add_variable(f"w_{gate}_diag", [units]) for gate in "ifo"]


@export("contrib.rnn.LSTMBlockCell")
class LSTMBlockCell(_Weights, LayerRNNCell):
    """An LSTM cell of one op per step; variables and results are those of LSTMCell.

    Args:
        num_units: the number of units.
        forget_bias: what is added to the bias of the forget gate.
        cell_clip: the largest absolute value of c; None for no clipping.
        use_peephole: whether the gates see c.
        dtype: the type of the variables.
        reuse: whether existing variables are used.
        name: the name of the cell and its variable scope.
        use_compatible_names: accepted; the names are those of LSTMCell.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: DTypeLike | None = None,
        reuse: Reuse = None,
        name: str | None = "lstm_cell",
        use_compatible_names: bool = True,
    ) -> None:
        if isinstance(cell_clip, bool):
            # Releases before 1.1: (num_units, forget_bias, use_peephole).
            cell_clip, use_peephole = None, cell_clip
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._use_peephole = use_peephole
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes kernel, bias and the weights of peepholes.

        Args:
            inputs_shape: the shape of the inputs.

        Raises:
            ValueError: if the number of columns is unknown.
        """
        depth = TensorShape(inputs_shape)[1].value
        if not depth:
            raise ValueError(f"Expecting inputs_shape[1] to be set: {inputs_shape}")
        self._make_weights(depth, self._num_units, self._use_peephole)
        self.built = True

    def call(self, inputs: TensorLike, state: NestedTensors) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: an LSTMStateTuple.

        Returns:
            The new h, and the new state.

        Raises:
            ValueError: if the state is not a pair.
        """
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        if self._use_peephole:
            wci, wcf, wco = self._peepholes
        else:
            wci = wcf = wco = _zero_peepholes(self._num_units, self.dtype)
        cs_prev, h_prev = state
        outputs = lstm_block_cell(
            inputs,
            cs_prev,
            h_prev,
            self._kernel,
            self._bias,
            wci,
            wcf,
            wco,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return outputs[6], LSTMStateTuple(outputs[1], outputs[6])


@export("contrib.rnn.LSTMBlockWrapper")
class LSTMBlockWrapper(Layer):
    """The base of LSTM layers that compute all steps at once."""

    @property
    def num_units(self) -> int:
        """The number of units.

        Raises:
            NotImplementedError: if the subclass does not say it.
        """
        raise NotImplementedError("Abstract method")

    def _call_cell(
        self,
        inputs: NestedTensors,
        cell_state: Any,
        output: Any,
        dtype: DTypeLike,
        lengths: TensorLike,
    ) -> tuple[Any, Any]:
        """The cells and the outputs of all steps."""
        raise NotImplementedError("Abstract method")

    def call(
        self,
        inputs: TensorLike,
        initial_state: NestedTensors | None = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
    ) -> NestedTensors:
        """Computes all steps.

        Args:
            inputs: a tensor of shape [time, batch, size], or a list of matrices.
            initial_state: the pair of c and h before the first step; zeros if None.
            dtype: the type of the state, needed if there is no initial state.
            sequence_length: an integer vector: the lengths of the rows.

        Returns:
            The outputs, in the form of the inputs, and the last state.

        Raises:
            ValueError: if the size of the inputs is unknown, `initial_state` is not a pair, or
                `dtype` is missing.
        """
        is_list = isinstance(inputs, list)
        if is_list:
            inputs = stack(inputs)
        shape = inputs.get_shape().with_rank(3)
        if not shape[2].value:
            raise ValueError(f"Expecting inputs_shape[2] to be set: {shape}")
        rows, steps = shape[1].value, shape[0].value
        rows = shape_tensor(inputs)[1] if rows is None else rows
        steps = shape_tensor(inputs)[0] if steps is None else steps
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            zero = zeros(stack([rows, self.num_units]), dtype=dtype)
            initial_state = zero, zero
        else:
            if len(initial_state) != 2:
                raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
            if dtype is None:
                dtype = initial_state[0].dtype
        lengths = None if sequence_length is None else convert_to_tensor(sequence_length)
        first_cells, first_output = initial_state
        cells, outputs = self._call_cell(inputs, first_cells, first_output, dtype, lengths)
        if lengths is None:
            final = LSTMStateTuple(cells[-1], outputs[-1])
        else:
            mask = sequence_mask(lengths, steps, dtype=dtype)
            mask = build.ExpandDims(transpose(mask, [1, 0]), [-1])
            outputs = outputs * build.Tile(mask, [1, 1, self.num_units])
            # With the first state in front, the last one of a row of length n stands at n.
            all_cells = concat([build.ExpandDims(first_cells, [0]), cells], 0)
            all_outputs = concat([build.ExpandDims(first_output, [0]), outputs], 0)
            final = LSTMStateTuple(
                *(
                    build.GatherNd(values, stack([lengths, range_(rows)], axis=1))
                    for values in (all_cells, all_outputs)
                )
            )
        return unstack(outputs) if is_list else outputs, final


@export("contrib.rnn.LSTMBlockFusedCell")
class LSTMBlockFusedCell(_Weights, LSTMBlockWrapper):
    """An LSTM layer of one op for all steps; variables and results are those of LSTMCell.

    Args:
        num_units: the number of units.
        forget_bias: what is added to the bias of the forget gate.
        cell_clip: the largest absolute value of c; None for no clipping.
        use_peephole: whether the gates see c.
        reuse: whether existing variables are used.
        dtype: the type of the variables.
        name: the name of the layer and its variable scope.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: Reuse = None,
        dtype: DTypeLike | None = None,
        name: str | None = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self._use_peephole = use_peephole
        self.input_spec = InputSpec(ndim=3)

    @property
    def num_units(self) -> int:
        """The number of units."""
        return self._num_units

    def __call__(self, inputs: TensorLike, *args: Any, **kwargs: Any) -> NestedTensors:
        """Computes all steps; a list of matrices, as of releases before 1.2, gives a list."""
        if not isinstance(inputs, list):
            return super().__call__(inputs, *args, **kwargs)
        outputs, state = super().__call__(stack(inputs), *args, **kwargs)
        return unstack(outputs), state

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel, bias and the weights of peepholes.

        Args:
            input_shape: the shape of the inputs.
        """
        self._make_weights(TensorShape(input_shape)[2].value, self._num_units, self._use_peephole)
        self.built = True

    def _call_cell(
        self,
        inputs: TensorLike,
        cell_state: TensorLike,
        output: TensorLike,
        dtype: DTypeLike,
        lengths: TensorLike,
    ) -> tuple[Any, Any]:
        steps = inputs.get_shape().with_rank(3)[0].value
        steps = shape_tensor(inputs)[0] if steps is None else steps
        if self._use_peephole:
            peepholes = self._peepholes
        else:
            peepholes = [_zero_peepholes(self._num_units, dtype)] * 3
        longest = steps if lengths is None else reduce_max(lengths)
        outputs = build.BlockLSTM(
            cast(longest, dtypes.int64),
            inputs,
            cell_state,
            output,
            self._kernel,
            *peepholes,
            self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return outputs[1], outputs[6]


@export("contrib.rnn.GRUBlockCell")
class GRUBlockCell(LayerRNNCell):
    """A GRU cell of one op per step.

    Args:
        num_units: the number of units.
        cell_size: older name of `num_units`.
        reuse: whether existing variables are used.
        name: the name of the cell and its variable scope.

    Raises:
        ValueError: if the number of units is missing or given twice.
    """

    _NAMES = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: Any = None,
        name: str | None = "gru_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name)
        if (cell_size is None) == (num_units is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        if num_units is None:
            notice("The argument cell_size of a cell", "num_units")
            num_units = cell_size
        self._cell_size: TensorLike = num_units
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._cell_size

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._cell_size

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernels and biases of the gates and of the candidate.

        Args:
            input_shape: the shape of the inputs.

        Raises:
            ValueError: if the number of columns is unknown.
        """
        depth, units = TensorShape(input_shape)[1].value, self._cell_size
        if depth is None:
            raise ValueError("Expecting input_shape[1] to be set.")
        w_ru, b_ru, w_c, b_c = self._NAMES
        self._gate_kernel = self.add_variable(w_ru, [depth + units, 2 * units])
        self._gate_bias = self.add_variable(b_ru, [2 * units], initializer=Constant(1.0))
        self._candidate_kernel = self.add_variable(w_c, [depth + units, units])
        self._candidate_bias = self.add_variable(b_c, [units], initializer=Constant(0.0))
        self.built = True

    def call(self, inputs: TensorLike, h_prev: TensorLike) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            h_prev: a matrix of `num_units` columns.

        Returns:
            The new state, twice.
        """
        new_h = build.GRUBlockCell(
            inputs,
            h_prev,
            self._gate_kernel,
            self._candidate_kernel,
            self._gate_bias,
            self._candidate_bias,
        )[3]
        return new_h, new_h


@export("contrib.rnn.GRUBlockCellV2")
class GRUBlockCellV2(GRUBlockCell):
    """A GRUBlockCell whose variables have the names of those of GRUCell."""

    _NAMES = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
