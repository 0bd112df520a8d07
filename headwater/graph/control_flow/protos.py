"""Control flow contexts as protos, which MetaGraphDefs have in their collections."""

from __future__ import annotations

from typing import Any

from headwater.graph.collection_protos import register_proto_function
from headwater.graph.control_flow.cond_context import CondContext
from headwater.graph.control_flow.context import ControlFlowContext, proto_functions
from headwater.graph.control_flow.util import is_loop_enter
from headwater.graph.control_flow.while_context import WhileContext
from headwater.graph.default_graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.operation import Tensor
from headwater.graph.scope_names import prepend_name_scope, strip_name_scope
from headwater.protos.lazy import LazyMessage, control_flow_pb2


def values_def(context: ControlFlowContext, export_scope: str | None = None) -> Any:
    """The names of the tensors that are known in a context."""
    proto = control_flow_pb2.ValuesDef()
    proto.values.extend(strip_name_scope(name, export_scope) for name in sorted(context._values))
    for name, tensor in context._external_values.items():
        key = strip_name_scope(name, export_scope)
        proto.external_values[key] = strip_name_scope(tensor.name, export_scope)
    return proto


def set_values(context: ControlFlowContext, proto: Any, import_scope: str | None = None) -> None:
    """Takes over the known tensors, and makes their ops part of the context."""
    graph = get_default_graph()
    context._values = {prepend_name_scope(name, import_scope) for name in proto.values}
    context._external_values = {
        prepend_name_scope(key, import_scope): graph.as_graph_element(
            prepend_name_scope(name, import_scope)
        )
        for key, name in proto.external_values.items()
    }
    outside = {prepend_name_scope(key, import_scope) for key in proto.external_values}
    for op_name in {name.partition(":")[0] for name in context._values - outside}:
        graph.as_graph_element(op_name)._set_control_flow_context(context)


def _tensors(names: Any, import_scope: str | None) -> list[Tensor]:
    graph = get_default_graph()
    return [graph.as_graph_element(prepend_name_scope(name, import_scope)) for name in names]


# Branches


def cond_to_proto(context: CondContext, export_scope: str | None = None) -> Any:
    """A CondContextDef, or None if the context is not in the scope."""
    if export_scope is not None and not context.name.startswith(export_scope):
        return None
    proto = control_flow_pb2.CondContextDef()
    proto.context_name = strip_name_scope(context.name, export_scope)
    proto.pred_name = strip_name_scope(context.pred.name, export_scope)
    proto.pivot_name = strip_name_scope(context.pivot.name, export_scope)
    proto.branch = context.branch
    proto.values_def.MergeFrom(values_def(context, export_scope))
    _add_nested(context, proto, export_scope)
    return proto


def set_cond(context: CondContext, proto: Any, import_scope: str | None = None) -> None:
    """Gives a context what a CondContextDef says."""
    context._name = prepend_name_scope(proto.context_name, import_scope)
    context._pred, context._pivot = _tensors((proto.pred_name, proto.pivot_name), import_scope)
    context._branch = proto.branch


# Loops


def while_to_proto(context: WhileContext, export_scope: str | None = None) -> Any:
    """A WhileContextDef, or None if the context is not in the scope."""
    if export_scope is not None and not context.name.startswith(export_scope):
        return None

    def exported(tensor: Tensor | None) -> str:
        assert tensor is not None
        return strip_name_scope(tensor.name, export_scope)

    proto = control_flow_pb2.WhileContextDef()
    proto.context_name = strip_name_scope(context.name, export_scope)
    proto.parallel_iterations = context.parallel_iterations
    if context.maximum_iterations is not None:
        proto.maximum_iterations_name = exported(context.maximum_iterations)
    proto.back_prop = context.back_prop
    proto.swap_memory = context.swap_memory
    proto.pivot_for_pred_name = exported(context._pivot_for_pred)
    proto.pivot_for_body_name = exported(context._pivot_for_body)
    proto.pivot_name = exported(context._pivot)
    proto.loop_exit_names.extend(exported(tensor) for tensor in context._loop_exits)
    proto.loop_enter_names.extend(exported(tensor) for tensor in context._loop_enters)
    proto.values_def.MergeFrom(values_def(context, export_scope))
    _add_nested(context, proto, export_scope)
    return proto


def set_while(context: WhileContext, proto: Any, import_scope: str | None = None) -> None:
    """Gives a context what a WhileContextDef says."""
    context._name = prepend_name_scope(proto.context_name, import_scope)
    limit = proto.maximum_iterations_name
    context._maximum_iterations = _tensors((limit,), import_scope)[0] if limit else None
    context._parallel_iterations = proto.parallel_iterations
    context._back_prop = proto.back_prop
    context._swap_memory = proto.swap_memory
    context._pivot_for_pred, context._pivot_for_body, context._pivot = _tensors(
        (proto.pivot_for_pred_name, proto.pivot_for_body_name, proto.pivot_name), import_scope
    )
    context._loop_exits = _tensors(proto.loop_exit_names, import_scope)
    context._loop_enters = _tensors(proto.loop_enter_names, import_scope)
    # Files of early releases have no names of the values that come in.
    for tensor in context._loop_exits + context._loop_enters:
        tensor.op._set_control_flow_context(context)
    if import_scope:
        # What is added to the loop later is part of the frame of this name.
        graph = get_default_graph()
        for name in context._values:
            op = graph.as_graph_element(name.partition(":")[0])
            if is_loop_enter(op):
                op._attrs["frame_name"] = context._name


# Contexts inside of others


def _add_nested(context: ControlFlowContext, proto: Any, export_scope: str | None) -> None:
    for nested in context._nested_contexts:
        nested.to_control_flow_context_def(proto.nested_contexts.add(), export_scope)


def make_nested(context: ControlFlowContext, proto: Any, import_scope: str | None) -> None:
    """Makes the contexts inside of one."""
    context.Enter()
    try:
        for nested in proto.nested_contexts:
            from_control_flow_context_def(nested, import_scope)
    finally:
        context.Exit()


def from_control_flow_context_def(proto: Any, import_scope: str | None = None) -> Any:
    """The context of a ControlFlowContextDef.

    Raises:
        NotImplementedError: if it is of an unknown kind.
    """
    if proto.HasField("cond_ctxt"):
        return CondContext.from_proto(proto.cond_ctxt, import_scope)
    if proto.HasField("while_ctxt"):
        return WhileContext.from_proto(proto.while_ctxt, import_scope)
    raise NotImplementedError(f"Unknown ControlFlowContextDef field: {proto.WhichOneof('ctxt')}")


proto_functions.update(
    cond_to_proto=cond_to_proto,
    make_nested=make_nested,
    set_cond=set_cond,
    set_values=set_values,
    set_while=set_while,
    values_def=values_def,
    while_to_proto=while_to_proto,
)
register_proto_function(
    GraphKeys.COND_CONTEXT,
    proto_type=LazyMessage(control_flow_pb2, "CondContextDef"),
    to_proto=CondContext.to_proto,
    from_proto=CondContext.from_proto,
)
register_proto_function(
    GraphKeys.WHILE_CONTEXT,
    proto_type=LazyMessage(control_flow_pb2, "WhileContextDef"),
    to_proto=WhileContext.to_proto,
    from_proto=WhileContext.from_proto,
)
