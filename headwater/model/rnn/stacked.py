"""Stacked bidirectional networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import export
from headwater.model.rnn.dynamic import bidirectional_dynamic_rnn
from headwater.model.rnn.static import static_bidirectional_rnn
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat

if TYPE_CHECKING:
    from headwater.model.rnn.cell import RNNCell
    from headwater.model.variables.variable_scope_object import ScopeLike


def _check(
    cells_fw: Sequence[RNNCell],
    cells_bw: Sequence[RNNCell],
    states_fw: Sequence[TensorLike] | None,
    states_bw: Sequence[TensorLike] | None,
) -> None:
    for role, cells in (("fw", cells_fw), ("bw", cells_bw)):
        if not cells:
            raise ValueError(f"Must specify at least one {role} cell for BidirectionalRNN.")
        if not isinstance(cells, list):
            raise ValueError(f"cells_{role} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for role, states, cells in (("fw", states_fw, cells_fw), ("bw", states_bw, cells_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells)):
            raise ValueError(
                f"initial_states_{role} must be a list of state tensors (one per layer)."
            )


@export("contrib.rnn.stack_bidirectional_rnn")
def stack_bidirectional_rnn(
    cells_fw: Sequence[RNNCell],
    cells_bw: Sequence[RNNCell],
    inputs: Sequence[TensorLike],
    initial_states_fw: Sequence[TensorLike] | None = None,
    initial_states_bw: Sequence[TensorLike] | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: ScopeLike | None = None,
) -> tuple[Any, Any, Any]:
    """Static bidirectional networks, each of which takes the joined outputs of the one below.

    Args:
        cells_fw: the list of forward cells.
        cells_bw: the list of backward cells.
        inputs: a list of tensors of shape [batch, size].
        initial_states_fw: a list of states, one per layer; zeros if None.
        initial_states_bw: the same for the backward direction.
        dtype: the type of states and outputs, needed if there are no initial states.
        sequence_length: an integer vector: the lengths of the rows.
        scope: the variable scope; "stack_bidirectional_rnn" by default.

    Returns:
        The list of outputs of the last layer, and tuples of the last states of both directions.

    Raises:
        ValueError: if the lists are empty or of different lengths.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope(f"cell_{i}") as cell_scope:
                inputs, state_fw, state_bw = static_bidirectional_rnn(
                    cell_fw,
                    cell_bw,
                    inputs,
                    initial_state_fw=initial_states_fw[i] if initial_states_fw else None,
                    initial_state_bw=initial_states_bw[i] if initial_states_bw else None,
                    sequence_length=sequence_length,
                    dtype=dtype,
                    scope=cell_scope,
                )
                states_fw.append(state_fw)
                states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)


@export("contrib.rnn.stack_bidirectional_dynamic_rnn")
def stack_bidirectional_dynamic_rnn(
    cells_fw: Sequence[RNNCell],
    cells_bw: Sequence[RNNCell],
    inputs: TensorLike,
    initial_states_fw: NestedTensors = None,
    initial_states_bw: NestedTensors = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: ScopeLike | None = None,
    swap_memory: bool = False,
) -> tuple[Any, Any, Any]:
    """Dynamic bidirectional networks, each of which takes the joined outputs of the one below.

    Args:
        cells_fw: the list of forward cells.
        cells_bw: the list of backward cells.
        inputs: a tensor of shape [batch, time, ...].
        initial_states_fw: a list of states, one per layer; zeros if None.
        initial_states_bw: the same for the backward direction.
        dtype: the type of states and outputs, needed if there are no initial states.
        sequence_length: an integer vector: the lengths of the rows.
        parallel_iterations: the number of steps that may run at the same time.
        time_major: whether inputs and outputs have the shape [time, batch, ...].
        scope: the variable scope; "stack_bidirectional_rnn" by default.
        swap_memory: accepted; memory is managed by the engine.

    Returns:
        The outputs of the last layer, and tuples of the last states of both directions.

    Raises:
        ValueError: if the lists are empty or of different lengths.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope(f"cell_{i}"):
                outputs, (state_fw, state_bw) = bidirectional_dynamic_rnn(
                    cell_fw,
                    cell_bw,
                    inputs,
                    initial_state_fw=initial_states_fw[i] if initial_states_fw else None,
                    initial_state_bw=initial_states_bw[i] if initial_states_bw else None,
                    sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations,
                    dtype=dtype,
                    swap_memory=swap_memory,
                    time_major=time_major,
                )
                inputs = concat(outputs, 2)
                states_fw.append(state_fw)
                states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)
