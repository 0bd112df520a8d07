"""Variables that live for one run: TemporaryVariable and DestroyTemporaryVariable."""

from __future__ import annotations

from typing import Any

from headwater.graph import register_op, shapes


def kernel_destroy(xp: Any, ref: Any) -> Any:
    # The next run assigns the variable before it reads it, so nothing has to be cleared.
    return ref


register_op(
    "TemporaryVariable",
    outputs="ref: Ref(dtype)",
    attrs="shape: shape, dtype: type, var_name: string = ''",
    shape=shapes.attr_shape,
    variable=True,
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
