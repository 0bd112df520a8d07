"""Embeddings with the defaults of `tf.contrib.layers`."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes, logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.layers.sparse_feature_cross_op import sparse_feature_cross
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    name_scope,
    shape_tensor,
)
from headwater.model.nn import safe_embedding
from headwater.model.nn.embedding import embedding_lookup, embedding_lookup_sparse, parts_of
from headwater.ops.array.concat import concat
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.tile import tile
from headwater.ops.array.unique import unique
from headwater.ops.control.type_checks import assert_same_float_dtype
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_prod
from headwater.ops.math.sparse_segments import (
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
)
from headwater.ops.sparse.dense import sparse_tensor_to_dense
from headwater.ops.sparse.rows import sparse_fill_empty_rows

# What stands for the value of an empty row.
_EMPTY_STRING = "6ZxWzWOHxZ"
_EMPTY_NUMBER = 1288896567


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
        ValueError: if there is no matrix, types differ, or the combiner is unknown.
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    dtype = None if sparse_weights is None else sparse_weights.dtype
    matrices = [
        part if hasattr(part, "handle") else convert_to_tensor(part, dtype=dtype)
        for part in parts_of(embedding_weights)
    ]
    assert_same_float_dtype([*matrices, sparse_weights])
    return safe_embedding.safe_embedding_lookup_sparse(
        matrices,
        sparse_ids,
        sparse_weights,
        combiner,
        default_id,
        name,
        partition_strategy,
        max_norm,
    )


@export("contrib.layers.embedding_lookup_unique", "contrib.slim.embedding_lookup_unique")
def embedding_lookup_unique(
    params: Any, ids: TensorLike, partition_strategy: str = "mod", name: str | None = None
) -> Tensor:
    """Looks up rows of a matrix, each of them only once.

    Args:
        params: the matrix, or a list of its parts.
        ids: a tensor of ids.
        partition_strategy: how ids are spread over parts.
        name: the name scope.

    Returns:
        A tensor with the dimensions of `ids` and the columns of the matrix.
    """
    with name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = convert_to_tensor(ids)
        shape = shape_tensor(ids)
        ids_flat = build.Reshape(ids, reduce_prod(shape, keepdims=True))
        unique_ids, positions = unique(ids_flat)
        rows = embedding_lookup(params, unique_ids, partition_strategy)
        found = gather(rows, positions)
        outputs = build.Reshape(found, concat([shape, shape_tensor(rows)[1:]], 0))
        outputs.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return outputs


@export(
    "contrib.layers.scattered_embedding_lookup",
    "contrib.layers.hashed_embedding_lookup",
    "contrib.slim.scattered_embedding_lookup",
    "contrib.slim.hashed_embedding_lookup",
)
def scattered_embedding_lookup(
    params: Any,
    values: TensorLike,
    dimension: int,
    name: str | None = None,
    hash_key: int | None = None,
) -> Tensor:
    """Embeddings whose elements are shared by all values: each is found by hashing.

    Args:
        params: a vector of parameters, or a list of its parts, whose lengths differ by at most 1.
        values: a tensor of integers or strings.
        dimension: the length of an embedding.
        name: the name scope.
        hash_key: where hashing starts; None means the weaker hash of the first releases.

    Returns:
        A tensor with the dimensions of `values` and `dimension` columns.

    Raises:
        ValueError: if the dimension is missing or not positive, or the parts have other lengths.
    """
    if dimension is None:
        raise ValueError("You must specify dimension.")
    parts = parts_of(params)
    with name_scope(name, "scattered_embedding_lookup", [*parts, dimension, values]):
        shape = shape_tensor(values)
        values = build.Reshape(values, [-1, 1])
        if dimension <= 0:
            raise ValueError(f"Dimension must be >0. Given is {dimension}")
        columns = tile(expand_dims(range_(0, dimension), 0), shape_tensor(values))
        count = _count_parameters(parts)
        crossed = sparse_feature_cross(
            [columns, values], hashed_output=True, num_buckets=count, hash_key=hash_key
        )
        found = embedding_lookup(parts, sparse_tensor_to_dense(crossed), "div")
        return build.Reshape(found, concat([shape, [dimension]], 0))


def _count_parameters(parts: list[Any]) -> int:
    """The number of all parameters; checks the lengths of the parts."""
    sizes = []
    for part in parts:
        shape = part.get_shape()
        shape.assert_has_rank(1)
        shape.assert_is_fully_defined()
        sizes.append(shape[0].value)
    count = sum(sizes)
    for i, size in enumerate(sizes):
        expected = (count - i - 1) // len(parts) + 1
        if size != expected:
            raise ValueError(f"Tensor {i} in params has size {size}, expected {expected}.")
    return count


@export(
    "contrib.layers.scattered_embedding_lookup_sparse",
    "contrib.layers.hashed_embedding_lookup_sparse",
    "contrib.slim.scattered_embedding_lookup_sparse",
    "contrib.slim.hashed_embedding_lookup_sparse",
)
def scattered_embedding_lookup_sparse(
    params: Any,
    sparse_values: SparseTensor,
    dimension: int,
    combiner: str | None = None,
    default_value: Any = None,
    name: str | None = None,
    hash_key: int | None = None,
) -> Tensor:
    """Combines the hashed embeddings of the values of each row; see `scattered_embedding_lookup`.

    Args:
        params: a vector of parameters, or a list of its parts.
        sparse_values: a SparseTensor of integers or strings, ``[batch, any]``.
        dimension: the length of an embedding.
        combiner: "mean", "sqrtn" or "sum"; None is "mean", with a warning.
        default_value: the value of empty rows; None means one that is unlikely to occur.
        name: the name of the node.
        hash_key: where hashing starts.

    Returns:
        A tensor ``[batch, dimension]``.

    Raises:
        TypeError: if the values are not sparse.
        ValueError: if the combiner is unknown.
    """
    if combiner is None:
        logging.warning(
            'The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.'
        )
        combiner = "mean"
    parts = parts_of(params)
    if not isinstance(sparse_values, SparseTensor):
        raise TypeError("sparse_values must be SparseTensor")
    with name_scope(name, "scattered_embedding_lookup_sparse", [*parts, sparse_values]) as scope:
        if default_value is None:
            strings = sparse_values.dtype == dtypes.string
            default_value = _EMPTY_STRING if strings else _EMPTY_NUMBER
        filled, _ = sparse_fill_empty_rows(sparse_values, default_value)
        rows = cast(filled.indices[:, 0], dtypes.int32)
        values, positions = unique(filled.values)
        embeddings = scattered_embedding_lookup(parts, values, dimension, hash_key=hash_key)
        combine = {
            "sum": sparse_segment_sum,
            "mean": sparse_segment_mean,
            "sqrtn": sparse_segment_sqrt_n,
        }.get(combiner)
        if combine is None:
            raise ValueError("Combiner must be one of 'mean', 'sqrtn' or 'sum'.")
        return combine(embeddings, positions, rows, name=scope)


@export(
    "contrib.layers.embedding_lookup_sparse_with_distributed_aggregation",
    "contrib.slim.embedding_lookup_sparse_with_distributed_aggregation",
)
def embedding_lookup_sparse_with_distributed_aggregation(
    params: Any,
    sp_ids: SparseTensor,
    sp_weights: SparseTensor | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> Tensor:
    """`tf.nn.embedding_lookup_sparse`; rows of one part are combined where it is placed.

    Args:
        params: the matrix, or a list of its parts.
        sp_ids: a SparseTensor of ids, one row per example; no row may be empty.
        sp_weights: a SparseTensor of one weight per id, or None for weights of 1.
        partition_strategy: how ids are spread over parts.
        name: the name of the last node.
        combiner: "mean" (the default), "sqrtn" or "sum".
        max_norm: rows with a larger L2 norm are scaled down to it first.

    Returns:
        A tensor of one row per example.

    Raises:
        TypeError: if ids or weights are not sparse.
        ValueError: if the combiner is unknown.
    """
    return embedding_lookup_sparse(
        params, sp_ids, sp_weights, partition_strategy, name, combiner, max_norm
    )
