"""tensorflow.python.ops.tensor_array_ops: what is not public of it."""

from __future__ import annotations

from headwater.graph import Tensor
from headwater.ops.control.tensor_array_class import TensorArray

__all__ = ["TensorArray", "build_ta_with_new_flow"]


def build_ta_with_new_flow(old_ta: TensorArray, flow: Tensor) -> TensorArray:
    """The same array with another flow."""
    return old_ta.with_flow(flow)
