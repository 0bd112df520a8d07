"""Helpers of loops over recurrent cells: batch sizes, zero outputs, steps past the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    colocate_with,
    export,
    get_default_graph,
    rank_tensor,
    shape_tensor,
)
from headwater.model.rnn.cell import concat_dims, static_concat_dims
from headwater.model.variables.variable_scope import VariableScope
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.stack import stack, unstack
from headwater.ops.array.transpose import transpose
from headwater.ops.control.cond import cond
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_max, reduce_min
from headwater.ops.math.select import where

if TYPE_CHECKING:
    from headwater.base.dimension import Dimension
    from headwater.base.dtypes import DType


def is_tensor_array(value: Tensor | TensorArray) -> bool:
    """Whether a value is a TensorArray."""
    return isinstance(value, TensorArray)


def cache_variables(scope: VariableScope) -> None:
    """Caches variable reads once per run, unless the scope says otherwise or a loop encloses it.

    Args:
        scope: the scope of the recurrent network.
    """
    if scope.caching_device is None and not in_loop():
        scope.set_caching_device(lambda op: op.device)


def in_loop() -> bool:
    """Whether the current context is inside a loop."""
    context = getattr(get_default_graph(), "_get_control_flow_context", lambda: None)()
    while context is not None:
        if context.IsWhileContext():
            return True
        context = context.outer_context
    return False


def initial_state_of(cell: Any, batch_size: TensorLike, dtype: DType) -> NestedTensors:
    """The initial state of a cell."""
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def type_of_state(dtype: DType | None, state: NestedTensors) -> DType:
    """The type of outputs: the given one, or that of all states.

    Raises:
        ValueError: if there is no state, or states have different types.
    """
    if dtype:
        return dtype
    if not nest.is_nested(state):
        return state.dtype
    types = [element.dtype for element in nest.flatten(state)]
    if not types:
        raise ValueError("Unable to infer dtype from empty state.")
    if any(one != types[0] for one in types):
        raise ValueError(
            "State has tensors of different inferred_dtypes. Unable to infer a single "
            "representative dtype."
        )
    return types[0]


def zero_outputs(
    sizes: Sequence[TensorShape | int],
    batch_size: TensorLike,
    static_batch_size: Dimension | None,
    dtype: DTypeLike,
) -> list[Any]:
    """Zeros for each output of a cell.

    Args:
        sizes: the flat output sizes.
        batch_size: the number of sequences, or a tensor.
        static_batch_size: what is known of it; None for a loop, which does not ask.
        dtype: the type.

    Returns:
        A list of tensors.
    """
    made = []
    for size in sizes:
        zero = zeros(concat_dims(batch_size, size), dtype)
        if static_batch_size is not None:
            zero.set_shape(static_concat_dims(static_batch_size.value, size))
        made.append(zero)
    return made


def length_bounds(sequence_length: TensorLike) -> tuple[Any, Any]:
    """The smallest and the largest length."""
    return reduce_min(sequence_length), reduce_max(sequence_length)


def step_within_lengths(
    time: TensorLike,
    sequence_length: Tensor,
    bounds: tuple[Any, Any],
    zero_output: NestedTensors,
    state: NestedTensors,
    call_cell: Callable[[], Any],
    skip_conditionals: bool = False,
) -> tuple[Any, Any]:
    """One step; sequences that are over give zeros and keep their state.

    Args:
        time: the number of the step, an int or a tensor.
        sequence_length: an int32 vector.
        bounds: the smallest and the largest length.
        zero_output: zeros in the structure of the outputs.
        state: the state before the step.
        call_cell: computes the outputs and the new state.
        skip_conditionals: whether the cell is computed even if all sequences are over.

    Returns:
        The outputs and the new state.
    """
    flat_zeros, flat_state = nest.flatten(zero_output), nest.flatten(state)
    over = time >= sequence_length

    def kept(old: TensorLike, new: TensorLike) -> Tensor:
        if is_tensor_array(old) or old.shape.ndims == 0:
            return new
        with colocate_with(new):
            return where(over, old, new)

    def some_kept(outputs: list[Any], states: list[Any]) -> list[Any]:
        pairs = zip([*flat_zeros, *flat_state], [*outputs, *states], strict=True)
        return [kept(old, new) for old, new in pairs]

    def called() -> tuple[list[Any], list[Any]]:
        output, new_state = call_cell()
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, new_state)
        return nest.flatten(output), nest.flatten(new_state)

    def called_or_kept() -> list[Tensor]:
        outputs, states = called()
        return cond(time < bounds[0], lambda: outputs + states, lambda: some_kept(outputs, states))

    if skip_conditionals:
        results = some_kept(*called())
    else:
        results = cond(time >= bounds[1], lambda: flat_zeros + flat_state, called_or_kept)
    outputs, states = results[: len(flat_zeros)], results[len(flat_zeros) :]
    for new, old in zip(results, [*flat_zeros, *flat_state], strict=True):
        if not is_tensor_array(new):
            new.set_shape(old.get_shape())
    return (
        nest.pack_sequence_as(structure=zero_output, flat_sequence=outputs),
        nest.pack_sequence_as(structure=state, flat_sequence=states),
    )


@export("contrib.rnn.transpose_batch_time")
def transpose_batch_time(x: TensorLike) -> Tensor:
    """Exchanges the first two axes of a tensor.

    Args:
        x: a tensor; one of rank 0 or 1 is returned as it is.

    Returns:
        The transposed tensor.
    """
    shape = x.get_shape()
    if shape.ndims is not None and shape.ndims < 2:
        return x
    axes = concat(([1, 0], range_(2, rank_tensor(x))), axis=0)
    result = transpose(x, axes)
    if shape.ndims is not None:
        result.set_shape(TensorShape([shape[1].value, shape[0].value]).concatenate(shape[2:]))
    return result


@export("contrib.rnn.best_effort_input_batch_size")
def best_effort_input_batch_size(flat_input: Sequence[TensorLike]) -> Tensor | float:
    """The batch size of time-major inputs.

    Args:
        flat_input: a list of tensors of shape [time, batch, ...].

    Returns:
        An int if one of them tells it, else a scalar tensor.

    Raises:
        ValueError: if a tensor has no second axis.
    """
    for x in flat_input:
        shape = x.shape
        if shape.ndims is None:
            continue
        if shape.ndims < 2:
            raise ValueError(f"Expected input tensor {x} to have rank at least 2")
        if shape[1].value is not None:
            return shape[1].value
    return shape_tensor(flat_input[0])[1]


def reversed_sequence(sequence: Sequence[Tensor], lengths: TensorLike) -> list[Tensor]:
    """The steps of a sequence in reverse order.

    Args:
        sequence: a list of tensors or of structures of tensors, one per step.
        lengths: a vector; the number of steps of each row that are reversed. None reverses all.

    Returns:
        A list like `sequence`.
    """
    if lengths is None:
        return list(reversed(sequence))
    flat: list[list[Any]] = [[] for _ in sequence]
    for steps in zip(*(nest.flatten(step) for step in sequence), strict=True):
        ndims = steps[0].get_shape().ndims
        shape = TensorShape(None if ndims is None else [None] * ndims)
        for x in steps:
            shape.merge_with(x.get_shape())
            x.set_shape(shape)
        joined = build.ReverseSequence(stack(steps), lengths, seq_dim=0, batch_dim=1)
        for x, row in zip(unstack(joined), flat, strict=True):
            x.set_shape(shape)
            row.append(x)
    return [
        nest.pack_sequence_as(structure=step, flat_sequence=row)
        for step, row in zip(sequence, flat, strict=True)
    ]


def as_int32(lengths: TensorLike) -> Tensor:
    """Lengths as an int32 tensor, without a node if they are one already."""
    return cast(lengths, dtypes.int32)
