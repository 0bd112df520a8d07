"""AttentionWrapper: a cell with attention to a memory at each step."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.contrib.framework.tensor_shapes import with_same_shape
from headwater.contrib.seq2seq.attention_math import dimension
from headwater.contrib.seq2seq.attention_mechanism import AttentionMechanism
from headwater.graph import Tensor, build, control_dependencies, export, name_scope
from headwater.model.layers.core import Dense
from headwater.model.rnn.cell import LayerRNNCell, RNNCell, check_cell, zero_state_tensors
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.math.matmul import matmul

_MISMATCH = "Non-matching batch sizes between the memory (encoder output) and"
_BEAMS = "Are you using the BeamSearchDecoder?"
_TILE = "the tf.contrib.seq2seq.tile_batch function with argument multiple=beam_width."


@export("contrib.seq2seq.AttentionWrapperState")
class AttentionWrapperState(
    collections.namedtuple(
        "AttentionWrapperState",
        ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"),
    )
):
    """The state of an AttentionWrapper.

    Its fields are the state of the cell, the last attention, the number of steps, and the
    alignments, TensorArrays of all alignments (or an empty tuple) and the state of the attention
    mechanism, each a tuple if there are several mechanisms.
    """

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """A copy of the state with some fields replaced.

        Args:
            **kwargs: the values; tensors are checked to have the shape of the old ones.

        Returns:
            The new state.

        Raises:
            ValueError: if a value has another structure or shape.
        """

        def checked(old: TensorLike, new: TensorLike | None) -> Tensor | float | None:
            if isinstance(old, Tensor) and isinstance(new, Tensor):
                return with_same_shape(old, new)
            return new

        return nest.map_structure(checked, self, self._replace(**kwargs))


def compute_attention(
    attention_mechanism: Any,
    cell_output: Tensor,
    attention_state: Tensor,
    attention_layer: Dense | None,
) -> tuple[Any, Any, Any]:
    """Computes attention to the memory from the output of a cell.

    Args:
        attention_mechanism: the mechanism.
        cell_output: the query, [batch, depth].
        attention_state: the state of the mechanism.
        attention_layer: a layer on query and context, or None.

    Returns:
        The attention, the alignments, and the next state of the mechanism.
    """
    alignments, next_state = attention_mechanism(cell_output, state=attention_state)
    context = matmul(build.ExpandDims(alignments, 1), attention_mechanism.values)
    context = build.Squeeze(context, squeeze_dims=[1])
    if attention_layer is None:
        return context, alignments, next_state
    return attention_layer(concat([cell_output, context], 1)), alignments, next_state


def _joined(inputs: Tensor, attention: Tensor) -> Tensor:
    return concat([inputs, attention], -1)


@export("contrib.seq2seq.AttentionWrapper")
class AttentionWrapper(RNNCell):
    """A cell with attention to a memory.

    Args:
        cell: the inner cell.
        attention_mechanism: an AttentionMechanism, or a list of several.
        attention_layer_size: the size of the attention, which a layer then makes from context and
            output; by default the attention is the context. A list for several mechanisms.
        alignment_history: whether the alignments of all steps are kept.
        cell_input_fn: a function (inputs, attention) -> inputs of the cell; it joins them by
            default.
        output_attention: whether the outputs are the attention, and not those of the cell.
        initial_cell_state: the first state of the cell; its zero state by default.
        name: the name of the cell and its variable scope.
        attention_layer: a layer (or a list of them) instead of `attention_layer_size`.
        attention_fn: a function (mechanism, output, state, layer) -> (attention, alignments,
            state) instead of the usual one.
        dtype: the type of the variables.

    Raises:
        TypeError: if an argument is of the wrong kind.
        ValueError: if there are not as many layers as mechanisms, or both kinds of layers.
    """

    def __init__(
        self,
        cell: LayerRNNCell,
        attention_mechanism: Any,
        attention_layer_size: int | Sequence[int] | None = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[..., Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: NestedTensors | None = None,
        name: str | None = None,
        attention_layer: Any = None,
        attention_fn: Callable[..., Any] | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        check_cell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)
        self._check_mechanisms(mechanisms)
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(
                f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}"
            )
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        self._cell = cell
        self._attention_mechanisms = mechanisms
        self._attention_layers: Any = None
        if attention_layer_size is not None:
            sizes = _per_mechanism("attention_layer_size", attention_layer_size, mechanisms)
            self._attention_layers = tuple(
                Dense(size, name="attention_layer", use_bias=False, dtype=dtype) for size in sizes
            )
            self._attention_layer_size = sum(sizes)
        elif attention_layer is not None:
            self._attention_layers = _per_mechanism("attention_layer", attention_layer, mechanisms)
            self._attention_layer_size = sum(
                layer.compute_output_shape(
                    [None, cell.output_size + mechanism.values.get_shape()[-1].value]
                )[-1].value
                for layer, mechanism in zip(self._attention_layers, mechanisms, strict=True)
            )
        else:
            self._attention_layer_size = sum(
                mechanism.values.get_shape()[-1].value for mechanism in mechanisms
            )
        self._cell_input_fn = cell_input_fn or _joined
        self._attention_fn = attention_fn or compute_attention
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        self._initial_cell_state: Any = None
        with name_scope(name, "AttentionWrapperInit"):
            if initial_cell_state is not None:
                self._set_initial_state(initial_cell_state)

    def _check_mechanisms(self, mechanisms: tuple[Any, ...]) -> None:
        for mechanism in mechanisms:
            if isinstance(mechanism, AttentionMechanism):
                continue
            only = (
                "contain only instances of AttentionMechanism"
                if self._is_multi
                else "be an AttentionMechanism or list of multiple AttentionMechanism instances"
            )
            raise TypeError(
                f"attention_mechanism must {only}, saw type: {type(mechanism).__name__}"
            )

    def _set_initial_state(self, state: NestedTensors) -> None:
        text = (
            f"When constructing AttentionWrapper {self._base_name}: {_MISMATCH} "
            f"initial_cell_state.  {_BEAMS}  You may need to tile your initial state via {_TILE}"
        )
        rows = dimension(nest.flatten(state)[-1], 0)
        with control_dependencies(self._batch_size_checks(rows, text)):
            self._initial_cell_state = nest.map_structure(
                lambda s: build.Identity(s, name="check_initial_cell_state"), state
            )

    def _batch_size_checks(self, batch_size: TensorLike, error_message: str) -> list[Any]:
        return [
            assert_equal(batch_size, mechanism.batch_size, message=error_message)
            for mechanism in self._attention_mechanisms
        ]

    def _item_or_tuple(self, values: Any) -> NestedTensors:
        values = tuple(values)
        return values if self._is_multi else values[0]

    @property
    def output_size(self) -> int:
        """The size of the attention, or of the cell's outputs."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        """An AttentionWrapperState of sizes."""
        mechanisms = self._attention_mechanisms
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(m.alignments_size for m in mechanisms),
            attention_state=self._item_or_tuple(m.state_size for m in mechanisms),
            alignment_history=self._item_or_tuple(
                m.alignments_size if self._alignment_history else () for m in mechanisms
            ),
        )

    def zero_state(self, batch_size: TensorLike | None, dtype: DTypeLike) -> AttentionWrapperState:
        """The state before the first step.

        Args:
            batch_size: the number of sequences, which must be that of the memory.
            dtype: the type.

        Returns:
            An AttentionWrapperState.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            text = (
                f"When calling zero_state of AttentionWrapper {self._base_name}: {_MISMATCH} the "
                f"requested batch size.  {_BEAMS}  If so, make sure your encoder output has been "
                "tiled to beam_width via tf.contrib.seq2seq.tile_batch, and the batch_size= "
                "argument passed to zero_state is batch_size * beam_width."
            )
            with control_dependencies(self._batch_size_checks(batch_size, text)):
                cell_state = nest.map_structure(
                    lambda s: build.Identity(s, name="checked_cell_state"), cell_state
                )
            mechanisms = self._attention_mechanisms
            alignments = [m.initial_alignments(batch_size, dtype) for m in mechanisms]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=zeros([], dtype=dtypes.int32),
                attention=zero_state_tensors(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(
                    m.initial_state(batch_size, dtype) for m in mechanisms
                ),
                alignment_history=self._item_or_tuple(
                    TensorArray(dtype, size=0, dynamic_size=True, element_shape=a.get_shape())
                    if self._alignment_history
                    else ()
                    for a in alignments
                ),
            )

    def call(
        self, inputs: NestedTensors, state: NestedTensors | None
    ) -> tuple[Tensor | AttentionWrapperState, ...]:
        """Computes one step.

        Args:
            inputs: the inputs, [batch, depth].
            state: an AttentionWrapperState.

        Returns:
            The attention or the output of the cell, and the new state.

        Raises:
            TypeError: if the state is another.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. Received type "
                f"{type(state)} instead."
            )
        output, cell_state = self._cell(
            self._cell_input_fn(inputs, state.attention), state.cell_state
        )
        text = (
            f"When applying AttentionWrapper {self.name}: {_MISMATCH} the query (decoder output)."
            f"  {_BEAMS}  You may need to tile your memory input via {_TILE}"
        )
        with control_dependencies(self._batch_size_checks(dimension(output, 0), text)):
            output = build.Identity(output, name="checked_cell_output")
        last_states, histories = state.attention_state, state.alignment_history
        if not self._is_multi:
            last_states, histories = [last_states], [histories]
        attentions, all_alignments, new_states, new_histories = [], [], [], []
        for i, mechanism in enumerate(self._attention_mechanisms):
            layer = self._attention_layers[i] if self._attention_layers else None
            attention, alignments, next_state = self._attention_fn(
                mechanism, output, last_states[i], layer
            )
            history: Any = ()
            if self._alignment_history:
                history = histories[i].write(state.time, alignments)
            attentions.append(attention)
            all_alignments.append(alignments)
            new_states.append(next_state)
            new_histories.append(history)
        attention = concat(attentions, 1)
        new_state = AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=attention,
            attention_state=self._item_or_tuple(new_states),
            alignments=self._item_or_tuple(all_alignments),
            alignment_history=self._item_or_tuple(new_histories),
        )
        return attention if self._output_attention else output, new_state


def _per_mechanism(argument: str, value: Any, mechanisms: tuple[Any, ...]) -> tuple[Any, ...]:
    values = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if len(values) != len(mechanisms):
        kind = "integer" if argument == "attention_layer_size" else "layer"
        raise ValueError(
            f"If provided, {argument} must contain exactly one {kind} per attention_mechanism, "
            f"saw: {len(values)} vs {len(mechanisms)}"
        )
    return values
