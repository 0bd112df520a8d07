"""What the gradient of one loop needs while it is built.

The gradient of a loop is a loop that runs as many iterations. Values of the forward loop that it
needs are kept on stacks: the forward loop pushes them, the loop of the gradient pops them.
"""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.graph.builders import build
from headwater.graph.constant_value import constant_value
from headwater.graph.control_flow.backprop_nodes import (
    add_backprop_counter,
    add_forward_counter,
    inside,
    outside,
)
from headwater.graph.control_flow.nodes import switch_ref_or_tensor
from headwater.graph.control_flow.util import (
    containing_while_context,
    is_containing_context,
    is_in_xla_context,
    loop_constant_enter,
    output_context,
)
from headwater.graph.control_flow.while_context import WhileContext
from headwater.graph.convert import constant_node
from headwater.graph.default_graph import colocate_with, control_dependencies, get_default_graph
from headwater.graph.operation import Operation, Tensor


class GradLoopState:
    """The forward loop, the loop of its gradient, and what goes from one to the other.

    Args:
        forward_ctxt: the forward loop.
        outer_grad_state: the state of the loop around it, or None.

    Attributes:
        forward_context: the forward loop.
        forward_index: the counter of the forward loop for its next iteration.
        grad_context: the loop of the gradient.
        grad_index: the counter of that loop for its next iteration.
        history_map: for the name of a forward value, the value in the loop of the gradient.
        switch_map: for the Switch of a loop variable, the Merge of its gradient.
        forward_loop_exits: the exits of the forward loop.
        pending_exits_count: of how many of them the gradient is not known yet.
        unused_exits: those that have no gradient.
        deferred_exits: those that wait for the others.
    """

    def __init__(self, forward_ctxt: Any, outer_grad_state: GradLoopState | None) -> None:
        self.outer_grad_state = outer_grad_state
        self.forward_context = forward_ctxt
        self.history_map: dict[str, Tensor] = {}
        self.switch_map: dict[Operation, Tensor] = {}
        self.unused_exits: list[Tensor] = []
        self.deferred_exits: list[Tensor] = []
        self.forward_loop_exits: list[Tensor] = list(forward_ctxt.loop_exits)
        self.pending_exits_count = len(self.forward_loop_exits)
        self._forward_sync: Operation | None = None
        self._grad_sync: Operation | None = None
        outer = forward_ctxt.outer_context
        if outer_grad_state is not None:
            outer = outer_grad_state.forward_context
        with forward_ctxt._graph.as_default(), inside(outer):
            count, self.forward_index = add_forward_counter(forward_ctxt, outer_grad_state)
        if outer_grad_state is None:
            with inside(outer):
                self.grad_context = self._new_loop()
                self.grad_index = add_backprop_counter(self.grad_context, count, None)
            return
        # The inner loop may run another number of iterations each time.
        outer.AddName(count.name)
        kept = outer_grad_state.AddForwardAccumulator(count)
        with inside(outer_grad_state.grad_context):
            self.grad_context = self._new_loop()
            popped = outer_grad_state.AddBackpropAccumulatedValue(kept, count)
            self.grad_index = add_backprop_counter(self.grad_context, popped, outer_grad_state)

    def _new_loop(self) -> WhileContext:
        forward = self.forward_context
        return WhileContext(
            maximum_iterations=forward.maximum_iterations,
            parallel_iterations=forward.parallel_iterations,
            back_prop=forward.back_prop,
            swap_memory=forward.swap_memory,
            name=forward.name,
            grad_state=self,
        )

    @property
    def forward_sync(self) -> Operation:
        """An op that has run in each iteration of the forward loop before the next one begins."""
        if self._forward_sync is None:
            with control_dependencies(None):
                self._forward_sync = build.ControlTrigger(name="f_sync")
            self._forward_sync._set_control_flow_context(self.forward_context)
            self.forward_index.op._add_control_input(self._forward_sync)
        return self._forward_sync

    @property
    def grad_sync(self) -> Operation:
        """The same for the loop of the gradient."""
        if self._grad_sync is None:
            with control_dependencies(None):
                self._grad_sync = build.ControlTrigger(name="b_sync")
            self._grad_sync._set_control_flow_context(self.grad_context)
            self.grad_index.op._add_control_input(self._grad_sync)
            if self.grad_context.outer_context is not None:
                self.grad_context.outer_context.AddInnerOp(self._grad_sync)
        return self._grad_sync

    def AddForwardAccumulator(self, value: Tensor, dead_branch: bool = False) -> Tensor:
        """Keeps the value of each iteration of the forward loop.

        Args:
            value: a tensor of the forward loop.
            dead_branch: whether the value stands for the branch that was not taken.

        Returns:
            The handle of the stack on which the values are.
        """
        with self.forward_index.graph.as_default():
            current = get_default_graph()._get_control_flow_context()
            with control_dependencies(None):
                with inside(current), colocate_with(value):
                    stack: Tensor = build.StackV2(
                        self._stack_size(value),
                        elem_type=value._dtype.base_dtype,
                        name="f_acc",
                    )
                stack_inside = self.forward_context.AddValue(stack)
                push = self._push(stack_inside, value, dead_branch)
                push._add_control_input(self.forward_index.op.inputs[0].op)
                return stack

    def _stack_size(self, value: Tensor) -> Tensor:
        if is_in_xla_context(value._op):
            return _largest_number_of_iterations(value, self.forward_context)
        return constant_node(-1, dtypes.int32)

    def _push(self, stack: Tensor, value: Tensor, dead_branch: bool) -> Operation:
        forward = self.forward_context
        context = output_context(value._op)

        def push() -> Operation:
            op: Operation = build.StackPushV2(stack, value, swap_memory=forward.swap_memory).op
            return op

        if context is forward:
            with inside(forward):
                op = push()
            self.forward_index.op._add_control_input(op)
            return op
        # The value stands in a branch.
        if context is None or not context.IsCondContext():
            raise TypeError(f"value_ctxt is not a CondContext: {context}")
        if dead_branch:
            with inside(context.outer_context):
                op = push()
            op._set_control_flow_context(context)
        else:
            with inside(context):
                op = push()
        self.forward_sync._add_control_input(op)
        return op

    def AddBackpropAccumulatedValue(
        self, history_value: Tensor, value: Tensor, dead_branch: bool = False
    ) -> Tensor:
        """The value of the same iteration of the forward loop, in the loop of the gradient.

        Args:
            history_value: the handle of the stack from `AddForwardAccumulator`.
            value: the tensor of the forward loop.
            dead_branch: whether the value stands for the branch that was not taken.

        Returns:
            A tensor.
        """
        branch = self._branch_of(value, history_value._op._control_flow_context)
        with control_dependencies(None), inside(self.grad_context):
            if branch is not None:
                taken = 1 - branch.branch if dead_branch else branch.branch
                pred = self._kept_predicate(branch)
                history_value = switch_ref_or_tensor(history_value, pred)[taken]
            popped: Tensor = build.StackPopV2(history_value, elem_type=value._dtype.base_dtype)
            popped.set_shape(value._shape)
        if self.grad_context.parallel_iterations > 1:
            self.grad_sync._add_control_input(popped.op)
        return popped

    @staticmethod
    def _branch_of(value: Tensor, stop: Any) -> Any:
        """The innermost branch in which a value stands, as far as the given context."""
        context = value._op._control_flow_context
        while context is not None and context is not stop:
            if context.IsCondContext():
                return context
            context = context.outer_context
        return None

    def _kept_predicate(self, branch: Any) -> Tensor:
        """The predicate of a branch of the forward loop in the loop of the gradient."""
        state: GradLoopState | None = self
        while state is not None:
            if branch.pred.name in state.history_map:
                return state.history_map[branch.pred.name]
            state = state.outer_grad_state
        tensor: Tensor = branch.pred
        return tensor

    def GetRealValue(self, value: Tensor) -> Tensor:
        """A forward value in the loop of the gradient, saved on a stack if necessary.

        Args:
            value: a tensor of the forward loop.

        Returns:
            A tensor.
        """
        if value.name not in self.history_map:
            self.history_map[value.name] = self._real_value(value)
        return self.history_map[value.name]

    def _real_value(self, value: Tensor) -> Tensor:
        state = self
        while True:
            enter = loop_constant_enter(value)
            if enter is None:
                break
            # It is the same in all iterations: look outside of the loop.
            value = enter._inputs[0]
            if state.outer_grad_state is None:
                return self.grad_context.AddValue(value)
            state = state.outer_grad_state
        if value._op.type == "Const":
            return constant_node(constant_value(value), value._dtype)
        with outside(self.grad_context):
            kept = state.AddForwardAccumulator(value)
        popped = state.AddBackpropAccumulatedValue(kept, value)
        return popped if state is self else self.grad_context.AddValue(popped)


