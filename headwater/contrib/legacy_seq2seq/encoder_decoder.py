"""An encoder whose last state starts a decoder."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, nest
from headwater.base.signatures import signature
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.legacy_seq2seq.decoders import (
    check_projection,
    embed_most_likely,
    embedding_rnn_decoder,
    rnn_decoder,
)
from headwater.graph import Tensor, export, shape_tensor
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.rnn.projections import EmbeddingWrapper, OutputProjectionWrapper
from headwater.model.rnn.static import static_rnn
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.control.cond import cond

if TYPE_CHECKING:
    from headwater.model.rnn.cell import RNNCell
    from headwater.model.variables.variable_scope_object import ScopeLike

_templates: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def unused_copy(cell: RNNCell) -> RNNCell | int:
    """Copies a cell as it was when it was first copied.

    Programs for releases before 1.1 build several buckets with one cell. Once used, a cell holds
    variables and cannot be copied any more.

    Args:
        cell: an RNNCell.

    Returns:
        A cell that makes or finds its own variables.
    """
    try:
        template = _templates.get(cell)
    except TypeError:  # no weak references: not a cell, which the caller reports
        return copy.deepcopy(cell)
    if template is None:
        template = _templates[cell] = copy.deepcopy(cell)
    return copy.deepcopy(template)


def decoded_by_tensor(
    feed_previous: TensorLike,
    decode: Callable[[bool], tuple[list[Any], Any]],
    steps: int,
    like: Callable[[], Any],
) -> tuple[list[Any], Any]:
    """Decodes in one of two ways, chosen by a tensor at run time.

    Args:
        feed_previous: a boolean scalar.
        decode: a function from "feed the last output" to outputs and state.
        steps: the number of outputs.
        like: a function that gives a state of the right structure.

    Returns:
        The outputs and the state of the way that was taken.
    """

    def branch(feed: bool) -> list[Any]:
        # The first branch makes the variables, the second one finds them.
        with variable_scope(get_variable_scope(), reuse=None if feed else True):
            outputs, state = decode(feed)
            return outputs + (nest.flatten(state) if nest.is_nested(state) else [state])

    flat = cond(feed_previous, lambda: branch(True), lambda: branch(False))
    structure = like()
    state = flat[steps:]
    if nest.is_nested(structure):
        return flat[:steps], nest.pack_sequence_as(structure=structure, flat_sequence=state)
    return flat[:steps], state[0]


@export("contrib.legacy_seq2seq.basic_rnn_seq2seq", "nn.seq2seq.basic_rnn_seq2seq")
def basic_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    dtype: DTypeLike = dtypes.float32,
    scope: ScopeLike | None = None,
) -> tuple[list[Any], Any]:
    """Encodes a sequence and decodes another one from the last state, with variables of its own.

    Args:
        encoder_inputs: tensors of shape [batch, size], one per step.
        decoder_inputs: tensors of shape [batch, size], one per step.
        cell: an RNNCell; the encoder takes a copy.
        dtype: the type of the state.
        scope: the variable scope; "basic_rnn_seq2seq" by default.

    Returns:
        The list of outputs of the decoder and its last state.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(unused_copy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


@export("contrib.legacy_seq2seq.tied_rnn_seq2seq", "nn.seq2seq.tied_rnn_seq2seq")
def tied_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    loop_function: Callable[[Any, int], Any] | None = None,
    dtype: DTypeLike = dtypes.float32,
    scope: ScopeLike | None = None,
) -> tuple[list[Any], Any]:
    """Encodes a sequence and decodes another one with the same variables.

    Args:
        encoder_inputs: tensors of shape [batch, size], one per step.
        decoder_inputs: tensors of shape [batch, size], one per step.
        cell: an RNNCell.
        loop_function: as for `rnn_decoder`.
        dtype: the type of the state.
        scope: the variable scope below "combined_tied_rnn_seq2seq"; "tied_rnn_seq2seq" by default.

    Returns:
        The list of outputs of the decoder and its last state.
    """
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


