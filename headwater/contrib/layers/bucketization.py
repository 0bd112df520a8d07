"""Numbers in buckets: `tf.contrib.layers.bucketize`."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build


@export(
    "contrib.layers.bucketize",
    "contrib.slim.bucketize",
    "contrib.layers.bucketization_op.bucketize",
    "contrib.slim.bucketization_op.bucketize",
)
def bucketize(
    input_tensor: TensorLike, boundaries: Sequence[float], name: str | None = None
) -> Tensor:
    """The buckets of numbers: how many boundaries are not larger than each.

    Args:
        input_tensor: a tensor of numbers.
        boundaries: the boundaries in order.
        name: the name of the node.

    Returns:
        An int32 tensor of the same shape.
    """
    return build.Bucketize(input_tensor, boundaries=list(boundaries), name=name)
