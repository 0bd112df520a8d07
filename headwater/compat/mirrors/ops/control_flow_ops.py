"""tensorflow.python.ops.control_flow_ops: what is not public of it."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import TensorShape, as_tuple
from headwater.graph import Operation, Tensor, with_dependencies
from headwater.graph.basic_nodes import no_op_after
from headwater.graph.control_flow.cond_context import CondContext
from headwater.graph.control_flow.context import ControlFlowContext, XLAControlFlowContext
from headwater.graph.control_flow.flows import flow_of as _convert_tensorarray_to_flow
from headwater.graph.control_flow.flows import with_flows as _convert_flows_to_tensorarrays
from headwater.graph.control_flow.loop_building import add_back_edge as _AddNextAndBackEdge
from headwater.graph.control_flow.nodes import enter as _Enter
from headwater.graph.control_flow.nodes import exit_ as exit
from headwater.graph.control_flow.nodes import identity as _Identity
from headwater.graph.control_flow.nodes import merge, switch
from headwater.graph.control_flow.nodes import next_iteration as _NextIteration
from headwater.graph.control_flow.nodes import switch_ref_or_tensor as _SwitchRefOrTensor
from headwater.graph.control_flow.protos import (
    from_control_flow_context_def as _from_context_def,
)
from headwater.graph.control_flow.shape_invariants import (
    enforce_invariant as _EnforceShapeInvariant,
)
from headwater.graph.control_flow.shape_invariants import is_special_case, set_invariants
from headwater.graph.control_flow.while_context import WhileContext
from headwater.ops.control.case import at_most
from headwater.ops.control.case import checked_pairs as _case_verify_and_canonicalize_args
from headwater.ops.control.case import choose as _case_helper
from headwater.ops.control.case import with_last_as_default as _case_create_default_action
from headwater.ops.control.cond import unpacked as _UnpackIfSingleton

__all__ = [
    "CondContext",
    "ControlFlowContext",
    "WhileContext",
    "XLAControlFlowContext",
    "_AddNextAndBackEdge",
    "_EnforceShapeInvariant",
    "_Enter",
    "_GroupControlDeps",
    "_Identity",
    "_NextIteration",
    "_SetShapeInvariants",
    "_ShapeLessThanOrEqual",
    "_SwitchRefOrTensor",
    "_UnpackIfSingleton",
    "_assert_at_most_n_true",
    "_case_create_default_action",
    "_case_helper",
    "_case_verify_and_canonicalize_args",
    "_convert_flows_to_tensorarrays",
    "_convert_tensorarray_to_flow",
    "exit",
    "from_control_flow_context_def",
    "merge",
    "switch",
    "with_dependencies",
]


def _GroupControlDeps(dev: str | None, deps: list[Operation], name: str | None = None) -> Operation:
    """An op on a device that groups other ops."""
    return no_op_after(deps, dev or "", name)


def _ShapeLessThanOrEqual(shape1: TensorShape, shape2: TensorShape) -> bool:
    """Whether the first shape is at least as specific as the second one."""
    return is_special_case(as_tuple(shape1), as_tuple(shape2))


def _SetShapeInvariants(input_vars: list[Tensor], enter_vars: list[Tensor], shapes: Any) -> None:
    """Gives the Enter nodes of a loop their shapes."""
    if shapes is not None:
        set_invariants(input_vars, enter_vars, list(shapes))


def _assert_at_most_n_true(predicates: list[Any], n: int, msg: str) -> Operation:
    """An op that fails if more than n predicates are true."""
    return at_most(n, predicates, msg)


def from_control_flow_context_def(context_def: Any, import_scope: str | None = None) -> Any:
    """The context of a ControlFlowContextDef."""
    return _from_context_def(context_def, import_scope)
