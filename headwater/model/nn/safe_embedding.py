"""Embeddings of several ids per example where some examples may have none."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.nn.embedding import embedding_lookup_sparse, parts_of
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.gather import gather
from headwater.ops.array.shape import size
from headwater.ops.array.stack import stack
from headwater.ops.math.axes import all_axes
from headwater.ops.math.cast import cast
from headwater.ops.sparse.reshape import sparse_reshape
from headwater.ops.sparse.rows import sparse_fill_empty_rows, sparse_retain


@export("nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(
    embedding_weights: NestedTensors,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str | None = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Tensor:
    """Combines the rows of several ids per example; ids below 0 and weights of 0 are left out.

    Args:
        embedding_weights: the matrix; see `embedding_lookup`.
        sparse_ids: a SparseTensor of ids; its last dimension holds those of one example.
        sparse_weights: a SparseTensor of one weight per id, or None for weights of 1.
        combiner: "mean", "sqrtn" or "sum"; see `embedding_lookup_sparse`.
        default_id: the id of examples without ids; None means that they get zeros.
        name: the name scope.
        partition_strategy: how ids are spread over parts; see `embedding_lookup`.
        max_norm: rows with a larger L2 norm are scaled down to it first.

    Returns:
        A tensor with the leading dimensions of the ids, and the columns of the matrix.

    Raises:
        ValueError: if there is no matrix, or the combiner is unknown.
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    weights = parts_of(embedding_weights)
    if not weights:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    dtype = None if sparse_weights is None else sparse_weights.dtype
    matrices = [
        part if hasattr(part, "handle") else convert_to_tensor(part, dtype=dtype)
        for part in weights
    ]
    with name_scope(name, "embedding_lookup", [*matrices, sparse_ids, sparse_weights]) as scope:
        whole = sparse_ids.dense_shape
        known_rank = whole.shape[0].value
        rank: TensorLike = size(whole) if known_rank is None else known_rank
        outer = build.Slice(whole, [0], [rank - 1])
        rows = build.Prod(outer, all_axes(outer))
        ids: SparseTensor = sparse_reshape(sparse_ids, [rows, gather(whole, rank - 1)])
        factors: TensorLike = None
        if sparse_weights is not None:
            factors = SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
        ids, factors = _valid(ids, factors, combiner)
        ids, empty = sparse_fill_empty_rows(ids, default_id or 0)
        if factors is not None:
            factors, _ = sparse_fill_empty_rows(factors, 1.0)
        result: Tensor = embedding_lookup_sparse(
            matrices,
            ids,
            factors,
            partition_strategy=partition_strategy,
            name=None if default_id is None else scope,
            combiner=combiner,
            max_norm=max_norm,
        )
        if default_id is None:
            found: Tensor = build.Reshape(empty, [-1, 1])
            columns: Tensor = shape_tensor(result)
            found = build.Tile(found, stack([1, columns[1]]))
            result = build.Select(found, zeros_like(result), result, name=scope)
        outer = build.Slice(cast(whole, dtypes.int32), [0], [rank - 1])
        inner = build.Slice(shape_tensor(result), [1], [-1])
        final = build.Reshape(result, concat([outer, inner], 0))
        if known_rank is not None:
            final.set_shape(TensorShape([None] * (known_rank - 1)).concatenate(result.shape[1:]))
        return final


def _valid(
    ids: SparseTensor, factors: SparseTensor | None, combiner: str | None
) -> tuple[Any, Any]:
    """Ids of at least 0 and, unless they are only summed up, weights above 0."""
    valid = build.GreaterEqual(ids.values, 0)
    if factors is not None:
        valid = build.LogicalAnd(valid, ones_like(factors.values, dtypes.bool_))
    ids = sparse_retain(ids, valid)
    if factors is None:
        return ids, None
    factors = sparse_retain(factors, valid)
    if combiner != "sum":
        positive = build.Greater(factors.values, 0)
        ids, factors = sparse_retain(ids, positive), sparse_retain(factors, positive)
    return ids, factors
