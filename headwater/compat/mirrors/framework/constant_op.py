"""tensorflow.python.framework.constant_op: how shapes become tensors."""

from __future__ import annotations

from headwater.graph.convert import _convert_shape as _tensor_shape_tensor_conversion_function

__all__ = ["_tensor_shape_tensor_conversion_function"]
