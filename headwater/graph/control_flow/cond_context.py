"""The context of one branch of `tf.cond`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import nest
from headwater.graph.basic_nodes import with_dependencies
from headwater.graph.builders import build
from headwater.graph.control_flow.context import ControlFlowContext, proto_functions
from headwater.graph.control_flow.flows import flow_of
from headwater.graph.control_flow.nodes import switch_ref_or_tensor
from headwater.graph.control_flow.summaries import new_summaries
from headwater.graph.control_flow.util import is_loop_exit, op_in_context
from headwater.graph.convert import to_tensor
from headwater.graph.default_graph import control_dependencies, get_default_graph
from headwater.graph.operation import Operation, Tensor


class CondContext(ControlFlowContext):
    """One branch: values from outside come in through a Switch.

    Args:
        pred: the boolean scalar that decides.
        pivot: the output of a Switch of the predicate: ops without inputs depend on it.
        branch: 1 for the branch that is taken if `pred` is true, 0 for the other one.
        name: the name, made unique.
        context_def: a CondContextDef to take all of this from.
        import_scope: the name scope in which the nodes of the proto are now.
    """

    def __init__(
        self,
        pred: Any = None,
        pivot: Any = None,
        branch: Any = None,
        name: str = "cond_text",
        context_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if context_def is not None:
            self._init_from_proto(context_def, import_scope)
            return
        super().__init__()
        self._name = get_default_graph().unique_name(name)
        self._pred: Tensor = pred
        self._pivot: Tensor = pivot
        self._branch: int = branch
        self._values.update((pred.name, pivot.name))
        self._external_values[pred.name] = pred
        pivot.op._set_control_flow_context(self)

    def _init_from_proto(self, context_def: Any, import_scope: str | None = None) -> None:
        super().__init__(values_def=context_def.values_def, import_scope=import_scope)
        proto_functions["set_cond"](self, context_def, import_scope)

    @property
    def pred(self) -> Tensor:
        """The boolean scalar that decides."""
        return self._pred

    @property
    def pivot(self) -> Tensor:
        """The tensor on which ops without inputs depend."""
        return self._pivot

    @property
    def branch(self) -> int:
        """1 for the branch that is taken if the predicate is true, else 0."""
        return self._branch

    @property
    def grad_state(self) -> Any:
        """That of the loop around this branch."""
        loop = self.GetWhileContext()
        return None if loop is None else loop.grad_state

    @property
    def back_prop(self) -> bool:
        """That of the loop around this branch; False outside of loops."""
        loop = self.GetWhileContext()
        return False if loop is None else loop.back_prop

    def IsCondContext(self) -> bool:
        """Always true."""
        return True

    def GetControlPivot(self) -> Tensor:
        """The pivot."""
        return self._pivot

    # Ops and values

    def AddValue(self, val: Tensor) -> Tensor:
        """The tensor under which a value is known in this branch."""
        if val.name in self._values:
            return self._external_values.get(val.name, val)
        outer = self._value_outside(val)
        with control_dependencies(None):
            result: Tensor = switch_ref_or_tensor(outer, self._pred)[self._branch]
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(result.op)
        result.graph.prevent_fetching(result.op)
        result.op._set_control_flow_context(self)
        self._make_known([result.name])
        self._external_values[val.name] = result
        return result

    def _value_outside(self, val: Tensor) -> Tensor:
        """The tensor under which a value is known around this branch."""
        self._values.add(val.name)
        if self._outer_context is None:
            return val
        result: Tensor = self._outer_context.AddValue(val)
        self._values.add(result.name)
        self._external_values[result.name] = result
        return result

    def _make_known(self, names: list[str]) -> None:
        """Makes tensors known here and in all contexts around."""
        context = self
        while context is not None:
            context._values.update(names)
            context = context._outer_context

    def AddOp(self, op: Operation) -> None:
        """Brings the inputs of a new op into this branch."""
        self._AddOpInternal(op)

    def _AddOpInternal(self, op: Operation) -> None:
        if not op._inputs:
            self._RemoveExternalControlEdges(op)
            if not any(op_in_context(source, self) for source in op._control_inputs):
                op._add_control_input(self._pivot.op)
        else:
            for i, tensor in enumerate(op._inputs):
                if op.type == "Merge" and tensor.op.type == "NextIteration":
                    # An imported loop: the NextIteration is added later, by itself.
                    continue
                known = self.AddValue(tensor)
                if known is not tensor:
                    op._update_input(i, known)
            self._RemoveExternalControlEdges(op)
            if op._graph._is_function(op.type) or op.type == "SymbolicGradient":
                op._add_control_input(self._pivot.op)
        self._make_known([tensor.name for tensor in op._outputs])
        if self._outer_context is not None or not is_loop_exit(op):
            op._graph.prevent_fetching(op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    # Building

    def BuildCondBranch(self, fn: Callable[[], Any]) -> tuple[Any, Any]:
        """Builds the branch.

        Args:
            fn: builds the nodes.

        Returns:
            What `fn` returns, and the tensors of it that are known at the end of the branch; None
            twice if it returns None.
        """
        with new_summaries() as summaries:
            original = fn()
        if summaries:
            with control_dependencies(summaries):
                if original is None:
                    return build.NoOp(), None
                if not isinstance(original, Operation):
                    original = nest.map_structure(build.Identity, original, expand_composites=True)
        if original is None:
            return None, None
        result = nest.map_structure(self._BuildCondTensor, original, expand_composites=True)
        return original, result if isinstance(result, (list, tuple)) else [result]

    def _BuildCondTensor(self, value: Any) -> Tensor:
        if isinstance(value, Operation):
            # The pivot stands for an op without a value.
            tensor: Tensor = with_dependencies([value], self._pivot)
            return tensor
        return self._ProcessOutputTensor(to_tensor(flow_of(value)))

    def _ProcessOutputTensor(self, val: Tensor) -> Tensor:
        """The tensor under which a result is known here; it may come from outside."""
        if val.name in self._values:
            return self._external_values.get(val.name, val)
        outer = self._value_outside(val)
        result: Tensor = switch_ref_or_tensor(outer, self._pred)[self._branch]
        self._external_values[val.name] = result
        return result

    # Protos

    def to_proto(self, export_scope: str | None = None) -> Any:
        """This context as a CondContextDef, or None if it is not in the scope."""
        return proto_functions["cond_to_proto"](self, export_scope)

    @staticmethod
    def from_proto(context_def: Any, import_scope: str | None = None) -> CondContext:
        """A context from a CondContextDef."""
        result = CondContext(context_def=context_def, import_scope=import_scope)
        proto_functions["make_nested"](result, context_def, import_scope)
        return result

    def to_control_flow_context_def(self, context_def: Any, export_scope: Any = None) -> None:
        """Writes this context into a ControlFlowContextDef."""
        context_def.cond_ctxt.CopyFrom(self.to_proto(export_scope=export_scope))
