"""Decoders without attention: a cell applied to each input, or to its previous output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export
from headwater.model.nn.dense import xw_plus_b
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)

if TYPE_CHECKING:
    from headwater.model.rnn.cell import RNNCell
    from headwater.model.variables.variable_scope_object import ScopeLike


def embed_most_likely(
    embedding: TensorLike,
    output_projection: Sequence[TensorLike] | None = None,
    update_embedding: bool = True,
) -> Callable[[Any, int], Tensor]:
    """Makes a loop function that feeds the embedding of the most likely symbol.

    Args:
        embedding: the matrix of embeddings.
        output_projection: a pair (weights, biases) that turns outputs into logits; None if outputs
            are logits.
        update_embedding: whether gradients reach the embedding by this way.

    Returns:
        A function from the last output and the number of the step to the next input.
    """

    def next_input(previous: Tensor, _: int) -> Tensor:
        if output_projection is not None:
            previous = xw_plus_b(previous, output_projection[0], output_projection[1])
        embedded = embedding_lookup(embedding, build.ArgMax(previous, 1))
        return embedded if update_embedding else build.StopGradient(embedded)

    return next_input


def input_of_step(
    step: int,
    given: Tensor,
    last_output: Tensor | None,
    loop_function: Callable[[Any, int], Any] | None,
) -> Tensor:
    """The input of a step: the given one, or the loop function's, from the last output."""
    if loop_function is None or last_output is None:
        return given
    with variable_scope("loop_function", reuse=True):
        return loop_function(last_output, step)


def check_projection(
    output_projection: Sequence[TensorLike | None] | None,
    num_symbols: int,
    dtype: DTypeLike,
    weights: bool,
) -> None:
    """Checks the shapes of a projection to logits.

    Args:
        output_projection: a pair (weights, biases), or None.
        num_symbols: the number of logits.
        dtype: the type that values are converted to.
        weights: whether the weights are checked too.

    Raises:
        ValueError: if a shape does not fit.
    """
    if output_projection is None:
        return
    if weights:
        matrix = convert_to_tensor(output_projection[0], dtype=dtype)
        matrix.get_shape().assert_is_compatible_with([None, num_symbols])
    biases = convert_to_tensor(output_projection[1], dtype=dtype)
    biases.get_shape().assert_is_compatible_with([num_symbols])


@export("contrib.legacy_seq2seq.rnn_decoder", "nn.seq2seq.rnn_decoder")
def rnn_decoder(
    decoder_inputs: Any,
    initial_state: NestedTensors,
    cell: RNNCell,
    loop_function: Callable[[Any, int], Any] | None = None,
    scope: ScopeLike | None = None,
) -> tuple[list[Any], Any]:
    """Applies a cell step by step.

    Args:
        decoder_inputs: tensors of shape [batch, size], one per step.
        initial_state: the state before the first step.
        cell: an RNNCell.
        loop_function: a function of the last output and the number of the step; what it returns
            takes the place of every input but the first.
        scope: the variable scope; "rnn_decoder" by default.

    Returns:
        The list of outputs and the last state.
    """
    state, outputs, last = initial_state, [], None
    with variable_scope(scope or "rnn_decoder"):
        for step, given in enumerate(decoder_inputs):
            fed = input_of_step(step, given, last, loop_function)
            if step > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(fed, state)
            outputs.append(output)
            if loop_function is not None:
                last = output
    return outputs, state


@export("contrib.legacy_seq2seq.embedding_rnn_decoder", "nn.seq2seq.embedding_rnn_decoder")
def embedding_rnn_decoder(
    decoder_inputs: Sequence[TensorLike],
    initial_state: NestedTensors | None,
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    output_projection: Sequence[TensorLike] | None = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: ScopeLike | None = None,
) -> tuple[list[Any], Any]:
    """Applies a cell to embedded symbols.

    Args:
        decoder_inputs: integer vectors, one per step.
        initial_state: the state before the first step.
        cell: an RNNCell.
        num_symbols: the number of symbols.
        embedding_size: the size of an embedding.
        output_projection: a pair (weights [size, num_symbols], biases [num_symbols]) that turns
            outputs into logits; used if `feed_previous`. None if outputs are logits.
        feed_previous: whether each step but the first gets the most likely symbol of the last one.
        update_embedding_for_previous: whether gradients reach the embeddings of such symbols.
        scope: the variable scope; "embedding_rnn_decoder" by default.

    Returns:
        The list of outputs of the cell and the last state.

    Raises:
        ValueError: if a shape of `output_projection` does not fit.
    """
    with variable_scope(scope or "embedding_rnn_decoder") as current:
        check_projection(output_projection, num_symbols, current.dtype, weights=True)
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = embed_most_likely(
                embedding, output_projection, update_embedding_for_previous
            )
        # Each input is embedded inside the decoder's scope, just before its step.
        embedded = (embedding_lookup(embedding, symbols) for symbols in decoder_inputs)
        return rnn_decoder(embedded, initial_state, cell, loop_function=loop_function)
