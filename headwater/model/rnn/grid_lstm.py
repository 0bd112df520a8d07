"""LSTM cells over time and frequency: TimeFreqLSTMCell, GridLSTMCell, BidirectionalGridLSTMCell."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, logging
from headwater.base.typing import DTypeLike, InitializerLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, export, shape_tensor
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.coupled import sharded_variable
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros
from headwater.ops.array.pad import pad
from headwater.ops.array.slice import slice_
from headwater.ops.array.split import split
from headwater.ops.math.extrema import clip_by_value
from headwater.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


def _width(inputs: Tensor) -> int:
    width = inputs.get_shape().with_rank(2)[-1].value
    if width is None:
        raise ValueError("Cannot infer input_size from static shape inference.")
    return width


@export("contrib.rnn.TimeFreqLSTMCell")
class TimeFreqLSTMCell(RNNCell):
    """An LSTM cell that scans the frequencies of each step.

    Args:
        num_units: the number of units.
        use_peepholes: whether the gates see c.
        cell_clip: the largest absolute value of c; None for no clipping.
        initializer: accepted; the initializer of the scope is used.
        num_unit_shards: the number of parts of the kernel.
        forget_bias: what is added to the bias of the forget gate.
        feature_size: the width of the window over the frequencies.
        frequency_skip: the step of the window.
        reuse: whether existing variables are used.

    Source: T. Sainath, B. Li, "Modeling Time-Frequency Patterns with LSTM vs. Convolutional
    Architectures for LVCSR Tasks", 2016.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int = 1,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip

    @property
    def state_size(self) -> int:
        """Twice the number of units."""
        return 2 * self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def call(self, inputs: TensorLike, state: TensorLike) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: a matrix of c and h of all frequencies.

        Returns:
            The outputs of all frequencies, and the new state.
        """
        n, dtype = self._num_units, inputs.dtype
        window, skip = self._feature_size, self._frequency_skip
        assert window is not None
        count = int((_width(inputs) - window) / skip) + 1
        features = [slice_(inputs, [0, f * skip], [-1, window]) for f in range(count)]
        kernel = sharded_variable("W", [window + 2 * n, 4 * n], dtype, self._num_unit_shards)
        bias = get_variable("B", shape=[4 * n], initializer=Zeros(), dtype=dtype)
        if self._use_peepholes:
            w_f, w_i, w_o = (get_variable(f"W_{g}_diag", shape=[n], dtype=dtype) for g in "FIO")
        m_freq = zeros([int(inputs.get_shape()[0].value), n], dtype)
        for index, feature in enumerate(features):
            c_prev = slice_(state, [0, 2 * index * n], [-1, n])
            m_prev = slice_(state, [0, (2 * index + 1) * n], [-1, n])
            gates = bias_add(build.MatMul(concat([feature, m_prev, m_freq], 1), kernel), bias)
            i, j, f, o = split(gates, num_or_size_splits=4, axis=1)
            if self._use_peepholes:
                forget = build.Sigmoid(f + self._forget_bias + w_f * c_prev)
                c = forget * c_prev + build.Sigmoid(i + w_i * c_prev) * build.Tanh(j)
            else:
                forget = build.Sigmoid(f + self._forget_bias)
                c = forget * c_prev + build.Sigmoid(i) * build.Tanh(j)
            if self._cell_clip is not None:
                c = clip_by_value(c, -self._cell_clip, self._cell_clip)
            if self._use_peepholes:
                m = build.Sigmoid(o + w_o * c) * build.Tanh(c)
            else:
                m = build.Sigmoid(o) * build.Tanh(c)
            m_freq = m
            if index == 0:
                new_state, output = concat([c, m], 1), m
            else:
                new_state = concat([new_state, c, m], 1)
                output = concat([output, m], 1)
        return output, new_state


@export("contrib.rnn.GridLSTMCell")
class GridLSTMCell(RNNCell):
    """LSTM cells over time and over frequency, connected in a grid.

    Args:
        num_units: the number of units.
        use_peepholes: whether the gates see c.
        share_time_frequency_weights: whether both directions share their weights.
        cell_clip: the largest absolute value of c; None for no clipping.
        initializer: accepted; the initializer of the scope is used.
        num_unit_shards: the number of parts of the kernels.
        forget_bias: what is added to the bias of the forget gates.
        feature_size: the width of the window over the frequencies.
        frequency_skip: the step of the window.
        num_frequency_blocks: how often the window fits, for each block of frequencies.
        start_freqindex_list: where the blocks start.
        end_freqindex_list: where the blocks end.
        couple_input_forget_gates: whether the forget gates are 1 minus the input gates.
        state_is_tuple: whether the state is a tuple; else one matrix.
        reuse: whether existing variables are used.

    Raises:
        ValueError: if `num_frequency_blocks` is missing.

    Source: T. Sainath, B. Li, "Modeling Time-Frequency Patterns with LSTM vs. Convolutional
    Architectures for LVCSR Tasks", 2016.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: list[int] | None = None,
        start_freqindex_list: list[int] | None = None,
        end_freqindex_list: list[int] | None = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if not state_is_tuple:
            logging.warning(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use "
                "state_is_tuple=True.",
                self,
            )
        if not num_frequency_blocks:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._share_time_frequency_weights = share_time_frequency_weights
        self._couple_input_forget_gates = couple_input_forget_gates
        self._state_is_tuple = state_is_tuple
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._start_freqindex_list = start_freqindex_list
        self._end_freqindex_list = end_freqindex_list
        self._num_frequency_blocks = [int(count) for count in num_frequency_blocks]
        total = sum(self._num_frequency_blocks)
        self._state_tuple_type: Any = None
        self._state_size: NestedTensors = 2 * num_units * total
        self._output_size = 2 * num_units * total
        if state_is_tuple:
            kind = namedtuple("GridLSTMStateTuple", self._field_names("state"))  # type: ignore[misc]
            self._state_tuple_type = kind
            self._state_size = kind(*[num_units] * (2 * total))

    def _field_names(self, prefix: str) -> list[str]:
        return [
            f"{prefix}_f{f:02d}_b{b:02d}_{part}"
            for b, count in enumerate(self._num_frequency_blocks)
            for f in range(count)
            for part in "cm"
        ]

    @property
    def state_size(self) -> NestedTensors:
        """The sizes of c and h at all frequencies."""
        return self._state_size

    @property
    def output_size(self) -> int:
        """The size of the outputs of both directions at all frequencies."""
        return self._output_size

    @property
    def state_tuple_type(self) -> Any:
        """The class of the state; None if it is not a tuple."""
        return self._state_tuple_type

    def call(self, inputs: TensorLike, state: NestedTensors | None) -> tuple[NestedTensors, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: the state in the form of `state_size`.

        Returns:
            The outputs and the new state.
        """
        rows = inputs.shape[0].value or shape_tensor(inputs)[0]
        outputs, states = [], []
        for block, features in enumerate(self._features(inputs)):
            output, new_state = self._compute(features, block, state, rows)
            outputs += output
            states += new_state
        new = self._state_tuple_type(*states) if self._state_is_tuple else concat(states, 1)
        return concat(outputs, 1), new

    def _features(self, inputs: TensorLike, offset: int = 0) -> list[list[Any]]:
        """The windows over the frequencies, by block."""
        width = _width(inputs)
        window, skip = self._feature_size, self._frequency_skip
        blocks = self._num_frequency_blocks
        starts, ends = self._start_freqindex_list, self._end_freqindex_list
        assert window is not None
        assert skip is not None
        if offset > 0:
            inputs = pad(inputs, constant([0, 0, 0, offset], dtypes.int32, [2, 2]), "CONSTANT")
        elif offset < 0:
            inputs = pad(inputs, constant([0, 0, -offset, 0], dtypes.int32, [2, 2]), "CONSTANT")
            offset = 0
        if not starts:
            if len(blocks) != 1:
                raise ValueError(
                    f"Length of num_frequency_blocks is not 1, but instead is {len(blocks)}"
                )
            starts, ends = [0], [width]
        elif len(starts) != len(ends or []):
            raise ValueError(
                "Length of start and end freqindex_list does not match "
                f"{len(starts)} {len(ends or [])}"
            )
        elif len(blocks) != len(starts):
            raise ValueError(
                "Length of num_frequency_blocks is not equal to start_freqindex_list "
                f"{len(blocks)} {len(starts)}"
            )
        assert ends is not None
        found = []
        for start, end, given in zip(starts, ends, blocks, strict=True):
            count = int((end - start - window) / skip) + 1
            if count != given:
                raise ValueError(
                    f"Invalid num_frequency_blocks, requires {given} but gets {count}, please "
                    "check the input size and filter config are correct."
                )
            begin = start + offset
            found.append(
                [slice_(inputs, [0, begin + f * skip], [-1, window]) for f in range(count)]
            )
        return found

    def _peepholes(self, block: int, axis: str, dtype: DTypeLike) -> dict[str, Any]:
        gates = "IO" if self._couple_input_forget_gates else "FIO"
        return {
            gate + source: get_variable(
                f"W_{gate}_diag_{axis}{source}_{block}", shape=[self._num_units], dtype=dtype
            )
            for gate in gates
            for source in "ft"
        }

    def _compute(
        self, features: list[Any], block: int, state: TensorLike, rows: Any, prefix: str = "state"
    ) -> tuple[list[Any], list[Any]]:
        """The cells of one block of frequencies: outputs and new states."""
        n, dtype = self._num_units, features[0].dtype
        gate_count = 3 if self._couple_input_forget_gates else 4
        width = features[0].get_shape().with_rank_at_least(2).as_list()[1]
        weights = []
        for axis in "f" if self._share_time_frequency_weights else "ft":
            kernel = sharded_variable(
                f"W_{axis}_{block}", [width + 2 * n, gate_count * n], dtype, self._num_unit_shards
            )
            bias = get_variable(
                f"B_{axis}_{block}", shape=[gate_count * n], initializer=Zeros(), dtype=dtype
            )
            weights.append((kernel, bias))
        diagonals: list[dict[str, Any]] = [{}, {}]
        if self._use_peepholes:
            freq = self._peepholes(block, "freq", dtype)
            shared = self._share_time_frequency_weights
            diagonals = [freq, freq if shared else self._peepholes(block, "time", dtype)]
        m_freq, c_freq = zeros([rows, n], dtype), zeros([rows, n], dtype)
        outputs, states = [], []
        for index, feature in enumerate(features):
            if self._state_is_tuple:
                name = f"{prefix}_f{index:02d}_b{block:02d}"
                c_prev, m_prev = getattr(state, name + "_c"), getattr(state, name + "_m")
            else:
                c_prev = slice_(state, [0, 2 * index * n], [-1, n])
                m_prev = slice_(state, [0, (2 * index + 1) * n], [-1, n])
            joined = concat([feature, m_prev, m_freq], 1)
            gates = [
                split(
                    bias_add(build.MatMul(joined, kernel), bias),
                    num_or_size_splits=gate_count,
                    axis=1,
                )
                for kernel, bias in weights
            ]
            gates = gates * 2 if len(gates) == 1 else gates
            c_both = (c_freq, c_prev)
            c_new = [
                self._cell(gates[k], diagonals[k], c_both, previous)
                for k, previous in enumerate(c_both)
            ]
            m_new = [
                self._opened(gates[k][-1], diagonals[k], "O", c_new) * build.Tanh(c_new[k])
                for k in range(2)
            ]
            c_freq, m_freq = c_new[0], m_new[0]
            states += [c_new[1], m_new[1]]
            outputs += [m_new[1], m_new[0]]
        return outputs, states

    def _opened(
        self, gate: Tensor, diagonals: dict[str, Any], kind: str, cells: Sequence[Tensor]
    ) -> Tensor:
        if self._use_peepholes:
            gate = gate + diagonals[kind + "f"] * cells[0] + diagonals[kind + "t"] * cells[1]
        return build.Sigmoid(gate)

    def _cell(
        self,
        gates: Sequence[Tensor],
        diagonals: dict[str, Any],
        cells: Sequence[Tensor],
        previous: Tensor,
    ) -> Tensor:
        """The new value of c in one direction."""
        i = self._opened(gates[0], diagonals, "I", cells)
        if self._couple_input_forget_gates:
            f = 1.0 - i
        else:
            f = self._opened(gates[2] + self._forget_bias, diagonals, "F", cells)
        c = f * previous + i * build.Tanh(gates[1])
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        return c


@export("contrib.rnn.BidirectionalGridLSTMCell")
class BidirectionalGridLSTMCell(GridLSTMCell):
    """A GridLSTMCell that scans the frequencies in both directions.

    Args:
        num_units: the number of units.
        use_peepholes: whether the gates see c.
        share_time_frequency_weights: whether time and frequency share their weights.
        cell_clip: the largest absolute value of c; None for no clipping.
        initializer: accepted; the initializer of the scope is used.
        num_unit_shards: the number of parts of the kernels.
        forget_bias: what is added to the bias of the forget gates.
        feature_size: the width of the window over the frequencies.
        frequency_skip: the step of the window.
        num_frequency_blocks: how often the window fits, for each block of frequencies.
        start_freqindex_list: where the blocks start.
        end_freqindex_list: where the blocks end.
        couple_input_forget_gates: whether the forget gates are 1 minus the input gates.
        backward_slice_offset: by how much the windows of the backward direction are moved.
        reuse: whether existing variables are used.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: list[int] | None = None,
        start_freqindex_list: list[int] | None = None,
        end_freqindex_list: list[int] | None = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._backward_slice_offset = int(backward_slice_offset)
        names = self._field_names("fwd_state") + self._field_names("bwd_state")
        kind = namedtuple("BidirectionalGridLSTMStateTuple", names)  # type: ignore[misc]
        self._state_tuple_type = kind
        self._state_size = kind(*[num_units] * len(names))
        self._output_size *= 2

    def call(self, inputs: TensorLike, state: NestedTensors | None) -> tuple[NestedTensors, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: the state in the form of `state_size`.

        Returns:
            The outputs and the new state.
        """
        rows = inputs.shape[0].value or shape_tensor(inputs)[0]
        forward = backward = self._features(inputs)
        if self._backward_slice_offset:
            backward = self._features(inputs, self._backward_slice_offset)
        outputs, states = [], []
        for direction, blocks in (("fwd", forward), ("bwd", backward)):
            with variable_scope(direction):
                for block, features in enumerate(blocks):
                    ordered = features if direction == "fwd" else features[::-1]
                    prefix = f"{direction}_state"
                    output, new_state = self._compute(ordered, block, state, rows, prefix)
                    outputs += output
                    states += new_state
        return concat(outputs, 1), self._state_tuple_type(*states)
