"""tensorflow.python.framework.constant_op: how shapes become tensors."""

from __future__ import annotations

from typing import Any

from headwater.graph import Operation
from headwater.graph.convert import _convert_shape as _tensor_shape_tensor_conversion_function

__all__ = ["_tensor_shape_tensor_conversion_function", "is_constant"]


def is_constant(tensor_or_op: Any) -> bool:
    """Tells whether a tensor, or the op itself, is a constant."""
    op = tensor_or_op if isinstance(tensor_or_op, Operation) else tensor_or_op.op
    return op.type == "Const"
