"""Reads of resource variables in loops that can be made before the loops.

A loop stands on one task. Where it only reads a variable of another task, as the loops of recurrent
layers do, the value enters the loop instead of the handle, which cannot travel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headwater.graph import Operation, Tensor

_READS = frozenset(("ReadVariableOp",))
_ENTERS = frozenset(("Enter",))


@dataclass
class InvariantReads:
    """What enters loops as a value.

    Attributes:
        handles: the handle outside of all loops for each Enter that brings it in.
        reads: the reads of these handles in loops.
        updates: for each handle, the ops that update the variable before a loop that reads it.
    """

    handles: dict[Operation, Tensor] = field(default_factory=dict)
    reads: set[Operation] = field(default_factory=set)
    updates: dict[Tensor, list[Operation]] = field(default_factory=dict)

    def __contains__(self, op: Operation) -> bool:
        return op in self.handles or op in self.reads


def invariant_reads(ops: Sequence[Operation]) -> InvariantReads:
    """Finds the reads in loops of variables that no loop updates.

    Args:
        ops: the ops of a run.
    """
    result = InvariantReads()
    handles: dict[Operation, Tensor] = {}
    for op in sorted(ops, key=lambda op: op._id_value):
        if op.type in _ENTERS and op._attrs.get("is_constant"):
            source = op._inputs[0]
            root = handles.get(source._op)
            if root is None and source._op.type == "VarHandleOp":
                root = source
            if root is not None:
                handles[op] = root
    if not handles:
        return result
    used_otherwise: set[Tensor] = set()
    uses: dict[Tensor, list[Operation]] = {root: [] for root in handles.values()}
    for op in ops:
        for tensor in op._inputs:
            if tensor._op in handles and op not in handles and op.type not in _READS:
                used_otherwise.add(handles[tensor._op])
            elif tensor in uses and op not in handles and op.type not in _READS:
                uses[tensor].append(op)
    result.handles = {op: root for op, root in handles.items() if root not in used_otherwise}
    result.reads = {op for op in ops if op.type in _READS and op._inputs[0]._op in result.handles}
    before = _ancestors(ops, result.handles)
    for root in dict.fromkeys(result.handles.values()):
        result.updates[root] = [op for op in uses[root] if op in before]
    return result


def _ancestors(ops: Sequence[Operation], enters: Iterable[Operation]) -> set[Operation]:
    """The ops that the loops of some Enter ops depend on."""
    names = {op._attrs["frame_name"] for op in enters}
    stack = [
        op for op in ops if op.type in ("Enter", "RefEnter") and op._attrs["frame_name"] in names
    ]
    known = set(ops)
    found: set[Operation] = set()
    while stack:
        op = stack.pop()
        for source in (*(t._op for t in op._inputs), *op._control_inputs):
            if source in known and source not in found:
                found.add(source)
                stack.append(source)
    return found
