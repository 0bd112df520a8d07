"""A promise that a tensor never changes: GuaranteeConst."""

from __future__ import annotations

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import Sample, Tensor, build, export, register_op, shapes


def kernel_guarantee_const(xp: ArrayModule, x: Array, *, T: DType) -> Array:
    if T is dtypes.resource:
        fail("Input tensor cannot be a resource variable handle.")
    return x


register_op(
    "GuaranteeConst",
    inputs="input: T",
    outputs="output: T",
    attrs="T: type",
    shape=shapes.like_first,
    kernel=kernel_guarantee_const,
    samples=lambda: [Sample(np.array([1.5, 2.0], np.float32))],
    stateful=True,
)


@export("guarantee_const")
def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor with the same value, which the program promises never to change.

    Args:
        input: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    return build.GuaranteeConst(input, name=name)
