"""Sums over replicas. A program has one replica here, so a sum has one term."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, register_op, shapes


def kernel_cross_replica_sum(xp: ArrayModule, input: Array, group_assignment: Array) -> Array:
    return input


def gradient_cross_replica_sum(op: Operation, grad: Tensor) -> list[Tensor | None]:
    return [build.CrossReplicaSum(grad, op.inputs[1]), None]


def reference_cross_replica_sum(input: Array, group_assignment: Array) -> Array:
    return input


def samples_cross_replica_sum() -> Iterator[Sample]:
    groups = np.zeros((1, 1), np.int32)
    yield Sample(np.array([[1.5, -2.0]], np.float32), groups)
    yield Sample(np.array(3, np.int32), groups)


register_op(
    "CrossReplicaSum",
    inputs="input: T, group_assignment: int32",
    outputs="output: T",
    attrs="T: {bfloat16, float, int32, uint32}",
    shape=shapes.like_first,
    kernel=kernel_cross_replica_sum,
    gradient=gradient_cross_replica_sum,
    reference=reference_cross_replica_sum,
    samples=samples_cross_replica_sum,
)


@export("tpu.cross_replica_sum", "contrib.tpu.cross_replica_sum")
def cross_replica_sum(
    x: TensorLike, group_assignment: Any = None, name: str | None = None
) -> Tensor:
    """Adds the values that the replicas have for a tensor: with one replica, the tensor itself.

    Args:
        x: a tensor.
        group_assignment: lists of the replicas that are added, int32 [groups, replicas]; None for
            all.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Example:
        >>> print(tf.tpu.cross_replica_sum([1.0, 2.0]).eval())
        [1. 2.]
    """
    groups = [[0]] if group_assignment is None else group_assignment
    # The node's name scope holds the constant, as in TensorFlow.
    return build.CrossReplicaSum(x, np.asarray(groups, dtypes.int32.numpy_dtype), name=name)
