"""L2Loss: half the sum of squares."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, export, register_op, shapes


def kernel_l2_loss(xp: ArrayModule, t: Array) -> Array:
    total = xp.sum(xp.square(t), dtype=t.dtype)
    return total * t.dtype.type(0.5)


def gradient_l2_loss(op: Operation, grad: Tensor) -> Tensor:
    return build.Mul(op.inputs[0], grad, name="mul")


def reference_l2_loss(t: Array) -> Array:
    flat = t.astype(np.float64).ravel()
    return np.asarray(np.dot(flat, flat) / 2, t.dtype)


def samples_l2_loss() -> Iterator[Sample]:
    yield Sample(np.array([[1.0, -2.0], [3.0, 0.5]], np.float32))
    yield Sample(np.array([1.0, -2.0, 4.0], np.float64))
    yield Sample(np.float32(3.0))
    yield Sample(np.zeros((0,), np.float32))


register_op(
    "L2Loss",
    inputs="t: T",
    outputs="output: T",
    attrs="T: {half, bfloat16, float, double}",
    shape=shapes.scalar,
    kernel=kernel_l2_loss,
    gradient=gradient_l2_loss,
    reference=reference_l2_loss,
    samples=samples_l2_loss,
)


@export("nn.l2_loss")
def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Returns sum(t ** 2) / 2.

    Args:
        t: a tensor of floating-point numbers.
        name: the name of the node.

    Returns:
        A scalar of the same type.

    Example:
        >>> print(tf.nn.l2_loss([3.0, 4.0]).eval())
        12.5
    """
    return build.L2Loss(t, name=name)