@export("contrib.legacy_seq2seq.embedding_rnn_seq2seq", "nn.seq2seq.embedding_rnn_seq2seq")
def embedding_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Sequence[TensorLike] | None = None,
    feed_previous: TensorLike = False,
    dtype: DTypeLike | None = None,
    scope: ScopeLike | None = None,
) -> tuple[list[Any], Any]:
    """Encodes symbols and decodes others from the last state.

    Args:
        encoder_inputs: integer vectors, one per step.
        decoder_inputs: integer vectors, one per step.
        cell: an RNNCell; the encoder takes a copy.
        num_encoder_symbols: the number of symbols of the encoder.
        num_decoder_symbols: the number of symbols of the decoder.
        embedding_size: the size of an embedding.
        output_projection: a pair (weights, biases) that turns outputs into logits; if None, the
            cell gets a projection of its own.
        feed_previous: whether each step but the first gets the most likely symbol of the last one;
            a bool, or a boolean scalar tensor.
        dtype: the type of the state; that of the scope if None.
        scope: the variable scope; "embedding_rnn_seq2seq" by default.

    Returns:
        The list of outputs, [batch, num_decoder_symbols] or (with `output_projection`) as the cell
        gives them, and the last state of the decoder.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq", dtype=dtype) as current:
        dtype = current.dtype
        encoder = EmbeddingWrapper(unused_copy(cell), num_encoder_symbols, embedding_size)
        _, encoder_state = static_rnn(encoder, encoder_inputs, dtype=dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed: bool, update: bool = False) -> tuple[list[Any], Any]:
            return embedding_rnn_decoder(
                decoder_inputs,
                encoder_state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=feed,
                update_embedding_for_previous=update,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, update=True)
        return decoded_by_tensor(feed_previous, decode, len(decoder_inputs), lambda: encoder_state)


@export(
    "contrib.legacy_seq2seq.embedding_tied_rnn_seq2seq", "nn.seq2seq.embedding_tied_rnn_seq2seq"
)
def embedding_tied_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: Sequence[TensorLike] | None = None,
    feed_previous: TensorLike = False,
    dtype: DTypeLike | None = None,
    scope: ScopeLike | None = None,
) -> tuple[list[Any], Any]:
    """Encodes symbols and decodes others with the same embedding and the same variables.

    Args:
        encoder_inputs: integer vectors, one per step.
        decoder_inputs: integer vectors, one per step.
        cell: an RNNCell.
        num_symbols: the number of symbols of both sides.
        embedding_size: the size of an embedding.
        num_decoder_symbols: the number of symbols that outputs tell apart; all if None.
        output_projection: a pair (weights, biases) that turns outputs into logits; if None, the
            cell gets a projection of its own.
        feed_previous: whether each step but the first gets the most likely symbol of the last one;
            a bool, or a boolean scalar tensor.
        dtype: the type of the state; that of the scope if None.
        scope: the variable scope; "embedding_tied_rnn_seq2seq" by default.

    Returns:
        The list of outputs, [batch, number of symbols] or (with `output_projection`) as the cell
        gives them, and the last state of the decoder.

    Raises:
        ValueError: if a shape of `output_projection` does not fit.
    """
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as current:
        dtype = current.dtype
        check_projection(output_projection, num_symbols, dtype, weights=True)
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoded = [embedding_lookup(embedding, symbols) for symbols in encoder_inputs]
        decoded = [embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(
                cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols
            )

        def decode(feed: bool, update: bool = False) -> tuple[list[Any], Any]:
            loop_function = None
            if feed:
                loop_function = embed_most_likely(embedding, output_projection, update)
            return tied_rnn_seq2seq(
                encoded, decoded, cell, loop_function=loop_function, dtype=dtype
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, update=True)

        def zero_state() -> Any:
            rows = encoder_inputs[0].get_shape()[0]
            for symbols in encoder_inputs[1:]:
                rows.merge_with(symbols.get_shape()[0])
            batch: TensorLike = rows.value
            if batch is None:
                shape: Tensor = shape_tensor(encoder_inputs[0])
                batch = shape[0]
            return cell.zero_state(batch, dtype)

        return decoded_by_tensor(feed_previous, decode, len(decoder_inputs), zero_state)


@export("contrib.legacy_seq2seq.one2many_rnn_seq2seq", "nn.seq2seq.one2many_rnn_seq2seq")
@signature(
    "encoder_inputs, decoder_inputs_dict, enc_cell, dec_cells_dict, num_encoder_symbols, "
    "num_decoder_symbols_dict, embedding_size, feed_previous=False, dtype=None, scope=None"
)
def one2many_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs_dict: dict[Any, Any],
    enc_cell: Any = None,
    dec_cells_dict: Any = None,
    num_encoder_symbols: Any = None,
    num_decoder_symbols_dict: Any = None,
    embedding_size: TensorLike = None,
    feed_previous: TensorLike = False,
    dtype: DTypeLike | None = None,
    scope: ScopeLike | None = None,
    cell: RNNCell | None = None,
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    """Encodes symbols once and decodes several sequences from the last state.

    Args:
        encoder_inputs: integer vectors, one per step.
        decoder_inputs_dict: for each decoder, by name, integer vectors, one per step.
        enc_cell: the RNNCell of the encoder.
        dec_cells_dict: the RNNCell of each decoder, by name. (The order of TensorFlow 1.0, with
            one cell for all and without this argument, is taken too; numbers tell.)
        num_encoder_symbols: the number of symbols of the encoder.
        num_decoder_symbols_dict: the number of symbols of each decoder, by name.
        embedding_size: the size of an embedding.
        feed_previous: whether each step but the first gets the most likely symbol of the last one;
            a bool, or a boolean scalar tensor.
        dtype: the type of the state; that of the scope if None.
        scope: the variable scope; "one2many_rnn_seq2seq" by default.
        cell: older name of `enc_cell`: one cell that encoder and decoders take copies of.

    Returns:
        For each decoder, by name, the list of outputs; and the last states, by name.
    """
    if isinstance(dec_cells_dict, int):
        return one2many_rnn_seq2seq(
            encoder_inputs,
            decoder_inputs_dict,
            num_encoder_symbols=dec_cells_dict,
            num_decoder_symbols_dict=num_encoder_symbols,
            embedding_size=num_decoder_symbols_dict if embedding_size is None else embedding_size,
            feed_previous=feed_previous,
            dtype=dtype,
            scope=scope,
            cell=enc_cell,
        )
    if cell is not None:
        enc_cell = cell
        dec_cells_dict = {name: unused_copy(cell) for name in decoder_inputs_dict}
    outputs_dict, state_dict = {}, {}
    with variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as current:
        dtype = current.dtype
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, encoder_state = static_rnn(encoder, encoder_inputs, dtype=dtype)
        for name, decoder_inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with variable_scope("one2many_decoder_" + str(name)):
                projected = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                def decode(
                    feed: bool,
                    inputs: list[Tensor] = decoder_inputs,
                    by: Any = projected,
                    n: int = symbols,
                ) -> tuple[list[Any], Any]:
                    return embedding_rnn_decoder(
                        inputs, encoder_state, by, n, embedding_size, feed_previous=feed
                    )

                if isinstance(feed_previous, bool):
                    outputs, state = decode(feed_previous)
                else:
                    outputs, state = decoded_by_tensor(
                        feed_previous, decode, len(decoder_inputs), lambda: encoder_state
                    )
                outputs_dict[name], state_dict[name] = outputs, state
    return outputs_dict, state_dict
