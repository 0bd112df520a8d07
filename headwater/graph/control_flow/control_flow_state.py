"""The loops that one call of `tf.gradients` goes through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.graph.basic_nodes import shape_tensor, zeros_like, zeros_of
from headwater.graph.builders import build
from headwater.graph.control_flow.backprop_nodes import (
    inside,
    outside,
    shape_at_run_time,
    zeros,
    zeros_constant,
)
from headwater.graph.control_flow.grad_loop_state import GradLoopState
from headwater.graph.control_flow.nodes import next_iteration, switch, switch_ref_or_tensor
from headwater.graph.control_flow.util import (
    is_loop_exit,
    is_loop_switch,
    is_switch,
    while_context_of,
)
from headwater.graph.default_graph import colocate_with, control_dependencies
from headwater.graph.operation import Operation, Tensor
from headwater.graph.shapes import is_static


class ControlFlowState:
    """A GradLoopState for each loop that gradients go through."""

    def __init__(self) -> None:
        self._states: dict[Any, GradLoopState] = {}

    def GetGradState(self, op: Operation, before: bool) -> GradLoopState | None:
        """The state of the loop to which an op belongs.

        Args:
            op: an op of the forward graph.
            before: whether an Exit counts as an op outside of its loop.
        """
        loop = while_context_of(op)
        if before and is_loop_exit(op):
            outer = op._control_flow_context.outer_context
            loop = None if outer is None else outer.GetWhileContext()
        return None if loop is None else self._states.get(loop)

    def gradient_loop(self, op: Operation, before: bool) -> AbstractContextManager[None]:
        """A with block whose ops stand in the loop of the gradient of the op's loop."""
        state = self.GetGradState(op, before)
        return nullcontext() if state is None else inside(state.grad_context)

    def AddWhileContext(self, exit_op: Operation, between: dict[Operation, None]) -> None:
        """Begins the gradient of a loop, if that has not been done.

        Args:
            exit_op: an Exit of the loop.
            between: the ops that gradients go through; all exits of the loop are added.

        Raises:
            ValueError: if the loop was imported without its context.
        """
        forward = while_context_of(exit_op)
        if forward is None:
            raise ValueError(
                "Failed to call gradients on a while loop without properly serializing graph via "
                f"MetaGraphDef\nHint: nothing says to which loop '{exit_op.name}' belongs; import "
                "a MetaGraphDef instead of a GraphDef."
            )
        if forward in self._states:
            return
        state = GradLoopState(forward, self._outer_state(forward))
        self._states[forward] = state
        between.update((tensor.op, None) for tensor in state.forward_loop_exits)

    def _outer_state(self, forward: Any) -> GradLoopState | None:
        outer = forward.outer_context
        outer = None if outer is None else outer.GetWhileContext()
        return None if outer is None else self._states.get(outer)

    def ProcessUnusedLoopExits(
        self, pending: dict[Operation, int], y_ops: set[Operation]
    ) -> list[Tensor]:
        """The exits of loops all of whose exits have no gradient but that of a `y`.

        Args:
            pending: of how many consumers of an op the gradients are still to come.
            y_ops: the ops of the ys that are ready.

        Returns:
            Exits that need zeros as gradients.
        """
        found: list[Tensor] = []
        for state in self._states.values():
            for tensor in state.forward_loop_exits:
                if pending.get(tensor.op, 0) == 0:
                    state.pending_exits_count -= 1
                    if tensor.op not in y_ops:
                        state.unused_exits.append(tensor)
                    if state.pending_exits_count == 0:
                        found.extend(state.unused_exits)
            # The Enters need gradients of their own for the gradients of gradients.
            for tensor in state.forward_context.loop_enters:
                if pending.get(tensor.op, 0) == 0:
                    pending[tensor.op] = 1
        return found

    # Zeros

    def ZerosLikeForExit(self, tensor: Tensor) -> Tensor:
        """Zeros as the gradient of an Exit that nothing depends on."""
        forward = tensor.op._control_flow_context
        state = self._outer_state(forward)
        if state is None:
            if is_static(tensor._shape):
                return zeros(tensor._shape, tensor._dtype)
            return zeros_like(tensor, optimize=False)
        if is_static(tensor._shape):
            with inside(state.grad_context):
                return zeros(tensor._shape, tensor._dtype)
        with inside(forward.outer_context):
            shape = shape_tensor(tensor, optimize=False)
        kept = state.AddForwardAccumulator(shape)
        with inside(state.grad_context):
            return zeros_of(state.AddBackpropAccumulatedValue(kept, shape), tensor._dtype)

    def ZerosLike(self, op: Operation, index: int) -> Tensor | None:
        """Zeros as the gradient of an output that nothing depends on.

        Args:
            op: an op of the forward graph; the loop of its gradient is entered.
            index: which output.

        Returns:
            A tensor; None for the Switch of a loop variable, which can do without.
        """
        if is_loop_switch(op):
            return None
        state = self.GetGradState(op, before=False)
        # TensorFlow makes the plain node in functions for branches in loops too, and cannot run it.
        if op._graph.building_function and (state is None or not is_switch(op)):
            return zeros_like(op._outputs[index])
        if state is None:
            return zeros_outside_loops(op, index)
        value = op._outputs[index]
        branch = op._control_flow_context
        dead_branch = is_switch(op)
        if is_static(value._shape) and value._dtype is not dtypes.resource:
            result = zeros_constant(value._shape, value._dtype)
            if not dead_branch:
                return result
            pred = state.history_map[branch.pred.name]
            tensor: Tensor | None = switch_ref_or_tensor(result, pred)[1 - branch.branch]
            return tensor
        if dead_branch:
            with inside(branch.outer_context):
                other = switch_ref_or_tensor(op._inputs[0], branch.pred)[1 - branch.branch]
                shape = shape_at_run_time(other)
            other.op._set_control_flow_context(branch)
            shape.op._set_control_flow_context(branch)
        else:
            with inside(branch):
                shape = shape_at_run_time(value)
        with outside(state.grad_context):
            kept = state.AddForwardAccumulator(shape, dead_branch=dead_branch)
        popped = state.AddBackpropAccumulatedValue(kept, shape, dead_branch)
        return zeros_of(popped, zeros_dtype(value))

    def PostProcessing(self) -> None:
        """Gives loop variables that do not depend on themselves zeros as further gradients."""
        for state in self._states.values():
            for merged in state.switch_map.values():
                first, second = merged.op._inputs
                if first is second:
                    merged.op._update_input(1, self._zeros_of_iterations(state, first))

    @staticmethod
    def _zeros_of_iterations(state: GradLoopState, entered: Tensor) -> Tensor:
        context = state.grad_context
        if is_static(entered._shape):
            with inside(context):
                tensor: Tensor = next_iteration(zeros_constant(entered._shape, entered._dtype))
                return tensor
        with inside(context.outer_context):
            shape = shape_tensor(entered._op._inputs[0], optimize=False)
            value = zeros_of(shape, entered._dtype)
        with inside(context):
            tensor = next_iteration(value)
            return tensor


