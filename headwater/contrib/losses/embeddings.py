"""Losses of embeddings, which should be near for equal labels and far for different ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import SparseTensor, Tensor, build, export, is_sparse
from headwater.ops.array.fill import ones, ones_like
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.tile import tile
from headwater.ops.array.transpose import transpose
from headwater.ops.linalg.diagonal import matrix_diag
from headwater.ops.math.cast import cast
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_max, reduce_mean, reduce_min, reduce_sum
from headwater.ops.nn.softmax_cross_entropy import softmax_cross_entropy_with_logits_v2


def _number(x: TensorLike) -> Tensor:
    sizes: TensorLike = shape(x)
    return sizes[0]


def pairwise_distance(feature: TensorLike, squared: bool = False) -> Tensor:
    """The distances of all pairs of rows, zero on the diagonal."""
    lengths: TensorLike = reduce_sum(build.Square(feature), axis=[1], keepdims=True)
    products: Tensor = matmul(feature, transpose(feature))
    distances: Tensor = build.Maximum(lengths + transpose(lengths) - 2.0 * products, 0.0)
    if not squared:
        # The root has no gradient at 0.
        zero = build.LessEqual(distances, 0.0)
        distances = build.Sqrt(distances + cast(zero, dtypes.float32) * 1e-16)
        distances = distances * cast(build.LogicalNot(zero), dtypes.float32)
    off_diagonal = ones_like(distances) - matrix_diag(ones([_number(feature)]))
    return distances * off_diagonal


def masked_minimum(data: TensorLike, mask: Tensor, dim: int = 1) -> Tensor:
    """The least of the elements whose mask is 1, along a dimension."""
    largest: Tensor = reduce_max(data, axis=dim, keepdims=True)
    return reduce_min((data - largest) * mask, axis=dim, keepdims=True) + largest


def masked_maximum(data: TensorLike, mask: Tensor, dim: int = 1) -> Tensor:
    """The largest of the elements whose mask is 1, along a dimension."""
    smallest: Tensor = reduce_min(data, axis=dim, keepdims=True)
    return reduce_max((data - smallest) * mask, axis=dim, keepdims=True) + smallest


def _adjacency(labels: TensorLike) -> Tensor:
    column = reshape(labels, [_number(labels), 1])
    return build.Equal(column, transpose(column))


@export("contrib.losses.metric_learning.contrastive_loss")
def contrastive_loss(
    labels: TensorLike,
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    margin: float = 1.0,
) -> Tensor:
    """The squared distance of equal pairs, and of others how much they are nearer than a margin.

    Args:
        labels: 1 for pairs that are equal, else 0: [batch].
        embeddings_anchor: [batch, depth].
        embeddings_positive: [batch, depth].
        margin: how far others should be.

    Returns:
        A scalar.

    Source: R. Hadsell et al., "Dimensionality Reduction by Learning an Invariant Mapping", 2006.
    """
    squares = build.SquaredDifference(embeddings_anchor, embeddings_positive)
    distances: Tensor = build.Sqrt(reduce_sum(squares, 1))
    equal: TensorLike = cast(labels, dtypes.float32)
    near = equal * build.Square(distances)
    far = (1.0 - equal) * build.Square(build.Maximum(margin - distances, 0.0))
    return reduce_mean(near + far, name="contrastive_loss")


@export("contrib.losses.metric_learning.triplet_semihard_loss")
def triplet_semihard_loss(
    labels: TensorLike, embeddings: TensorLike, margin: float = 1.0
) -> Tensor:
    """The triplet loss with the nearest negative that is farther than the positive.

    Args:
        labels: integers, [batch].
        embeddings: vectors of length 1, [batch, depth].
        margin: how much farther than positives negatives should be.

    Returns:
        A scalar.

    Source: F. Schroff et al., "FaceNet", 2015.
    """
    distances = pairwise_distance(embeddings, squared=True)
    equal = _adjacency(labels)
    different = build.LogicalNot(equal)
    n = _number(labels)
    # Row (j, i): the distances of anchor i for its positive j.
    tiled = tile(distances, [n, 1])
    farther = build.Greater(tiled, reshape(transpose(distances), [-1, 1]))
    mask = build.LogicalAnd(tile(different, [n, 1]), farther)
    counts = reduce_sum(cast(mask, dtypes.float32), 1, keepdims=True)
    some = transpose(reshape(build.Greater(counts, 0.0), [n, n]))
    numbers = cast(mask, dtypes.float32)
    outside = transpose(reshape(masked_minimum(tiled, numbers), [n, n]))
    inside = tile(masked_maximum(distances, cast(different, dtypes.float32)), [1, n])
    loss: Tensor = margin + distances - build.Select(some, outside, inside)
    positives: Tensor = cast(equal, dtypes.float32)
    positives = positives - matrix_diag(ones([n]))
    count = reduce_sum(positives)
    total: TensorLike = reduce_sum(build.Maximum(loss * positives, 0.0))
    return build.RealDiv(total, count, name="triplet_semihard_loss")


def _length_penalty(anchor: TensorLike, positive: TensorLike, weight: float) -> Tensor:
    lengths: TensorLike = reduce_mean(reduce_sum(build.Square(anchor), 1))
    lengths = lengths + reduce_mean(reduce_sum(build.Square(positive), 1))
    return build.Mul(0.25 * weight, lengths, name="l2loss")


@export("contrib.losses.metric_learning.npairs_loss")
def npairs_loss(
    labels: TensorLike,
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Tensor:
    """The cross entropy of each anchor's similarity to all positives.

    Args:
        labels: integers, [batch].
        embeddings_anchor: [batch, depth].
        embeddings_positive: [batch, depth].
        reg_lambda: the weight of the squared lengths.
        print_losses: not used.

    Returns:
        A scalar.

    Source: K. Sohn, "Improved Deep Metric Learning with Multi-class N-pair Loss Objective", 2016.
    """
    penalty = _length_penalty(embeddings_anchor, embeddings_positive, reg_lambda)
    equal: Tensor = cast(_adjacency(labels), dtypes.float32)
    return _npairs(equal, embeddings_anchor, embeddings_positive) + penalty


def _npairs(equal: TensorLike, anchor: TensorLike, positive: TensorLike) -> Tensor:
    similarity = matmul(anchor, positive, transpose_a=False, transpose_b=True)
    targets = equal / reduce_sum(equal, 1, keepdims=True)
    losses = softmax_cross_entropy_with_logits_v2(logits=similarity, labels=targets)
    return reduce_mean(losses, name="xentropy")


@export("contrib.losses.metric_learning.npairs_loss_multilabel")
def npairs_loss_multilabel(
    sparse_labels: Sequence[SparseTensor],
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Tensor:
    """`npairs_loss` for sets of labels; pairs are as equal as their sets have labels in common.

    Args:
        sparse_labels: a list of SparseTensors [1, classes] with the labels of each pair.
        embeddings_anchor: [batch, depth].
        embeddings_positive: [batch, depth].
        reg_lambda: the weight of the squared lengths.
        print_losses: not used.

    Returns:
        A scalar.

    Raises:
        TypeError: if `sparse_labels` is not a list of SparseTensors.
    """
    if not all(is_sparse(each) for each in sparse_labels):
        raise TypeError(f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}")
    penalty = _length_penalty(embeddings_anchor, embeddings_positive, reg_lambda)
    rows = []
    for each in sparse_labels:
        present = build.SparseToDense(
            each.indices, each.dense_shape, True, False, validate_indices=False
        )
        rows.append(reshape(cast(present, dtypes.float32), [-1]))
    labels = build.Pack(rows)
    equal: Tensor = matmul(labels, labels, transpose_b=True)
    return _npairs(equal, embeddings_anchor, embeddings_positive) + penalty


@export("contrib.losses.metric_learning.lifted_struct_loss")
def lifted_struct_loss(labels: TensorLike, embeddings: TensorLike, margin: float = 1.0) -> Tensor:
    """For each positive pair, the distance and a smooth maximum over all negatives of both.

    Args:
        labels: integers, [batch].
        embeddings: [batch, depth].
        margin: how far negatives should be.

    Returns:
        A scalar.

    Source: H. O. Song et al., "Deep Metric Learning via Lifted Structured Feature Embedding", 2016.
    """
    distances = pairwise_distance(embeddings, squared=False)
    equal = _adjacency(labels)
    n = _number(labels)
    away = margin - distances
    negatives: Tensor = cast(build.LogicalNot(equal), dtypes.float32)
    largest: Tensor = reduce_max(away * negatives, 1, keepdims=True)
    # For each pair, one maximum of both rows keeps the exponents small.
    shared: Tensor = build.Maximum(largest, transpose(largest))
    each: Tensor = reshape(away, [n, 1, n]) - reshape(shared, [n, n, 1])
    sums: Tensor = reduce_sum(build.Exp(each) * reshape(negatives, [n, 1, n]), axis=2)
    loss: Tensor = build.Log(sums + transpose(sums)) + shared + distances
    positives: Tensor = cast(equal, dtypes.float32)
    positives = positives - matrix_diag(ones([n]))
    count: TensorLike = reduce_sum(positives) / np.float32(2.0)
    clipped: Tensor = build.Maximum(loss * positives, 0.0)
    total = reduce_sum(build.Square(clipped)) * np.float32(0.25)
    return build.RealDiv(total, count, name="liftedstruct_loss")
