"""Recurrent networks whose backward pass recomputes each step of the cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.contrib.recurrent.recurrence import Recurrent
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    export,
    get_default_graph,
    shape_tensor,
)
from headwater.graph.functions import call_function
from headwater.model.defun import Defun
from headwater.model.rnn.steps import initial_state_of
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.constant import constant
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.reverse import reverse as reverse_axes
from headwater.ops.array.stack import stack
from headwater.ops.array.transpose import transpose
from headwater.ops.control.identity import stop_gradient
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_max, reduce_sum

if TYPE_CHECKING:
    from headwater.model.rnn.cell import RNNCell
    from headwater.model.variables.variable_scope_object import ScopeLike


@export("contrib.recurrent.functional_rnn")
def functional_rnn(
    cell: RNNCell,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    time_major: bool = False,
    scope: ScopeLike | None = None,
    use_tpu: bool = False,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Applies a cell to the steps of a tensor, as `tf.nn.dynamic_rnn` does.

    Only the states are kept for the backward pass, which recomputes each step from them.

    Args:
        cell: an RNNCell.
        inputs: a tensor of shape [batch, time, ...], or a structure of them.
        sequence_length: an integer vector, the number of steps of each row; after them, its
            outputs are zeros. The last state of a row is that after its last step, zeros for a row
            without steps.
        initial_state: the state before the first step; zeros if None.
        dtype: the type of the zeros, needed if there is no initial state.
        time_major: whether inputs and outputs have the shape [time, batch, ...].
        scope: the variable scope; "rnn" by default.
        use_tpu: accepted; the computation is the same.
        reverse: whether the last step comes first; rows that are shorter than others see what
            stands after their end.

    Returns:
        The outputs, of shape [batch, time, ...], and the last state.

    Raises:
        TypeError: if there is neither an initial state nor a dtype.
    """
    with variable_scope(scope or "rnn"):
        inputs = nest.map_structure(convert_to_tensor, inputs)
        if not time_major:
            inputs = nest.map_structure(_exchanged, inputs)
        steps, rows = nest.flatten(inputs)[0].get_shape().as_list()[:2]
        if initial_state is None:
            batch = shape_tensor(nest.flatten(inputs)[0])[1]
            initial_state = initial_state_of(cell, batch, dtypes.as_dtype(dtype))
        initial_state = nest.map_structure(convert_to_tensor, initial_state)
        step = _CellAsFunction(cell, inputs, initial_state)
    longest = None
    if sequence_length is not None:
        sequence_length = cast(sequence_length, dtypes.int32)
        longest = reduce_max(sequence_length)
    if reverse:
        inputs = nest.map_structure(_reversed, inputs)
    states, last = Recurrent(
        theta=step.theta,
        state0=step.extended(initial_state),
        inputs=inputs,
        cell_fn=step,
        max_input_length=longest,
        use_tpu=use_tpu,
        aligned_end=reverse,
    )
    if reverse:
        states = nest.map_structure(_reversed, states)
    elif sequence_length is not None:
        last = nest.map_structure(lambda x: _at_end(x, sequence_length), states)
    outputs, last_state = step.outputs_of(states), step.state_of(last)
    if sequence_length is not None:
        outputs = nest.map_structure(lambda x: _within(x, sequence_length), outputs)
    _set_shapes(outputs, [steps, rows], cell.output_size)
    _set_shapes(last_state, [rows], cell.state_size)
    if not time_major:
        outputs = nest.map_structure(_exchanged, outputs)
    return outputs, last_state


class _CellAsFunction:
    """A cell without variables of its own: everything it uses is passed as `theta`.

    Outputs that are not states become states, in front of the others.
    """

    def __init__(self, cell: Any, inputs: TensorLike, initial_state: NestedTensors) -> None:
        first = nest.map_structure(lambda x: stop_gradient(gather(x, 0)), inputs)
        arguments = [first, initial_state]
        flat = nest.flatten(arguments)

        def FlatCellStep(*args: Tensor) -> list[Tensor]:
            for arg, like in zip(args, flat, strict=True):
                arg.set_shape(like.get_shape())
            output, state = cell(*nest.pack_sequence_as(arguments, list(args)))
            self._keep(output, nest.flatten(state))
            return [*self._new_outputs, *nest.flatten(state)]

        self._structure = initial_state
        function = Defun(*[x.dtype.base_dtype for x in flat])(FlatCellStep)
        self._function = function
        self.theta = list(function.captured_inputs)

    def _keep(self, output: Tensor, states: list[Tensor]) -> None:
        self._output = output
        found = [
            next((i for i, s in enumerate(states) if s is o), None) for o in nest.flatten(output)
        ]
        self._new_outputs: list[Tensor] = []
        self._places = [place for place in found if place is not None]
        if len(self._places) < len(found):
            self._new_outputs = nest.flatten(output)
            self._places = list(range(len(found)))

    def __call__(
        self, theta: Sequence[Tensor], state: NestedTensors, inputs: TensorLike
    ) -> tuple[Any, Any]:
        """One step; the state is extended by the outputs."""
        graph = get_default_graph()
        self._function.add_to_graph(graph)
        flat = [*nest.flatten([inputs, self.state_of(state)]), *theta]
        results = call_function(graph, self._function.name, flat).outputs
        for result, like in zip(results, nest.flatten(state), strict=True):
            result.set_shape(like.get_shape())
        return nest.pack_sequence_as(state, list(results)), []

    def extended(self, state: NestedTensors) -> list[Tensor]:
        """A state with zeros for the outputs in front of it."""
        zeros = []
        for output in self._new_outputs:
            shape = output.get_shape().as_list()
            batch = shape_tensor(nest.flatten(state)[0])[0]
            zeros.append(build.Fill(stack([batch, *shape[1:]]), _zero(output)))
            zeros[-1].set_shape([nest.flatten(state)[0].get_shape()[0].value, *shape[1:]])
        return [*zeros, *nest.flatten(state)]

    def outputs_of(self, states: list[Tensor]) -> Tensor:
        """The outputs among extended states, in the structure that the cell gives."""
        return nest.pack_sequence_as(self._output, [states[place] for place in self._places])

    def state_of(self, states: list[Tensor]) -> NestedTensors:
        """The states among extended states, in their structure."""
        return nest.pack_sequence_as(self._structure, states[len(self._new_outputs) :])


