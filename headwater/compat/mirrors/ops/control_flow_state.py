"""tensorflow.python.ops.control_flow_state: what is not public of it."""

from __future__ import annotations

from headwater.graph.control_flow.control_flow_state import ControlFlowState as _ControlFlowState
from headwater.graph.control_flow.control_flow_state import zeros_outside_loops
from headwater.graph.control_flow.grad_loop_state import GradLoopState as _GradLoopState

__all__ = ["ZerosLikeOutsideLoop", "_ControlFlowState", "_GradLoopState"]

ZerosLikeOutsideLoop = zeros_outside_loops
