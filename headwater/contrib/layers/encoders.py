"""Encoders of sequences of ids: embeddings, and their mean."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.typing import InitializerLike, Regularizer, TensorLike
from headwater.contrib.framework.variables import model_variable
from headwater.contrib.layers.embedding_ops import (
    embedding_lookup_unique,
    safe_embedding_lookup_sparse,
)
from headwater.contrib.layers.sparse_ops import dense_to_sparse_tensor
from headwater.graph import SparseTensor, Tensor
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.math.reduce_functions import reduce_mean


@export("contrib.layers.bow_encoder", "contrib.slim.bow_encoder")
def bow_encoder(
    ids: TensorLike | SparseTensor,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Tensor:
    """The mean of the embeddings of each sequence: its bag of words.

    Args:
        ids: a tensor ``[batch, length]`` of ids, or a SparseTensor.
        vocab_size: the number of ids.
        embed_dim: the length of an embedding.
        sparse_lookup: whether zeros in a tensor of ids stand for no id, and are left out.
        initializer: the initializer of the embeddings.
        regularizer: a function from the embeddings to a loss.
        trainable: whether optimizers change the embeddings by default.
        scope: the variable scope.
        reuse: whether the variables of the scope are used again.

    Returns:
        A tensor ``[batch, embed_dim]``.

    Raises:
        TypeError: if `ids` is sparse and `sparse_lookup` is false.
    """
    with variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if sparse_lookup:
            sparse = ids if isinstance(ids, SparseTensor) else dense_to_sparse_tensor(ids)
            return safe_embedding_lookup_sparse([embeddings], sparse, combiner="mean", default_id=0)
        if isinstance(ids, SparseTensor):
            raise TypeError("ids are expected to be dense Tensor, got: %s", ids)
        return reduce_mean(embedding_lookup(embeddings, ids), axis=1)


@export("contrib.layers.embed_sequence", "contrib.slim.embed_sequence")
def embed_sequence(
    ids: TensorLike,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Tensor:
    """The embeddings of the ids of sequences.

    Args:
        ids: a tensor ``[batch, length]`` of ids.
        vocab_size: the number of ids; needed unless the embeddings are used again.
        embed_dim: the length of an embedding; needed unless the embeddings are used again.
        unique: whether each id is looked up only once.
        initializer: the initializer of the embeddings.
        regularizer: a function from the embeddings to a loss.
        trainable: whether optimizers change the embeddings by default.
        scope: the variable scope.
        reuse: whether the variables of the scope are used again.

    Returns:
        A tensor ``[batch, length, embed_dim]``.

    Raises:
        ValueError: if a size is missing.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            f"Must specify vocab size and embedding dimension when not reusing. Got vocab_size="
            f"{vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        look_up = embedding_lookup_unique if unique else embedding_lookup
        return look_up(embeddings, ids)
