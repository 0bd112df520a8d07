"""Losses as means over the batch of all replicas: tf.nn.compute_average_loss."""

from __future__ import annotations

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, replication, shape_tensor
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_sum


@export("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: TensorLike | None = None,
    global_batch_size: TensorLike | None = None,
) -> Tensor:
    """Adds up the losses of examples and divides by the size of the batch.

    Args:
        per_example_loss: the loss of each example, a floating-point vector.
        sample_weight: a weight for each example.
        global_batch_size: the number of examples; that of the losses by default.

    Returns:
        A scalar.
    """
    losses = convert_to_tensor(per_example_loss)
    kind = losses.dtype.base_dtype
    if sample_weight is not None:
        losses = build.Mul(losses, cast(sample_weight, kind))
    if global_batch_size is None:
        global_batch_size = shape_tensor(losses)[0] * replication.replica_count()
    count = global_batch_size
    if isinstance(count, Tensor):
        count = cast(count, kind)
    return reduce_sum(losses) / count


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """Divides regularization losses by the number of replicas, each of which adds them.

    Args:
        regularization_loss: a loss, or a list of losses.

    Returns:
        A scalar.
    """
    return reduce_sum(regularization_loss) / float(replication.replica_count())
