"""Slots: variables that belong to another variable, like the momentum of an optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import DTypeLike, InitializerLike, TensorLike
from headwater.graph import Tensor, replication, shape_tensor
from headwater.graph.basic_nodes import zeros_of
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.resource_variable import is_resource_variable
from headwater.model.variables.save_slices import SaveSliceInfo
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)

if TYPE_CHECKING:
    from headwater.base.dtypes import DType
    from headwater.base.tensor_shape import TensorShape
    from headwater.model.variables.variable import Variable


def _slot_variable(
    primary: TensorLike,
    value: Any,
    validate_shape: bool,
    shape: TensorShape | None,
    dtype: DType | None,
) -> Variable:
    scope = get_variable_scope()
    # A slot has the shape of its variable, whatever partitioner is active.
    partitioner = scope.partitioner
    scope.set_partitioner(None)
    try:
        return get_variable(
            "",
            initializer=value,
            trainable=False,
            use_resource=is_resource_variable(primary),
            shape=shape,
            dtype=dtype,
            validate_shape=validate_shape,
        )
    finally:
        scope.set_partitioner(partitioner)


def create_slot(
    primary: Variable, val: Tensor, name: str, colocate_with_primary: bool = True
) -> Variable:
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
    primary: TensorLike,
    initializer: InitializerLike,
    shape: TensorShape,
    dtype: DType,
    name: str,
    colocate_with_primary: bool = True,
) -> Variable:
    """Makes a slot of a variable with an initializer; see `create_slot`."""
    validate_shape = shape.is_fully_defined()
    return _create(primary, initializer, name, colocate_with_primary, validate_shape, shape, dtype)


def create_zeros_slot(
    primary: TensorLike, name: str, dtype: DTypeLike = None, colocate_with_primary: bool = True
) -> Variable:
    """Makes a slot of zeros in the shape of a variable; see `create_slot`."""
    dtype = primary.dtype if dtype is None else dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(
            primary, Zeros(), shape, dtype, name, colocate_with_primary
        )
    initial = getattr(primary, "initialized_value", lambda: primary)()
    value = zeros_of(shape_tensor(initial, optimize=False), dtype.base_dtype)
    return create_slot(primary, value, name, colocate_with_primary)


def _create(
    primary: TensorLike,
    value: Any,
    name: str,
    colocate: bool,
    validate_shape: bool,
    shape: TensorShape | None,
    dtype: DType | None,
) -> Variable:
    with variable_scope(None, f"{primary.op.name}/{name}"):
        if colocate:
            with replication.colocated(primary):
                slot = _slot_variable(primary, value, validate_shape, shape, dtype)
        else:
            slot = _slot_variable(primary, value, validate_shape, shape, dtype)
    info = getattr(primary, "_save_slice_info", None)
    if info is not None:
        # The slot of a part of a variable is saved as a part of the slot of the whole.
        own_name = slot.name[len(primary.op.name) + 1 : -2]
        slot._set_save_slice_info(
            SaveSliceInfo(
                f"{info.full_name}/{own_name}",
                list(info.full_shape),
                list(info.var_offset),
                list(info.var_shape),
            )
        )
    return slot