def _zero(like: Tensor) -> Tensor:
    return constant(0, dtype=like.dtype.base_dtype)


def _exchanged(x: Tensor) -> Tensor:
    """A tensor with its first two axes exchanged."""
    ndims = x.get_shape().ndims or 3
    return transpose(x, [1, 0, *range(2, ndims)])


def _reversed(x: Tensor) -> Tensor:
    return reverse_axes(x, [0])


def _mask(x: Tensor, steps: Tensor) -> Tensor:
    """Booleans of shape [time, batch] as factors for a tensor of shape [time, batch, ...]."""
    factors = cast(steps, x.dtype.base_dtype)
    for _ in range((x.get_shape().ndims or 3) - 2):
        factors = expand_dims(factors, -1)
    return factors


def _times(x: Tensor) -> Tensor:
    """The numbers of the steps, of shape [time, 1]."""
    return expand_dims(range_(shape_tensor(x)[0]), 1)


def _at_end(x: Tensor, lengths: Tensor) -> Tensor:
    """The value at the last step of each row; zeros for a row without steps."""
    last = expand_dims(lengths - 1, 0)
    chosen = build.Mul(_mask(x, build.Equal(_times(x), last)), x)
    return reduce_sum(chosen, 0)


def _within(x: Tensor, lengths: Tensor) -> Tensor:
    """A tensor with zeros after the last step of each row."""
    return build.Mul(_mask(x, build.Less(_times(x), expand_dims(lengths, 0))), x)


def _set_shapes(tensors: NestedTensors, prefix: list[int | None], sizes: Sequence[int]) -> None:
    for tensor, size in zip(nest.flatten(tensors), nest.flatten(sizes), strict=True):
        tensor.set_shape(TensorShape(prefix).concatenate(TensorShape(size)))


@export("contrib.recurrent.bidirectional_functional_rnn")
def bidirectional_functional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: TensorLike,
    initial_state_fw: NestedTensors | None = None,
    initial_state_bw: NestedTensors | None = None,
    dtype: DTypeLike = None,
    sequence_length: TensorLike = None,
    time_major: bool = False,
    use_tpu: bool = False,
    fast_reverse: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Applies one cell to the steps in order, and another in reverse order.

    Args:
        cell_fw: the cell of the forward direction.
        cell_bw: the cell of the backward direction.
        inputs: a tensor of shape [batch, time, ...], or a structure of them.
        initial_state_fw: the state before the first step; zeros if None.
        initial_state_bw: the state before the last step; zeros if None.
        dtype: the type of the zeros, needed if there are no initial states.
        sequence_length: an integer vector: the lengths of the rows.
        time_major: whether inputs and outputs have the shape [time, batch, ...].
        use_tpu: accepted; the computation is the same.
        fast_reverse: whether all rows begin with the last step, not with their own last one.
        scope: the variable scope; "bidirectional_rnn" by default.

    Returns:
        The outputs of both directions, and the last states of both, each a pair.
    """

    def backwards(x: TensorLike) -> Tensor:
        time_axis, batch_axis = (0, 1) if time_major else (1, 0)
        if sequence_length is None:
            return reverse_axes(x, [time_axis])
        return build.ReverseSequence(x, sequence_length, seq_dim=time_axis, batch_dim=batch_axis)

    options = {
        "dtype": dtype,
        "sequence_length": sequence_length,
        "time_major": time_major,
        "use_tpu": use_tpu,
    }
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as scope_fw:
            output_fw, state_fw = functional_rnn(
                cell_fw, inputs, initial_state=initial_state_fw, scope=scope_fw, **options
            )
        with variable_scope("bw") as scope_bw:
            reverse_inputs = inputs if fast_reverse else nest.map_structure(backwards, inputs)
            output_bw, state_bw = functional_rnn(
                cell_bw,
                reverse_inputs,
                initial_state=initial_state_bw,
                scope=scope_bw,
                reverse=fast_reverse,
                **options,
            )
    if not fast_reverse:
        output_bw = nest.map_structure(backwards, output_bw)
    return (output_fw, output_bw), (state_fw, state_bw)
