"""The multiclass hinge loss."""

from __future__ import annotations

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, export, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.model.losses.weighting import Reduction, compute_weighted_loss
from headwater.ops.array.fill import ones_like
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.shape import shape
from headwater.ops.math.reduce_functions import reduce_max, reduce_sum


@export("contrib.kernel_methods.sparse_multiclass_hinge_loss")
def sparse_multiclass_hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Adds the multiclass hinge loss: max(0, 1 - the correct logit + the best wrong logit).

    Args:
        labels: class numbers, int32 or int64, [batch] or [batch, 1].
        logits: [batch, classes].
        weights: a scalar, or a tensor [batch] or [batch, 1].
        scope: the name scope.
        loss_collection: the collection that gets the loss; None for no collection.
        reduction: a member of Reduction.

    Returns:
        A float32 tensor.

    Raises:
        ValueError: if the shapes or types do not fit.

    Source: K. Crammer and Y. Singer, 2001.
    """
    with name_scope(scope, "sparse_multiclass_hinge_loss", (logits, labels)) as scope:
        known_logits, known_labels = logits.get_shape(), labels.get_shape()
        if known_logits.ndims != 2:
            raise ValueError(
                "logits should have rank 2 ([batch_size, num_classes]). Given rank is "
                f"{known_logits.ndims}"
            )
        batch = known_logits[0].value
        if batch is not None and known_labels.ndims and known_labels[0].value is not None:
            known_labels[0].assert_is_compatible_with(known_logits[0])
        if labels.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(
                f"Invalid dtype for labels: {labels.dtype}. Acceptable dtypes: int32 and int64"
            )
        if known_labels.ndims is None or known_labels.ndims not in (1, 2):
            raise ValueError(
                "labels should have rank 1 ([batch_size]) or 2 ([batch_size, 1]). "
                f"Given rank is {known_labels.ndims}"
            )
        if known_labels.ndims == 2:
            labels = squeeze(labels, [1])
        sizes: Tensor = shape(logits)
        classes = known_logits[1].value or sizes[1]
        right: Tensor = one_hot(labels, classes, on_value=1.0, off_value=0.0)
        wrong = one_hot(labels, classes, on_value=False, off_value=True)
        of_right: Tensor = reduce_sum(right * logits, 1)
        # Puts the correct class below all others.
        lowest = ones_like(logits) * np.float32(np.finfo(np.float32).min)
        best_wrong: Tensor = reduce_max(build.Select(wrong, logits, lowest), axis=1)
        losses = build.Maximum(0.0, 1.0 + best_wrong - of_right)
        if getattr(weights, "get_shape", None) is not None and weights.get_shape().ndims == 2:
            losses = expand_dims(losses, 1)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)
