"""Helpers that feed the embeddings of the decoder's outputs back to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, TensorLike
from headwater.contrib.seq2seq.helper import Helper, none_finished
from headwater.contrib.seq2seq.sampling import categorical_sample
from headwater.graph import Tensor, build, convert_to_tensor, export
from headwater.model.nn.embedding import embedding_lookup
from headwater.ops.array.shape import size as size_of
from headwater.ops.control.cond import cond
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.math.reduce_functions import reduce_all

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def embedding_function(embedding: Any) -> Callable[..., Any]:
    """A function from ids to embeddings.

    Args:
        embedding: that function, or what tf.nn.embedding_lookup takes.
    """
    if callable(embedding):
        return embedding
    return lambda ids: embedding_lookup(embedding, ids)


@export("contrib.seq2seq.GreedyEmbeddingHelper")
class GreedyEmbeddingHelper(Helper):
    """A helper that takes the largest output and feeds its embedding.

    Args:
        embedding: a function from a vector of ids to embeddings, or a table for embedding_lookup.
        start_tokens: the first ids, an int32 vector.
        end_token: the id that ends a sequence.

    Raises:
        ValueError: if the tokens have the wrong rank.
    """

    def __init__(
        self, embedding: TensorLike, start_tokens: TensorLike, end_token: TensorLike
    ) -> None:
        self._embedding_fn = embedding_function(embedding)
        self._start_tokens = convert_to_tensor(
            start_tokens, dtype=dtypes.int32, name="start_tokens"
        )
        self._end_token = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._batch_size = size_of(start_tokens)
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self) -> Tensor:
        """The number of sequences."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The TensorShape of a sample: a scalar."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> DType:
        """The type of a sample: int32."""
        return dtypes.int32

    def initialize(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the first inputs; see Helper."""
        return none_finished(self._batch_size), self._start_inputs

    def sample(
        self,
        time: TensorLike,
        outputs: NestedTensors,
        state: TensorLike | None,
        name: str | None = None,
    ) -> Tensor:
        """The largest output of each sequence; see Helper.

        Raises:
            TypeError: if there is more than one output.
        """
        _check_single(outputs)
        return argmax(outputs, axis=-1, output_type=dtypes.int32)

    def next_inputs(
        self,
        time: TensorLike,
        outputs: TensorLike | None,
        state: NestedTensors,
        sample_ids: TensorLike,
        name: str | None = None,
    ) -> tuple[NestedTensors, ...]:
        """Returns the next inputs; see Helper."""
        finished = build.Equal(sample_ids, self._end_token)
        fed = cond(
            reduce_all(finished),
            # When all are finished, the next inputs do not matter.
            lambda: self._start_inputs,
            lambda: self._embedding_fn(sample_ids),
        )
        return finished, fed, state


@export("contrib.seq2seq.SampleEmbeddingHelper")
class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """A helper that draws from the distribution of the outputs and feeds the embedding.

    Args:
        embedding: a function from a vector of ids to embeddings, or a table for embedding_lookup.
        start_tokens: the first ids, an int32 vector.
        end_token: the id that ends a sequence.
        softmax_temperature: what the outputs are divided by; 1 by default.
        seed: the seed of the draws.

    Raises:
        ValueError: if the tokens have the wrong rank.
    """

    def __init__(
        self,
        embedding: TensorLike,
        start_tokens: TensorLike,
        end_token: TensorLike,
        softmax_temperature: TensorLike | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(
        self,
        time: TensorLike,
        outputs: NestedTensors,
        state: TensorLike | None,
        name: str | None = None,
    ) -> Tensor:
        """A draw for each sequence; see Helper.

        Raises:
            TypeError: if there is more than one output.
        """
        _check_single(outputs)
        logits = outputs
        if self._softmax_temperature is not None:
            logits = outputs / self._softmax_temperature
        return categorical_sample(logits=logits, seed=self._seed)


def _check_single(outputs: TensorLike) -> None:
    if not isinstance(outputs, Tensor):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
