"""Weighted sums of columns: what both linear models share."""

from __future__ import annotations

from typing import Any

from headwater.graph import SparseTensor, Tensor, build, shape_tensor
from headwater.model.feature_column.base import IdWeightPair
from headwater.model.nn.safe_embedding import safe_embedding_lookup_sparse
from headwater.ops.array.shape import shape
from headwater.ops.math.add_n import add_n
from headwater.ops.math.matmul import matmul
from headwater.ops.nn.bias import bias_add
from headwater.ops.sparse.reshape import sparse_reshape


def dense_weighted_sum(tensor: Tensor, num_elements: int, weights: Any) -> Tensor:
    """The product of a dense column and its weights.

    Args:
        tensor: the values, batch first.
        num_elements: the number of values of an example.
        weights: a matrix [num_elements, units].

    Returns:
        A matrix [batch, units].
    """
    batch_size = shape_tensor(tensor)[0]
    tensor = build.Reshape(tensor, (batch_size, num_elements))
    return matmul(tensor, weights, name="weighted_sum")


def categorical_weighted_sum(pair: IdWeightPair, sparse_combiner: str, weights: Any) -> Tensor:
    """The weights of the ids of a column, combined.

    Args:
        pair: the ids and their weights.
        sparse_combiner: "sum", "mean" or "sqrtn".
        weights: a matrix [num_buckets, units].

    Returns:
        A matrix [batch, units].
    """
    ids = _flat(pair.id_tensor)
    factors = None if pair.weight_tensor is None else _flat(pair.weight_tensor)
    return safe_embedding_lookup_sparse(
        weights,
        ids,
        sparse_weights=factors,
        combiner=sparse_combiner,
        name="weighted_sum",
    )


def _flat(sparse: SparseTensor) -> SparseTensor:
    return sparse_reshape(sparse, [shape(sparse)[0], -1])


def total(weighted_sums: list[Tensor]) -> Tensor:
    """The sum of the parts of all columns.

    Args:
        weighted_sums: matrices [batch, units].

    Returns:
        A matrix [batch, units].
    """
    return add_n(weighted_sums, name="weighted_sum_no_bias")


def with_bias(sums: Tensor, bias: Any) -> Tensor:
    """The sums with the bias added.

    Args:
        sums: a matrix [batch, units].
        bias: a vector of units.

    Returns:
        A matrix [batch, units].
    """
    return bias_add(sums, bias, name="weighted_sum")
