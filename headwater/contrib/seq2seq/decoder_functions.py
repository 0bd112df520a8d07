"""Decoders of TensorFlow 1.0: a loop over a cell, and functions that connect its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes, nest
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.seq2seq.attention_math import dimension
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
    zeros_like,
)
from headwater.model.rnn.raw import raw_rnn
from headwater.model.rnn.steps import transpose_batch_time
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, zeros
from headwater.ops.array.gather import gather
from headwater.ops.control.cond import cond
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.tensordot import tensordot

if TYPE_CHECKING:
    from headwater.model.rnn.cell import RNNCell
    from headwater.model.variables.variable import Variable
    from headwater.model.variables.variable_scope_object import ScopeLike


@export("contrib.seq2seq.dynamic_rnn_decoder")
def dynamic_rnn_decoder(
    cell: RNNCell,
    decoder_fn: Callable[..., Any],
    inputs: TensorLike | None = None,
    sequence_length: TensorLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: ScopeLike | None = None,
    name: str | None = None,
) -> tuple[Any, Any, Any]:
    """Applies a cell in a loop; a function connects the steps.

    Args:
        cell: a recurrent cell.
        decoder_fn: a function (time, cell_state, cell_input, cell_output, context_state) ->
            (done, next state, next input, output to emit, next context state). Its first call has
            no output, and no state.
        inputs: the inputs while training, [batch, time, ...]; without them the function makes
            them.
        sequence_length: the lengths of the sequences, if `decoder_fn` does not say when they are
            done.
        parallel_iterations: the number of steps that may run at the same time.
        swap_memory: accepted; memory is managed by the engine.
        time_major: whether time is the first axis of inputs and outputs.
        scope: the variable scope.
        name: its default name.

    Returns:
        The outputs, the last state, and the last context state.

    Raises:
        ValueError: if neither `decoder_fn` nor `sequence_length` says when a sequence is done.
    """
    with variable_scope(scope, name or "dynamic_rnn_decoder") as current:
        read: Callable[[Any, bool], Any] = lambda time, first: None  # noqa: E731
        if inputs is not None:
            read = _reader(convert_to_tensor(inputs), time_major)
        if sequence_length is not None:
            sequence_length = cast(convert_to_tensor(sequence_length), dtypes.int32)

        def loop_fn(
            time: Tensor,
            cell_output: Tensor | None,
            cell_state: Tensor | None,
            loop_state: Tensor | None,
        ) -> tuple[Tensor | None, ...]:
            given = read(time, cell_state is None)
            done, next_state, next_input, emit, next_loop_state = decoder_fn(
                time, cell_state, given, cell_output, loop_state
            )
            if done is None:
                if sequence_length is None:
                    raise ValueError(
                        "sequence_length must be given if decoder_fn does not say what is done"
                    )
                done = time >= sequence_length
            return done, next_input, next_state, emit, next_loop_state

        arrays, final_state, final_context = raw_rnn(
            cell,
            loop_fn,
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            scope=current,
        )
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        if not time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
    return outputs, final_state, final_context


def _reader(inputs: TensorLike, time_major: bool) -> Callable[[Any, bool], Any]:
    """A function of the step that returns its inputs, and zeros after the last one."""
    if not time_major:
        inputs = transpose_batch_time(inputs)
    steps = dimension(inputs, 0)
    array = TensorArray(inputs.dtype, size=steps).unstack(inputs)

    def read(time: TensorLike, first: bool) -> Tensor:
        if first:
            return array.read(0)
        rest: TensorLike = shape_tensor(inputs)
        given = cond(
            build.Equal(time, steps),
            lambda: zeros(rest[1:], inputs.dtype),
            lambda: array.read(time),
        )
        given.set_shape(inputs.get_shape()[1:])
        return given

    return read


@export("contrib.seq2seq.simple_decoder_fn_train")
def simple_decoder_fn_train(
    encoder_state: TensorLike, name: str | None = None
) -> Callable[..., Any]:
    """A function for dynamic_rnn_decoder that feeds given inputs.

    Args:
        encoder_state: the first state of the cell.
        name: a name scope.

    Returns:
        The function.
    """

    def decoder_fn(
        time: Tensor,
        cell_state: Tensor | None,
        cell_input: Tensor,
        cell_output: Tensor | None,
        context_state: Tensor | None,
    ) -> tuple[Tensor | None, ...]:
        with name_scope(name, "simple_decoder_fn_train"):
            state = encoder_state if cell_state is None else cell_state
            return None, state, cell_input, cell_output, context_state

    return decoder_fn


@export("contrib.seq2seq.simple_decoder_fn_inference")
def simple_decoder_fn_inference(
    output_fn: Callable[..., Any] | None,
    encoder_state: TensorLike,
    embeddings: TensorLike,
    start_of_sequence_id: TensorLike,
    end_of_sequence_id: TensorLike,
    maximum_length: TensorLike,
    num_decoder_symbols: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Callable[..., Any]:
    """A function for dynamic_rnn_decoder that feeds the embedding of the largest output.

    Args:
        output_fn: a function from the cell's outputs to logits; None for none.
        encoder_state: the first state of the cell.
        embeddings: the table of embeddings.
        start_of_sequence_id: the first id.
        end_of_sequence_id: the id that ends a sequence.
        maximum_length: the step after which all sequences end.
        num_decoder_symbols: the number of logits.
        dtype: the type of the ids.
        name: a name scope.

    Returns:
        The function.
    """
    return _inference_fn(
        output_fn,
        encoder_state,
        embeddings,
        start_of_sequence_id,
        end_of_sequence_id,
        maximum_length,
        num_decoder_symbols,
        dtype,
        (name, "simple_decoder_fn_inference"),
        lambda query: None,
    )


def _inference_fn(
    output_fn: Callable[..., Any] | None,
    encoder_state: Tensor,
    embeddings: np.ndarray,
    start_id: TensorLike,
    end_id: TensorLike,
    maximum_length: TensorLike,
    symbols: TensorLike,
    dtype: DTypeLike,
    names: tuple[str | None, str],
    attend: Callable[[Any], Any],
) -> Callable[..., Any]:
    with name_scope(*names):
        start_id = convert_to_tensor(start_id, dtype)
        end_id = convert_to_tensor(end_id, dtype)
        maximum_length = convert_to_tensor(maximum_length, dtype)
        symbols = convert_to_tensor(symbols, dtype)
        rows = dimension(nest.flatten(encoder_state)[0], 0)
    make_logits = output_fn or (lambda x: x)

    def decoder_fn(
        time: TensorLike,
        cell_state: Tensor | None,
        cell_input: Any,
        cell_output: Tensor | None,
        context_state: Tensor | None,
    ) -> tuple[Tensor | None, ...]:
        with name_scope(*names):
            if cell_input is not None:
                raise ValueError(f"Expected cell_input to be None, but saw: {cell_input}")
            attention = attend(cell_output)
            if cell_output is None:
                ids = ones([rows], dtype=dtype) * start_id
                done = zeros([rows], dtype=dtypes.bool_)
                cell_state = encoder_state
                cell_output = zeros([symbols], dtype=dtypes.float32)
            else:
                cell_output = make_logits(cell_output if attention is None else attention)
                ids = cast(argmax(cell_output, 1), dtype)
                done = build.Equal(ids, end_id)
            next_input = gather(embeddings, ids)
            if attention is not None:
                next_input = concat([next_input, attention], 1)
            over = build.Greater(time, maximum_length)
            done = cond(over, lambda: ones([rows], dtype=dtypes.bool_), lambda: done)
            return done, cell_state, next_input, cell_output, context_state

    return decoder_fn


@export("contrib.seq2seq.attention_decoder_fn_train")
def attention_decoder_fn_train(
    encoder_state: TensorLike,
    attention_keys: TensorLike,
    attention_values: TensorLike,
    attention_score_fn: Callable[..., Any],
    attention_construct_fn: Callable[..., Any],
    name: str | None = None,
) -> Callable[..., Any]:
    """A function for dynamic_rnn_decoder that joins an attention to given inputs.

    Args:
        encoder_state: the first state of the cell.
        attention_keys: the keys, as the following arguments from `prepare_attention`.
        attention_values: the memory.
        attention_score_fn: the function of keys and query that looks at the memory.
        attention_construct_fn: the function that makes the attention.
        name: a name scope.

    Returns:
        The function.
    """

    def decoder_fn(
        time: Tensor,
        cell_state: Tensor | None,
        cell_input: Tensor,
        cell_output: Tensor | None,
        context_state: Tensor | None,
    ) -> tuple[Tensor | None, ...]:
        with name_scope(name, "attention_decoder_fn_train"):
            if cell_state is None:
                cell_state = encoder_state
                attention = _first_attention(encoder_state)
            else:
                attention = attention_construct_fn(cell_output, attention_keys, attention_values)
                cell_output = attention
            next_input = concat([cell_input, attention], 1)
            return None, cell_state, next_input, cell_output, context_state

    return decoder_fn


@export("contrib.seq2seq.attention_decoder_fn_inference")
def attention_decoder_fn_inference(
    output_fn: Callable[..., Any],
    encoder_state: Any,
    attention_keys: Any,
    attention_values: Any,
    attention_score_fn: Callable[..., Any],
    attention_construct_fn: Callable[..., Any],
    embeddings: TensorLike,
    start_of_sequence_id: TensorLike,
    end_of_sequence_id: TensorLike,
    maximum_length: TensorLike,
    num_decoder_symbols: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Callable[..., Any]:
    """Like simple_decoder_fn_inference, with an attention joined to the inputs.

    Args:
        output_fn: a function from the cell's outputs to logits; None for none.
        encoder_state: the first state of the cell.
        attention_keys: the keys, as the following arguments from `prepare_attention`.
        attention_values: the memory.
        attention_score_fn: the function of keys and query that looks at the memory.
        attention_construct_fn: the function that makes the attention.
        embeddings: the table of embeddings.
        start_of_sequence_id: the first id.
        end_of_sequence_id: the id that ends a sequence.
        maximum_length: the step after which all sequences end.
        num_decoder_symbols: the number of logits.
        dtype: the type of the ids.
        name: a name scope.

    Returns:
        The function.
    """

    def attend(query: TensorLike) -> Any:
        if query is None:
            return _first_attention(encoder_state)
        return attention_construct_fn(query, attention_keys, attention_values)

    return _inference_fn(
        output_fn,
        encoder_state,
        embeddings,
        start_of_sequence_id,
        end_of_sequence_id,
        maximum_length,
        num_decoder_symbols,
        dtype,
        (name, "attention_decoder_fn_inference"),
        attend,
    )


def _first_attention(encoder_state: Tensor) -> Tensor:
    top = encoder_state[-1] if isinstance(encoder_state, tuple) else encoder_state
    while isinstance(top, tuple):
        top = top[-1]
    return zeros_like(top)


@export("contrib.seq2seq.prepare_attention")
def prepare_attention(
    attention_states: TensorLike, attention_option: str, num_units: int, reuse: bool = False
) -> tuple[Any, Any, Callable[..., Any], Callable[..., Any]]:
    """Prepares a memory for the attention functions.

    Args:
        attention_states: the memory, [batch, time, depth].
        attention_option: "bahdanau" or "luong".
        num_units: the depth of the keys.
        reuse: whether existing variables are used.

    Returns:
        Keys, values, a function (query, keys, values) -> context, and a function of the same
        arguments that gives the attention.

    Raises:
        ValueError: if the option is another.
    """
    with variable_scope("attention_keys", reuse=reuse):
        depth = attention_states.get_shape()[-1].value
        keys = tensordot(attention_states, _weights(depth, num_units), [[2], [0]])
    if attention_option == "bahdanau":
        with variable_scope("attention_score", reuse=reuse):
            query_weights = get_variable("attnW", [num_units, num_units])
            vector = get_variable("attnV", [num_units])
    elif attention_option != "luong":
        raise ValueError(f"Unknown attention option {attention_option}!")

    def score_fn(query: TensorLike, keys: Tensor, values: Tensor) -> Tensor:
        if attention_option == "bahdanau":
            query = build.MatMul(query, query_weights)
        query = build.Reshape(query, [-1, 1, num_units])
        if attention_option == "bahdanau":
            scores = reduce_sum(vector * build.Tanh(keys + query), [2])
        else:
            scores = reduce_sum(keys * query, [2])
        return reduce_sum(build.ExpandDims(build.Softmax(scores), 2) * values, [1])

    def construct_fn(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        joined = concat([query, score_fn(query, keys, values)], 1)
        with variable_scope("attention_construct", reuse=reuse):
            width = joined.get_shape()[-1].value
            return build.MatMul(joined, _weights(width, num_units))

    return keys, attention_states, score_fn, construct_fn


def _weights(rows: int, columns: int) -> Variable:
    return get_variable("weights", [rows, columns], initializer=GlorotUniform())
