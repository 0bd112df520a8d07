"""Embeddings with the defaults of `tf.contrib.layers`."""

from __future__ import annotations

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import SparseTensor, Tensor
from headwater.model.nn import safe_embedding


@export("contrib.layers.safe_embedding_lookup_sparse", "contrib.slim.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str | None = None,
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Tensor:
    """Combines the rows of several ids per example; see `tf.nn.safe_embedding_lookup_sparse`.

    Args:
        embedding_weights: the matrix, or a list of its parts.
        sparse_ids: a SparseTensor of ids.
        sparse_weights: a SparseTensor of one weight per id, or None for weights of 1.
        combiner: "mean", "sqrtn" or "sum"; None is "mean", with a warning.
        default_id: the id of examples without ids; None means that they get zeros.
        name: the name scope.
        partition_strategy: how ids are spread over parts.
        max_norm: rows with a larger L2 norm are scaled down to it first.

    Returns:
        A tensor with the leading dimensions of the ids, and the columns of the matrix.

    Raises:
        ValueError: if there is no matrix, or the combiner is unknown.
    """
    return safe_embedding.safe_embedding_lookup_sparse(
        embedding_weights,
        sparse_ids,
        sparse_weights,
        combiner,
        default_id,
        name,
        partition_strategy,
        max_norm,
    )
