"""Which ops depend on which."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from headwater.graph import Tensor

# {op: ops that wait for it} by control edges, and how many ops of the graph have been looked at.
_waiting: weakref.WeakKeyDictionary[Any, tuple[int, dict[Any, list[Any]]]] = (
    weakref.WeakKeyDictionary()
)


def _control_consumers(graph: Any) -> dict[Any, list[Any]]:
    """{op: ops that wait for it} of a graph; only new ops are looked at."""
    ops = graph.get_operations()
    seen, found = _waiting.get(graph, (0, {}))
    for op in ops[seen:]:
        for awaited in op.control_inputs:
            found.setdefault(awaited, []).append(op)
    _waiting[graph] = len(ops), found
    return found


def reachable(tensors: Sequence[Any]) -> set[Any]:
    """The ops that depend on tensors by data or control edges."""
    given = [t for t in tensors if isinstance(t, Tensor)]
    if not given:
        return set()
    waiting = _control_consumers(given[0].graph)
    reached: set[Any] = set()
    stack = [c for t in given for c in t.consumers()]
    while stack:
        op = stack.pop()
        if op not in reached:
            reached.add(op)
            stack.extend(c for t in op.outputs for c in t.consumers())
            stack.extend(waiting.get(op, ()))
    return reached


def depends_on_placeholder(op: Any) -> bool:
    """Whether an op depends on what is fed."""
    return any(source.type.startswith("Placeholder") for source in _sources(op))


def _sources(op: Any) -> Iterator[Any]:
    seen: set[Any] = set()
    stack = [op]
    while stack:
        op = stack.pop()
        if op not in seen:
            seen.add(op)
            yield op
            stack.extend(t.op for t in op.inputs)
