"""Which tensors stand for a variable, and which ops hand a variable on."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

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
_NEXT = ("NextIteration", "RefNextIteration")


def variable_of(tensor: Tensor, fed: Collection[Tensor] = ()) -> Operation | None:
    """The variable op that a tensor stands for; None for a plain value.

    References and resources stand for their variable, and so does, as in TensorFlow, the identity
    of a reference variable: an op that runs after an update sees the new value even if the
    identity stands before it.

    Args:
        tensor: any tensor.
        fed: tensors with a value of their own.
    """
    passed: list[Tensor] = []
    while tensor not in fed:
        op = tensor._op
        record = op._record
        if record.variable:
            return _noted(passed, op)
        if record.update_positions:
            if not tensor._dtype._is_ref_dtype:
                # The output of a counter is not a reference to the counter.
                return _noted(passed, None)
            source = op._inputs[record.update_positions[0]]
        elif record.name in _ALIASES or _hands_on(op, tensor):
            source = op._inputs[0]
        else:
            return _noted(passed, None)
        if passed:
            known = _known(tensor)
            if known is not _UNKNOWN and not _may_replace(fed, known):
                return _noted(passed, known)
        passed.append(tensor)
        tensor = source
    return None


# Every so many tensors of a chain of aliases, what it stands for is noted, so that planning a chain
# is linear in its length.
_NOTED_EVERY = 16
_UNKNOWN: Any = object()


def _noted(passed: list[Tensor], variable: Operation | None) -> Operation | None:
    """Notes what the tensors of a long chain stand for if none of them is fed; returns it."""
    if len(passed) > _NOTED_EVERY:
        _notes(passed[0]).update(dict.fromkeys(passed[::_NOTED_EVERY], variable))
    return variable


def _known(tensor: Tensor) -> Any:
    """The variable that has been noted for a tensor, or _UNKNOWN."""
    return _notes(tensor).get(tensor, _UNKNOWN)


def _notes(tensor: Tensor) -> dict[Tensor, Operation | None]:
    """What tensors of the graph stand for, as long as the graph does not change."""
    graph = tensor._op._graph
    changes, notes = graph._alias_notes
    if changes != graph.changes:
        notes = {}
        graph._alias_notes = graph.changes, notes
    return notes


def _may_replace(fed: Collection[Tensor], variable: Operation | None) -> bool:
    """Whether a fed tensor stands for a variable, and so may end a chain before it."""
    return variable is not None and any(variable_of(t) is variable for t in fed)


def _hands_on(op: Operation, tensor: Tensor) -> bool:
    """Whether an op of control flow gives its output the buffer of its first input."""
    name = op._record.name
    if tensor._dtype._is_ref_dtype or tensor._dtype.name == "resource":
        if name in ("Merge", "RefMerge"):
            # In a loop; the merge of two branches is of two variables.
            return any(t._op._record.name in _NEXT for t in op._inputs)
        return name in _PASSAGES
    # A variable that enters a branch, or a loop as a constant, is read there.
    return name == "Switch" or (name == "Enter" and op._attrs["is_constant"])


def is_alias(op: Operation) -> bool:
    """Whether the output of an op may be the buffer of a variable that it reads."""
    return op._record.name in _ALIASES
