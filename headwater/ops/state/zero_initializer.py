"""ZeroInitializer: fills a variable without a value with zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, RunsOn, register_op, shapes


def kernel_zero_initializer(xp: ArrayModule, ref: Array | None, *, op: Operation) -> tuple[Any]:
    if ref is not None:
        raise errors.InvalidArgumentError(None, None, "input is already initialized")
    variable = op.inputs[0]
    return (np.zeros(variable.get_shape().as_list(), variable.dtype.base_dtype.as_numpy_dtype),)


register_op(
    "ZeroInitializer",
    inputs="ref: Ref(T)",
    outputs="output_ref: Ref(T)",
    attrs="T: realnumbertype",
    shape=shapes.like_first,
    kernel=kernel_zero_initializer,
    runs_on=RunsOn.HOST,
    updates=("ref",),
    allows_uninitialized=True,
)
