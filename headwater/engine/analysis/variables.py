"""Which tensors stand for a variable, and which ops hand a variable on."""

from __future__ import annotations

from collections.abc import Collection

from headwater.graph import Operation, Tensor

# Ops whose output may be the buffer of a variable: who reads the output reads the variable.
_ALIASES = frozenset(("Identity", "RefIdentity", "StopGradient", "PreventGradient"))
# Ops of control flow that hand a reference or a resource on.
_PASSAGES = frozenset(
    (
        "Enter",
        "RefEnter",
        "Exit",
        "RefExit",
        "Switch",
        "RefSwitch",
        "NextIteration",
        "RefNextIteration",
    )
)


def variable_of(tensor: Tensor, fed: Collection[Tensor] = ()) -> Operation | None:
    """The variable op that a tensor stands for; None for a plain value.

    References and resources stand for their variable, and so does, as in TensorFlow, the identity
    of a reference variable: an op that runs after an update sees the new value even if the
    identity stands before it.

    Args:
        tensor: any tensor.
        fed: tensors with a value of their own.
    """
    while tensor not in fed:
        op = tensor._op
        record = op._record
        if record.variable:
            return op
        if record.update_positions:
            if not tensor._dtype._is_ref_dtype:
                # The output of a counter is not a reference to the counter.
                return None
            tensor = op._inputs[record.update_positions[0]]
        elif record.name in _ALIASES or _hands_on(op, tensor):
            tensor = op._inputs[0]
        else:
            return None
    return None


def _hands_on(op: Operation, tensor: Tensor) -> bool:
    """Whether an op of control flow gives its output the buffer of its first input."""
    name = op._record.name
    if name == "RefMerge":
        # In a loop; the merge of two branches is of two variables.
        return any(t._op._record.name == "RefNextIteration" for t in op._inputs)
    if tensor._dtype._is_ref_dtype or tensor._dtype.name == "resource":
        return name in _PASSAGES
    # A variable that enters a branch, or a loop as a constant, is read there.
    return name == "Switch" or (name == "Enter" and op._attrs["is_constant"])


def is_alias(op: Operation) -> bool:
    """Whether the output of an op may be the buffer of a variable that it reads."""
    return op._record.name in _ALIASES
