"""The translation model: encoder and decoder with attention, for sentences of several lengths."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base.dtypes import as_dtype, float32, int32
from headwater.base.export import export
from headwater.base.typing import DTypeLike
from headwater.contrib.legacy_seq2seq.attention import embedding_attention_seq2seq
from headwater.contrib.legacy_seq2seq.losses import model_with_buckets
from headwater.contrib.translate import data_utils
from headwater.graph import Tensor
from headwater.graph.default_graph import device
from headwater.graph.gradients import gradients
from headwater.model.nn.sampled_losses import sampled_softmax_loss
from headwater.model.rnn.basic import GRUCell
from headwater.model.rnn.lstm import BasicLSTMCell
from headwater.model.rnn.multi import MultiRNNCell
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_lists import global_variables, trainable_variables
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.array.constant import placeholder
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose
from headwater.ops.math.clip_by_norm import clip_by_global_norm
from headwater.ops.math.matmul import matmul
from headwater.train.checkpoints.saver import Saver
from headwater.train.optimizers.gradient_descent import GradientDescentOptimizer


@export("models.rnn.translate.seq2seq_model.Seq2SeqModel")
class Seq2SeqModel:
    """A model that translates sequences of numbers, one graph for each pair of lengths.

    Args:
        source_vocab_size: the number of words that are translated.
        target_vocab_size: the number of words of the translation.
        buckets: pairs of the most words of a sentence and of its translation, which has a mark
            before and one after it; the longest last.
        size: the units of each layer.
        num_layers: the number of layers.
        max_gradient_norm: the norm that all gradients together are clipped to.
        batch_size: the number of sentences of a step.
        learning_rate: the learning rate at first.
        learning_rate_decay_factor: what `learning_rate_decay_op` multiplies it by.
        use_lstm: whether cells are LSTMs instead of GRUs.
        num_samples: the number of words of the sampled softmax; 0 for the whole softmax, which is
            used for smaller vocabularies, too.
        forward_only: whether nothing is trained and translations follow from their own words.
        dtype: the type of all variables.
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        buckets: Sequence[tuple[int, int]],
        size: int,
        num_layers: int,
        max_gradient_norm: float,
        batch_size: int,
        learning_rate: float,
        learning_rate_decay_factor: float,
        use_lstm: bool = False,
        num_samples: int = 512,
        forward_only: bool = False,
        dtype: DTypeLike = float32,
    ) -> None:
        self.source_vocab_size = source_vocab_size
        self.target_vocab_size = target_vocab_size
        self.buckets = buckets
        self.batch_size = batch_size
        self.learning_rate = Variable(float(learning_rate), trainable=False, dtype=dtype)
        self.learning_rate_decay_op = self.learning_rate.assign(
            self.learning_rate * learning_rate_decay_factor
        )
        self.global_step = Variable(0, trainable=False)
        self._dtype = as_dtype(dtype)
        self._make_placeholders()
        projection, loss_function = self._sampled_softmax(size, num_samples)
        cell = _cell(size, num_layers, use_lstm)

        def translate(encoder_inputs: Any, decoder_inputs: Any) -> tuple[Any, Any]:
            return embedding_attention_seq2seq(
                encoder_inputs,
                decoder_inputs,
                cell,
                source_vocab_size,
                target_vocab_size,
                embedding_size=size,
                output_projection=projection,
                feed_previous=forward_only,
                dtype=self._dtype,
            )

        self.outputs, self.losses = model_with_buckets(
            self.encoder_inputs,
            self.decoder_inputs,
            self.decoder_inputs[1:],
            self.target_weights,
            buckets,
            translate,
            softmax_loss_function=loss_function,
        )
        if forward_only:
            if projection is not None:
                weights, biases = projection
                self.outputs = [
                    [matmul(output, weights) + biases for output in outputs]
                    for outputs in self.outputs
                ]
        else:
            self._make_updates(max_gradient_norm)
        self.saver = Saver(global_variables())

    def _make_placeholders(self) -> None:
        """One placeholder for each step of the longest pair, and one target beyond it."""
        source_steps, target_steps = self.buckets[-1]
        self.encoder_inputs = [
            placeholder(int32, [None], name=f"encoder{step}") for step in range(source_steps)
        ]
        self.decoder_inputs = [
            placeholder(int32, [None], name=f"decoder{step}") for step in range(target_steps + 1)
        ]
        self.target_weights = [
            placeholder(self._dtype, [None], name=f"weight{step}")
            for step in range(target_steps + 1)
        ]

    def _sampled_softmax(
        self, size: int, num_samples: int
    ) -> tuple[tuple[Any, Any] | None, Callable[[Tensor, Tensor], Tensor] | None]:
        """The projection of outputs to words, and the loss; None for those of the whole softmax."""
        count = self.target_vocab_size
        if not 0 < num_samples < count:
            return None, None
        with device("/cpu:0"):
            weights = get_variable("proj_w", [size, count], dtype=self._dtype)
            transposed = transpose(weights)
            biases = get_variable("proj_b", [count], dtype=self._dtype)

        def loss(labels: Tensor, inputs: Tensor) -> Tensor:
            with device("/cpu:0"):
                column = reshape(labels, [-1, 1])
                return sampled_softmax_loss(transposed, biases, column, inputs, num_samples, count)

        return (weights, biases), loss

    def _make_updates(self, max_gradient_norm: float) -> None:
        optimizer = GradientDescentOptimizer(self.learning_rate)
        variables = trainable_variables()
        self.gradient_norms = []
        self.updates = []
        for loss in self.losses:
            clipped, norm = clip_by_global_norm(gradients(loss, variables), max_gradient_norm)
            self.gradient_norms.append(norm)
            self.updates.append(
                optimizer.apply_gradients(zip(clipped, variables), global_step=self.global_step)
            )

    def step(
        self,
        session: Any,
        encoder_inputs: Sequence[Any],
        decoder_inputs: Sequence[Any],
        target_weights: Sequence[Any],
        bucket_id: int,
        forward_only: bool,
    ) -> tuple[Any, Any, Any]:
        """Runs one batch.

        Args:
            session: a session with the variables.
            encoder_inputs: the numbers of words, one vector for each step.
            decoder_inputs: those of the translation.
            target_weights: the weights of its losses.
            bucket_id: the place of the pair of lengths in `buckets`.
            forward_only: whether to translate instead of training.

        Returns:
            The norm of the gradients, the loss and None; or None, the loss and the scores of words
            for each step.

        Raises:
            ValueError: if there are more or fewer vectors than steps.
        """
        source_steps, target_steps = self.buckets[bucket_id]
        for what, vectors, steps in (
            ("Encoder", encoder_inputs, source_steps),
            ("Decoder", decoder_inputs, target_steps),
            ("Weights", target_weights, target_steps),
        ):
            if len(vectors) != steps:
                raise ValueError(
                    f"{what} length must be equal to the one in bucket, {len(vectors)} != {steps}."
                )
        feed = {
            **dict(zip(self.encoder_inputs, encoder_inputs)),
            **dict(zip(self.decoder_inputs, decoder_inputs)),
            **dict(zip(self.target_weights, target_weights)),
            # The last target; its weight is 0.
            self.decoder_inputs[target_steps]: np.zeros([self.batch_size], np.int32),
        }
        if forward_only:
            outputs = self.outputs[bucket_id][:target_steps]
            loss, *scores = session.run([self.losses[bucket_id], *outputs], feed)
            return None, loss, scores
        fetches = [
            self.updates[bucket_id],
            self.gradient_norms[bucket_id],
            self.losses[bucket_id],
        ]
        _, norm, loss = session.run(fetches, feed)
        return norm, loss, None

    def get_batch(
        self, data: Sequence[Sequence[Sequence[Sequence[int]]]], bucket_id: int
    ) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
        """Draws random pairs of sentences, and pads them.

        Args:
            data: pairs of numbers of words, a list for each pair of lengths.
            bucket_id: the place of the pair of lengths.

        Returns:
            Inputs of the encoder (padding, then the words in reverse), inputs of the decoder (a
            mark, the words, then padding) and weights of losses, a vector for each step.
        """
        source_steps, target_steps = self.buckets[bucket_id]
        sources = np.full([source_steps, self.batch_size], data_utils.PAD_ID, np.int32)
        targets = np.full([target_steps, self.batch_size], data_utils.PAD_ID, np.int32)
        for place in range(self.batch_size):
            source, target = random.choice(data[bucket_id])
            sources[source_steps - len(source) :, place] = source[::-1]
            targets[: len(target) + 1, place] = [data_utils.GO_ID, *target]
        following = np.concatenate([targets[1:], np.zeros_like(targets[:1])])
        weights = (following != data_utils.PAD_ID).astype(np.float32)
        return list(sources), list(targets), list(weights)


def _cell(size: int, num_layers: int, use_lstm: bool) -> Any:
    layers: list[Any] = [
        BasicLSTMCell(size) if use_lstm else GRUCell(size) for _ in range(num_layers)
    ]
    return layers[0] if num_layers == 1 else MultiRNNCell(layers)
