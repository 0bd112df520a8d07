"""Reference variables and the ops that give them new values."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.graph import NOT_DIFFERENTIABLE, register_op, shapes


def shape_assign(c: shapes.ShapeContext) -> Any:
    if c.attr("validate_shape"):
        return c.merge(c.shape("ref"), c.shape("value"))
    return c.shape("value")


def kernel_assign(xp: Any, ref: Any, value: Any) -> tuple[Any]:
    return (value,)


def kernel_assign_add(xp: Any, ref: Any, value: Any) -> tuple[Any]:
    return (xp.add(ref, value),)


def kernel_assign_sub(xp: Any, ref: Any, value: Any) -> tuple[Any]:
    return (xp.subtract(ref, value),)


register_op(
    "VariableV2",
    outputs="ref: Ref(dtype)",
    attrs="shape: shape, dtype: type, container: string = '', shared_name: string = ''",
    shape=shapes.attr_shape,
    variable=True,
    stateful=True,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "Variable",
    outputs="ref: Ref(dtype)",
    attrs="shape: shape, dtype: type, container: string = '', shared_name: string = ''",
    shape=lambda c: c.attr("shape") or None,
    variable=True,
    stateful=True,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "Assign",
    inputs="ref: Ref(T), value: T",
    outputs="output_ref: Ref(T)",
    attrs="T: type, validate_shape: bool = true, use_locking: bool = true",
    shape=shape_assign,
    kernel=kernel_assign,
    updates=("ref",),
    allows_uninitialized=True,
    gradient=NOT_DIFFERENTIABLE,
)
for _name, _kernel in (("AssignAdd", kernel_assign_add), ("AssignSub", kernel_assign_sub)):
    register_op(
        _name,
        inputs="ref: Ref(T), value: T",
        outputs="output_ref: Ref(T)",
        attrs="T: numbertype, use_locking: bool = false",
        shape=shapes.merged,
        kernel=_kernel,
        updates=("ref",),
        gradient=NOT_DIFFERENTIABLE,
    )


def kernel_is_variable_initialized(xp: Any, ref: Any) -> Any:
    return np.array(ref is not None)


register_op(
    "IsVariableInitialized",
    inputs="ref: Ref(dtype)",
    outputs="is_initialized: bool",
    attrs="dtype: type",
    shape=shapes.scalar,
    kernel=kernel_is_variable_initialized,
    host=True,
    allows_uninitialized=True,
    gradient=NOT_DIFFERENTIABLE,
)
