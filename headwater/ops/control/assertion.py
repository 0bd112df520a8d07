"""Assertions on values: the run fails where a condition does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail, require
from headwater.base.summarize import summarize as summary_of
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.control.cond import cond


def kernel_assert(
    xp: ArrayModule, condition: Array, data: list[Any], *, summarize: int
) -> tuple[()]:
    def failed() -> errors.InvalidArgumentError:
        parts = " ".join(summary_of(np.asarray(item), summarize) for item in data)
        return errors.InvalidArgumentError(None, None, f"assertion failed: {parts}")

    if np.ndim(condition):
        fail(f"In[0] should be a scalar: {shapes.show(np.shape(condition))}")
    require(xp, condition, failed)
    return ()


register_op(
    "Assert",
    inputs="condition: bool, data: T",
    attrs="T: list(type) >= 1, summarize: int = 3",
    shape=shapes.none,
    kernel=kernel_assert,
    labels=True,
    stateful=True,
    gradient=NOT_DIFFERENTIABLE,
)


_UNGUARDED = (dtypes.string, dtypes.int32)


@export("Assert", "debugging.Assert")
def assert_(
    condition: TensorLike,
    data: Sequence[TensorLike],
    summarize: int | None = None,
    name: str | None = None,
) -> Operation:
    """Makes an op that fails the run if a condition is false.

    Args:
        condition: a boolean tensor.
        data: tensors whose values are shown in the error.
        summarize: how many elements of each are shown; 3 by default.
        name: the name of the op.

    Returns:
        An Operation; ops that must not run without the check have to depend on it.

    Raises:
        TypeError: if `data` is not a list.
    """
    if not isinstance(data, Sequence):
        raise TypeError("values must be a sequence.")
    count = 3 if summarize is None else summarize
    with name_scope(name, "Assert", data):
        tensors = [convert_to_tensor(item) for item in data]
        if all(tensor.dtype.base_dtype in _UNGUARDED for tensor in tensors):
            return build.Assert(condition, data, summarize=count, name="Assert")
        condition = convert_to_tensor(condition, name="Condition")
        # The data are moved to the host only if the check fails.
        guard = cond(
            condition,
            build.NoOp,
            lambda: build.Assert(condition, data, summarize=count, name="Assert"),
            name="AssertGuard",
        )
        return guard.op
