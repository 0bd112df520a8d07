"""Recurrent networks with one copy of the cell's nodes per step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import build, control_dependencies, convert_to_tensor, export, shape_tensor
from headwater.model.rnn.cell import RNNCell, check_cell
from headwater.model.rnn.steps import (
    as_int32,
    cache_variables,
    initial_state_of,
    length_bounds,
    reversed_sequence,
    step_within_lengths,
    type_of_state,
    zero_outputs,
)
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat

if TYPE_CHECKING:
    from headwater.base.dimension import Dimension
    from headwater.model.variables.variable_scope_object import ScopeLike


def _check_inputs(inputs: NestedTensors | None) -> None:
    if not nest.is_nested(inputs) or isinstance(inputs, Mapping):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")


def _static_batch_size(first: TensorLike, inputs: list[NestedTensors]) -> Dimension:
    """The static batch size, after a check of all inputs."""
    if first.get_shape().ndims == 1:
        return first.get_shape()[0]
    rows = first.get_shape().with_rank_at_least(2)[0]
    for x in nest.flatten(inputs):
        shape = x.get_shape().with_rank_at_least(2)
        rows.merge_with(shape[0])
        for i, size in enumerate(shape[1:]):
            if size.value is None:
                raise ValueError(
                    f"Input size (dimension {i} of inputs) must be accessible via shape "
                    "inference, but saw value None."
                )
    return rows


@export("nn.static_rnn", "nn.rnn", "models.rnn.rnn.rnn", "contrib.rnn.static_rnn")
def static_rnn(
    cell: Any,
    inputs: NestedTensors,
    initial_state: NestedTensors | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: ScopeLike | None = None,
) -> tuple[Any, Any]:
    """Applies a cell to a list of inputs, step by step.

    Args:
        cell: an RNNCell.
        inputs: a list of tensors of shape [batch, size], or of structures of such tensors.
        initial_state: the state before the first step; zeros if None.
        dtype: the type of states and outputs, needed if there is no initial state.
        sequence_length: an integer vector, the number of steps of each row; after them, its
            outputs are zeros and its state stays.
        scope: the variable scope; "rnn" by default.

    Returns:
        The list of outputs and the last state.

    Raises:
        TypeError: if `cell` is not a cell or `inputs` not a list.
        ValueError: if there are no inputs, or their size is unknown, or `dtype` is missing.
    """
    check_cell("cell", cell)
    _check_inputs(inputs)
    outputs = []
    with variable_scope(scope or "rnn") as current:
        cache_variables(current)
        first = inputs
        while nest.is_nested(first):
            if not first:
                raise ValueError("inputs must not be empty")
            first = first[0]
        rows = _static_batch_size(first, inputs)
        batch_size = rows.value or shape_tensor(first)[0]
        if initial_state is not None:
            state = initial_state
        else:
            if not dtype:
                raise ValueError("If no initial_state is provided, dtype must be specified")
            state = initial_state_of(cell, batch_size, dtype)
        lengths = None
        if sequence_length is not None:
            lengths = convert_to_tensor(sequence_length, name="sequence_length")
            if lengths.get_shape().ndims not in (None, 1):
                raise ValueError("sequence_length must be a vector of length batch_size")
            sizes = nest.flatten(cell.output_size)
            flat = zero_outputs(sizes, batch_size, rows, type_of_state(dtype, state))
            zero_output = nest.pack_sequence_as(structure=cell.output_size, flat_sequence=flat)
            lengths = as_int32(lengths)
            bounds = length_bounds(lengths)
        for time, step_inputs in enumerate(inputs):
            if time > 0:
                current.reuse_variables()

            def call_cell(
                x: NestedTensors = step_inputs, s: NestedTensors = state
            ) -> tuple[NestedTensors, ...]:
                return cell(x, s)

            if lengths is None:
                output, state = call_cell()
            else:
                output, state = step_within_lengths(
                    time, lengths, bounds, zero_output, state, call_cell
                )
            outputs.append(output)
        return outputs, state


@export(
    "nn.static_state_saving_rnn",
    "nn.state_saving_rnn",
    "models.rnn.rnn.state_saving_rnn",
    "contrib.rnn.static_state_saving_rnn",
)
def static_state_saving_rnn(
    cell: RNNCell,
    inputs: Sequence[TensorLike],
    state_saver: Any,
    state_name: TensorLike,
    sequence_length: TensorLike | None = None,
    scope: ScopeLike | None = None,
) -> tuple[Any, Any]:
    """A static network whose state is saved by an object between runs.

    Args:
        cell: an RNNCell.
        inputs: a list of tensors of shape [batch, size].
        state_saver: an object with methods `state(name)` and `save_state(name, value)`.
        state_name: the name of the state, or names in the structure of `cell.state_size`.
        sequence_length: as for `static_rnn`.
        scope: the variable scope; "rnn" by default.

    Returns:
        The list of outputs and the last state.

    Raises:
        TypeError: if `cell` is not a cell.
        ValueError: if there are no inputs or the names do not fit the states.
    """
    check_cell("cell", cell)
    sizes = cell.state_size
    if nest.is_nested(sizes) != nest.is_nested(state_name):
        raise ValueError(
            "state_name should be the same type as cell.state_size.  state_name: "
            f"{state_name}, cell.state_size: {sizes}"
        )
    names = nest.flatten(state_name)
    if len(names) != len(nest.flatten(sizes)):
        raise ValueError(
            f"#elems(state_name) != #elems(state_size): {len(names)} vs. {len(nest.flatten(sizes))}"
        )
    initial = nest.pack_sequence_as(
        structure=sizes, flat_sequence=[state_saver.state(name) for name in names]
    )
    outputs, state = static_rnn(
        cell, inputs, initial_state=initial, sequence_length=sequence_length, scope=scope
    )
    saved = [
        state_saver.save_state(name, part)
        for name, part in zip(names, nest.flatten(state), strict=True)
    ]
    with control_dependencies(saved):
        outputs[-1] = nest.map_structure(build.Identity, outputs[-1])
        state = nest.map_structure(build.Identity, state)
    return outputs, state


@export(
    "nn.static_bidirectional_rnn",
    "nn.bidirectional_rnn",
    "models.rnn.rnn.bidirectional_rnn",
    "contrib.rnn.static_bidirectional_rnn",
)
def static_bidirectional_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: NestedTensors,
    initial_state_fw: TensorLike | None = None,
    initial_state_bw: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: ScopeLike | None = None,
) -> tuple[Any, Any, Any]:
    """Applies one cell to the steps in order, another in reverse order, and joins the outputs.

    Args:
        cell_fw: the cell of the forward direction.
        cell_bw: the cell of the backward direction.
        inputs: a list of tensors of shape [batch, size].
        initial_state_fw: the state before the first step; zeros if None.
        initial_state_bw: the state before the last step; zeros if None.
        dtype: the type of states and outputs, needed if there are no initial states.
        sequence_length: an integer vector: the lengths of the rows.
        scope: the variable scope; "bidirectional_rnn" by default.

    Returns:
        The list of joined outputs, and the last states of both directions.

    Raises:
        TypeError: if a cell is not an RNNCell or `inputs` not a list.
        ValueError: if there are no inputs.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    _check_inputs(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as scope_fw:
            outputs_fw, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=scope_fw
            )
        with variable_scope("bw") as scope_bw:
            backwards = reversed_sequence(inputs, sequence_length)
            outputs_bw, state_bw = static_rnn(
                cell_bw, backwards, initial_state_bw, dtype, sequence_length, scope=scope_bw
            )
    outputs_bw = reversed_sequence(outputs_bw, sequence_length)
    pairs = zip(nest.flatten(outputs_fw), nest.flatten(outputs_bw), strict=True)
    joined = [concat([forward, backward], 1) for forward, backward in pairs]
    outputs = nest.pack_sequence_as(structure=outputs_fw, flat_sequence=joined)
    return outputs, state_fw, state_bw
