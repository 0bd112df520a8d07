"""Slots: variables that belong to another variable, like the momentum of an optimizer."""

from __future__ import annotations

from typing import Any

from headwater.graph import build, get_default_graph, shape_tensor
from headwater.model.initializers import Zeros
from headwater.model.variable_scope import get_variable, get_variable_scope, variable_scope


def _slot_variable(primary: Any, value: Any, validate_shape: bool, shape: Any, dtype: Any) -> Any:
    scope = get_variable_scope()
    # A slot has the form of its variable, whatever partitioner is in force.
    partitioner = scope.partitioner
    scope.set_partitioner(None)
    try:
        return get_variable(
            "",
            initializer=value,
            trainable=False,
            use_resource=hasattr(primary, "handle"),
            shape=shape,
            dtype=dtype,
            validate_shape=validate_shape,
        )
    finally:
        scope.set_partitioner(partitioner)


def create_slot(primary: Any, val: Any, name: str, colocate_with_primary: bool = True) -> Any:
    """Makes a slot of a variable with an initial value.

    Args:
        primary: a variable or tensor.
        val: the initial value as a tensor or number.
        name: the last part of the slot's name.
        colocate_with_primary: whether the slot is placed with the variable.

    Returns:
        A variable.
    """
    validate_shape = val.get_shape().is_fully_defined()
    return _create(primary, val, name, colocate_with_primary, validate_shape, None, None)


def create_slot_with_initializer(
    primary: Any,
    initializer: Any,
    shape: Any,
    dtype: Any,
    name: str,
    colocate_with_primary: bool = True,
) -> Any:
    """Makes a slot of a variable with an initializer; see `create_slot`."""
    validate_shape = shape.is_fully_defined()
    return _create(primary, initializer, name, colocate_with_primary, validate_shape, shape, dtype)


def create_zeros_slot(
    primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True
) -> Any:
    """Makes a slot of zeros in the shape of a variable; see `create_slot`."""
    dtype = primary.dtype if dtype is None else dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(
            primary, Zeros(), shape, dtype, name, colocate_with_primary
        )
    initial = getattr(primary, "initialized_value", lambda: primary)()
    zero = build.Cast(0, DstT=dtype.base_dtype)
    value = build.Fill(shape_tensor(initial, optimize=False), zero, name="zeros")
    return create_slot(primary, value, name, colocate_with_primary)


def _create(
    primary: Any,
    value: Any,
    name: str,
    colocate: bool,
    validate_shape: bool,
    shape: Any,
    dtype: Any,
) -> Any:
    with variable_scope(None, f"{primary.op.name}/{name}"):
        if not colocate:
            return _slot_variable(primary, value, validate_shape, shape, dtype)
        with get_default_graph().colocate_with(primary):
            return _slot_variable(primary, value, validate_shape, shape, dtype)
