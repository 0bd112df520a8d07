"""The context of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.graph.control_flow.context import proto_functions
from headwater.graph.control_flow.loop_building import build_loop
from headwater.graph.control_flow.loop_context import LoopContext


class WhileContext(LoopContext):
    """A loop that can be built, written to a proto and read from one; see `LoopContext`."""

    def BuildLoop(
        self,
        pred: Callable[..., Any],
        body: Callable[..., Any],
        loop_vars: Any,
        shape_invariants: Any,
        return_same_structure: bool,
    ) -> Any:
        """Builds the loop; see `tf.while_loop`."""
        return build_loop(self, pred, body, loop_vars, shape_invariants, return_same_structure)

    # Protos

    def to_proto(self, export_scope: str | None = None) -> Any:
        """This context as a WhileContextDef, or None if it is not in the scope."""
        return proto_functions["while_to_proto"](self, export_scope)

    @staticmethod
    def from_proto(context_def: Any, import_scope: str | None = None) -> WhileContext:
        """A context from a WhileContextDef."""
        result = WhileContext(context_def=context_def, import_scope=import_scope)
        proto_functions["make_nested"](result, context_def, import_scope)
        return result

    def to_control_flow_context_def(self, context_def: Any, export_scope: Any = None) -> None:
        """Writes this context into a ControlFlowContextDef."""
        context_def.while_ctxt.CopyFrom(self.to_proto(export_scope=export_scope))
