"""tensorflow.python.framework.tensor_spec."""

from __future__ import annotations

from headwater.graph.type_spec import BoundedTensorSpec, TensorSpec

__all__ = ["BoundedTensorSpec", "TensorSpec"]
