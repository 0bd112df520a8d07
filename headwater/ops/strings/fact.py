"""The op of TensorFlow's tutorial on adding an op: Fact."""

from __future__ import annotations

import numpy as np

from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes


def kernel_fact(xp: ArrayModule) -> Array:
    return np.array(b"0! == 1", object)


register_op(
    "Fact",
    outputs="fact: string",
    shape=shapes.unknown,
    kernel=kernel_fact,
    samples=lambda: [Sample()],
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)


@export("user_ops.my_fact")
def my_fact() -> Tensor:
    """Returns a fact about factorials, a scalar string."""
    return build.Fact()
