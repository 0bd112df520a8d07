"""Questions about ops and the control flow contexts that they belong to."""

from __future__ import annotations

from typing import Any, Protocol

from headwater.base import logging
from headwater.graph.operation import Operation, Tensor

_PASSING = frozenset(("Switch", "RefSwitch", "Identity", "RefIdentity"))


class Context(Protocol):
    """What these functions ask of a `ControlFlowContext`."""

    @property
    def outer_context(self) -> Any: ...

    def GetWhileContext(self) -> Any: ...

    def IsCondContext(self) -> bool: ...

    def IsWhileContext(self) -> bool: ...

    def IsXLAContext(self) -> bool: ...


def is_switch(op: Operation) -> bool:
    return op.type in ("Switch", "RefSwitch")


def is_merge(op: Operation) -> bool:
    return op.type in ("Merge", "RefMerge")


def is_loop_enter(op: Operation) -> bool:
    return op.type in ("Enter", "RefEnter")


def is_loop_exit(op: Operation) -> bool:
    return op.type in ("Exit", "RefExit")


def is_loop_constant_enter(op: Operation) -> bool:
    """Whether an op brings a value into a loop that is the same in all iterations."""
    return is_loop_enter(op) and bool(op._attrs["is_constant"])


def is_cond_switch(op: Operation) -> bool:
    """Whether a Switch belongs to a branch: all that takes its outputs stands in one."""
    if not is_switch(op) or not op.outputs:
        return False
    for tensor in op.outputs:
        for consumer in tensor._consumers:
            context = consumer._control_flow_context
            if is_loop_enter(consumer) and context is not None:
                context = context.outer_context
            if context is None or not context.IsCondContext():
                return False
    return True


def is_cond_merge(op: Operation) -> bool:
    """Whether a Merge joins branches."""
    if not is_merge(op) or not op.inputs:
        return False
    contexts = [output_context(tensor._op) for tensor in op.inputs]
    return all(context is not None and context.IsCondContext() for context in contexts)


def is_loop_switch(op: Operation) -> bool:
    """Whether a Switch decides about the next iteration of a loop."""
    context = op._control_flow_context
    return (
        is_switch(op)
        and context is not None
        and context.IsWhileContext()
        and not is_cond_switch(op)
    )


def is_loop_merge(op: Operation) -> bool:
    """Whether a Merge begins an iteration of a loop."""
    context = op._control_flow_context
    return (
        is_merge(op) and context is not None and context.IsWhileContext() and not is_cond_merge(op)
    )


def loop_constant_enter(value: Tensor) -> Operation | None:
    """The op that brings a value into its loop, if the value is constant in the loop."""
    op = value._op
    while op.type in _PASSING:
        op = op._inputs[0]._op
    return op if is_loop_constant_enter(op) else None


def output_context(op: Operation) -> Context | None:
    """The context in which the outputs of an op stand: for an Exit the one around its loop."""
    context: Context | None = op._control_flow_context
    if context is not None and is_loop_exit(op):
        result: Context | None = context.outer_context
        return result
    return context


def while_context_of(op: Operation) -> Any:
    """The innermost loop that an op belongs to, or None."""
    context = op._control_flow_context
    return None if context is None else context.GetWhileContext()


def containing_while_context(context: Context | None, stop: Context | None = None) -> Any:
    """The innermost loop around a context, itself counted; `stop` if that comes first."""
    while context is not None:
        if context.IsWhileContext() or context is stop:
            return context
        context = context.outer_context
    return None


def containing_cond_context(context: Context | None) -> Any:
    """The innermost branch around a context, itself counted."""
    while context is not None:
        if context.IsCondContext():
            return context
        context = context.outer_context
    return None


def containing_xla_context(context: Context | None) -> Any:
    """The innermost XLA context around a context, itself counted."""
    while context is not None:
        if context.IsXLAContext():
            return context
        context = context.outer_context
    return None


def is_in_while_loop(op: Operation) -> bool:
    return containing_while_context(op._control_flow_context) is not None


def is_in_cond(op: Operation) -> bool:
    return containing_cond_context(op._control_flow_context) is not None


def is_in_xla_context(op: Operation) -> bool:
    compiled = op._attrs.get("_XlaCompile", False)
    return bool(compiled) or containing_xla_context(op._control_flow_context) is not None


def is_containing_context(context: Context | None, around: Context | None) -> bool:
    """Whether `around` is `context` or stands around it."""
    while context is not around:
        if context is None:
            return False
        context = context.outer_context
    return True


def op_in_context(op: Operation, context: Context | None) -> bool:
    return is_containing_context(op._control_flow_context, context)


def tensor_in_context(tensor: Tensor, context: Context | None) -> bool:
    return op_in_context(tensor._op, context)


def check_input_from_valid_context(op: Operation, input_op: Operation) -> None:
    """Checks that an op may take the output of another one: it must not leave a loop without Exit.

    Raises:
        ValueError: if it may not.
    """
    source = output_context(input_op)
    if source is None or source is op._control_flow_context:
        return
    loop = containing_while_context(op._control_flow_context)
    source_loop = containing_while_context(source)
    if _reachable(op, loop, source_loop):
        return
    if loop is not None:
        text = (
            f"Cannot use '{input_op.name}' as input to '{op.name}' because they are in different "
            "while loops."
        )
    else:
        text = (
            f"Cannot use '{input_op.name}' as input to '{op.name}' because '{input_op.name}' is "
            "in a while loop."
        )
    logging.info(
        f"{text}\n\n{op.name} while context: {loop}\n{input_op.name} while context: {source_loop}"
    )
    raise ValueError(f"{text} See info log for more details.")


def _reachable(op: Operation, loop: Any, source_loop: Any) -> bool:
    """Whether a value of `source_loop` can be taken by an op in `loop`."""
    if loop is None:
        # Enter and Switch nodes get their context after they have been made.
        return source_loop is None or is_loop_enter(op) or is_switch(op)
    if source_loop is None or is_containing_context(loop, source_loop):
        return True
    # A gradient uses values of its forward loop, of loops around that, and of loops in it.
    forward = _forward_context(loop)
    if forward is not None and (
        is_containing_context(forward, source_loop) or forward is source_loop.outer_context
    ):
        return True
    # The gradient of a gradient.
    source_forward = _forward_context(source_loop)
    if source_forward is None:
        return False
    return source_forward is loop or _forward_context(source_forward) is loop


def _forward_context(loop: Any) -> Any:
    """The loop whose gradient a loop computes, or None."""
    state = loop.grad_state
    return None if state is None else state.forward_context
