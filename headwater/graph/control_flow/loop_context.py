"""What a loop knows while it is being built: its values, its ops, its Enter nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.graph.builders import build
from headwater.graph.control_flow.context import ControlFlowContext, proto_functions
from headwater.graph.control_flow.nodes import enter
from headwater.graph.control_flow.util import (
    is_loop_constant_enter,
    is_loop_exit,
    output_context,
    while_context_of,
)
from headwater.graph.default_graph import control_dependencies, get_default_graph
from headwater.graph.operation import Operation, Tensor

# In a gradient these are computed in the forward loop, where the values are available, so that only
# the small results are saved for the backward loop.
_REDUCTIONS = frozenset(("Shape", "Size", "Rank"))


class LoopContext(ControlFlowContext):
    """A loop: values from outside come in through an Enter.

    Args:
        maximum_iterations: a bound of the number of iterations, or None.
        parallel_iterations: how many iterations may be under way at once.
        back_prop: whether gradients go through the loop.
        swap_memory: whether values that are kept for the gradient may leave the device.
        name: the name, made unique; it is the name of the frame.
        grad_state: the state of the gradient that this loop computes, or None.
        context_def: a WhileContextDef to take all of this from.
        import_scope: the name scope in which the nodes of the proto are now.

    Raises:
        ValueError: if `parallel_iterations` is not a positive integer.
    """

    def __init__(
        self,
        maximum_iterations: Any = None,
        parallel_iterations: int = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        name: str = "while_context",
        grad_state: Any = None,
        context_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        self._grad_state = grad_state
        if context_def is not None:
            self._init_from_proto(context_def, import_scope)
            return
        super().__init__()
        if not isinstance(parallel_iterations, int) or parallel_iterations <= 0:
            raise ValueError(
                f"`parallel_iterations` must be a positive integer: {parallel_iterations}"
            )
        self._graph = get_default_graph()
        self._name = self._graph.unique_name(name)
        self._maximum_iterations = maximum_iterations
        self._parallel_iterations = parallel_iterations
        self._back_prop = back_prop
        self._swap_memory = swap_memory
        self._pivot_for_pred: Tensor | None = None
        self._pivot_for_body: Tensor | None = None
        self._pivot: Tensor | None = None
        self._loop_exits: list[Tensor] = []
        self._loop_enters: list[Tensor] = []

    def _init_from_proto(self, context_def: Any, import_scope: str | None = None) -> None:
        super().__init__(values_def=context_def.values_def, import_scope=import_scope)
        self._graph = get_default_graph()
        proto_functions["set_while"](self, context_def, import_scope)

    @property
    def maximum_iterations(self) -> Any:
        """The bound of the number of iterations, or None."""
        return self._maximum_iterations

    @property
    def parallel_iterations(self) -> int:
        """How many iterations may be under way at once."""
        return self._parallel_iterations

    @property
    def back_prop(self) -> bool:
        """Whether gradients go through the loop."""
        return self._back_prop

    @property
    def swap_memory(self) -> bool:
        """Whether values that are kept for the gradient may leave the device."""
        return self._swap_memory

    @property
    def pivot(self) -> Tensor | None:
        """The predicate, as the output of the LoopCond node."""
        return self._pivot

    @property
    def loop_enters(self) -> list[Tensor]:
        """The loop variables as they come in."""
        return self._loop_enters

    @property
    def loop_exits(self) -> list[Tensor]:
        """The loop variables as they go out."""
        return self._loop_exits

    @property
    def grad_state(self) -> Any:
        """The state of the gradient that this loop computes, or None."""
        return self._grad_state

    def IsWhileContext(self) -> bool:
        """Always true."""
        return True

    def GetWhileContext(self) -> LoopContext:
        """This context."""
        return self

    def GetControlPivot(self) -> Tensor | None:
        """A tensor of the body, once that has begun, else of the predicate."""
        return self._pivot_for_pred if self._pivot_for_body is None else self._pivot_for_body

    # Ops and values

    def AddValue(self, val: Tensor) -> Tensor:
        """The tensor under which a value is known in this loop."""
        if val.name in self._values or val.op._control_flow_context is self:
            return self._external_values.get(val.name, val)
        self._values.add(val.name)
        kept = self._kept_for_gradient(val)
        if kept is not None:
            self._external_values[val.name] = kept
            return kept
        outer = val if self._outer_context is None else self._outer_context.AddValue(val)
        with control_dependencies(None):
            result: Tensor = enter(
                outer,
                self._name,
                is_constant=True,
                parallel_iterations=self._parallel_iterations,
            )
            result.graph.prevent_feeding(result)
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(result.op)
        self._FixControlInputsAndContext([result])
        self._values.add(result.name)
        self._external_values[val.name] = result
        return result

    def _kept_for_gradient(self, val: Tensor) -> Tensor | None:
        """The saved forward value, when called in the loop of a gradient; else None."""
        current = get_default_graph()._get_control_flow_context()
        gradient = None if current is None else current.GetWhileContext()
        if gradient is None or gradient.grad_state is None:
            return None
        forward = while_context_of(val.op)
        if forward is not None and is_loop_exit(val.op):
            forward = forward.outer_context
            forward = None if forward is None else forward.GetWhileContext()
        if forward is not gradient.grad_state.forward_context:
            return None
        tensor: Tensor | None = gradient.grad_state.GetRealValue(val)
        return tensor

    def AddOp(self, op: Operation) -> None:
        """Brings the inputs of a new op into this loop."""
        if op.type in _REDUCTIONS:
            current = get_default_graph()._get_control_flow_context()
            gradient = None if current is None else current.GetWhileContext()
            if gradient is not None and gradient.grad_state is not None:
                source = op._inputs[0].op
                if while_context_of(source) is gradient.grad_state.forward_context:
                    context = source._control_flow_context
                    op._set_control_flow_context(context)
                    context._AddOpInternal(op)
                    return
        self._AddOpInternal(op)

    def _AddOpInternal(self, op: Operation) -> None:
        if not op._inputs:
            internal, external = self._RemoveExternalControlEdges(op)
            if not internal:
                op._add_control_input(self._control_pivot().op)
        else:
            for i, tensor in enumerate(op._inputs):
                if op.type == "Merge" and tensor.op.type == "NextIteration":
                    # An imported loop: the NextIteration is added later, by itself.
                    continue
                known = self.AddValue(tensor)
                if known is not tensor:
                    op._update_input(i, known)
            _, external = self._RemoveExternalControlEdges(op)
            self._MaybeAddControlDependency(op)
        self._values.update(tensor.name for tensor in op._outputs)
        if external:
            self._wait_for(op, external)
        if self._outer_context is not None or not is_loop_exit(op):
            op._graph.prevent_fetching(op)
            for tensor in op._outputs:
                op._graph.prevent_feeding(tensor)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _wait_for(self, op: Operation, external: list[Operation]) -> None:
        """Makes an op wait for ops outside of the loop, by a value that comes in from them."""
        with control_dependencies(None):
            self.Enter()
            copies = [build.Identity(o._outputs[0]).op for o in external if o._outputs]
            self.Exit()
        op._add_control_inputs(copies)

    def _control_pivot(self) -> Tensor:
        pivot = self.GetControlPivot()
        assert pivot is not None
        return pivot

    def _MaybeAddControlDependency(self, op: Operation) -> None:
        """Ties an op to the iteration if nothing else does: it must not run after the last."""
        if op._control_inputs:
            return
        is_call = op._graph._is_function(op.type) or op.type == "SymbolicGradient"
        if is_call or all(is_loop_constant_enter(tensor.op) for tensor in op._inputs):
            op._add_control_input(self._control_pivot().op)

    def _FixControlInputsAndContext(self, enters: Sequence[Tensor]) -> None:
        """Gives Enter nodes this context, and the control inputs in force around the loop."""
        graph = get_default_graph()
        for tensor in enters:
            op = tensor.op
            controls = graph._control_dependencies_for_inputs(op._inputs)
            op._set_control_flow_context(self)
            op._add_control_inputs([source for source in controls if self._is_around(source)])
            graph._record_op_seen_by_control_dependencies(op)

    def _is_around(self, source: Operation) -> bool:
        """Whether an op stands in a context around this loop, in the next outer loop at most."""
        outer = self._outer_context
        outer_loop = None if outer is None else outer.GetWhileContext()
        wanted = output_context(source)
        while outer is not wanted:
            if outer is None or outer is outer_loop:
                return False
            outer = outer.outer_context
        return True

    def _InitializeValues(self, values: Sequence[Tensor]) -> None:
        """Makes these tensors the only ones that are known."""
        self._values = {tensor.name for tensor in values}
