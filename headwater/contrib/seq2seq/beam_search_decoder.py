"""BeamSearchDecoder: keeps the best sequences of each row instead of one."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes, logging, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, TensorLike
from headwater.contrib.seq2seq.attention_math import dimension
from headwater.contrib.seq2seq.basic_decoder import check_layer, layer_output_size
from headwater.contrib.seq2seq.beam_search_math import (
    check_batch_beam,
    check_ndims,
    check_static_batch_beam_maybe,
    gather_tree_from_array,
    get_attention_probs,
    get_scores,
    mask_probs,
    maybe_tensor_gather_helper,
    tensor_gather_helper,
)
from headwater.contrib.seq2seq.decoder import Decoder
from headwater.contrib.seq2seq.embedding_helpers import embedding_function
from headwater.contrib.seq2seq.helper import tensors
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.rnn.cell import check_cell
from headwater.model.rnn.steps import is_tensor_array
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.shape import size as size_of
from headwater.ops.array.tile import tile
from headwater.ops.control.cond import cond
from headwater.ops.math.cast import cast, to_int64
from headwater.ops.math.division import mod
from headwater.ops.math.reduce_functions import reduce_all, reduce_max
from headwater.ops.nn.gather_tree import gather_tree
from headwater.ops.nn.softmax import log_softmax
from headwater.ops.nn.top_k import top_k

if TYPE_CHECKING:
    from headwater.contrib.seq2seq.attention_wrapper import AttentionWrapperState
    from headwater.ops.control.tensor_array_class import TensorArray


@export("contrib.seq2seq.BeamSearchDecoderState")
class BeamSearchDecoderState(
    collections.namedtuple(
        "BeamSearchDecoderState",
        ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"),
        defaults=((),),
    )
):
    """The state of a BeamSearchDecoder."""


@export("contrib.seq2seq.BeamSearchDecoderOutput")
class BeamSearchDecoderOutput(
    collections.namedtuple("BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids"))
):
    """The output of a step of BeamSearchDecoder for each beam."""


@export("contrib.seq2seq.FinalBeamSearchDecoderOutput")
class FinalBeamSearchDecoderOutput(
    collections.namedtuple(
        "FinalBeamDecoderOutput", ("predicted_ids", "beam_search_decoder_output")
    )
):
    """The sequences that a beam search found, best first, and what its steps gave."""


class BeamSearchDecoderMixin:
    """The step of beam search and its end.

    Args:
        cell: a recurrent cell.
        beam_width: the number of beams.
        output_layer: a layer on the outputs.
        length_penalty_weight: the weight of the penalty on short sequences.
        coverage_penalty_weight: that of the penalty on parts of the memory without attention.
        reorder_tensor_arrays: whether TensorArrays in the state are sorted at the end.
        **kwargs: nothing.

    Raises:
        TypeError: if an argument is of the wrong kind.
    """

    _batch_size: TensorLike
    _start_tokens: TensorLike
    _start_inputs: TensorLike
    _end_token: TensorLike
    _embedding_fn: Callable[..., Any]

    def __init__(
        self,
        cell: Any,
        beam_width: int,
        output_layer: Callable[..., Any] | None = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
        **kwargs: Any,
    ) -> None:
        check_cell("cell", cell)
        check_layer(output_layer)
        self._cell = cell
        self._output_layer = output_layer
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight
        super().__init__(**kwargs)

    @property
    def batch_size(self) -> Tensor:
        """The number of rows."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places, and finished ones may be dropped."""
        return True

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        """The sizes of scores, ids and parents."""
        beams = TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(scores=beams, predicted_ids=beams, parent_ids=beams)

    def _rnn_output_size(self) -> Any:
        return layer_output_size(self._cell.output_size, self._output_layer)

    def finalize(
        self, outputs: NestedTensors, final_state: NestedTensors, sequence_lengths: TensorLike
    ) -> tuple[NestedTensors, ...]:
        """Traces the beams back from the last step, best first; see Decoder."""
        longest = cast(reduce_max(final_state.lengths, axis=1), dtypes.int32)
        predicted_ids = gather_tree(
            outputs.predicted_ids,
            outputs.parent_ids,
            max_sequence_lengths=longest,
            end_token=self._end_token,
        )
        if self._reorder_tensor_arrays:
            final_state = final_state._replace(
                cell_state=nest.map_structure(
                    lambda t: self._maybe_sort_array_beams(
                        t, outputs.parent_ids, final_state.lengths
                    ),
                    final_state.cell_state,
                )
            )
        return (
            FinalBeamSearchDecoderOutput(
                beam_search_decoder_output=outputs, predicted_ids=predicted_ids
            ),
            final_state,
        )

    def _static_rows(self) -> int | None:
        known = constant_value(self._batch_size)
        return None if known is None else int(known)

    def _merge_batch_beams(self, t: TensorLike, s: TensorShape | int | None = None) -> Tensor:
        """[batch, beam, ...] to [batch * beam, ...]."""
        inner = _inner_shape(s)
        shape: Tensor = shape_tensor(t)
        rows = self._static_rows()
        merged = build.Reshape(t, concat(([self._batch_size * self._beam_width], shape[2:]), 0))
        static = TensorShape([None if rows is None else rows * self._beam_width])
        merged.set_shape(static.concatenate(inner))
        return merged

    def _split_batch_beams(self, t: TensorLike, s: TensorShape | int | None = None) -> Tensor:
        """[batch * beam, ...] to [batch, beam, ...]."""
        inner = _inner_shape(s)
        shape: Tensor = shape_tensor(t)
        parts = build.Reshape(t, concat(([self._batch_size, self._beam_width], shape[1:]), 0))
        expected = TensorShape([self._static_rows(), self._beam_width]).concatenate(inner)
        if not parts.get_shape().is_compatible_with(expected):
            raise ValueError(
                "Unexpected behavior when reshaping between beam width and batch size.  The "
                f"reshaped tensor has shape: {parts.get_shape()}.  We expected it to have shape "
                f"(batch_size, beam_width, depth) == {expected}.  Perhaps you forgot to create a "
                "zero_state with batch_size=encoder_batch_size * beam_width?"
            )
        parts.set_shape(expected)
        return parts

    def _maybe_split_batch_beams(self, t: TensorLike, s: TensorShape | int) -> Tensor | TensorArray:
        if is_tensor_array(t):
            return t
        check_ndims(t)
        return self._split_batch_beams(t, s) if t.get_shape().ndims >= 1 else t

    def _maybe_merge_batch_beams(self, t: TensorLike, s: Any) -> Tensor | TensorArray:
        if is_tensor_array(t):
            return t
        check_ndims(t)
        return self._merge_batch_beams(t, s) if t.get_shape().ndims >= 2 else t

    def _maybe_sort_array_beams(
        self, t: TensorLike, parent_ids: TensorLike, sequence_length: TensorLike
    ) -> Tensor | TensorArray:
        if not is_tensor_array(t):
            return t
        shape = t.element_shape
        if not t._infer_shape or shape.ndims is None or shape.ndims < 1:
            logging.warning(
                "The TensorArray %s in the cell state is not amenable to sorting based on the "
                "beam search result. For a TensorArray to be sorted, its elements shape must be "
                "defined and have at least a rank of 1, but saw shape: %s",
                t.handle.name,
                shape,
            )
            return t
        if not check_static_batch_beam_maybe(shape, self._static_rows(), self._beam_width):
            return t
        stacked = t.stack()
        check = check_batch_beam(stacked, self._batch_size, self._beam_width)
        with control_dependencies([check]):
            return gather_tree_from_array(stacked, parent_ids, sequence_length)

    def step(
        self, time: TensorLike, inputs: TensorLike, state: NestedTensors, name: str | None = None
    ) -> tuple[Tensor | BeamSearchDecoderOutput | BeamSearchDecoderState, ...]:
        """Decodes one step; see Decoder."""
        with name_scope(name, "BeamSearchDecoderStep", tensors(time, inputs, state)):
            inputs = nest.map_structure(
                lambda x: self._merge_batch_beams(x, s=x.get_shape()[2:]), inputs
            )
            sizes = self._cell.state_size
            cell_state = nest.map_structure(self._maybe_merge_batch_beams, state.cell_state, sizes)
            outputs, next_cell_state = self._cell(inputs, cell_state)
            outputs = nest.map_structure(
                lambda x: self._split_batch_beams(x, x.get_shape()[1:]), outputs
            )
            next_cell_state = nest.map_structure(
                self._maybe_split_batch_beams, next_cell_state, sizes
            )
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            result, next_state = beam_search_step(
                time=time,
                logits=outputs,
                next_cell_state=next_cell_state,
                beam_state=state,
                batch_size=self._batch_size,
                beam_width=self._beam_width,
                end_token=self._end_token,
                length_penalty_weight=self._length_penalty_weight,
                coverage_penalty_weight=self._coverage_penalty_weight,
            )
            finished = next_state.finished
            next_inputs = cond(
                reduce_all(finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(result.predicted_ids),
            )
        return result, next_state, next_inputs, finished


@export("contrib.seq2seq.BeamSearchDecoder")
class BeamSearchDecoder(BeamSearchDecoderMixin, Decoder):
    """A decoder that keeps the best sequences of each row.

    Tensors with a row per sequence (memory, lengths, state) must be tiled with `tile_batch`.

    Args:
        cell: a recurrent cell.
        embedding: a function from ids to embeddings, or a table for embedding_lookup.
        start_tokens: the first ids, an int32 vector.
        end_token: the id that ends a sequence.
        initial_state: the first state of the cell, for batch * beam_width rows.
        beam_width: the number of beams.
        output_layer: a layer that makes logits of the outputs.
        length_penalty_weight: the weight of the penalty on short sequences.
        coverage_penalty_weight: that of the penalty on parts of the memory without attention.
        reorder_tensor_arrays: whether TensorArrays in the state (histories of alignments) are
            stacked and sorted at the end.

    Raises:
        TypeError: if an argument is of the wrong kind.
        ValueError: if the tokens have the wrong rank.
    """

    def __init__(
        self,
        cell: Any,
        embedding: TensorLike | None,
        start_tokens: TensorLike,
        end_token: TensorLike,
        initial_state: NestedTensors,
        beam_width: int,
        output_layer: Callable[..., Any] | None = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        super().__init__(
            cell,
            beam_width,
            output_layer=output_layer,
            length_penalty_weight=length_penalty_weight,
            coverage_penalty_weight=coverage_penalty_weight,
            reorder_tensor_arrays=reorder_tensor_arrays,
        )
        self._embedding_fn = embedding_function(embedding)
        self._start_tokens = convert_to_tensor(
            start_tokens, dtype=dtypes.int32, name="start_tokens"
        )
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = size_of(start_tokens)
        self._initial_cell_state = nest.map_structure(
            self._maybe_split_batch_beams, initial_state, self._cell.state_size
        )
        self._start_tokens = tile(build.ExpandDims(self._start_tokens, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)
        # At first all beams of a row are equal, so only one of them may continue.
        self._finished = one_hot(
            zeros([self._batch_size], dtype=dtypes.int32),
            depth=beam_width,
            on_value=False,
            off_value=True,
            dtype=dtypes.bool_,
        )

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        """The types of scores, ids and parents."""
        return BeamSearchDecoderOutput(
            scores=nest.flatten(self._initial_cell_state)[0].dtype,
            predicted_ids=dtypes.int32,
            parent_ids=dtypes.int32,
        )

    def initialize(self, name: str | None = None) -> tuple[Tensor | BeamSearchDecoderState, ...]:
        """Returns the initial state of decoding; see Decoder."""
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        log_probs = one_hot(
            zeros([self._batch_size], dtype=dtypes.int32),
            depth=self._beam_width,
            on_value=convert_to_tensor(0.0, dtype=dtype),
            off_value=convert_to_tensor(-np.inf, dtype=dtype),
            dtype=dtype,
        )
        attention = get_attention_probs(self._initial_cell_state, self._coverage_penalty_weight)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state,
            log_probs=log_probs,
            finished=self._finished,
            lengths=zeros([self._batch_size, self._beam_width], dtype=dtypes.int64),
            accumulated_attention_probs=() if attention is None else attention,
        )
        return self._finished, self._start_inputs, state


def _inner_shape(s: Any) -> TensorShape:
    if isinstance(s, Tensor):
        known = constant_value(s)
        return TensorShape([None] if known is None else np.reshape(known, -1).tolist())
    return TensorShape(s)


def beam_search_step(
    time: Tensor,
    logits: TensorLike,
    next_cell_state: Tensor | AttentionWrapperState,
    beam_state: BeamSearchDecoderState,
    batch_size: Tensor,
    beam_width: int,
    end_token: TensorLike,
    length_penalty_weight: TensorLike,
    coverage_penalty_weight: TensorLike = 0.0,
) -> tuple[Any, Any]:
    """Picks the best continuations of all beams of each row.

    Args:
        time: the step.
        logits: [batch, beam, vocabulary].
        next_cell_state: the next state of the cell.
        beam_state: the last BeamSearchDecoderState.
        batch_size: the number of rows.
        beam_width: the number of beams.
        end_token: the id that ends a sequence.
        length_penalty_weight: the weight of the penalty on short sequences.
        coverage_penalty_weight: that of the penalty on parts of the memory without attention.

    Returns:
        A BeamSearchDecoderOutput and the next BeamSearchDecoderState.
    """
    rows = constant_value(batch_size)
    finished = beam_state.finished
    not_finished = build.LogicalNot(finished)
    log_probs = mask_probs(log_softmax(logits), end_token, finished)
    total = build.ExpandDims(beam_state.log_probs, 2) + log_probs
    words = dimension(logits, -1)
    added = one_hot(
        build.Fill([batch_size, beam_width], end_token),
        depth=words,
        on_value=to_int64(0),
        off_value=to_int64(1),
        dtype=dtypes.int64,
    )
    added *= build.ExpandDims(cast(not_finished, dtypes.int64), 2)
    lengths = added + build.ExpandDims(beam_state.lengths, 2)
    attention = get_attention_probs(next_cell_state, coverage_penalty_weight)
    seen = None
    if attention is not None:
        attention *= build.ExpandDims(cast(not_finished, dtypes.float32), 2)
        seen = beam_state.accumulated_attention_probs + attention
    scores = get_scores(
        log_probs=total,
        sequence_lengths=lengths,
        length_penalty_weight=length_penalty_weight,
        coverage_penalty_weight=coverage_penalty_weight,
        finished=finished,
        accumulated_attention_probs=seen,
    )
    flat = build.Reshape(scores, [batch_size, -1])
    width = convert_to_tensor(beam_width, dtype=dtypes.int32, name="beam_width")
    best, positions = top_k(flat, k=width)
    for x in (best, positions):
        x.set_shape([None if rows is None else int(rows), beam_width])
    best_probs = tensor_gather_helper(
        positions,
        total,
        batch_size=batch_size,
        range_size=beam_width * words,
        gather_shape=[-1],
        name="next_beam_probs",
    )
    ids = cast(mod(positions, words, name="next_beam_word_ids"), dtypes.int32)
    parents = cast(positions / words, dtypes.int32, name="next_beam_parent_ids")

    def picked(x: TensorLike) -> Tensor:
        return tensor_gather_helper(
            parents, x, batch_size=batch_size, range_size=beam_width, gather_shape=[-1]
        )

    was_finished = picked(finished)
    next_finished = build.LogicalOr(
        was_finished, build.Equal(ids, end_token), name="next_beam_finished"
    )
    one_more = cast(build.LogicalNot(was_finished), dtypes.int64)
    next_lengths = picked(beam_state.lengths) + one_more
    next_seen: NestedTensors = ()
    if seen is not None:
        next_seen = tensor_gather_helper(
            parents,
            seen,
            batch_size=batch_size,
            range_size=beam_width,
            gather_shape=[batch_size * beam_width, -1],
            name="next_accumulated_attention_probs",
        )
    next_cell_state = nest.map_structure(
        lambda x: maybe_tensor_gather_helper(
            parents,
            x,
            batch_size=batch_size,
            range_size=beam_width,
            gather_shape=[batch_size * beam_width, -1],
        ),
        next_cell_state,
    )
    next_state = BeamSearchDecoderState(
        cell_state=next_cell_state,
        log_probs=best_probs,
        lengths=next_lengths,
        finished=next_finished,
        accumulated_attention_probs=next_seen,
    )
    return BeamSearchDecoderOutput(scores=best, predicted_ids=ids, parent_ids=parents), next_state
