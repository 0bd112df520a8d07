"""MultiRNNCell: stacked cells."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from headwater.base import logging, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import Tensor, export, name_scope
from headwater.model.layers.base import Layer
from headwater.model.rnn.cell import RNNCell
from headwater.model.trackable.base import Trackable
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.slice import slice_


@export("nn.rnn_cell.MultiRNNCell", "contrib.rnn.MultiRNNCell")
class MultiRNNCell(RNNCell):
    """Stacked cells: the output of one is the input of the next.

    Args:
        cells: a list of cells; a cell that stands there twice shares its weights. Where it cannot,
            as its inputs have different sizes, each place has weights of its own, as all had in
            releases before 1.1.
        state_is_tuple: whether the state is a tuple of the states; else one matrix of all.

    Raises:
        ValueError: if there is no cell, or a cell has a tuple and `state_is_tuple` is False.
        TypeError: if `cells` is not a list.
    """

    def __init__(self, cells: Sequence[RNNCell], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        if len(set(map(id, cells))) < len(cells):
            logging.warning(
                "At least two cells provided to MultiRNNCell are the same object and will share "
                "weights."
            )
        self._cells = cells
        for number, cell in enumerate(cells):
            # Cells of other libraries need not be trackable.
            if isinstance(cell, Trackable):
                self._track_trackable(cell, name=f"cell-{number}")
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_nested(c.state_size) for c in self._cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set.  "
                f"State sizes are: {[c.state_size for c in self._cells]}"
            )

    @property
    def state_size(self) -> Any:
        """The sizes of the states of all cells."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The size of the output of the last cell."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: TensorLike | None, dtype: DTypeLike) -> NestedTensors:
        """The state of zeros.

        Args:
            batch_size: the number of sequences, or a scalar tensor.
            dtype: the type of the state.

        Returns:
            The zero states of the cells.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of the cells that optimizers change."""
        if not self.trainable:
            return []
        return [w for c in self._cells if isinstance(c, Layer) for w in c.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables of the cells."""
        layers = [c for c in self._cells if isinstance(c, Layer)]
        others = [w for c in layers for w in c.non_trainable_weights]
        if self.trainable:
            return others
        return [w for c in layers for w in c.trainable_weights] + others

    def call(self, inputs: NestedTensors, state: TensorLike) -> tuple[NestedTensors, ...]:
        """Computes one step of all cells.

        Args:
            inputs: the inputs of the first cell.
            state: the states of the cells.

        Returns:
            The output of the last cell, and the new states.

        Raises:
            ValueError: if the state is not a tuple though it has to be one.
        """
        self._cells = _separated(self._cells, inputs)
        position = 0
        new_states = []
        for i, cell in enumerate(self._cells):
            with variable_scope(f"cell_{i}"):
                if self._state_is_tuple:
                    if not nest.is_nested(state):
                        raise ValueError(
                            f"Expected state to be a tuple of length {len(self.state_size)}, but "
                            f"received: {state}"
                        )
                    current = state[i]
                else:
                    current = slice_(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                inputs, new_state = cell(inputs, current)
                new_states.append(new_state)
        return inputs, tuple(new_states) if self._state_is_tuple else concat(new_states, 1)


def _separated(cells: Sequence[RNNCell], inputs: Tensor) -> Any:
    """Cells, with copies of repeated ones that cannot share weights."""
    if len(set(map(id, cells))) == len(cells) or not isinstance(inputs, Tensor):
        return cells
    depths = [inputs.get_shape()[-1].value if inputs.get_shape().ndims else None]
    for cell in cells[:-1]:
        size = cell.output_size
        known = isinstance(size, int) or (isinstance(size, TensorShape) and size.ndims)
        depths.append(TensorShape(size)[-1].value if known else None)
    result = list(cells)
    for i, cell in enumerate(cells):
        places = [j for j, other in enumerate(cells) if other is cell]
        apart = len({depths[j] for j in places}) > 1 and None not in [depths[j] for j in places]
        if i > places[0] and apart and isinstance(cell, RNNCell) and not cell.built:
            result[i] = _unbuilt_copy(cell)
    return result


def _unbuilt_copy(cell: RNNCell) -> RNNCell:
    """A cell with the same arguments, which will make variables of its own."""
    result = type(cell).__new__(type(cell))
    for key, value in cell.__dict__.items():
        if isinstance(value, RNNCell):
            value = _unbuilt_copy(value)
        elif isinstance(value, (list, dict)):
            value = copy.copy(value)
        object.__setattr__(result, key, value)
    return result
