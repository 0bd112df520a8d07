"""`tf.contrib.learn.ops`: sequences to sequences with unrolled cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike
from headwater.graph import Tensor, name_scope
from headwater.model.rnn.static import static_rnn
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope
from headwater.ops.array.fill import zeros
from headwater.ops.array.shape import shape
from headwater.ops.array.stack import stack, unstack
from headwater.ops.math.add_n import add_n
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.softmax import softmax
from headwater.ops.nn.softmax_cross_entropy import softmax_cross_entropy_with_logits


@export(
    "contrib.learn.ops.sequence_classifier", "contrib.learn.ops.seq2seq_ops.sequence_classifier"
)
def sequence_classifier(
    decoding: Sequence[Tensor],
    labels: Sequence[Tensor],
    sampling_decoding: Sequence[Tensor] | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns probabilities and the loss of a decoded sequence.

    Args:
        decoding: the logits ``[batch, classes]`` of each step.
        labels: the one-hot labels of each step.
        sampling_decoding: the logits to predict from; those of `decoding` if None.
        name: the name scope.

    Returns:
        Probabilities ``[batch, steps, classes]``, and the sum of all cross entropies.
    """
    with name_scope(name, "sequence_classifier", [decoding, labels]):
        predictions, losses = [], []
        for i, logits in enumerate(decoding):
            losses.append(
                softmax_cross_entropy_with_logits(
                    labels=labels[i], logits=logits, name=f"sequence_loss/xent_raw{i}"
                )
            )
            predictions.append(softmax(sampling_decoding[i] if sampling_decoding else logits))
        loss = reduce_sum(add_n(losses, name="sequence_loss/xent"), name="sequence_loss")
        return stack(predictions, axis=1), loss


@export("contrib.learn.ops.seq2seq_inputs", "contrib.learn.ops.seq2seq_ops.seq2seq_inputs")
def seq2seq_inputs(
    x: Tensor,
    y: Tensor,
    input_length: int,
    output_length: int,
    sentinel: Tensor | None = None,
    name: str | None = None,
) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """Splits sequences into the steps of an encoder and a decoder.

    Args:
        x: inputs ``[batch, input_length, n]``.
        y: outputs ``[batch, output_length, m]``.
        input_length: the number of steps of `x`; its static shape tells.
        output_length: the number of steps of `y`; its static shape tells.
        sentinel: what stands before the first and after the last output ``[batch, m]``; zeros if
            None.
        name: the name scope.

    Returns:
        The encoder's inputs, the decoder's inputs, which begin with the sentinel, and the
        decoder's outputs, which end with it.
    """
    with name_scope(name, "seq2seq_inputs", [x, y]):
        encoder_inputs = unstack(x, axis=1)
        outputs = unstack(y, axis=1)
        if sentinel is None:
            sentinel = zeros(stack([shape(x)[0], outputs[0].get_shape()[1]]))
            sentinel.set_shape(outputs[0].get_shape())
        return encoder_inputs, [sentinel, *outputs], [*outputs, sentinel]


@export("contrib.learn.ops.rnn_decoder", "contrib.learn.ops.seq2seq_ops.rnn_decoder")
def rnn_decoder(
    decoder_inputs: Sequence[Tensor], initial_state: Any, cell: Any, scope: Any = None
) -> tuple[list[Tensor], list[Any], list[Tensor], list[Any]]:
    """Unrolls a decoder twice: fed with its inputs to train, with its own outputs to sample.

    Args:
        decoder_inputs: the input ``[batch, n]`` of each step.
        initial_state: the state before the first step.
        cell: an RNN cell.
        scope: the variable scope; "dnn_decoder" if None.

    Returns:
        Outputs and states of training, outputs and states of sampling; states begin with the
        initial one.
    """
    with variable_scope(scope or "dnn_decoder"):
        states, sampling_states = [initial_state], [initial_state]
        outputs: list[Tensor] = []
        sampling_outputs: list[Tensor] = []
        with name_scope("training", values=[decoder_inputs, initial_state]):
            for i, value in enumerate(decoder_inputs):
                if i > 0:
                    get_variable_scope().reuse_variables()
                output, state = cell(value, states[-1])
                outputs.append(output)
                states.append(state)
        with name_scope("sampling", values=[initial_state]):
            for i in range(len(decoder_inputs)):
                if i == 0:
                    output, state = outputs[0], states[0]
                else:
                    output, state = cell(sampling_outputs[-1], sampling_states[-1])
                sampling_outputs.append(output)
                sampling_states.append(state)
    return outputs, states, sampling_outputs, sampling_states


@export("contrib.learn.ops.rnn_seq2seq", "contrib.learn.ops.seq2seq_ops.rnn_seq2seq")
def rnn_seq2seq(
    encoder_inputs: Sequence[Tensor],
    decoder_inputs: Sequence[Tensor],
    encoder_cell: Any,
    decoder_cell: Any = None,
    dtype: DTypeLike = dtypes.float32,
    scope: Any = None,
) -> tuple[list[Tensor], list[Any], list[Tensor], list[Any]]:
    """Unrolls an encoder, and a decoder that begins with the encoder's last state.

    Args:
        encoder_inputs: the input ``[batch, n]`` of each step of the encoder.
        decoder_inputs: the input of each step of the decoder.
        encoder_cell: an RNN cell.
        decoder_cell: an RNN cell; the encoder's if None.
        dtype: the type of the encoder's initial state.
        scope: the variable scope; "rnn_seq2seq" if None.

    Returns:
        What `rnn_decoder` returns.
    """
    with variable_scope(scope or "rnn_seq2seq"):
        _, last_state = static_rnn(encoder_cell, encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, last_state, decoder_cell or encoder_cell)
