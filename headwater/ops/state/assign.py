"""Reference variables and the ops that give them new values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)


def shape_assign(c: shapes.ShapeContext) -> Shape:
    if c.attr("validate_shape"):
        return c.merge(c.shape("ref"), c.shape("value"))
    return c.shape("value")


def kernel_assign(
    xp: ArrayModule, ref: Array | None, value: Array, *, validate_shape: bool, op: Operation | None
) -> tuple[Any]:
    if validate_shape:
        # Before its first value, a variable has the shape that it was declared with.
        declared = None if op is None else op.inputs[0]._shape
        current = declared if ref is None else ref.shape
        if current is not None and None not in current and tuple(current) != value.shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                "Assign requires shapes of both tensors to match. lhs shape= "
                f"{_dims(current)} rhs shape= {_dims(value.shape)}",
            )
    return (value,)


def _dims(shape: tuple[int | None, ...]) -> str:
    return "[" + ",".join(str(size) for size in shape) + "]"


def kernel_assign_add(xp: ArrayModule, ref: Array, value: Array) -> tuple[Any]:
    _check_size(ref, value)
    return (xp.add(ref, value),)


def kernel_assign_sub(xp: ArrayModule, ref: Array, value: Array) -> tuple[Any]:
    _check_size(ref, value)
    return (xp.subtract(ref, value),)


def _check_size(ref: Array, value: Array) -> None:
    if ref.shape != value.shape:
        raise errors.InvalidArgumentError(None, None, "Parameters and update must be the same size")


def samples_assign() -> Iterator[Sample]:
    ref = np.arange(6, dtype=np.float32).reshape(2, 3)
    yield Sample(ref, ref * 2)
    yield Sample(np.int64(1), np.int64(4))


register_op(
    "VariableV2",
    outputs="ref: Ref(dtype)",
    attrs="shape: shape, dtype: type, container: string = '', shared_name: string = ''",
    shape=shapes.attr_shape,
    variable=True,
    stateful=True,
)
register_op(
    "Variable",
    outputs="ref: Ref(dtype)",
    attrs="shape: shape, dtype: type, container: string = '', shared_name: string = ''",
    shape=lambda c: c.attr("shape") or None,
    variable=True,
    stateful=True,
)
register_op(
    "Assign",
    inputs="ref: Ref(T), value: T",
    outputs="output_ref: Ref(T)",
    attrs="T: type, validate_shape: bool = true, use_locking: bool = true",
    shape=shape_assign,
    kernel=kernel_assign,
    reference=lambda ref, value: (value,),
    updates=("ref",),
    allows_uninitialized=True,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_assign,
)


def _register_assign(name: str, kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="ref: Ref(T), value: T",
        outputs="output_ref: Ref(T)",
        attrs="T: numbertype, use_locking: bool = false",
        shape=shapes.merged,
        kernel=kernel,
        updates=("ref",),
        gradient=NOT_DIFFERENTIABLE,
        samples=samples_assign,
    )


_register_assign("AssignAdd", kernel_assign_add)
_register_assign("AssignSub", kernel_assign_sub)


def kernel_is_variable_initialized(xp: ArrayModule, ref: Array) -> Array:
    return np.array(ref is not None)


register_op(
    "IsVariableInitialized",
    inputs="ref: Ref(dtype)",
    outputs="is_initialized: bool",
    attrs="dtype: type",
    shape=shapes.scalar,
    kernel=kernel_is_variable_initialized,
    runs_on=RunsOn.HOST,
    allows_uninitialized=True,
    existence_only=True,
)


@export("assign")
def assign(
    ref: TensorLike,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Gives a variable a new value.

    Args:
        ref: a Variable or a mutable tensor.
        value: the new value.
        validate_shape: whether the shape must stay the same; true by default.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the assignment.

    Example:
        >>> v = tf.Variable(1)
        >>> session.run(v.initializer)
        >>> print(session.run(tf.assign(v, 5)))
        5
    """
    if ref.dtype._is_ref_dtype:
        return build.Assign(
            ref, value, validate_shape=validate_shape, use_locking=use_locking, name=name
        )
    return ref.assign(value, name=name)


@export("assign_add")
def assign_add(
    ref: TensorLike, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Tensor:
    """Adds to a variable.

    Args:
        ref: a Variable or a mutable tensor.
        value: what is added, of the same shape.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the addition.
    """
    if ref.dtype._is_ref_dtype:
        return build.AssignAdd(ref, value, use_locking=use_locking, name=name)
    return ref.assign_add(value)


@export("assign_sub")
def assign_sub(
    ref: TensorLike, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Tensor:
    """Subtracts from a variable.

    Args:
        ref: a Variable or a mutable tensor.
        value: what is subtracted, of the same shape.
        use_locking: has no effect.
        name: the name of the node.

    Returns:
        The mutable tensor after the subtraction.
    """
    if ref.dtype._is_ref_dtype:
        return build.AssignSub(ref, value, use_locking=use_locking, name=name)
    return ref.assign_sub(value)
