"""tensorflow.python.ops.gradients_impl."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from headwater.graph import Operation
from headwater.graph.gradients import AggregationMethod, gradients
from headwater.model.hessians import hessian_vector_product as _hessian_vector_product
from headwater.model.hessians import hessians

__all__ = [
    "AggregationMethod",
    "_GatherInputs",
    "_MarkReachedOps",
    "_hessian_vector_product",
    "gradients",
    "hessians",
]


class _Marks:
    """Marks of ops: a set of them, or a list of flags by the ids of the ops."""

    def __init__(self, marks: Any) -> None:
        self._marks = marks

    def __contains__(self, op: Operation) -> bool:
        marks = self._marks
        return op in marks if isinstance(marks, set) else bool(marks[op._id])

    def set(self, op: Operation, marked: bool) -> None:
        if not isinstance(self._marks, set):
            self._marks[op._id] = marked
        elif marked:
            self._marks.add(op)
        else:
            self._marks.discard(op)


def _MarkReachedOps(from_ops: Iterable[Operation], reached_ops: Any, *_: Any) -> None:
    """Marks the ops that follow from others, up to ops that are marked already.

    Args:
      from_ops: the ops to start from.
      reached_ops: the marks: a set of ops, or a list of flags by their ids.
    """
    marks = _Marks(reached_ops)
    queue = deque(from_ops)
    while queue:
        op = queue.popleft()
        if op not in marks:
            marks.set(op, True)
            queue.extend(user for output in op.outputs for user in output.consumers())


def _GatherInputs(to_ops: Iterable[Operation], reached_ops: Any) -> list[Operation]:
    """The marked ops that given ops depend on, these included; their marks are cleared.

    Args:
      to_ops: the ops to start from.
      reached_ops: the marks, as of `_MarkReachedOps`.

    Returns:
      The ops, each once.
    """
    marks = _Marks(reached_ops)
    queue = deque(to_ops)
    found = []
    while queue:
        op = queue.popleft()
        if op in marks:
            marks.set(op, False)
            found.append(op)
            queue.extend(tensor.op for tensor in op.inputs)
    return found
