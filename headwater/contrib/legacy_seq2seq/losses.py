"""Losses of lists of logits, and models of several lengths."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from headwater.graph import Tensor, export, name_scope, shape_tensor
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.model.reduction_helpers import sum_of
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope
from headwater.ops.array.reshape import reshape
from headwater.ops.math.add_n import add_n
from headwater.ops.math.cast import cast

_NAMES_OF_LABELS = ("label", "target")


def call_loss(function: Callable[..., Any], labels: Tensor, logits: Tensor) -> Tensor:
    """Applies a loss function to labels and logits.

    Since TensorFlow 1.1 loss functions take the keywords `labels` and `logits`. In 1.0 they were
    called with (labels, inputs), before with (inputs, labels); the parameter names decide.

    Args:
        function: the loss function.
        labels: the classes.
        logits: a matrix of one row per label.

    Returns:
        What the function returns, a vector of losses.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return function(labels=labels, logits=logits)
    try:
        signature.bind(labels=labels, logits=logits)
    except TypeError:
        first = next(iter(signature.parameters), "")
        if any(name in first for name in _NAMES_OF_LABELS):
            return function(labels, logits)
        return function(logits, labels)
    return function(labels=labels, logits=logits)


@export(
    "contrib.legacy_seq2seq.sequence_loss_by_example",
    "nn.seq2seq.sequence_loss_by_example",
)
def sequence_loss_by_example(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the weighted cross entropy of each sequence of a batch.

    Args:
        logits: matrices of one row per sequence, one per step.
        targets: integer vectors, one per step.
        weights: float vectors, one per step.
        average_across_timesteps: whether a sequence's loss is divided by the sum of its weights.
        softmax_loss_function: a function (labels, logits) -> losses; the cross entropy with softmax
            if None.
        name: the name scope.

    Returns:
        A vector of one loss per sequence.

    Raises:
        ValueError: if the lists differ in length.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    with name_scope(name, "sequence_loss_by_example", logits + targets + weights):
        losses = []
        for step_logits, labels, weight in zip(logits, targets, weights, strict=True):
            if softmax_loss_function is None:
                labels = reshape(labels, [-1])
                loss = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=step_logits)
            else:
                loss = call_loss(softmax_loss_function, labels, step_logits)
            losses.append(loss * weight)
        total = add_n(losses)
        if average_across_timesteps:
            total = total / (add_n(weights) + 1e-12)
    return total


@export("contrib.legacy_seq2seq.sequence_loss", "nn.seq2seq.sequence_loss")
def sequence_loss(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the weighted cross entropy of a batch of sequences.

    Args:
        logits: matrices of one row per sequence, one per step.
        targets: integer vectors, one per step.
        weights: float vectors, one per step.
        average_across_timesteps: whether a sequence's loss is divided by the sum of its weights.
        average_across_batch: whether the loss is divided by the number of sequences.
        softmax_loss_function: a function (labels, logits) -> losses; the cross entropy with softmax
            if None.
        name: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if the lists differ in length.
    """
    with name_scope(name, "sequence_loss", logits + targets + weights):
        cost = sum_of(
            sequence_loss_by_example(
                logits,
                targets,
                weights,
                average_across_timesteps=average_across_timesteps,
                softmax_loss_function=softmax_loss_function,
            )
        )
        if not average_across_batch:
            return cost
        shape: Tensor = shape_tensor(targets[0])
        return cost / cast(shape[0], cost.dtype)


def _check_length(what: str, values: list[Any], length: int) -> None:
    if len(values) < length:
        raise ValueError(
            f"Length of {what} ({len(values)}) must be at least that of last bucket ({length})."
        )


@export("contrib.legacy_seq2seq.model_with_buckets", "nn.seq2seq.model_with_buckets")
def model_with_buckets(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    targets: list[Any],
    weights: list[Any],
    buckets: Sequence[Sequence[int]],
    seq2seq: Callable[[Any, Any], tuple[Any, Any]],
    softmax_loss_function: Callable[..., Any] | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Tensor]]:
    """Makes one model for several pairs of lengths, with the same variables.

    Args:
        encoder_inputs: the inputs of the encoder, one per step.
        decoder_inputs: the inputs of the decoder, one per step.
        targets: integer vectors, one per step.
        weights: float vectors, one per step.
        buckets: pairs (length of the encoder, length of the decoder), the longest last.
        seq2seq: a function from inputs of encoder and decoder to outputs and state.
        softmax_loss_function: a function (labels, logits) -> losses; the cross entropy with softmax
            if None.
        per_example_loss: whether losses are vectors of one per sequence instead of scalars.
        name: the name scope.

    Returns:
        The outputs for each pair of lengths, and the losses.

    Raises:
        ValueError: if there are fewer inputs, targets or weights than the last pair of lengths
            needs.
    """
    _check_length("encoder_inputs", encoder_inputs, buckets[-1][0])
    _check_length("targets", targets, buckets[-1][1])
    _check_length("weights", weights, buckets[-1][1])
    loss_function = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    everything = encoder_inputs + decoder_inputs + targets + weights
    with name_scope(name, "model_with_buckets", everything):
        for number, (encoder_steps, decoder_steps) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if number > 0 else None):
                bucket_outputs, _ = seq2seq(
                    encoder_inputs[:encoder_steps], decoder_inputs[:decoder_steps]
                )
                outputs.append(bucket_outputs)
                loss = loss_function(
                    bucket_outputs,
                    targets[:decoder_steps],
                    weights[:decoder_steps],
                    softmax_loss_function=softmax_loss_function,
                )
                losses.append(loss)
    return outputs, losses
