"""Decoders with attention to the states of an encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.contrib.legacy_seq2seq.decoders import (
    check_projection,
    embed_most_likely,
    input_of_step,
)
from headwater.contrib.legacy_seq2seq.encoder_decoder import decoded_by_tensor, unused_copy
from headwater.graph import Tensor, build, convert_to_tensor, export, shape_tensor
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.rnn.linear import Linear
from headwater.model.rnn.projections import EmbeddingWrapper, OutputProjectionWrapper
from headwater.model.rnn.static import static_rnn
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import reshape
from headwater.ops.array.stack import stack
from headwater.ops.math.cast import cast
from headwater.ops.nn.conv2d import conv2d
from headwater.ops.nn.softmax import softmax

if TYPE_CHECKING:
    from headwater.model.rnn.cell import RNNCell
    from headwater.model.variables.variable_scope_object import ScopeLike


def _projected(args: list[Any], size: int) -> Tensor:
    """A linear map of several matrices, with variables of the current scope."""
    return Linear(args, size, True)(args)


class _Attention:
    """Weighted sums of states, with weights from a query; one sum per head.

    The weight of state s for query q is softmax(v . tanh(W s + U q)).

    Args:
        states: the states, of shape [batch, length, size].
        num_heads: the number of heads.
        dtype: the type of the sums.

    Source: O. Vinyals et al., "Grammar as a Foreign Language", 2014 (after D. Bahdanau et al.).
    """

    def __init__(self, states: Tensor, num_heads: int, dtype: DTypeLike) -> None:
        shape = states.get_shape()
        self._length: int | None = shape[1].value
        if self._length is None:
            dims: TensorLike = shape_tensor(states)
            self._length = dims[1]
        self.size = shape[2].value
        self._dtype = dtype
        self._states = reshape(states, [-1, self._length, 1, self.size])
        self._heads = []
        for head in range(num_heads):
            # A convolution with windows of one element is a product with a matrix.
            matrix = get_variable(f"AttnW_{head}", [1, 1, self.size, self.size])
            features = conv2d(self._states, matrix, [1, 1, 1, 1], "SAME")
            self._heads.append((features, get_variable(f"AttnV_{head}", [self.size])))

    def zeros(self, batch_size: Tensor) -> list[Tensor]:
        """Sums before there is a query.

        Args:
            batch_size: the number of rows.

        Returns:
            Zeros, one matrix per head.
        """
        shape = stack([batch_size, self.size])
        sums = [zeros(shape, dtype=self._dtype) for _ in self._heads]
        for each in sums:
            each.set_shape([None, self.size])
        return sums

    def __call__(self, query: NestedTensors) -> list[Tensor]:
        """The sums for a query.

        Args:
            query: a matrix, or a structure of matrices.

        Returns:
            Matrices of shape [batch, size], one per head.
        """
        if nest.is_nested(query):
            parts = nest.flatten(query)
            for part in parts:
                if part.get_shape().ndims:
                    assert part.get_shape().ndims == 2
            query = concat(parts, 1)
        sums = []
        for head, (features, vector) in enumerate(self._heads):
            with variable_scope(f"Attention_{head}"):
                asked = reshape(_projected(query, self.size), [-1, 1, 1, self.size])
                asked = cast(asked, self._dtype)
                scores = build.Sum(vector * build.Tanh(features + asked), [2, 3])
                weights = cast(softmax(cast(scores, dtypes.float32)), self._dtype)
                weighted = reshape(weights, [-1, self._length, 1, 1]) * self._states
                sums.append(reshape(build.Sum(weighted, [1, 2]), [-1, self.size]))
        return sums


@export("contrib.legacy_seq2seq.attention_decoder", "nn.seq2seq.attention_decoder")
def attention_decoder(
    decoder_inputs: Sequence[TensorLike],
    initial_state: NestedTensors | None,
    attention_states: TensorLike,
    cell: RNNCell,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Callable[[Any, int], Any] | None = None,
    dtype: DTypeLike = None,
    scope: ScopeLike | None = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Applies a cell step by step; each step also sees weighted sums of the encoder's states.

    Args:
        decoder_inputs: tensors of shape [batch, size], one per step.
        initial_state: the state before the first step.
        attention_states: the states to look at, [batch, length, size of a state].
        cell: an RNNCell.
        output_size: the size of an output; that of the cell if None.
        num_heads: how many weighted sums each step sees.
        loop_function: as for `rnn_decoder`.
        dtype: the type of the outputs; that of the scope if None.
        scope: the variable scope; "attention_decoder" by default.
        initial_state_attention: whether the first step sees sums for the initial state instead of
            zeros.

    Returns:
        The list of outputs and the last state.

    Raises:
        ValueError: if there are no inputs or no heads, or a size is unknown.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.get_shape()[2].value is None:
        raise ValueError(
            f"Shape[2] of attention_states must be known: {attention_states.get_shape()}"
        )
    if output_size is None:
        output_size = cell.output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype) as current:
        first_shape: Tensor = shape_tensor(decoder_inputs[0])
        batch_size = first_shape[0]
        attention = _Attention(attention_states, num_heads, current.dtype)
        state, outputs, last = initial_state, [], None
        sums = attention.zeros(batch_size)
        if initial_state_attention:
            sums = attention(initial_state)
        for step, given in enumerate(decoder_inputs):
            if step > 0:
                get_variable_scope().reuse_variables()
            fed = convert_to_tensor(input_of_step(step, given, last, loop_function))
            width = fed.get_shape().with_rank(2)[1].value
            if width is None:
                raise ValueError(f"Could not infer input size from input: {fed.name}")
            cell_output, state = cell(_projected([fed, *sums], width), state)
            if step == 0 and initial_state_attention:
                with variable_scope(get_variable_scope(), reuse=True):
                    sums = attention(state)
            else:
                sums = attention(state)
            with variable_scope("AttnOutputProjection"):
                output = _projected([cell_output, *sums], output_size)
            if loop_function is not None:
                last = output
            outputs.append(output)
    return outputs, state


@export(
    "contrib.legacy_seq2seq.embedding_attention_decoder", "nn.seq2seq.embedding_attention_decoder"
)
def embedding_attention_decoder(
    decoder_inputs: Sequence[TensorLike],
    initial_state: NestedTensors | None,
    attention_states: TensorLike | None,
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Sequence[TensorLike | None] | None = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: DTypeLike | None = None,
    scope: ScopeLike | None = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Applies a cell with attention to embedded symbols.

    Args:
        decoder_inputs: integer vectors, one per step.
        initial_state: the state before the first step.
        attention_states: the states to look at, [batch, length, size of a state].
        cell: an RNNCell.
        num_symbols: the number of symbols.
        embedding_size: the size of an embedding.
        num_heads: how many weighted sums each step sees.
        output_size: the size of an output; that of the cell if None.
        output_projection: a pair (weights [output_size, num_symbols], biases [num_symbols]) that
            turns outputs into logits; used if `feed_previous`. None if outputs are logits.
        feed_previous: whether each step but the first gets the most likely symbol of the last one.
        update_embedding_for_previous: whether gradients reach the embeddings of such symbols.
        dtype: the type of the outputs; that of the scope if None.
        scope: the variable scope; "embedding_attention_decoder" by default.
        initial_state_attention: whether the first step sees sums for the initial state instead of
            zeros.

    Returns:
        The list of outputs and the last state.

    Raises:
        ValueError: if the biases of `output_projection` do not fit.
    """
    if output_size is None:
        output_size = cell.output_size
    check_projection(output_projection, num_symbols, dtype, weights=False)
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = embed_most_likely(
                embedding, output_projection, update_embedding_for_previous
            )
        return attention_decoder(
            [embedding_lookup(embedding, symbols) for symbols in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=loop_function,
            initial_state_attention=initial_state_attention,
        )


@export(
    "contrib.legacy_seq2seq.embedding_attention_seq2seq", "nn.seq2seq.embedding_attention_seq2seq"
)
def embedding_attention_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Sequence[TensorLike] | None = None,
    feed_previous: TensorLike = False,
    dtype: DTypeLike | None = None,
    scope: ScopeLike | None = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Encodes symbols and decodes others with attention to the outputs of the encoder.

    Args:
        encoder_inputs: integer vectors, one per step.
        decoder_inputs: integer vectors, one per step.
        cell: an RNNCell; the encoder takes a copy.
        num_encoder_symbols: the number of symbols of the encoder.
        num_decoder_symbols: the number of symbols of the decoder.
        embedding_size: the size of an embedding.
        num_heads: how many weighted sums each step sees.
        output_projection: a pair (weights, biases) that turns outputs into logits; if None, the
            cell gets a projection of its own.
        feed_previous: whether each step but the first gets the most likely symbol of the last one;
            a bool, or a boolean scalar tensor.
        dtype: the type of the state; that of the scope if None.
        scope: the variable scope; "embedding_attention_seq2seq" by default.
        initial_state_attention: whether the first step sees sums for the initial state instead of
            zeros.

    Returns:
        The list of outputs, [batch, num_decoder_symbols] or (with `output_projection`) of the size
        of the cell's, and the last state of the decoder.
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as current:
        dtype = current.dtype
        encoder = EmbeddingWrapper(unused_copy(cell), num_encoder_symbols, embedding_size)
        encoder_outputs, encoder_state = static_rnn(encoder, encoder_inputs, dtype=dtype)
        rows = [reshape(output, [-1, 1, cell.output_size]) for output in encoder_outputs]
        attention_states = concat(rows, 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feed: bool, update: bool = False) -> tuple[list[Any], Any]:
            return embedding_attention_decoder(
                decoder_inputs,
                encoder_state,
                attention_states,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=output_size,
                output_projection=output_projection,
                feed_previous=feed,
                update_embedding_for_previous=update,
                initial_state_attention=initial_state_attention,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, update=True)
        return decoded_by_tensor(feed_previous, decode, len(decoder_inputs), lambda: encoder_state)
