"""Cross entropies with the logits first, as in releases before 1.0."""

from __future__ import annotations

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, export
from headwater.model.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headwater.model.nn.sparse_cross_entropy import sparse_softmax_cross_entropy_with_logits
from headwater.ops.nn.softmax_cross_entropy import softmax_cross_entropy_with_logits


@export("contrib.nn.deprecated_flipped_softmax_cross_entropy_with_logits")
def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, dim: int = -1, name: str | None = None
) -> Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits` with the logits first.

    Args:
        logits: [batch, classes].
        labels: probabilities, of the same shape.
        dim: the dimension of the classes.
        name: the name scope.

    Returns:
        A vector [batch].
    """
    return softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


@export("contrib.nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits")
def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, name: str | None = None
) -> Tensor:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits` with the logits first.

    Args:
        logits: [batch, classes].
        labels: class numbers, [batch].
        name: the name scope.

    Returns:
        A vector [batch].
    """
    return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


@export("contrib.nn.deprecated_flipped_sigmoid_cross_entropy_with_logits")
def deprecated_flipped_sigmoid_cross_entropy_with_logits(
    logits: TensorLike, targets: TensorLike, name: str | None = None
) -> Tensor:
    """`tf.nn.sigmoid_cross_entropy_with_logits` with the logits first.

    Args:
        logits: log-odds.
        targets: probabilities, of the same shape.
        name: the name scope.

    Returns:
        A tensor of the same shape.
    """
    return sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
