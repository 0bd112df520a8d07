"""tensorflow.python.ops.tensor_array_grad: what is not public of it."""

from __future__ import annotations

from headwater.ops.control.tensor_array_gradient import gradient_source as _GetGradSource

__all__ = ["_GetGradSource"]
