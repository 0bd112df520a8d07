"""Functions of neural networks of labeled tensors."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.contrib.labeled_tensor.core import LabeledTensor, applied, applied_to_both
from headwater.contrib.nn.cross_entropy import (
    deprecated_flipped_sigmoid_cross_entropy_with_logits,
    deprecated_flipped_softmax_cross_entropy_with_logits,
    deprecated_flipped_sparse_softmax_cross_entropy_with_logits,
)
from headwater.ops.nn.elu import elu
from headwater.ops.nn.l2_loss import l2_loss
from headwater.ops.nn.relu import crelu, relu, relu6
from headwater.ops.nn.softmax import log_softmax, softmax
from headwater.ops.nn.softplus import softplus


@export("contrib.labeled_tensor.nn.relu")
def labeled_relu(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Replaces negative elements by 0.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("relu", relu, labeled_tensor, name)


@export("contrib.labeled_tensor.nn.relu6")
def labeled_relu6(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Replaces negative elements by 0, and those above 6 by 6.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("relu6", relu6, labeled_tensor, name)


@export("contrib.labeled_tensor.nn.crelu")
def labeled_crelu(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Joins the rectified elements and the rectified negated elements.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("crelu", crelu, labeled_tensor, name)


@export("contrib.labeled_tensor.nn.elu")
def labeled_elu(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes `exp(x) - 1` of negative elements; the others stay.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("elu", elu, labeled_tensor, name)


@export("contrib.labeled_tensor.nn.softplus")
def labeled_softplus(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes `log(exp(x) + 1)` of each element.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("softplus", softplus, labeled_tensor, name)


@export("contrib.labeled_tensor.nn.l2_loss")
def labeled_l2_loss(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes half the sum of the squared elements.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("l2_loss", l2_loss, labeled_tensor, name)


@export("contrib.labeled_tensor.nn.softmax")
def labeled_softmax(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the softmax along the last axis.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("softmax", softmax, labeled_tensor, name)


@export("contrib.labeled_tensor.nn.log_softmax")
def labeled_log_softmax(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Takes the logarithm of the softmax along the last axis.

    Args:
        labeled_tensor: a LabeledTensor.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    return applied("log_softmax", log_softmax, labeled_tensor, name)


@export("contrib.labeled_tensor.nn.sigmoid_cross_entropy_with_logits")
def labeled_sigmoid_cross_entropy(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the cross entropy of independent classes.

    Args:
        labeled_tensor_0: the logits.
        labeled_tensor_1: the probabilities of the classes.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both(
        "sigmoid_cross_entropy_with_logits",
        deprecated_flipped_sigmoid_cross_entropy_with_logits,
        labeled_tensor_0,
        labeled_tensor_1,
        name,
    )


@export("contrib.labeled_tensor.nn.softmax_cross_entropy_with_logits")
def labeled_softmax_cross_entropy(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the cross entropy of exclusive classes.

    Args:
        labeled_tensor_0: the logits.
        labeled_tensor_1: the probabilities of the classes.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both(
        "softmax_cross_entropy_with_logits",
        deprecated_flipped_softmax_cross_entropy_with_logits,
        labeled_tensor_0,
        labeled_tensor_1,
        name,
    )


@export("contrib.labeled_tensor.nn.sparse_softmax_cross_entropy_with_logits")
def labeled_sparse_softmax_cross_entropy(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> LabeledTensor:
    """Takes the cross entropy of exclusive classes that are given by number.

    Args:
        labeled_tensor_0: the logits.
        labeled_tensor_1: the numbers of the classes.
        name: the name of the result.

    Returns:
        A LabeledTensor with the axes of both, aligned by name.
    """
    return applied_to_both(
        "sparse_softmax_cross_entropy_with_logits",
        deprecated_flipped_sparse_softmax_cross_entropy_with_logits,
        labeled_tensor_0,
        labeled_tensor_1,
        name,
    )
