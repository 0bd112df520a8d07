"""tf.nn.sparse_softmax_cross_entropy_with_logits."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    shape_tensor,
)
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.nn.loss_arguments import labels_and_logits


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    _sentinel: TensorLike | None = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the cross entropy of one class per row and softmax(logits).

    Args:
        _sentinel: not an argument: the others go by name. (In the order of TensorFlow 0.x, two
            positional arguments are `logits, labels`.)
        labels: class indices, int32 or int64, of the shape of `logits` without the last axis.
        logits: unscaled log probabilities, floating-point, classes in the last axis.
        name: the name scope.

    Returns:
        A tensor of the type of `logits` and the shape of `labels`.

    Raises:
        ValueError: if arguments are missing or not given by name, or if the shapes do not fit.

    Example:
        >>> logits = tf.constant([[0.0, 100.0], [0.0, 0.0]])
        >>> loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=logits)
        >>> print(loss.eval().round(3))
        [0.    0.693]
    """
    labels, logits, (name,) = labels_and_logits(
        "sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits, [name]
    )
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        half = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = build.Cast(logits, DstT=dtypes.float32) if half else logits
        labels_static = labels.shape
        labels_shape = shape_tensor(labels)
        _check_static(labels_static, logits.shape)
        if logits.shape.ndims == 2:
            cost = _loss(precise, labels, name)
        else:
            cost = _flattened_loss(precise, labels, labels_shape, name)
        return build.Cast(cost, DstT=logits.dtype) if half else cost


def _loss(logits: Tensor, labels: Tensor, name: str | None) -> Tensor:
    return build.SparseSoftmaxCrossEntropyWithLogits(logits, labels, name=name).loss


def _check_static(labels: TensorShape, logits: TensorShape) -> None:
    if logits.ndims == 0:
        raise ValueError(f"Logits cannot be scalars - received shape {logits}.")
    if logits.ndims is None or labels.ndims is None:
        return
    if labels.ndims != logits.ndims - 1:
        raise ValueError(
            f"Rank mismatch: Rank of labels (received {labels.ndims}) should equal rank of logits "
            f"minus 1 (received {logits.ndims})."
        )
    if not labels.is_compatible_with(logits[:-1]):
        raise ValueError(
            f"Shape mismatch: The shape of labels (received {labels}) should equal the shape of "
            f"logits except for the last dimension (received {logits})."
        )


def _flattened_loss(
    logits: Tensor, labels: Tensor, labels_shape: Tensor, name: str | None
) -> Tensor:
    """The loss for logits of a rank other than 2."""
    checks = []
    if not (labels.shape.is_fully_defined() and logits.shape[:-1].is_fully_defined()):
        found = shape_tensor(labels)
        whole: TensorLike = shape_tensor(logits)
        checks.append(assert_equal(found, whole[:-1]))
    with control_dependencies(checks):
        shape: Tensor = shape_tensor(logits)
        rank: Tensor = rank_tensor(logits)
        classes = shape[rank - 1]
        logits = build.Reshape(logits, [-1, classes])
        labels = build.Reshape(labels, [-1])
        cost = build.Reshape(_loss(logits, labels, name), labels_shape)
        return cost
