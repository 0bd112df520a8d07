"""Variables that live for one run: TemporaryVariable and DestroyTemporaryVariable."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, register_op, shapes


def kernel_destroy(
    xp: ArrayModule, ref: Array, *, var_name: str, op: Operation | None = None
) -> Array:
    # The next run assigns the variable before it reads it, so nothing has to be cleared.
    made = op and _maker(op)
    if made and (made.get_attr("var_name").decode() or made.name) != var_name:
        raise errors.NotFoundError(
            None,
            None,
            f"Resource __per_step/{var_name}/N10tensorflow19TemporaryVariableOp6TmpVarE does not "
            "exist.",
        )
    return ref


def _zeros(attrs: dict[str, Any]) -> np.ndarray:
    """The value of a variable before it is assigned; in TensorFlow it is uninitialized memory."""
    return np.zeros(attrs["shape"], attrs["dtype"].as_numpy_dtype)


def _maker(op: Operation) -> Any:
    """The op that made the variable of a reference; None if it is not known."""
    while op.inputs and op.type != "TemporaryVariable":
        op = op.inputs[0].op
    return op if op.type == "TemporaryVariable" else None


register_op(
    "TemporaryVariable",
    outputs="ref: Ref(dtype)",
    attrs="shape: shape, dtype: type, var_name: string = ''",
    shape=shapes.attr_shape,
    variable=True,
    state=_zeros,
    stateful=True,
)
register_op(
    "DestroyTemporaryVariable",
    inputs="ref: Ref(T)",
    outputs="value: T",
    attrs="T: type, var_name: string",
    shape=shapes.like_first,
    kernel=kernel_destroy,
)
