"""tensorflow.python.ops.resource_variable_ops: what is not public of it."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, convert_to_tensor
from headwater.model.variables.resource_variable import ResourceVariable, is_resource_variable
from headwater.model.variables.resource_variable import UnreadVariable as _UnreadVariable

__all__ = [
    "ResourceVariable",
    "_UnreadVariable",
    "is_resource_variable",
    "shape_safe_assign_variable_handle",
]


def shape_safe_assign_variable_handle(
    handle: Tensor, shape: Any, value: TensorLike, name: str | None = None
) -> Operation:
    """Assigns a value to the variable of a handle.

    Raises:
      ValueError: if the value has another shape.
    """
    tensor = convert_to_tensor(value)
    shape.assert_is_compatible_with(tensor.get_shape())
    return build.AssignVariableOp(handle, tensor, name=name)