def _largest_number_of_iterations(value: Tensor, loop: Any) -> Tensor:
    """How often a value can be pushed, for compiled loops: the product of all bounds.

    Raises:
        ValueError: if a loop around the value has no bound that can be used.
    """
    current = get_default_graph()._get_control_flow_context()
    size: Tensor = constant_node(1)
    while loop is not None and loop is not current:
        bound = loop.maximum_iterations
        if bound is None:
            raise ValueError(
                f"Cannot create a gradient accumulator for tensor '{value.name}' inside XLA "
                "while_loop because maximum_iterations was not passed to the tf.while_loop call "
                f"('{loop.name}')."
            )
        context = bound._op._control_flow_context
        if not is_containing_context(current, context):
            known = constant_value(bound)
            if known is None:
                raise ValueError(
                    f"Cannot create a gradient accumulator for tensor '{value.name}' inside XLA "
                    f"while_loop. maximum_iterations tensor '{bound.name}' for while_loop context "
                    f"'{loop.name}' must be statically known (e.g. a constant value or known shape "
                    "dimension), or be defined at or outside the while loop context "
                    f"'{current.name if current else ''}' (currently defined in "
                    f"'{context.name}')."
                )
            bound = known
        size = build.Mul(size, bound, name="mul")
        loop = containing_while_context(loop.outer_context, current)
    return size
