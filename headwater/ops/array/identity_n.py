"""Several tensors passed on together: IdentityN."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base.typing import TensorLike
from headwater.graph import Sample, Tensor, build, export, register_op

register_op(
    "IdentityN",
    inputs="input: T",
    outputs="output: T",
    attrs="T: list(type) >= 1",
    shape=lambda c: list(c.shapes),
    kernel=lambda xp, values: list(values),
    gradient=lambda op, *grads: list(grads),
    samples=lambda: [Sample([np.array([1.5], np.float32), np.array([[2]], np.int32)])],
)


@export("identity_n")
def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """Returns tensors with the same values, once all of them are there.

    Args:
        input: a list of tensors.
        name: the name of the node.

    Returns:
        A list of tensors.
    """
    return build.IdentityN(input, name=name)
