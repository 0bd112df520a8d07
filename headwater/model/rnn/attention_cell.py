"""AttentionCellWrapper: a cell with attention to its own last outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import logging, nest
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import Tensor, build, export
from headwater.model.rnn.cell import RNNCell, check_cell
from headwater.model.rnn.linear import Linear
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.slice import slice_
from headwater.ops.math.reduce_functions import reduce_sum

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


@export("contrib.rnn.AttentionCellWrapper")
class AttentionCellWrapper(RNNCell):
    """Adds attention over the last outputs to a cell.

    Args:
        cell: the inner cell.
        attn_length: how many of the last outputs are kept.
        attn_size: the size of the outputs; that of the inner cell's if None.
        attn_vec_size: the size of the hidden layer of the attention; `attn_size` if None.
        input_size: the size of the inner cell's inputs; that of the inputs if None.
        state_is_tuple: whether the state is (state of the cell, attention, last outputs); else
            one matrix.
        reuse: whether existing variables are used.

    Raises:
        TypeError: if `cell` is not a cell.
        ValueError: if the cell's state is a tuple and `state_is_tuple` is False, or
            `attn_length` is not positive.

    Source: D. Bahdanau et al., "Neural Machine Translation by Jointly Learning to Align and
    Translate", 2014.
    """

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        check_cell("cell", cell, hint="\nThe parameter cell is not RNNCell.")
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size "
                f"is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        if not state_is_tuple:
            logging.warning(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use "
                "state_is_tuple=True.",
                self,
            )
        self._cell = cell
        self._attn_length = attn_length
        self._attn_size = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
        self._input_size = input_size
        self._state_is_tuple = state_is_tuple
        self._linears: dict[str, Linear] = {}

    @property
    def state_size(self) -> Any:
        """The sizes of the cell's state, the attention and the last outputs."""
        sizes = (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The size of the outputs."""
        return self._attn_size

    def _linear(self, role: str, args: NestedTensors, size: int) -> Tensor:
        if role not in self._linears:
            self._linears[role] = Linear(args, size, True)
        return self._linears[role](args)

    def call(self, inputs: NestedTensors, state: TensorLike) -> tuple[NestedTensors, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: the state in the form of `state_size`.

        Returns:
            The outputs and the new state.
        """
        length, size = self._attn_length, self._attn_size
        if self._state_is_tuple:
            cell_state, attns, last = state
        else:
            inner = self._cell.state_size
            cell_state = slice_(state, [0, 0], [-1, inner])
            attns = slice_(state, [0, inner], [-1, size])
            last = slice_(state, [0, inner + size], [-1, size * length])
        last = build.Reshape(last, [-1, length, size])
        input_size = self._input_size
        if input_size is None:
            input_size = inputs.get_shape().with_rank_at_least(2).as_list()[1]
        inputs = self._linear("inputs", [inputs, attns], input_size)
        cell_output, new_state = self._cell(inputs, cell_state)
        query = concat(nest.flatten(new_state), 1) if self._state_is_tuple else new_state
        new_attns, kept = self._attention(query, last)
        with variable_scope("attn_output_projection"):
            output = self._linear("output", [cell_output, new_attns], size)
        kept = concat([kept, build.ExpandDims(output, 1)], 1)
        kept = build.Reshape(kept, [-1, length * size])
        parts = (new_state, new_attns, kept)
        return output, parts if self._state_is_tuple else concat(list(parts), 1)

    def _attention(self, query: Tensor, last: TensorLike) -> tuple[Any, Any]:
        length, size, vector = self._attn_length, self._attn_size, self._attn_vec_size
        with variable_scope("attention"):
            k = get_variable("attn_w", [1, 1, size, vector])
            v = get_variable("attn_v", [vector])
            hidden = build.Reshape(last, [-1, length, 1, size])
            features = build.Conv2D(hidden, k, strides=[1, 1, 1, 1], padding="SAME")
            y = self._linear("query", query, vector)
            y = build.Reshape(y, [-1, 1, 1, vector])
            scores = reduce_sum(v * build.Tanh(features + y), [2, 3])
            weights = build.Softmax(scores)
            weighted = build.Reshape(weights, [-1, length, 1, 1]) * hidden
            attns = build.Reshape(reduce_sum(weighted, [1, 2]), [-1, size])
            return attns, slice_(last, [0, 1, 0], [-1, -1, -1])