def control_flow_state(between: dict[Operation, None], colocate: bool) -> ControlFlowState | None:
    """The state of one call of `tf.gradients`; None if it goes through no loop.

    Args:
        between: the ops that gradients go through, in reverse order; exits of loops are added.
        colocate: whether gradients are placed with their ops.
    """
    state: ControlFlowState | None = None
    for op in list(between):
        if is_loop_exit(op):
            state = ControlFlowState() if state is None else state
            with colocate_with(op) if colocate else nullcontext():
                state.AddWhileContext(op, between)
    return state


def zeros_outside_loops(op: Operation, index: int) -> Tensor:
    """Zeros as the gradient of an output; for a branch that is not taken, in the other branch."""
    value = op._outputs[index]
    branch = op._control_flow_context
    if not is_switch(op) or branch is None:
        if value._dtype is dtypes.resource:
            return zeros_of(shape_at_run_time(value), zeros_dtype(value))
        return zeros_like(value, optimize=False)
    other = switch(op._inputs[0], branch.pred)[1 - branch.branch]
    pivot = build.Identity(other)
    if value._dtype is dtypes.resource:
        with control_dependencies([pivot]):
            return zeros_of(shape_at_run_time(other), zeros_dtype(value))
    shape = shape_tensor(other, optimize=False)
    with control_dependencies([pivot]):
        return zeros_of(shape, value._dtype)


def zeros_dtype(value: Tensor) -> DType:
    """The type of the gradient of a tensor: for the handle of a variable, the variable's type."""
    if value._dtype is not dtypes.resource:
        return value._dtype.base_dtype
    while value._op._inputs:
        value = value._op._inputs[0]
    found = value._op._attrs["dtype"]
    if found is dtypes.resource:
        # An argument of a function's body: the ops that use the variable know.
        found = next(_types_of_users(value))
    result: DType = found
    return result


def _types_of_users(handle: Tensor) -> Iterator[DType]:
    """The type of a variable, once for each op that uses it, in branches and loops too."""
    for op in handle.consumers():
        if "dtype" in op._attrs:
            yield op._attrs["dtype"]
        for tensor in op._outputs:
            if tensor._dtype is dtypes.resource:
                yield from _types_of_users(tensor)
