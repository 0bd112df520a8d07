"""tensorflow.python.ops.control_flow_util."""

from __future__ import annotations

from typing import Any

from headwater.graph.control_flow.util import (
    check_input_from_valid_context as CheckInputFromValidContext,
)
from headwater.graph.control_flow.util import containing_cond_context as GetContainingCondContext
from headwater.graph.control_flow.util import containing_while_context as _containing_loop
from headwater.graph.control_flow.util import containing_xla_context as GetContainingXLAContext
from headwater.graph.control_flow.util import is_cond_merge as IsCondMerge
from headwater.graph.control_flow.util import is_cond_switch as IsCondSwitch
from headwater.graph.control_flow.util import is_containing_context as IsContainingContext
from headwater.graph.control_flow.util import is_in_cond as IsInCond
from headwater.graph.control_flow.util import is_in_while_loop as IsInWhileLoop
from headwater.graph.control_flow.util import is_in_xla_context as IsInXLAContext
from headwater.graph.control_flow.util import is_loop_constant_enter as IsLoopConstantEnter
from headwater.graph.control_flow.util import is_loop_enter as IsLoopEnter
from headwater.graph.control_flow.util import is_loop_exit as IsLoopExit
from headwater.graph.control_flow.util import is_loop_merge as IsLoopMerge
from headwater.graph.control_flow.util import is_loop_switch as IsLoopSwitch
from headwater.graph.control_flow.util import is_merge as IsMerge
from headwater.graph.control_flow.util import is_switch as IsSwitch
from headwater.graph.control_flow.util import loop_constant_enter as GetLoopConstantEnter
from headwater.graph.control_flow.util import op_in_context as OpInContext
from headwater.graph.control_flow.util import output_context as GetOutputContext
from headwater.graph.control_flow.util import tensor_in_context as TensorInContext
from headwater.graph.control_flow.util import while_context_of as GetWhileContext

__all__ = [
    "CheckInputFromValidContext",
    "ENABLE_CONTROL_FLOW_V2",
    "EnableControlFlowV2",
    "GetContainingCondContext",
    "GetContainingWhileContext",
    "GetContainingXLAContext",
    "GetLoopConstantEnter",
    "GetOutputContext",
    "GetWhileContext",
    "GraphOrParentsInXlaContext",
    "InXlaContext",
    "IsCondMerge",
    "IsCondSwitch",
    "IsContainingContext",
    "IsInCond",
    "IsInWhileLoop",
    "IsInXLAContext",
    "IsLoopConstantEnter",
    "IsLoopEnter",
    "IsLoopExit",
    "IsLoopMerge",
    "IsLoopSwitch",
    "IsMerge",
    "IsSwitch",
    "OpInContext",
    "TensorInContext",
]

# Control flow is always made of Switch, Merge and loop nodes.
ENABLE_CONTROL_FLOW_V2 = False


def EnableControlFlowV2(graph: Any) -> bool:
    """Tells whether new control flow of a graph is made of functions."""
    return False


def InXlaContext(graph: Any) -> bool:
    """Tells whether the current context of a graph is in one that is marked for XLA."""
    return GetContainingXLAContext(graph._get_control_flow_context()) is not None


def GraphOrParentsInXlaContext(graph: Any) -> bool:
    """As `InXlaContext`, for the graphs around the graph of a function too."""
    while graph is not None:
        if InXlaContext(graph):
            return True
        graph = getattr(graph, "outer_graph", None)
    return False


def GetContainingWhileContext(ctxt: Any, stop_ctxt: Any = None) -> Any:
    """The innermost loop around a context, itself counted; `stop_ctxt` if that comes first."""
    return _containing_loop(ctxt, stop_ctxt)
